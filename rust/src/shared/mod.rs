//! A filter that many threads add to and ask at the same time, over the same bytes as the plain one.

mod places;
#[cfg(test)]
mod tests;

use std::fmt;

use crate::error::Result;
use crate::filter::BasicFilter;
use crate::hash::{Hash, HashSpec, Hasher};
use crate::key::Key;
#[cfg(feature = "std")]
use crate::layout::Sizing;
use crate::layout::{KindGeometry, Layout, GROUP};
use crate::mem::SharedBytes;
use crate::prelude::*;
pub use places::Sharing;

/// A filter that threads share: `classic`, `split` or `block`. It is safe from any thread by shared reference, owns its
/// bits, and becomes a plain filter again with [`Shared::into_filter`].
///
/// The promise: when `add` has returned, and the asking thread knows that (it joined the thread, took a lock, read a
/// flag that was set afterwards), `contains` is true. A `contains` that overlaps the `add` may say either. Both are
/// wait-free: no lock, no loop that another thread can prolong, no memory.
///
/// ```
/// use bloomery::{block, Shared};
///
/// let seen = Shared::<block::Block>::with_capacity(1_000, 0.01)?;
/// std::thread::scope(|threads| {
///     for from in [0u64, 500] {
///         let seen = &seen;
///         threads.spawn(move || (from..from + 500).for_each(|key| { seen.add(key); }));
///     }
/// });
/// assert!((0u64..1_000).all(|key| seen.contains(key)));
/// # Ok::<(), bloomery::Error>(())
/// ```
pub struct Shared<L> {
    layout: L,
    words: SharedBytes,
    hasher: Hasher,
}

#[cfg(feature = "std")]
impl<L: Sharing> Shared<L>
where
    L::Geometry: Sizing,
{
    /// An empty filter for `n` keys at the false-positive rate `fpr`, with the kind's own hash.
    pub fn with_capacity(n: u64, fpr: f64) -> Result<Shared<L>> {
        Ok(BasicFilter::with_capacity(n, fpr)?.into())
    }
}

impl<L: Sharing> Shared<L> {
    /// An empty filter of this geometry with this hash.
    pub fn new(geometry: L::Geometry, hasher: Hasher) -> Result<Shared<L>> {
        Ok(BasicFilter::new(geometry, hasher)?.into())
    }

    /// The numbers that fix the layout.
    pub fn geometry(&self) -> L::Geometry {
        self.layout.geometry()
    }

    /// Which hash the keys have.
    pub fn hash_spec(&self) -> HashSpec {
        self.hasher.spec()
    }

    /// Adds a key. True when that changed a bit. Of several threads that add a new key at once at least one is told so,
    /// perhaps more.
    #[inline]
    pub fn add(&self, key: impl Key) -> bool {
        self.add_hash(self.hasher.hash_key(key))
    }

    /// [`Shared::add`] of a key hashed by the caller, with this filter's hash.
    #[inline]
    pub fn add_hash(&self, hash: Hash) -> bool {
        self.layout.add_shared(&self.words, hash)
    }

    /// Adds all keys, faster than one by one.
    pub fn add_many<K: Key>(&self, keys: &[K]) {
        let mut hashes = [Hash::default(); GROUP];
        for keys in keys.chunks(GROUP) {
            self.hasher.hash_many(keys, &mut hashes);
            for hash in &hashes[..keys.len()] {
                self.add_hash(*hash);
            }
        }
    }

    /// False when the key was never added; true when it may have been.
    #[inline]
    pub fn contains(&self, key: impl Key) -> bool {
        self.contains_hash(self.hasher.hash_key(key))
    }

    /// [`Shared::contains`] of a key hashed by the caller, with this filter's hash.
    #[inline]
    pub fn contains_hash(&self, hash: Hash) -> bool {
        self.layout.contains_shared(&self.words, hash)
    }

    /// [`Shared::contains`] of each key, in order; `answers` is overwritten.
    pub fn contains_many<K: Key>(&self, keys: &[K], answers: &mut Vec<bool>) {
        answers.clear();
        let mut hashes = [Hash::default(); GROUP];
        for keys in keys.chunks(GROUP) {
            self.hasher.hash_many(keys, &mut hashes);
            let hashes = hashes.iter().take(keys.len());
            answers.extend(hashes.map(|hash| self.contains_hash(*hash)));
        }
    }

    /// A copy, with every key whose `add` returned before. Its key count is unknown.
    pub fn snapshot(&self) -> Result<BasicFilter<L>> {
        let payload = self.words.snapshot()?;
        Ok(BasicFilter::of_parts(
            self.layout,
            payload,
            self.hasher,
            None,
        ))
    }

    /// The plain filter, in the same memory. Its key count is unknown: threads do not count together what they add.
    pub fn into_filter(self) -> BasicFilter<L> {
        BasicFilter::of_parts(self.layout, self.words.into_bytes(), self.hasher, None)
    }
}

impl<L: Sharing> From<BasicFilter<L>> for Shared<L> {
    /// Takes over a filter with all that is in it.
    fn from(filter: BasicFilter<L>) -> Shared<L> {
        let (layout, payload, hasher) = filter.into_parts();
        Shared {
            layout,
            words: payload.into_shared(),
            hasher,
        }
    }
}

/// One line: the kind and the size.
impl<L: Layout> fmt::Debug for Shared<L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let geometry = self.layout.geometry();
        let kind = L::Geometry::KIND;
        write!(f, "Shared({}, {} bytes)", kind, geometry.payload_bytes())
    }
}
