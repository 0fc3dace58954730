//! The records of envelopes: what a file says of itself beside its filter. A file has none unless somebody asked.

use std::fmt;

use crate::error::{Error, ErrorKind, Result};
use crate::prelude::*;
use xxhash_rust::xxh3::xxh3_64;

/// The types of records that this release knows.
const LABEL: u16 = 1;
const CREATED: u16 = 2;
const KEYS: u16 = 3;
const CHUNKS: u16 = 4;
/// Reserved, and treated as a type that is not known.
const LINEAGE: u16 = 5;

/// Flags of a record: a reader must understand it; it stays true when the payload changes.
const MUST: u16 = 1;
const STAYS: u16 = 2;

const HEAD: usize = 8;
const MOST_TEXT: usize = 255;
const SMALLEST_CHUNK: u64 = 4096;
/// The bytes of a record of chunks, at most, as writers make it.
const MOST_SUMS: u64 = 1 << 19;

#[derive(Clone, Debug, PartialEq, Eq)]
struct Record {
    kind: u16,
    flags: u16,
    contents: Vec<u8>,
}

/// What a file says of itself beside its filter: at most one record of each type.
///
/// ```
/// use bloomery::{Filter, Format};
///
/// let mut seen = Filter::with_capacity(1_000, 0.01)?;
/// seen.records_mut().set_label(Some("users"))?;
/// let again = Filter::decode(&seen.encode(Format::Envelope)?, None)?;
/// assert_eq!(again.records().label(), Some("users"));
/// # Ok::<(), bloomery::Error>(())
/// ```
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Records {
    /// Ascending by type.
    list: Vec<Record>,
    /// Whether sums of the chunks are to be written.
    chunks_wanted: bool,
}

fn refused(kind: u16, why: &str) -> Error {
    let message = format!("the record of type {} {}: the file is damaged", kind, why);
    Error::field(ErrorKind::Damaged, "records", message)
}

fn padded(length: usize) -> usize {
    (length + 7) / 8 * 8
}

fn is_label(text: &[u8]) -> bool {
    let plain = |byte: &u8| *byte >= 0x20 && *byte != 0x7f;
    (1..=MOST_TEXT).contains(&text.len())
        && text.iter().all(plain)
        && std::str::from_utf8(text).is_ok()
}

fn is_key_type(text: &[u8]) -> bool {
    (1..=MOST_TEXT).contains(&text.len()) && text.iter().all(|byte| (0x21..=0x7e).contains(byte))
}

impl Record {
    fn check(&self) -> Result<()> {
        let unknown = self.flags & 0xfc;
        let (flags, good) = match self.kind {
            LABEL => (STAYS, is_label(&self.contents)),
            CREATED => (0, self.contents.len() == 8),
            KEYS => (STAYS, is_key_type(&self.contents)),
            CHUNKS => (0, chunk_bytes(&self.contents).is_some()),
            _ if self.flags & MUST != 0 => {
                let message = format!(
                    "the record of type {} must be understood, and this release does not",
                    self.kind
                );
                return Err(Error::field(ErrorKind::Unsupported, "records", message));
            }
            _ => (self.flags & 0xff, true),
        };
        if unknown != 0 {
            let message = format!(
                "the record of type {} has flags {:#06x}, which this release does not know",
                self.kind, self.flags
            );
            return Err(Error::field(ErrorKind::Unsupported, "records", message));
        }
        if self.flags & 0xff != flags {
            return Err(refused(self.kind, "has other flags than its type has"));
        }
        if !good {
            return Err(refused(self.kind, "has other contents than its type has"));
        }
        Ok(())
    }
}

/// The chunk size of a record of chunks, where its length and size make sense.
fn chunk_bytes(contents: &[u8]) -> Option<u64> {
    if contents.len() < 8 || contents.len() % 8 != 0 {
        return None;
    }
    let size = number(&contents[..8]);
    let power = size >= SMALLEST_CHUNK && size.is_power_of_two();
    Some(size).filter(|_| power)
}

fn number(bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .rev()
        .fold(0, |n, byte| n << 8 | u64::from(*byte))
}

