//! The `.blm` envelope, version 1: 128 bytes of header with two checksums, then the payload.

use xxhash_rust::xxh3::xxh3_64;

use super::{damaged, field, Format, Header};
use crate::classic::{Filter, Geometry, MAX_K};
use crate::error::{Error, ErrorKind, Result};
use crate::hash::{HashId, HashSpec};

/// The first bytes of an envelope. Each common text-mode transfer damages some of them.
pub const MAGIC: [u8; 8] = [0x89, b'B', b'L', b'M', b'\r', b'\n', 0x1a, b'\n'];

/// The bytes of an envelope before its payload.
pub const ENVELOPE_HEADER: usize = 128;

const VERSION: u16 = 1;
const KIND_CLASSIC: u16 = 1;
const KINDS: [&str; 12] = [
    "classic",
    "split",
    "block",
    "counting",
    "partitioned",
    "scalable",
    "stable",
    "cuckoo",
    "quotient",
    "fuse",
    "ribbon",
    "iblt",
];
const UNKNOWN_COUNT: u64 = u64::MAX;

// Where the fields are.
const AT_VERSION: usize = 8;
const AT_KIND: usize = 10;
const AT_HASH: usize = 12;
const AT_FLAGS: usize = 14;
const AT_SEED: usize = 16;
const AT_COUNT: usize = 24;
const AT_OFFSET: usize = 32;
const AT_LENGTH: usize = 40;
const AT_GEOMETRY: usize = 48;
const AT_PAYLOAD_SUM: usize = 112;
const AT_HEADER_SUM: usize = 120;
const GEOMETRY_WORDS: usize = 8;

fn u16_at(start: &[u8], at: usize) -> u16 {
    u16::from_le_bytes(field(start, at))
}

fn u64_at(start: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(field(start, at))
}

/// The checks of the specification, in its order.
pub(super) fn parse(start: &[u8], file_bytes: u64) -> Result<Header> {
    check_identity(start, file_bytes)?;
    let hash = parse_hash(start)?;
    check_extent(start, file_bytes)?;
    let geometry = parse_geometry(start)?;
    let count = u64_at(start, AT_COUNT);
    Ok(Header {
        format: Format::Envelope,
        hash,
        key_count: Some(count).filter(|count| *count != UNKNOWN_COUNT),
        geometry,
        payload_checksum: u64_at(start, AT_PAYLOAD_SUM),
    })
}

fn check_identity(start: &[u8], file_bytes: u64) -> Result<()> {
    if start.len() < ENVELOPE_HEADER || file_bytes < ENVELOPE_HEADER as u64 {
        return Err(damaged(
            "length",
            format!(
                "the file is {} bytes, an envelope has at least {}: it was cut short",
                file_bytes, ENVELOPE_HEADER
            ),
        ));
    }
    if start[..MAGIC.len()] != MAGIC {
        return Err(damaged(
            "magic",
            "the magic is not an envelope's: this is no filter file, or it was transferred as text; transfer it as binary",
        ));
    }
    let version = u16_at(start, AT_VERSION);
    if version != VERSION {
        return Err(unsupported(
            "version",
            format!(
                "version is {}, this release reads version {}{}",
                version,
                VERSION,
                if version > VERSION {
                    ": a newer release wrote it, use one to read it"
                } else {
                    ""
                }
            ),
        ));
    }
    let stored = u64_at(start, AT_HEADER_SUM);
    let sum = xxh3_64(&start[..AT_HEADER_SUM]);
    if stored != sum {
        return Err(damaged(
            "header checksum",
            format!(
                "header checksum is {:#018x}, the header's is {:#018x}: the header is damaged, build the filter again",
                stored, sum
            ),
        ));
    }
    Ok(())
}

