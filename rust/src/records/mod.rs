//! The records of envelopes: what a file says of itself beside its filter. A file has none unless somebody asked.

mod bytes;
mod chunks;
mod fields;

use std::fmt;

use self::bytes::{is_key_type, is_label, Record, CREATED, KEYS, LABEL, LINEAGE, STAYS};
use self::chunks::CHUNKS;
use self::fields::number;
use crate::error::{Error, ErrorKind, Result};
use crate::prelude::*;

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
        self.find(CHUNKS).and_then(chunks::size_of)
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

    /// Keeps the records that stay true when the payload changes.
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
