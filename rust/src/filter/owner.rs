//! A filter that owns its bytes and knows its hash: what most users of the crate hold. Reading it is here.

use std::fmt;

use super::{BasicView, Said};
use crate::error::Result;
use crate::hash::{Hash, HashSpec, Hasher};
use crate::key::Key;
#[cfg(feature = "std")]
use crate::layout::Predict;
use crate::layout::{KindGeometry, Layout};
use crate::mem::Bytes;
use crate::prelude::*;
use crate::records::Records;

/// A filter of the kind `L`. Many threads may read it while none writes, as its borrows demand.
///
/// Keys are text, bytes, integers, and what else is a [`Key`].
///
/// ```
/// use bloomery::{split, Format};
///
/// let mut seen = split::Filter::with_capacity(1_000, 0.01)?; // BasicFilter<split::Split>
/// seen.add_many(&["apple", "pear"]);
/// let mut answers = Vec::new();
/// seen.contains_many(&["apple", "plum"], &mut answers);
/// assert_eq!(answers, [true, false]);
///
/// let mut sent = Vec::new();
/// seen.write_to(&mut sent, Format::Envelope)?; // to a file, a socket
/// assert_eq!(split::Filter::read_from(&sent[..], None)?, seen);
/// # Ok::<(), bloomery::Error>(())
/// ```
#[derive(Clone)]
pub struct BasicFilter<L> {
    pub(super) layout: L,
    pub(super) payload: Bytes,
    pub(super) hasher: Hasher,
    pub(super) key_count: Option<u64>,
    pub(super) said: Said,
}

impl<L: Layout> BasicFilter<L> {
    /// A filter of a copy of these bytes, with the checks of [`BasicView::new`]. A `key_count` of `None` is unknown.
    pub fn from_payload(
        geometry: L::Geometry,
        payload: &[u8],
        hasher: Hasher,
        key_count: Option<u64>,
    ) -> Result<BasicFilter<L>> {
        let view = BasicView::<L>::new(geometry, payload, hasher)?;
        let payload = Bytes::copy_of(payload)?;
        let layout = *view.layout();
        Ok(BasicFilter::of_parts(layout, payload, hasher, key_count))
    }

    /// Makes the filter of these bytes without a copy.
    pub(crate) fn from_bytes(
        geometry: L::Geometry,
        payload: Bytes,
        hasher: Hasher,
        key_count: Option<u64>,
    ) -> Result<BasicFilter<L>> {
        let layout = *BasicView::<L>::new(geometry, &payload, hasher)?.layout();
        Ok(BasicFilter::of_parts(layout, payload, hasher, key_count))
    }

    pub(crate) fn of_parts(
        layout: L,
        payload: Bytes,
        hasher: Hasher,
        key_count: Option<u64>,
    ) -> BasicFilter<L> {
        BasicFilter {
            layout,
            payload,
            hasher,
            key_count,
            said: Said::default(),
        }
    }

    pub(crate) fn with_said(mut self, said: Said) -> BasicFilter<L> {
        self.said = said;
        self
    }

    pub(crate) fn said(&self) -> &Said {
        &self.said
    }

    /// What the file says of itself beside the filter: kept from reading to writing, but for what a change makes untrue.
    pub fn records(&self) -> &Records {
        self.said.records()
    }

    /// The records that the next file is to have.
    pub fn records_mut(&mut self) -> &mut Records {
        self.said.records_mut()
    }

    /// Has the next envelope begin its payload at a multiple of `bytes`, a power of two from 64 to 4 MiB: that of a page,
    /// for those who map it.
    ///
    /// ```
    /// # let mut seen = bloomery::Filter::with_capacity(1_000, 0.01)?;
    /// seen.align_payload(4096)?;
    /// let file = seen.encode(bloomery::Format::Envelope)?;
    /// assert_eq!(file.len(), 4096 + seen.view().payload().len());
    /// # Ok::<(), bloomery::Error>(())
    /// ```
    pub fn align_payload(&mut self, bytes: u64) -> Result<()> {
        self.said.align(bytes)
    }

    pub(crate) fn into_parts(self) -> (L, Bytes, Hasher, Said) {
        (self.layout, self.payload, self.hasher, self.said)
    }

    /// The numbers that fix the layout.
    pub fn geometry(&self) -> L::Geometry {
        self.layout.geometry()
    }

    /// The hash of the keys.
    pub fn hasher(&self) -> Hasher {
        self.hasher
    }

    /// Which hash that is, as a file would say it.
    pub fn hash_spec(&self) -> HashSpec {
        self.hasher.spec()
    }

    /// How many adds returned, the repeated ones included; `None` when unknown.
    pub fn key_count(&self) -> Option<u64> {
        self.key_count
    }

    /// The filter, for reading.
    #[inline]
    pub fn view(&self) -> BasicView<'_, L> {
        BasicView::trusted(self.layout, &self.payload, self.hasher)
    }

    /// False when the key was never added; true when it may have been.
    #[inline]
    pub fn contains(&self, key: impl Key) -> bool {
        self.contains_hash(self.hasher.hash_key(key))
    }

    /// [`BasicFilter::contains`] of a key hashed by the caller, with this filter's hash.
    #[inline]
    pub fn contains_hash(&self, hash: Hash) -> bool {
        self.layout.contains(&self.payload, hash)
    }

    /// [`BasicFilter::contains`] of each key, in order; `answers` is overwritten. Faster than one by one.
    pub fn contains_many<K: Key>(&self, keys: &[K], answers: &mut Vec<bool>) {
        self.view().contains_many(keys, answers);
    }

    /// [`BasicFilter::contains_hash`] of each hash, in order; `answers` is overwritten. Faster than one by one.
    pub fn contains_many_hashes(&self, hashes: &[Hash], answers: &mut Vec<bool>) {
        self.view().contains_many_hashes(hashes, answers);
    }

    /// The share of bits that are set, or of cells in use.
    pub fn fill(&self) -> f64 {
        self.view().fill()
    }
}

#[cfg(feature = "std")]
impl<L: Predict> BasicFilter<L> {
    /// How many different keys were probably added; `None` when nobody can tell.
    pub fn estimated_count(&self) -> Option<u64> {
        self.view().estimated_count()
    }

    /// The share of absent keys this filter lets through.
    pub fn predicted_fpr(&self) -> f64 {
        self.view().predicted_fpr()
    }
}

/// Equal when no lookup and no file can tell them apart.
impl<L: Layout> PartialEq for BasicFilter<L> {
    fn eq(&self, other: &BasicFilter<L>) -> bool {
        self.geometry() == other.geometry()
            && self.hasher == other.hasher
            && self.payload == other.payload
            && self.key_count == other.key_count
            && self.records() == other.records()
    }
}

/// One line, whatever the size: the numbers of the geometry, the hash and the key count.
impl<L: Layout> fmt::Debug for BasicFilter<L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Filter({}, hash ", Numbers(&self.geometry()))?;
        match self.key_count {
            Some(count) => write!(f, "{}, {} keys)", self.hash_spec().id.name(), count),
            None => write!(f, "{}, unknown keys)", self.hash_spec().id.name()),
        }
    }
}

/// A geometry as people read it: "block: blocks 20, k 6".
pub(super) struct Numbers<'a, G>(pub(super) &'a G);

impl<G: KindGeometry> fmt::Display for Numbers<'_, G> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", G::KIND)?;
        for (i, (name, value)) in G::FIELDS.iter().zip(self.0.values()).enumerate() {
            write!(f, "{} {} {}", if i == 0 { ":" } else { "," }, name, value)?;
        }
        Ok(())
    }
}