fn parse_hash(start: &[u8]) -> Result<HashSpec> {
    let kind = u16_at(start, AT_KIND);
    if kind != KIND_CLASSIC {
        let name = KINDS.get(usize::from(kind).wrapping_sub(1));
        return Err(unsupported(
            "kind",
            match name {
                Some(name) => format!("kind is {} ({}), this release reads classic", kind, name),
                None => format!("kind is {}, which this release does not know", kind),
            },
        ));
    }
    let number = u16_at(start, AT_HASH);
    let id = HashId::from_number(number).ok_or_else(|| {
        unsupported(
            "hash id",
            format!("hash id is {}, this release knows 1 to 5", number),
        )
    })?;
    let flags = u16_at(start, AT_FLAGS);
    if flags != 0 {
        return Err(unsupported(
            "flags",
            format!("flags are {:#06x}, this release knows none", flags),
        ));
    }
    let seed = u64_at(start, AT_SEED);
    if seed != 0 && !id.is_seeded() && !id.is_keyed() {
        return Err(damaged(
            "hash seed",
            format!(
                "hash seed is {:#x}, {} takes none: it must be 0",
                seed,
                id.name()
            ),
        ));
    }
    Ok(HashSpec { id, seed })
}

fn check_extent(start: &[u8], file_bytes: u64) -> Result<()> {
    let offset = u64_at(start, AT_OFFSET);
    if offset != ENVELOPE_HEADER as u64 {
        return Err(damaged(
            "payload offset",
            format!("payload offset is {}, must be {}", offset, ENVELOPE_HEADER),
        ));
    }
    let length = u64_at(start, AT_LENGTH);
    let actual = file_bytes - ENVELOPE_HEADER as u64;
    if length != actual {
        return Err(damaged(
            "payload length",
            format!(
                "payload length is {}, the file has {} bytes of it: it was cut short or added to",
                length, actual
            ),
        ));
    }
    Ok(())
}

fn parse_geometry(start: &[u8]) -> Result<Geometry> {
    let word = |i: usize| u64_at(start, AT_GEOMETRY + 8 * i);
    let (m, k) = (word(0), word(1));
    if m == 0 {
        return Err(damaged("m", "m is 0, must be at least 1"));
    }
    if k == 0 || k > u64::from(MAX_K) {
        return Err(damaged("k", format!("k is {}, must be 1 to {}", k, MAX_K)));
    }
    let geometry = Geometry::new(m, k as u32)?;
    let length = u64_at(start, AT_LENGTH);
    if length != geometry.payload_bytes() {
        return Err(damaged(
            "payload length",
            format!(
                "payload length is {}, m = {} needs {}",
                length,
                m,
                geometry.payload_bytes()
            ),
        ));
    }
    match (2..GEOMETRY_WORDS).find(|i| word(*i) != 0) {
        Some(i) => Err(damaged(
            "geometry",
            format!("geometry word {} is {}, classic leaves it 0", i, word(i)),
        )),
        None => Ok(geometry),
    }
}

fn unsupported(field: &'static str, message: String) -> Error {
    Error::field(ErrorKind::Unsupported, field, message)
}

pub(super) fn encode(filter: &Filter) -> Vec<u8> {
    let HashSpec { id, seed } = filter.hash_spec();
    let geometry = filter.geometry();
    let payload = filter.view().bits();
    let mut header = Vec::with_capacity(ENVELOPE_HEADER);
    header.extend(MAGIC);
    for half in [VERSION, KIND_CLASSIC, id as u16, 0] {
        header.extend(half.to_le_bytes());
    }
    let words = [
        seed,
        filter.key_count().unwrap_or(UNKNOWN_COUNT),
        ENVELOPE_HEADER as u64,
        payload.len() as u64,
        geometry.m(),
        u64::from(geometry.k()),
    ];
    for word in words {
        header.extend(word.to_le_bytes());
    }
    header.resize(AT_PAYLOAD_SUM, 0);
    header.extend(xxh3_64(payload).to_le_bytes());
    header.extend(xxh3_64(&header).to_le_bytes());
    header
}
