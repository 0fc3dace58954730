//! Reading a filter, whoever owns its bytes.

use std::fmt;

use super::owner::Numbers;
use crate::error::{Error, ErrorKind, Result};
use crate::hash::{Hash, HashSpec, Hasher};
use crate::key::Key;
#[cfg(feature = "std")]
use crate::layout::Predict;
use crate::layout::{KindGeometry, Layout, BATCH};
use crate::prelude::*;

/// A filter over borrowed bytes. Copyable, immutable, safe from any thread.
///
/// ```
/// use bloomery::{block, Filter};
///
/// let seen = Filter::from_iter(["apple"]);
/// let view = block::View::new(seen.geometry(), seen.view().payload(), seen.hasher())?;
/// assert!(view.contains("apple"));
/// # Ok::<(), bloomery::Error>(())
/// ```
#[derive(Clone, Copy)]
pub struct BasicView<'a, L> {
    layout: L,
    payload: &'a [u8],
    hasher: Hasher,
}

impl<'a, L: Layout> BasicView<'a, L> {
    /// Refuses bytes of another length than the geometry's, and what else the kind's specification refuses. `hasher` is
    /// the hash that the keys were added with.
    pub fn new(
        geometry: L::Geometry,
        payload: &'a [u8],
        hasher: Hasher,
    ) -> Result<BasicView<'a, L>> {
        if payload.len() as u64 != geometry.payload_bytes() {
            return Err(Error::field(
                ErrorKind::Damaged,
                "payload length",
                format!(
                    "the payload is {} bytes, the geometry needs {}",
                    payload.len(),
                    geometry.payload_bytes()
                ),
            ));
        }
        let layout = L::new(geometry);
        layout.check_payload(payload)?;
        Ok(BasicView::trusted(layout, payload, hasher))
    }

    #[inline(always)]
    pub(super) fn trusted(layout: L, payload: &'a [u8], hasher: Hasher) -> BasicView<'a, L> {
        BasicView {
            layout,
            payload,
            hasher,
        }
    }

    /// Refuses what lookups rely on and [`BasicView::new`] did not look at.
    pub(crate) fn check_structure(&self) -> Result<()> {
        self.layout.check_structure(self.payload)
    }

    /// The numbers that fix the layout.
    pub fn geometry(&self) -> L::Geometry {
        self.layout.geometry()
    }

    pub(crate) fn layout(&self) -> &L {
        &self.layout
    }

    /// The bytes of the filter.
    pub fn payload(&self) -> &'a [u8] {
        self.payload
    }

    /// The hash of the keys.
    pub fn hasher(&self) -> Hasher {
        self.hasher
    }

    /// Which hash that is, as a file would say it.
    pub fn hash_spec(&self) -> HashSpec {
        self.hasher.spec()
    }

    /// False when the key was never added; true when it may have been.
    #[inline]
    pub fn contains(&self, key: impl Key) -> bool {
        self.contains_hash(self.hasher.hash_key(key))
    }

    /// [`BasicView::contains`] of a key hashed by the caller, with this filter's hash.
    #[inline]
    pub fn contains_hash(&self, hash: Hash) -> bool {
        self.layout.contains(self.payload, hash)
    }

    /// [`BasicView::contains`] of each key, in order; `answers` is overwritten. Faster than one by one.
    pub fn contains_many<K: Key>(&self, keys: &[K], answers: &mut Vec<bool>) {
        answers.clear();
        answers.resize(keys.len(), false);
        let mut hashes = [Hash::default(); BATCH];
        for (keys, answers) in keys.chunks(BATCH).zip(answers.chunks_mut(BATCH)) {
            self.hasher.hash_many(keys, &mut hashes);
            self.layout
                .contains_each(self.payload, &hashes[..keys.len()], answers);
        }
    }

    /// [`BasicView::contains_hash`] of each hash, in order; `answers` is overwritten. Faster than one by one.
    pub fn contains_many_hashes(&self, hashes: &[Hash], answers: &mut Vec<bool>) {
        answers.clear();
        answers.resize(hashes.len(), false);
        self.layout.contains_each(self.payload, hashes, answers);
    }

    /// How many bits are set, or cells of another sort in use.
    pub fn cells_set(&self) -> u64 {
        self.layout.cells_set(self.payload)
    }

    /// What those cells are, for people: "bits", "counters", "slots" or "cells".
    pub fn cells(&self) -> &'static str {
        L::CELLS
    }

    /// The share of them.
    pub fn fill(&self) -> f64 {
        self.cells_set() as f64 / self.geometry().cells() as f64
    }

    /// How many attempts of the build failed; `None` of kinds whose building cannot.
    pub fn retries(&self) -> Option<u64> {
        self.layout.retries(self.payload)
    }
}

#[cfg(feature = "std")]
impl<L: Predict> BasicView<'_, L> {
    /// How many different keys were probably added; `None` when nobody can tell.
    pub fn estimated_count(&self) -> Option<u64> {
        self.layout.estimated_count(self.payload)
    }

    /// The share of absent keys this filter lets through.
    pub fn predicted_fpr(&self) -> f64 {
        self.layout.predicted_fpr(self.payload)
    }
}

/// One line: the numbers of the geometry.
impl<L: Layout> fmt::Debug for BasicView<'_, L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "View({})", Numbers(&self.geometry()))
    }
}
