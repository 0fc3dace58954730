//! A file that was checked, for whoever has its bytes: what it says of itself, and lookups.

use std::fmt;

use super::{Header, Verify};
use crate::any::AnyView;
use crate::error::Result;
use crate::hash::{Hash, Hasher, Secret};
use crate::prelude::*;

/// A filter file in memory that somebody else owns. No secret is needed to have one: questions about keys are asked of
/// [`Parsed::view`], which takes it; questions about hashes and about the filter are asked here.
///
/// ```
/// use bloomery::{Filter, Format, Parsed, Verify};
///
/// let file = Filter::from_iter(["apple"]).encode(Format::Envelope)?;
/// let parsed = Parsed::new(&file, Verify::Header)?; // in constant time
/// assert!(parsed.view(None)?.contains("apple"));
/// parsed.verify()?; // reads all of it
/// # Ok::<(), bloomery::Error>(())
/// ```
#[derive(Clone)]
pub struct Parsed<'a> {
    header: Header,
    /// Is asked by hash alone, so its hasher means nothing.
    by_hash: AnyView<'a>,
}

impl<'a> Parsed<'a> {
    /// Checks a whole file, but for what [`Parsed::verify`] looks at alone. With [`Verify::Header`] it takes constant time.
    pub fn new(file: &'a [u8], verify: Verify) -> Result<Parsed<'a>> {
        let header = Header::parse(file, file.len() as u64)?;
        let payload = file.get(header.header_bytes()..).unwrap_or(&[]);
        Parsed::of_parts(header, payload, verify)
    }

    /// Checks a header and a payload that are not side by side, likewise.
    pub(crate) fn of_parts(
        header: Header,
        payload: &'a [u8],
        verify: Verify,
    ) -> Result<Parsed<'a>> {
        let by_hash = AnyView::new(header.geometry, payload, Hasher::fnv_splitmix())?;
        if verify == Verify::All {
            header.verify_sum(payload)?;
        }
        Ok(Parsed { header, by_hash })
    }

    /// What the file says of itself.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// The bytes of the filter.
    pub fn payload(&self) -> &'a [u8] {
        self.by_hash.payload()
    }

    /// Compares the checksum of the payload, where the format has one, and those of its chunks, where the file has some:
    /// the error names the first damaged one. Of a quotient filter it looks at every slot.
    pub fn verify(&self) -> Result<()> {
        self.header.verify_sum(self.payload())?;
        self.header.records.verify(self.payload())?;
        self.by_hash.check_structure()
    }

    /// The filter, for lookups by key. A keyed hash needs its secret, any other needs none.
    pub fn view(&self, secret: Option<&Secret>) -> Result<AnyView<'a>> {
        let hasher = self.header.hash.hasher(secret)?;
        AnyView::new(self.header.geometry, self.payload(), hasher)
    }

    /// False when no key with this hash was added; true when one may have been.
    pub fn contains_hash(&self, hash: Hash) -> bool {
        self.by_hash.contains_hash(hash)
    }

    /// [`Parsed::contains_hash`] of each hash, in order; `answers` is overwritten. Faster than one by one.
    pub fn contains_many_hashes(&self, hashes: &[Hash], answers: &mut Vec<bool>) {
        self.by_hash.contains_many_hashes(hashes, answers);
    }

    /// How many bits are set, or cells of another sort in use.
    pub fn cells_set(&self) -> u64 {
        self.by_hash.cells_set()
    }

    /// What those cells are, for people: "bits", "counters", "slots" or "cells".
    pub fn cells(&self) -> &'static str {
        self.by_hash.cells()
    }

    /// The share of them.
    pub fn fill(&self) -> f64 {
        self.by_hash.fill()
    }

    /// How many attempts of the build failed; `None` of kinds whose building cannot.
    pub fn retries(&self) -> Option<u64> {
        self.by_hash.retries()
    }

    /// How many different keys were probably added; `None` when nobody can tell.
    #[cfg(feature = "std")]
    pub fn estimated_count(&self) -> Option<u64> {
        self.by_hash.estimated_count()
    }

    /// The share of absent keys this filter lets through.
    #[cfg(feature = "std")]
    pub fn predicted_fpr(&self) -> f64 {
        self.by_hash.predicted_fpr()
    }
}

/// One line: the header.
impl fmt::Debug for Parsed<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Parsed({:?})", self.header)
    }
}
