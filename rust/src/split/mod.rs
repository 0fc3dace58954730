//! The split-block Bloom filter: a key has one block of 32 bytes, and one bit in each of its eight words.

mod geometry;
#[cfg(feature = "std")]
mod sizing;

pub use geometry::{Geometry, BLOCK_BYTES, MAX_BLOCKS};

use crate::blocks::{block, block_mut, SALT};
use crate::filter::{BasicFilter, BasicView};
use crate::hash::{Hash, Hasher};
use crate::layout::{Growing, Layout};
use crate::sealed::Sealed;
use crate::simd;

/// A split filter over borrowed bytes.
pub type View<'a> = BasicView<'a, Split>;

/// A split filter that owns its bits.
pub type Filter = BasicFilter<Split>;

/// The layout of split filters.
#[derive(Clone, Copy, Debug)]
pub struct Split {
    geometry: Geometry,
}

impl Split {
    #[inline(always)]
    fn block_of(self, hash: Hash) -> u64 {
        ((hash.bits() >> 32) * self.geometry.blocks()) >> 32
    }
}

impl Split {
    /// The block of a hash, and its bits there, as words of 64.
    #[inline(always)]
    pub(crate) fn masks(&self, hash: Hash) -> (usize, [u64; 4]) {
        let mut masks = [0; 4];
        for (i, salt) in SALT.iter().take(8).enumerate() {
            let bit = (hash.bits() as u32).wrapping_mul(*salt) >> 27;
            masks[i / 2] |= 1 << (32 * (i as u32 % 2) + bit);
        }
        (self.block_of(hash) as usize, masks)
    }
}

/// The word with this number, and where the hash's bit is in it.
#[inline(always)]
fn word(block: &[u8; BLOCK_BYTES], i: usize, hash: Hash) -> (u32, u32) {
    let at = 4 * i;
    let word = u32::from_le_bytes([block[at], block[at + 1], block[at + 2], block[at + 3]]);
    (word, (hash.bits() as u32).wrapping_mul(SALT[i]) >> 27)
}

impl Sealed for Split {}

impl Layout for Split {
    type Geometry = Geometry;

    fn new(geometry: Geometry) -> Split {
        Split { geometry }
    }

    fn geometry(&self) -> Geometry {
        self.geometry
    }

    fn default_hasher() -> Hasher {
        Hasher::xxh64(0)
    }

    /// Without a branch: the bits of an absent key are coin tosses, and a mispredicted one costs more than all of them.
    #[inline(always)]
    fn contains(&self, payload: &[u8], hash: Hash) -> bool {
        block(payload, self.block_of(hash)).map_or(true, |block| {
            let mut all = 1;
            for i in 0..8 {
                let (word, bit) = word(block, i, hash);
                all &= word >> bit;
            }
            all & 1 == 1
        })
    }

    #[inline(always)]
    fn prefetch(&self, payload: &[u8], hash: Hash) {
        simd::prefetch(payload, BLOCK_BYTES * self.block_of(hash) as usize);
    }

    #[inline(always)]
    fn contains_group(&self, payload: &[u8], hashes: &[Hash], answers: &mut [bool]) {
        let block_of = |hash| self.block_of(hash);
        if simd::split_contains(payload, hashes, answers, self.geometry.blocks(), block_of) {
            return;
        }
        for (hash, answer) in hashes.iter().zip(answers) {
            *answer = self.contains(payload, *hash);
        }
    }
}

impl Growing for Split {
    #[inline(always)]
    fn add(&self, payload: &mut [u8], hash: Hash) -> bool {
        let mut changed = 0;
        if let Some(block) = block_mut::<BLOCK_BYTES>(payload, self.block_of(hash)) {
            for i in 0..8 {
                let (word, bit) = word(block, i, hash);
                let set = word | 1 << bit;
                changed |= word ^ set;
                block[4 * i..4 * i + 4].copy_from_slice(&set.to_le_bytes());
            }
        }
        changed != 0
    }
}
