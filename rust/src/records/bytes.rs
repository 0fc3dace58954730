//! Records as bytes: which there are, what each may hold, how they are read and written.

use super::chunks::{self, CHUNKS};
use super::fields::{number, refused};
use super::Records;
use crate::error::{Error, ErrorKind, Result};
use crate::prelude::*;

/// The types of records that this release knows.
pub(super) const LABEL: u16 = 1;
pub(super) const CREATED: u16 = 2;
pub(super) const KEYS: u16 = 3;
/// Reserved, and treated as a type that is not known.
pub(super) const LINEAGE: u16 = 5;

/// Flags of a record: a reader must understand it; it stays true when the payload changes.
const MUST: u16 = 1;
pub(super) const STAYS: u16 = 2;

const HEAD: usize = 8;
const MOST_TEXT: usize = 255;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Record {
    pub(super) kind: u16,
    pub(super) flags: u16,
    pub(super) contents: Vec<u8>,
}

fn padded(length: usize) -> usize {
    (length + 7) / 8 * 8
}

pub(super) fn is_label(text: &[u8]) -> bool {
    let plain = |byte: &u8| *byte >= 0x20 && *byte != 0x7f;
    (1..=MOST_TEXT).contains(&text.len())
        && text.iter().all(plain)
        && std::str::from_utf8(text).is_ok()
}

pub(super) fn is_key_type(text: &[u8]) -> bool {
    (1..=MOST_TEXT).contains(&text.len()) && text.iter().all(|byte| (0x21..=0x7e).contains(byte))
}

impl Record {
    fn check(&self) -> Result<()> {
        let unknown = self.flags & 0xfc;
        let (flags, good) = match self.kind {
            LABEL => (STAYS, is_label(&self.contents)),
            CREATED => (0, self.contents.len() == 8),
            KEYS => (STAYS, is_key_type(&self.contents)),
            CHUNKS => (0, chunks::size_of(&self.contents).is_some()),
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

impl Records {
    /// Reads the bytes between header and payload.
    pub(crate) fn parse(mut area: &[u8]) -> Result<Records> {
        let mut records = Records::default();
        while area.len() >= HEAD && area[..2] != [0, 0] {
            let kind = number(&area[..2]) as u16;
            let length = number(&area[4..8]) as usize;
            if length > area.len() - HEAD || padded(length) > area.len() - HEAD {
                return Err(refused(kind, "reaches beyond the payload's offset"));
            }
            let (record, rest) = area.split_at(HEAD + padded(length));
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
            records.list.push(record);
            area = rest;
        }
        if area.iter().any(|byte| *byte != 0) {
            let message =
                "a byte between the last record and the payload is not 0: the file is damaged";
            return Err(Error::field(ErrorKind::Damaged, "records", message));
        }
        records.list.sort_by_key(|record| record.kind);
        for pair in records.list.windows(2) {
            if pair[0].kind == pair[1].kind {
                return Err(refused(pair[0].kind, "is there twice"));
            }
        }
        Ok(records)
    }

    /// The bytes of the records, with the sums of this payload's chunks where they are wanted.
    pub(crate) fn encode(&self, payload: &[u8]) -> Vec<u8> {
        let mut records = self.clone();
        if self.chunks_wanted {
            records.put(CHUNKS, 0, Some(chunks::contents_for(payload)));
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
