//! The `.blm` envelope, version 1: 128 bytes of header with two checksums, then the payload.

use xxhash_rust::xxh3::xxh3_64;

use super::{damaged, field, Contents, Format, Header};
use crate::any::AnyGeometry;
use crate::error::{Error, ErrorKind, Result};
use crate::hash::{HashId, HashSpec};
use crate::kind::Kind;
use crate::layout::Words;
use crate::prelude::*;

/// The first bytes of an envelope. Each common text-mode transfer damages some of them.
pub const MAGIC: [u8; 8] = [0x89, b'B', b'L', b'M', b'\r', b'\n', 0x1a, b'\n'];

/// The bytes of an envelope before its payload.
pub const ENVELOPE_HEADER: usize = 128;

const VERSION: u16 = 1;
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

fn u16_at(start: &[u8], at: usize) -> u16 {
    u16::from_le_bytes(field(start, at))
}

fn u64_at(start: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(field(start, at))
}

/// The checks of the specification, in its order.
pub(super) fn parse(start: &[u8], file_bytes: u64) -> Result<Header> {
    check_identity(start, file_bytes)?;
    let kind = Kind::from_number(u16_at(start, AT_KIND))?;
    let hash = parse_hash(start)?;
    check_extent(start, file_bytes)?;
    let geometry = parse_geometry(start, kind)?;
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

fn parse_geometry(start: &[u8], kind: Kind) -> Result<AnyGeometry> {
    let mut words = Words::default();
    for (i, word) in words.iter_mut().enumerate() {
        *word = u64_at(start, AT_GEOMETRY + 8 * i);
    }
    let geometry = AnyGeometry::from_values(kind, &words)
        .map_err(|e| damaged(e.field_name().unwrap_or("geometry"), e.message()))?;
    let length = u64_at(start, AT_LENGTH);
    if length != geometry.payload_bytes() {
        return Err(damaged(
            "payload length",
            format!(
                "payload length is {}, the geometry needs {}",
                length,
                geometry.payload_bytes()
            ),
        ));
    }
    let used = AnyGeometry::fields(kind).len();
    match (used..words.len()).find(|i| words[*i] != 0) {
        Some(i) => Err(damaged(
            "geometry",
            format!("geometry word {} is {}, {} leaves it 0", i, words[i], kind),
        )),
        None => Ok(geometry),
    }
}

fn unsupported(field: &'static str, message: String) -> Error {
    Error::field(ErrorKind::Unsupported, field, message)
}

pub(super) fn encode(contents: &Contents<'_>) -> Vec<u8> {
    let HashSpec { id, seed } = contents.hash;
    let geometry = contents.geometry;
    let mut header = Vec::with_capacity(ENVELOPE_HEADER);
    header.extend(MAGIC);
    for half in [VERSION, geometry.kind() as u16, id as u16, 0] {
        header.extend(half.to_le_bytes());
    }
    let words = [
        seed,
        contents.key_count.unwrap_or(UNKNOWN_COUNT),
        ENVELOPE_HEADER as u64,
        contents.payload.len() as u64,
    ];
    for word in words.iter().chain(&geometry.values()) {
        header.extend(word.to_le_bytes());
    }
    header.extend(xxh3_64(contents.payload).to_le_bytes());
    header.extend(xxh3_64(&header).to_le_bytes());
    header
}
