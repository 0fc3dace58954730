//! The `.blm` envelope, version 1: 128 bytes of header with two checksums, then the payload.

use xxhash_rust::xxh3::xxh3_64;

use super::{damaged, field, Contents, Format, Header};
use crate::any::AnyGeometry;
use crate::error::{Error, ErrorKind, Result};
use crate::filter::{MAX_OFFSET, OFFSET_UNIT};
use crate::hash::{HashId, HashSpec};
use crate::kind::Kind;
use crate::layout::Words;
use crate::prelude::*;
use crate::records::Records;

/// The first bytes of an envelope. Each common text-mode transfer damages some of them.
pub const MAGIC: [u8; 8] = [0x89, b'B', b'L', b'M', b'\r', b'\n', 0x1a, b'\n'];

/// The bytes of an envelope before its payload.
pub const ENVELOPE_HEADER: usize = 128;

const VERSION: u16 = 1;
/// The flags that a reader may not ignore; none is defined.
const MUST_UNDERSTAND: u16 = 0x00ff;
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
    let offset = check_sum(start, file_bytes)?;
    let kind = Kind::from_number(u16_at(start, AT_KIND))?;
    let hash = parse_hash(start)?;
    let records = Records::parse(&start[ENVELOPE_HEADER..offset])?;
    check_extent(start, file_bytes)?;
    records.check_length(file_bytes - offset as u64)?;
    let geometry = parse_geometry(start, kind)?;
    let count = u64_at(start, AT_COUNT);
    Ok(Header {
        format: Format::Envelope,
        hash,
        key_count: Some(count).filter(|count| *count != UNKNOWN_COUNT),
        geometry,
        records,
        payload_offset: offset as u64,
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
    Ok(())
}

/// How many bytes of a file are its header and records.
pub(super) fn length(start: &[u8]) -> usize {
    let offset = u64_at(start, AT_OFFSET);
    offset.clamp(ENVELOPE_HEADER as u64, MAX_OFFSET) as usize
}

/// The payload's offset, once the sum of all before it was compared.
fn check_sum(start: &[u8], file_bytes: u64) -> Result<usize> {
    let offset = u64_at(start, AT_OFFSET);
    let least = ENVELOPE_HEADER as u64;
    if offset % OFFSET_UNIT != 0 || !(least..=MAX_OFFSET).contains(&offset) {
        let rule = format!("a multiple of 64 from {} to {}", least, MAX_OFFSET);
        return Err(damaged(
            "payload offset",
            format!("payload offset is {}, must be {}", offset, rule),
        ));
    }
    if offset > file_bytes || offset > start.len() as u64 {
        return Err(damaged(
            "payload offset",
            format!(
                "payload offset is {}, the file has {} bytes: it was cut short",
                offset, file_bytes
            ),
        ));
    }
    let stored = u64_at(start, AT_HEADER_SUM);
    let sum = header_sum(
        &start[..AT_HEADER_SUM],
        &start[ENVELOPE_HEADER..offset as usize],
    );
    if stored != sum {
        return Err(damaged(
            "header checksum",
            format!(
                "header checksum is {:#018x}, the header's is {:#018x}: the header is damaged, build the filter again",
                stored, sum
            ),
        ));
    }
    Ok(offset as usize)
}

/// The sum of the header before its own field, and of the records.
fn header_sum(header: &[u8], records: &[u8]) -> u64 {
    xxh3_64(&[header, records].concat())
}

fn parse_hash(start: &[u8]) -> Result<HashSpec> {
    let number = u16_at(start, AT_HASH);
    let id = HashId::from_number(number).ok_or_else(|| {
        unsupported(
            "hash id",
            format!(
                "hash id is {}, this release knows 1 to 5: a newer release wrote it, use one to read it",
                number
            ),
        )
    })?;
    let flags = u16_at(start, AT_FLAGS);
    if flags & MUST_UNDERSTAND != 0 {
        return Err(unsupported(
            "flags",
            format!(
                "flags are {:#06x}, of which {:#04x} must be understood and is unknown here: use a newer release",
                flags,
                flags & MUST_UNDERSTAND
            ),
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
    let length = u64_at(start, AT_LENGTH);
    let actual = file_bytes - u64_at(start, AT_OFFSET);
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

pub(super) fn encode(contents: &Contents<'_>) -> Result<Vec<u8>> {
    let records = contents.said.records().encode(contents.payload);
    let end = (ENVELOPE_HEADER + records.len()) as u64;
    let offset = contents.said.offset_behind(end);
    if offset > MAX_OFFSET {
        return Err(Error::field(
            ErrorKind::InvalidArgument,
            "records",
            format!(
                "the records take {} bytes, a file has room for 4 MiB of them",
                records.len()
            ),
        ));
    }
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
        offset,
        contents.payload.len() as u64,
    ];
    for word in words.iter().chain(&geometry.values()) {
        header.extend(word.to_le_bytes());
    }
    header.extend(xxh3_64(contents.payload).to_le_bytes());
    let mut area = records;
    area.resize(offset as usize - ENVELOPE_HEADER, 0);
    header.extend(header_sum(&header, &area).to_le_bytes());
    header.extend(area);
    Ok(header)
}
