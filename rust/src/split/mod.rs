//! The split-block Bloom filter: a key has one block of 32 bytes, and one bit in each of its eight words.
//!
//! ```
//! let mut seen = bloomery::split::Filter::with_capacity(1_000, 0.01)?;
//! seen.extend(1..=10u64);
//! assert!(seen.contains(7u64) && !seen.contains(11u64));
//! # Ok::<(), bloomery::Error>(())
//! ```

mod geometry;
#[cfg(feature = "std")]
mod sizing;

pub use geometry::{Geometry, BLOCK_BYTES, MAX_BLOCKS};

use crate::blocks::{set_bit, split_block_of, word, SALT};
use crate::filter::{BasicFilter, BasicView};
use crate::hash::{Hash, Hasher};
use crate::layout::{Growing, Layout};
use crate::mem::{block, block_mut};
use crate::sealed::Sealed;
use crate::simd::{self, Avx2};

/// A split filter over borrowed bytes.
pub type View<'a> = BasicView<'a, Split>;

/// A split filter that owns its bits.
pub type Filter = BasicFilter<Split>;

/// The layout of split filters.
#[derive(Clone, Copy, Debug)]
pub struct Split {
    geometry: Geometry,
    avx2: Option<Avx2>,
}

/// Where the bit of a hash is in the word of its block with this number.
#[inline(always)]
fn place(hash: Hash, i: usize) -> u32 {
    (hash.bits() as u32).wrapping_mul(SALT[i]) >> 27
}

impl Split {
    #[inline(always)]
    fn block_of(self, hash: Hash) -> u64 {
        split_block_of(hash, self.geometry.blocks())
    }

    /// The block of a hash, and its bits there, as words of 64.
    #[inline(always)]
    pub(crate) fn masks(&self, hash: Hash) -> (usize, [u64; 4]) {
        let mut masks = [0; 4];
        for i in 0..8 {
            masks[i / 2] |= 1 << (32 * (i as u32 % 2) + place(hash, i));
        }
        (self.block_of(hash) as usize, masks)
    }

    /// [`Layout::contains`], by definition. Without a branch: the bits of an absent key are coin tosses, and a
    /// mispredicted one costs more than all of them.
    #[inline]
    pub(crate) fn contains_scalar(self, payload: &[u8], hash: Hash) -> bool {
        block::<BLOCK_BYTES>(payload, self.block_of(hash)).map_or(true, |block| {
            let all = (0..8).fold(1, |all, i| all & word(block, i) >> place(hash, i));
            all & 1 == 1
        })
    }

    /// [`Growing::add`], by definition.
    #[inline]
    pub(crate) fn add_scalar(self, payload: &mut [u8], hash: Hash) -> bool {
        let block = block_mut::<BLOCK_BYTES>(payload, self.block_of(hash));
        block.map_or(false, |block| {
            let changed = (0..8).fold(0, |all, i| all | set_bit(block, i, place(hash, i)));
            changed != 0
        })
    }
}

impl Sealed for Split {}

impl Layout for Split {
    type Geometry = Geometry;

    fn new(geometry: Geometry) -> Split {
        let avx2 = Avx2::here();
        Split { geometry, avx2 }
    }

    fn geometry(&self) -> Geometry {
        self.geometry
    }

    fn default_hasher() -> Hasher {
        Hasher::xxh64(0)
    }

    #[inline(always)]
    fn contains(&self, payload: &[u8], hash: Hash) -> bool {
        match self.avx2 {
            Some(avx2) => avx2.split_contains(payload, self.geometry.blocks(), hash),
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
                let blocks = layout.geometry.blocks();
                simd::contains_each(layout, payload, both, |hash| {
                    avx2.split_contains(payload, blocks, hash)
                });
            }),
            None => simd::contains_each(layout, payload, both, |hash| {
                layout.contains_scalar(payload, hash)
            }),
        }
    }
}

impl Growing for Split {
    #[inline(always)]
    fn add(&self, payload: &mut [u8], hash: Hash) -> bool {
        match self.avx2 {
            Some(avx2) => avx2.split_add(payload, self.geometry.blocks(), hash),
            None => self.add_scalar(payload, hash),
        }
    }

    #[inline]
    fn add_each(&self, payload: &mut [u8], hashes: &[Hash]) {
        let layout = *self;
        match self.avx2 {
            Some(avx2) => avx2.run(move || {
                let blocks = layout.geometry.blocks();
                simd::add_each(layout, payload, hashes, |payload, hash| {
                    avx2.split_add(payload, blocks, hash)
                });
            }),
            None => simd::add_each(layout, payload, hashes, |payload, hash| {
                layout.add_scalar(payload, hash)
            }),
        }
    }
}