fn sums(payload: &[u8], size: u64) -> impl Iterator<Item = u64> + '_ {
    payload
        .chunks(usize::try_from(size).unwrap_or(usize::MAX))
        .map(xxh3_64)
}

impl Records {
    /// A name for people, where the file has one.
    pub fn label(&self) -> Option<&str> {
        self.text(LABEL)
    }

    /// When the payload was made, in seconds since 1970-01-01 00:00 UTC, where the file says it.
    pub fn created(&self) -> Option<u64> {
        self.find(CREATED).map(number)
    }

    /// What the keys are, where the file says it: "text", "bytes", "int" and the like.
    pub fn keys(&self) -> Option<&str> {
        self.text(KEYS)
    }

    /// The size of the chunks whose sums the file has, where it has some.
    pub fn chunk_bytes(&self) -> Option<u64> {
        self.find(CHUNKS).and_then(chunk_bytes)
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty() && !self.chunks_wanted
    }

    /// Sets the label, or takes it away. Refuses what is no line of 1 to 255 bytes.
    pub fn set_label(&mut self, label: Option<&str>) -> Result<()> {
        self.set_text(
            LABEL,
            label,
            "label",
            is_label,
            "1 to 255 bytes without control characters",
        )
    }

    /// Sets what the keys are, or takes that away. Refuses what is not 1 to 255 visible ASCII characters.
    pub fn set_keys(&mut self, keys: Option<&str>) -> Result<()> {
        self.set_text(
            KEYS,
            keys,
            "keys",
            is_key_type,
            "1 to 255 visible ASCII characters",
        )
    }

    /// Sets when the payload was made, in seconds since 1970-01-01 00:00 UTC, or takes that away.
    pub fn set_created(&mut self, seconds: Option<u64>) {
        self.put(
            CREATED,
            0,
            seconds.map(|seconds| seconds.to_le_bytes().to_vec()),
        );
    }

    /// Has sums of the chunks written, or none.
    pub fn set_chunks(&mut self, wanted: bool) {
        self.put(CHUNKS, 0, None);
        self.chunks_wanted = wanted;
    }

    fn set_text(
        &mut self,
        kind: u16,
        text: Option<&str>,
        name: &'static str,
        good: fn(&[u8]) -> bool,
        rule: &str,
    ) -> Result<()> {
        if text.map_or(false, |text| !good(text.as_bytes())) {
            let message = format!("{} is {:?}, must be {}", name, text.unwrap_or(""), rule);
            return Err(Error::field(ErrorKind::InvalidArgument, name, message));
        }
        self.put(kind, STAYS, text.map(|text| text.as_bytes().to_vec()));
        Ok(())
    }

    fn put(&mut self, kind: u16, flags: u16, contents: Option<Vec<u8>>) {
        self.list.retain(|record| record.kind != kind);
        self.list.extend(contents.map(|contents| Record {
            kind,
            flags,
            contents,
        }));
        self.list.sort_by_key(|record| record.kind);
    }

    fn find(&self, kind: u16) -> Option<&[u8]> {
        let found = self.list.iter().find(|record| record.kind == kind);
        found.map(|record| record.contents.as_slice())
    }

    fn text(&self, kind: u16) -> Option<&str> {
        self.find(kind)
            .and_then(|text| std::str::from_utf8(text).ok())
    }

    /// Reads the bytes between header and payload.
    pub(crate) fn parse(mut area: &[u8]) -> Result<Records> {
        let mut records = Records::default();
        while area.len() >= HEAD && area[..2] != [0, 0] {
            let kind = number(&area[..2]) as u16;
            let length = number(&area[4..8]) as usize;
            let end = HEAD + padded(length);
            if end > area.len() {
                return Err(refused(kind, "reaches beyond the payload's offset"));
            }
            let (record, rest) = area.split_at(end);
            if record[HEAD + length..].iter().any(|byte| *byte != 0) {
                return Err(refused(kind, "has padding other than 0"));
            }
            let mut record = Record {
                kind,
                flags: number(&record[2..4]) as u16,
                contents: record[HEAD..HEAD + length].to_vec(),
            };
            record.check()?;
            if (LABEL..=CHUNKS).contains(&kind) {
                // A writer sets the flags that it knows: those that may be ignored go.
                record.flags &= 0xff;
            }
            if records.find(kind).is_some() {
                return Err(refused(kind, "is there twice"));
            }
            records.list.push(record);
            area = rest;
        }
        if area.iter().any(|byte| *byte != 0) {
            let message =
                "a byte between the last record and the payload is not 0: the file is damaged";
            return Err(Error::field(ErrorKind::Damaged, "records", message));
        }
        records.list.sort_by_key(|record| record.kind);
        Ok(records)
    }

