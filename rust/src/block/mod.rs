//! A Bloom filter in cache lines: a key has one block of 64 bytes and k bits anywhere in it.
//!
//! ```
//! use bloomery::block::{Filter, Geometry};
//! use bloomery::Hasher;
//!
//! let mut sized = Filter::with_capacity(1_000, 0.01)?;
//! let mut exact = Filter::new(Geometry::new(20, 6)?, Hasher::xxh3(0))?;
//! sized.add("apple");
//! exact.add("apple");
//! assert!(sized.contains("apple") && exact.contains("apple"));
//! # Ok::<(), bloomery::Error>(())
//! ```

mod geometry;
#[cfg(feature = "std")]
mod sizing;

pub use geometry::{Geometry, BLOCK_BYTES, MAX_BLOCKS, MAX_K};

use crate::blocks::{line_of, set_bit, word, SALT};
use crate::filter::{BasicFilter, BasicView};
use crate::hash::{Hash, Hasher};
use crate::layout::{Growing, Layout};
use crate::mem::{block, block_mut};
use crate::sealed::Sealed;
use crate::simd::{self, Avx2};

/// A block filter over borrowed bytes.
pub type View<'a> = BasicView<'a, Block>;

/// A block filter that owns its bits.
pub type Filter = BasicFilter<Block>;

/// The layout of block filters.
#[derive(Clone, Copy, Debug)]
pub struct Block {
    geometry: Geometry,
    avx2: Option<Avx2>,
}

impl Block {
    #[inline(always)]
    fn block_of(self, hash: Hash) -> u64 {
        line_of(hash, self.geometry.blocks())
    }

    /// The bits of a hash within its block: each a word of 32 and a bit in that.
    #[inline(always)]
    fn places(self, hash: Hash) -> impl Iterator<Item = (usize, u32)> {
        let low = hash.bits() as u32;
        SALT.iter()
            .take(self.geometry.k() as usize)
            .map(move |salt| low.wrapping_mul(*salt))
            .map(|product| ((product >> 28) as usize, product >> 23 & 31))
    }

    /// The block of a hash, and its bits there, as words of 64.
    #[inline(always)]
    pub(crate) fn masks(&self, hash: Hash) -> (usize, [u64; 8]) {
        let mut masks = [0; 8];
        for (word, bit) in self.places(hash) {
            masks[word / 2] |= 1 << (32 * (word as u32 % 2) + bit);
        }
        (self.block_of(hash) as usize, masks)
    }

    /// [`Layout::contains`], by definition. Without a branch: the bits of an absent key are coin tosses, and a
    /// mispredicted one costs more than all of them.
    #[inline]
    pub(crate) fn contains_scalar(self, payload: &[u8], hash: Hash) -> bool {
        block::<BLOCK_BYTES>(payload, self.block_of(hash)).map_or(true, |block| {
            let missing = |i, bit: u32| word(block, i) ^ (word(block, i) | 1 << bit);
            let places = self.places(hash);
            places.fold(0, |all, (i, bit)| all | missing(i, bit)) == 0
        })
    }

    /// [`Growing::add`], by definition. Vectors are no faster here, since no two bits need to be in the same word.
    #[inline(always)]
    fn add_scalar(self, payload: &mut [u8], hash: Hash) -> bool {
        let block = block_mut::<BLOCK_BYTES>(payload, self.block_of(hash));
        block.map_or(false, |block| {
            let places = self.places(hash);
            places.fold(0, |all, (i, bit)| all | set_bit(block, i, bit)) != 0
        })
    }
}

impl Sealed for Block {}

impl Layout for Block {
    type Geometry = Geometry;

    fn new(geometry: Geometry) -> Block {
        let avx2 = Avx2::here();
        Block { geometry, avx2 }
    }

    fn geometry(&self) -> Geometry {
        self.geometry
    }

    fn default_hasher() -> Hasher {
        Hasher::xxh3(0)
    }

    #[inline(always)]
    fn contains(&self, payload: &[u8], hash: Hash) -> bool {
        let shape = (self.geometry.blocks(), self.geometry.k());
        match self.avx2 {
            Some(avx2) => avx2.block_contains(payload, shape, hash),
            None => self.contains_scalar(payload, hash),
        }
    }

    #[inline(always)]
    fn prefetch(&self, payload: &[u8], hash: Hash) {
        simd::prefetch(payload, BLOCK_BYTES * self.block_of(hash) as usize);
    }

    #[inline]
    fn contains_each(&self, payload: &[u8], hashes: &[Hash], answers: &mut [bool]) {
        let (layout, both) = (*self, (hashes, answers));
        match self.avx2 {
            Some(avx2) => avx2.run(move || {
                let shape = (layout.geometry.blocks(), layout.geometry.k());
                simd::contains_each(layout, payload, both, |hash| {
                    avx2.block_contains(payload, shape, hash)
                });
            }),
            None => simd::contains_each(layout, payload, both, |hash| {
                layout.contains_scalar(payload, hash)
            }),
        }
    }
}

impl Growing for Block {
    #[inline(always)]
    fn add(&self, payload: &mut [u8], hash: Hash) -> bool {
        self.add_scalar(payload, hash)
    }

    #[inline]
    fn add_each(&self, payload: &mut [u8], hashes: &[Hash]) {
        let layout = *self;
        simd::add_each(layout, payload, hashes, |payload, hash| {
            layout.add_scalar(payload, hash)
        });
    }
}
