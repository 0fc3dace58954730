//! Adding and asking by words that threads share. The bits are those of the plain layouts.

use crate::block::Block;
use crate::classic::Classic;
use crate::hash::Hash;
use crate::layout::Growing;
use crate::mem::Words;
use crate::split::Split;

/// A layout whose bits threads can set and ask for at the same time.
pub trait Sharing: Growing {
    /// Adds a hash. True when one of its bits was not set just before.
    fn add_shared<W: Words>(&self, words: &W, hash: Hash) -> bool;
    /// False when no key with this hash is there; true when one may be.
    fn contains_shared<W: Words>(&self, words: &W, hash: Hash) -> bool;
}

/// Sets what is missing of the masks in the words of a block that begins with word `first`.
#[inline(always)]
fn set_block<W: Words, const N: usize>(words: &W, first: usize, masks: [u64; N]) -> bool {
    let mut changed = false;
    for (i, mask) in masks.into_iter().enumerate().filter(|(_, mask)| *mask != 0) {
        changed |= words.set_missing(first + i, mask);
    }
    changed
}

#[inline(always)]
fn has_block<W: Words, const N: usize>(words: &W, first: usize, masks: [u64; N]) -> bool {
    let mut missing = 0;
    for (i, mask) in masks.into_iter().enumerate() {
        missing |= mask & !words.load(first + i);
    }
    missing == 0
}

impl Sharing for Classic {
    #[inline]
    fn add_shared<W: Words>(&self, words: &W, hash: Hash) -> bool {
        let mut changed = false;
        for bit in self.indexes(hash) {
            changed |= words.set_missing((bit / 64) as usize, 1 << (bit % 64));
        }
        changed
    }

    #[inline]
    fn contains_shared<W: Words>(&self, words: &W, hash: Hash) -> bool {
        self.indexes(hash)
            .all(|bit| words.load((bit / 64) as usize) >> (bit % 64) & 1 == 1)
    }
}

impl Sharing for Split {
    #[inline]
    fn add_shared<W: Words>(&self, words: &W, hash: Hash) -> bool {
        let (block, masks) = self.masks(hash);
        set_block(words, 4 * block, masks)
    }

    #[inline]
    fn contains_shared<W: Words>(&self, words: &W, hash: Hash) -> bool {
        let (block, masks) = self.masks(hash);
        has_block(words, 4 * block, masks)
    }
}

impl Sharing for Block {
    #[inline]
    fn add_shared<W: Words>(&self, words: &W, hash: Hash) -> bool {
        let (block, masks) = self.masks(hash);
        set_block(words, 8 * block, masks)
    }

    #[inline]
    fn contains_shared<W: Words>(&self, words: &W, hash: Hash) -> bool {
        let (block, masks) = self.masks(hash);
        has_block(words, 8 * block, masks)
    }
}
