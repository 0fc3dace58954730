//! A Bloom filter in cache lines: a key has one block of 64 bytes and k bits anywhere in it.

mod geometry;
#[cfg(feature = "std")]
mod sizing;

pub use geometry::{Geometry, BLOCK_BYTES, MAX_BLOCKS, MAX_K};

use crate::blocks::{block, block_mut, SALT};
use crate::filter::{BasicFilter, BasicView};
use crate::hash::{Hash, Hasher};
use crate::layout::{Growing, Layout};
use crate::sealed::Sealed;
use crate::simd;

/// A block filter over borrowed bytes.
pub type View<'a> = BasicView<'a, Block>;

/// A block filter that owns its bits.
pub type Filter = BasicFilter<Block>;

/// The layout of block filters.
#[derive(Clone, Copy, Debug)]
pub struct Block {
    geometry: Geometry,
}

impl Block {
    #[inline(always)]
    fn block_of(self, hash: Hash) -> u64 {
        ((u128::from(hash.bits()) * u128::from(self.geometry.blocks())) >> 64) as u64
    }

    /// The bits of a hash within its block: each a byte and a bit in that.
    #[inline(always)]
    fn places(self, hash: Hash) -> impl Iterator<Item = (usize, u32)> {
        let low = hash.bits() as u32;
        SALT.iter()
            .take(self.geometry.k() as usize)
            .map(move |salt| low.wrapping_mul(*salt) >> 23)
            .map(|p| ((p >> 3) as usize, p & 7))
    }
}

impl Block {
    /// The block of a hash, and its bits there, as words of 64.
    #[inline(always)]
    pub(crate) fn masks(&self, hash: Hash) -> (usize, [u64; 8]) {
        let mut masks = [0; 8];
        for (byte, bit) in self.places(hash) {
            masks[byte / 8] |= 1 << (8 * (byte as u32 % 8) + bit);
        }
        (self.block_of(hash) as usize, masks)
    }
}

impl Sealed for Block {}

impl Layout for Block {
    type Geometry = Geometry;

    fn new(geometry: Geometry) -> Block {
        Block { geometry }
    }

    fn geometry(&self) -> Geometry {
        self.geometry
    }

    fn default_hasher() -> Hasher {
        Hasher::xxh3(0)
    }

    /// Without a branch: the bits of an absent key are coin tosses, and a mispredicted one costs more than all of them.
    #[inline(always)]
    fn contains(&self, payload: &[u8], hash: Hash) -> bool {
        block::<BLOCK_BYTES>(payload, self.block_of(hash)).map_or(true, |block| {
            let all = self
                .places(hash)
                .fold(1, |all, (byte, bit)| all & block[byte] >> bit);
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
        if simd::block_contains(
            payload,
            hashes,
            answers,
            (self.geometry.blocks(), self.geometry.k()),
            block_of,
        ) {
            return;
        }
        for (hash, answer) in hashes.iter().zip(answers) {
            *answer = self.contains(payload, *hash);
        }
    }
}

impl Growing for Block {
    #[inline(always)]
    fn add(&self, payload: &mut [u8], hash: Hash) -> bool {
        let mut changed = 0;
        if let Some(block) = block_mut::<BLOCK_BYTES>(payload, self.block_of(hash)) {
            for (byte, bit) in self.places(hash) {
                let set = block[byte] | 1 << bit;
                changed |= block[byte] ^ set;
                block[byte] = set;
            }
        }
        changed != 0
    }
}
