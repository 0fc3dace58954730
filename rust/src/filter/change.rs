//! Making and changing filters that keys can be added to, one by one.

use super::BasicFilter;
use crate::error::{Error, ErrorKind, Result};
use crate::hash::{Hash, Hasher};
use crate::key::Key;
use crate::kind::listed;
#[cfg(feature = "std")]
use crate::layout::Sizing;
use crate::layout::{Growing, KindGeometry, Layout, BATCH};
use crate::mem::Bytes;
use crate::prelude::*;

#[cfg(feature = "std")]
impl<L: Growing> BasicFilter<L>
where
    L::Geometry: Sizing,
{
    /// An empty filter for `n` keys at the false-positive rate `fpr`, with the kind's own hash.
    ///
    /// Small classic filters miss low rates; [`crate::classic::Plan`] tells beforehand. Where it is the size
    /// beyond 2^32 bits that makes one miss, it is refused.
    pub fn with_capacity(n: u64, fpr: f64) -> Result<BasicFilter<L>> {
        BasicFilter::new(L::Geometry::for_capacity(n, fpr)?, L::default_hasher())
    }
}

impl<L: Growing> BasicFilter<L> {
    /// An empty filter of this geometry with this hash.
    pub fn new(geometry: L::Geometry, hasher: Hasher) -> Result<BasicFilter<L>> {
        let payload = Bytes::zeroed(geometry.payload_bytes())?;
        Ok(BasicFilter::of_parts(
            L::new(geometry),
            payload,
            hasher,
            Some(0),
        ))
    }

    /// Adds a key. True when that changed a bit, so when the key was certainly not in the filter before.
    #[inline]
    pub fn add(&mut self, key: impl Key) -> bool {
        self.add_hash(self.hasher.hash_key(key))
    }

    /// [`BasicFilter::add`] of a key hashed by the caller, with this filter's hash.
    #[inline]
    pub fn add_hash(&mut self, hash: Hash) -> bool {
        let changed = self.layout.add(&mut self.payload, hash);
        self.count_keys(1);
        changed
    }

    fn count_keys(&mut self, more: u64) {
        self.said.changed();
        // All ones is "unknown" in a file, so that is what an overflow becomes.
        self.key_count = self
            .key_count
            .and_then(|count| count.checked_add(more))
            .filter(|count| *count != u64::MAX);
    }

    /// Adds the key and tells whether it may have been in the filter before.
    #[inline]
    pub fn test_and_add(&mut self, key: impl Key) -> bool {
        !self.add(key)
    }

    /// Adds all keys, faster than one by one.
    pub fn add_many<K: Key>(&mut self, keys: &[K]) {
        let mut hashes = [Hash::default(); BATCH];
        for keys in keys.chunks(BATCH) {
            self.hasher.hash_many(keys, &mut hashes);
            self.add_hashes(&hashes[..keys.len()]);
        }
    }

    /// Adds keys hashed by the caller, with this filter's hash.
    pub fn add_hashes(&mut self, hashes: &[Hash]) {
        self.layout.add_each(&mut self.payload, hashes);
        self.count_keys(hashes.len() as u64);
    }

    /// Adds every key of `other`: afterwards the bits are those of the union of both key sets.
    pub fn merge(&mut self, other: &BasicFilter<L>) -> Result<()> {
        self.same_shape(other)?;
        self.said.records_mut().merge(other.records())?;
        for (mine, theirs) in self.payload.iter_mut().zip(other.payload.iter()) {
            *mine |= theirs;
        }
        match other.key_count {
            Some(count) => self.count_keys(count),
            None => self.key_count = None,
        }
        Ok(())
    }

    /// Keeps the keys that are in both, and some more than a filter built from those alone would let through.
    pub fn intersect(&mut self, other: &BasicFilter<L>) -> Result<()> {
        self.same_shape(other)?;
        self.said.records_mut().merge(other.records())?;
        for (mine, theirs) in self.payload.iter_mut().zip(other.payload.iter()) {
            *mine &= theirs;
        }
        self.said.changed();
        self.key_count = None;
        Ok(())
    }

    fn same_shape(&self, other: &BasicFilter<L>) -> Result<()> {
        check_same_shape::<L>(
            (self.geometry(), self.hasher),
            (other.geometry(), other.hasher),
        )
    }

    /// Removes all keys.
    pub fn clear(&mut self) {
        self.payload.fill(0);
        self.said.changed();
        self.key_count = Some(0);
    }
}

/// Refuses to combine filters of another geometry or hash, naming both.
pub(crate) fn check_same_shape<L: Layout>(
    mine: (L::Geometry, Hasher),
    theirs: (L::Geometry, Hasher),
) -> Result<()> {
    let fields = L::Geometry::FIELDS;
    let differ = |field, what: String| {
        let names = listed(&[fields, &["hash"]].concat(), "and");
        Err(Error::field(
            ErrorKind::Incompatible,
            field,
            format!("{}: only filters of equal {} can be combined", what, names),
        ))
    };
    let (a, b) = (mine.0.values(), theirs.0.values());
    for (i, field) in fields.iter().enumerate() {
        if a[i] != b[i] {
            return differ(field, format!("{} is {} and {}", field, a[i], b[i]));
        }
    }
    if mine.1 != theirs.1 {
        let [a, b] = [mine.1, theirs.1].map(|hasher| (hasher.spec().id.name(), hasher.spec().seed));
        return differ(
            "hash",
            format!("the hash is {} ({:#x}) and {} ({:#x})", a.0, a.1, b.0, b.1),
        );
    }
    Ok(())
}
