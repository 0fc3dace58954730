//! A filter that many threads add to and ask at the same time, over the same bytes as the plain one.

mod locks;
mod places;
#[cfg(test)]
mod tests;

use std::fmt;

use crate::error::Result;
use crate::filter::{check_same_shape, BasicFilter};
use crate::hash::{Hash, HashSpec, Hasher};
use crate::key::Key;
#[cfg(feature = "std")]
use crate::layout::Sizing;
use crate::layout::{KindGeometry, Layout, GROUP};
use crate::mem::{SharedBytes, Words};
use crate::prelude::*;
use locks::Locks;
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
    locks: Locks,
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

    /// Adds a key, and returns true to exactly one of several threads that call this with an equal new key. Takes one of
    /// 64 locks. A key that is a false positive is new to nobody.
    ///
    /// ```
    /// let seen = bloomery::Shared::<bloomery::block::Block>::with_capacity(1_000, 0.01)?;
    /// assert!(seen.add_once("job 17"));
    /// assert!(!seen.add_once("job 17"));
    /// # Ok::<(), bloomery::Error>(())
    /// ```
    #[cfg(feature = "std")]
    pub fn add_once(&self, key: impl Key) -> bool {
        self.add_hash_once(self.hasher.hash_key(key))
    }

    /// [`Shared::add_once`] of a key hashed by the caller, with this filter's hash.
    #[cfg(feature = "std")]
    pub fn add_hash_once(&self, hash: Hash) -> bool {
        let _held = self.locks.of(hash);
        self.add_hash(hash)
    }

    /// Adds all that `other` holds. Refuses another geometry or hash, naming both, and other sorts of keys.
    pub fn merge(&self, other: &BasicFilter<L>) -> Result<()> {
        check_same_shape::<L>(
            (self.geometry(), self.hasher),
            (other.geometry(), other.hasher()),
        )?;
        self.locks.merge(other.records())?;
        let view = other.view();
        for (number, bytes) in view.payload().chunks(8).enumerate() {
            let mut word = [0; 8];
            word[..bytes.len()].copy_from_slice(bytes);
            self.words.set_missing(number, u64::from_le_bytes(word));
        }
        Ok(())
    }

    /// [`Shared::merge`] of a filter that threads may be adding to: takes over every key whose `add` returned before,
    /// and perhaps bits of those that overlap.
    pub fn merge_shared(&self, other: &Shared<L>) -> Result<()> {
        check_same_shape::<L>(
            (self.geometry(), self.hasher),
            (other.geometry(), other.hasher),
        )?;
        self.locks.merge(other.locks.said().records())?;
        for number in 0..self.words.count() {
            self.words.set_missing(number, other.words.load(number));
        }
        Ok(())
    }

    /// Removes all keys, word by word. An `add` that overlaps may be lost, in part or whole: a key is surely there again
    /// only when it is added after `clear` has returned.
    pub fn clear(&self) {
        for number in 0..self.words.count() {
            self.words.clear(number);
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
        let filter = BasicFilter::of_parts(self.layout, payload, self.hasher, None);
        Ok(filter.with_said(self.locks.said()))
    }

    /// The plain filter, in the same memory. Its key count is unknown: threads do not count together what they add.
    pub fn into_filter(self) -> BasicFilter<L> {
        let (payload, said) = (self.words.into_bytes(), self.locks.said());
        BasicFilter::of_parts(self.layout, payload, self.hasher, None).with_said(said)
    }
}

impl<L: Sharing> From<BasicFilter<L>> for Shared<L> {
    /// Takes over a filter with all that is in it. Of its records those stay that are true whatever is added.
    fn from(filter: BasicFilter<L>) -> Shared<L> {
        let (layout, payload, hasher, said) = filter.into_parts();
        Shared {
            layout,
            words: payload.into_shared(),
            hasher,
            locks: Locks::new(said),
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