    /// Refuses sums of chunks that do not fit a payload of this length.
    pub(crate) fn check_length(&self, payload: u64) -> Result<()> {
        let (size, contents) = match (self.chunk_bytes(), self.find(CHUNKS)) {
            (Some(size), Some(contents)) => (size, contents),
            _ => return Ok(()),
        };
        let count = payload / size + u64::from(payload % size != 0);
        if contents.len() as u64 != 8 * (1 + count) {
            return Err(refused(CHUNKS, "does not fit the payload"));
        }
        Ok(())
    }

    /// Compares the sums of the chunks, where there are some, and names the first that differs.
    pub(crate) fn verify(&self, payload: &[u8]) -> Result<()> {
        let (size, contents) = match (self.chunk_bytes(), self.find(CHUNKS)) {
            (Some(size), Some(contents)) => (size, contents),
            _ => return Ok(()),
        };
        let stored = contents[8..].chunks_exact(8).map(number);
        for (i, (stored, sum)) in (0..).zip(stored.zip(sums(payload, size))) {
            if stored != sum {
                let first = i * size;
                let message = format!(
                    "chunk {} of {}, bytes {} to {} of the payload, is damaged: build the filter again",
                    i,
                    contents.len() / 8 - 1,
                    first,
                    (first + size).min(payload.len() as u64) - 1
                );
                return Err(Error::field(ErrorKind::Damaged, "chunks", message));
            }
        }
        Ok(())
    }

    /// Those that stay true when the payload changes.
    pub(crate) fn drop_changed(&mut self) {
        self.list.retain(|record| record.flags & STAYS != 0);
    }

    /// Keeps what is true of the union with a filter of these records. Different sorts of keys are refused.
    pub(crate) fn merge(&mut self, other: &Records) -> Result<()> {
        if let (Some(mine), Some(theirs)) = (self.keys(), other.keys()) {
            if mine != theirs {
                let message = format!(
                    "the keys are {} and {}: they are different keys",
                    mine, theirs
                );
                return Err(Error::field(ErrorKind::Incompatible, "keys", message));
            }
        }
        self.drop_changed();
        self.list.retain(|record| {
            let named = record.kind == LABEL || record.kind == LINEAGE;
            !named && other.find(record.kind) == Some(&record.contents)
        });
        Ok(())
    }

    /// The bytes of the records, with the sums of this payload's chunks where they are wanted.
    pub(crate) fn encode(&self, payload: &[u8]) -> Vec<u8> {
        let mut records = self.clone();
        if self.chunks_wanted {
            let mut size = SMALLEST_CHUNK;
            while 8 * (2 + (payload.len() as u64).saturating_sub(1) / size) > MOST_SUMS {
                size *= 2;
            }
            let sums = sums(payload, size);
            let contents = core::iter::once(size)
                .chain(sums)
                .flat_map(u64::to_le_bytes);
            records.put(CHUNKS, 0, Some(contents.collect()));
        }
        let mut bytes = Vec::new();
        for record in &records.list {
            bytes.extend(record.kind.to_le_bytes());
            bytes.extend(record.flags.to_le_bytes());
            bytes.extend((record.contents.len() as u32).to_le_bytes());
            bytes.extend(&record.contents);
            bytes.resize(padded(bytes.len()), 0);
        }
        bytes
    }
}

/// One line: what is said, and how many records there are.
impl fmt::Debug for Records {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Records({}", self.list.len())?;
        if let Some(label) = self.label() {
            write!(f, ", label {:?}", label)?;
        }
        if let Some(keys) = self.keys() {
            write!(f, ", keys {}", keys)?;
        }
        f.write_str(")")
    }
}
