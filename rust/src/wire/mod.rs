//! Filters as bytes: the raw classic file and the `.blm` envelope. The only door in and out of bytes.
//!
//! A [`Header`] is checked against the real length of the file before anything is allocated; the payload is checked
//! against the header after it was read.

mod convert;
mod envelope;
mod parsed;
mod raw;
#[cfg(feature = "serde")]
mod serde;
#[cfg(feature = "std")]
mod stream;
#[cfg(test)]
mod tests;

use xxhash_rust::xxh3::xxh3_64;

pub use envelope::{ENVELOPE_HEADER, MAGIC};
pub use parsed::Parsed;
pub use raw::RAW_HEADER;

use crate::any::{expect_kind, AnyFilter, AnyGeometry, OfKind};
use crate::error::{Error, ErrorKind, Result};
use crate::filter::{BasicFilter, Said};
use crate::hash::{HashSpec, Secret};
use crate::layout::Layout;
use crate::mem::Bytes;
use crate::prelude::*;
use crate::records::Records;

/// The two file layouts.
///
/// ```
/// use bloomery::{classic, Filter, Format};
///
/// let file = classic::Filter::with_capacity(1_000, 0.01)?.encode(Format::Raw)?;
/// assert_eq!(file.len(), 12 + 1_199);
/// assert!(Filter::with_capacity(1_000, 0.01)?.encode(Format::Raw).is_err());
/// # Ok::<(), bloomery::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// 12 bytes of header and the bits, without a checksum; classic only, always hashed with `fnv_splitmix`.
    Raw,
    /// 128 bytes of header with checksums, then the payload; any kind, any hash.
    Envelope,
}

/// How much of a file to check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verify {
    /// The checksum of the payload, too.
    All,
    /// All but the checksum of the payload.
    Header,
}

/// What the start of a file says, checked against the file's length.
///
/// ```
/// use bloomery::{Filter, Format, Header, Kind};
///
/// let file = Filter::from_iter(["apple"]).encode(Format::Envelope)?;
/// let header = Header::parse(&file[..Header::length(&file)], file.len() as u64)?;
/// assert_eq!((header.geometry.kind(), header.key_count), (Kind::Block, Some(1)));
/// # Ok::<(), bloomery::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    /// Which layout the file has.
    pub format: Format,
    /// The hash of its keys.
    pub hash: HashSpec,
    /// How many keys were added, where that is known.
    pub key_count: Option<u64>,
    /// The kind, and the numbers that fix its layout.
    pub geometry: AnyGeometry,
    /// What else the file says of itself.
    pub records: Records,
    payload_offset: u64,
    payload_checksum: u64,
}

impl Header {
    /// Reads the header from the first bytes of a file of `file_bytes` bytes. `start` needs no more of the file
    /// than the bytes before the payload, which [`Header::length`] tells, but all of a shorter one.
    pub fn parse(start: &[u8], file_bytes: u64) -> Result<Header> {
        match start.first() {
            Some(first) if *first == MAGIC[0] => envelope::parse(start, file_bytes),
            _ => raw::parse(start, file_bytes),
        }
    }

    /// How many bytes [`Header::parse`] needs, from the first [`ENVELOPE_HEADER`] of a file: up to 4 MiB with records.
    pub fn length(start: &[u8]) -> usize {
        match start.first() {
            Some(first) if *first == MAGIC[0] => envelope::length(start),
            _ => RAW_HEADER,
        }
    }

    /// The bytes before the payload.
    pub fn header_bytes(&self) -> usize {
        self.payload_offset as usize
    }

    /// Compares the checksum of the payload, where the format has one. Where the file has sums of chunks, too, the error
    /// names the first damaged chunk.
    pub(crate) fn verify_sum(&self, payload: &[u8]) -> Result<()> {
        if self.format == Format::Raw {
            return Ok(());
        }
        let sum = xxh3_64(payload);
        if sum == self.payload_checksum {
            return Ok(());
        }
        self.records.verify(payload)?;
        Err(damaged(
            "payload checksum",
            format!(
                "payload checksum is {:#018x}, the payload's is {:#018x}: the bits are damaged, build the filter again",
                self.payload_checksum, sum
            ),
        ))
    }
}

impl AnyFilter {
    /// Reads a whole file from memory. A keyed hash needs its secret, any other needs none.
    pub fn decode(file: &[u8], secret: Option<&Secret>) -> Result<AnyFilter> {
        let parsed = Parsed::new(file, Verify::All)?;
        let Header {
            geometry,
            hash,
            key_count,
            records,
            payload_offset,
            ..
        } = parsed.header().clone();
        let hasher = hash.hasher(secret)?;
        let payload = Bytes::copy_of(parsed.payload())?;
        let said = Said::new(records, payload_offset);
        Ok(AnyFilter::from_bytes(geometry, payload, hasher, key_count)?.with_said(said))
    }

    /// The whole file, in memory. [`AnyFilter::save`] writes it without this copy.
    pub fn encode(&self, format: Format) -> Result<Vec<u8>> {
        self.contents().encode(format)
    }

    pub(crate) fn contents(&self) -> Contents<'_> {
        Contents {
            geometry: self.geometry(),
            hash: self.hash_spec(),
            key_count: self.key_count(),
            payload: self.view().payload(),
            said: self.said(),
        }
    }
}

impl<L: Layout> BasicFilter<L>
where
    BasicFilter<L>: OfKind,
    AnyGeometry: From<L::Geometry>,
{
    /// Reads a whole file of this kind from memory. A keyed hash needs its secret, any other needs none.
    pub fn decode(file: &[u8], secret: Option<&Secret>) -> Result<BasicFilter<L>> {
        expect_kind(AnyFilter::decode(file, secret)?)
    }

    /// The whole file, in memory. [`BasicFilter::save`] writes it without this copy.
    pub fn encode(&self, format: Format) -> Result<Vec<u8>> {
        self.contents().encode(format)
    }

    pub(crate) fn contents(&self) -> Contents<'_> {
        Contents {
            geometry: self.geometry().into(),
            hash: self.hash_spec(),
            key_count: self.key_count(),
            payload: self.view().payload(),
            said: self.said(),
        }
    }
}

/// All that a file holds.
pub(crate) struct Contents<'a> {
    pub(crate) geometry: AnyGeometry,
    pub(crate) hash: HashSpec,
    pub(crate) key_count: Option<u64>,
    pub(crate) payload: &'a [u8],
    pub(crate) said: &'a Said,
}

impl Contents<'_> {
    fn encode(&self, format: Format) -> Result<Vec<u8>> {
        let mut file = self.header(format)?;
        file.try_reserve_exact(self.payload.len())
            .map_err(|_| Error::no_memory("the file"))?;
        file.extend_from_slice(self.payload);
        Ok(file)
    }

    /// The part of the file before the payload. The raw layout is refused for other kinds and hashes than its own.
    pub(crate) fn header(&self, format: Format) -> Result<Vec<u8>> {
        match format {
            Format::Raw => raw::encode(self),
            Format::Envelope => envelope::encode(self),
        }
    }
}

fn damaged(field: &'static str, message: impl Into<String>) -> Error {
    Error::field(ErrorKind::Damaged, field, message)
}

/// A field of the header; callers have compared the length before.
fn field<const N: usize>(start: &[u8], at: usize) -> [u8; N] {
    let mut bytes = [0; N];
    if let Some(source) = start.get(at..at + N) {
        bytes.copy_from_slice(source);
    }
    bytes
}
