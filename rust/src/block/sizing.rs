//! The size of a block filter for a number of keys and a rate, and what a filter at hand does.

use super::{Block, Filter, Geometry, BLOCK_BYTES, MAX_BLOCKS, MAX_K};
use crate::blocks::{too_many_blocks, FEWER_KEYS};
use crate::error::Result;
use crate::hash::Hash;
use crate::key::Key;
use crate::layout::{count_ones, KindGeometry, Layout, Predict, Sizing};
use crate::sizing::blocked::{
    best_k, block_fpr, block_miss_one, blocks_for_bits, check_target, keys_at, smallest,
    with_equal_low_bits, LOWEST_BLOCK_FPR,
};
use crate::sizing::plain_math::power;

impl Sizing for Geometry {
    /// The k that needs the fewest blocks.
    fn for_capacity(n: u64, fpr: f64) -> Result<Geometry> {
        check_target(n, fpr, LOWEST_BLOCK_FPR)?;
        let mut best: Option<Geometry> = None;
        for k in 1..=MAX_K {
            let good = |blocks: u64| block_fpr(n as f64, blocks as f64, k) <= fpr;
            // Only a k that can do with fewer blocks than the best so far is worth a search.
            let limit = best.map_or(MAX_BLOCKS, |best| best.blocks() - 1);
            if limit >= 1 && good(limit) {
                let blocks = smallest(1, limit, good);
                best = Some(Geometry::new(blocks, k)?);
            }
        }
        best.ok_or_else(|| too_many_blocks("more", MAX_BLOCKS, FEWER_KEYS))
    }

    fn for_bits_per_key(n: u64, bits: f64) -> Result<Geometry> {
        let blocks = blocks_for_bits(n, bits, 8.0 * BLOCK_BYTES as f64)?;
        if blocks > MAX_BLOCKS as f64 {
            return Err(too_many_blocks(
                blocks,
                MAX_BLOCKS,
                "ask for fewer bits per key",
            ));
        }
        Geometry::new(blocks as u64, best_k(n as f64, blocks))
    }

    fn predicted_fpr_after(&self, n: u64) -> f64 {
        block_fpr(n as f64, self.blocks() as f64, self.k())
    }
}

impl Geometry {
    fn keys_at(self, bits_set: u64) -> Option<f64> {
        let fill = bits_set as f64 / self.payload_bits() as f64;
        keys_at(fill, self.blocks() as f64, block_miss_one(self.k()))
    }

    /// The rate of a filter at hand, of whose blocks `blocks_with[c]` have c bits set.
    fn predicted_fpr_of(self, blocks_with: &[u64; 8 * BLOCK_BYTES + 1]) -> f64 {
        let mut bits_set = 0;
        let mut sum = 0.0;
        for (count, with) in (0..).zip(blocks_with) {
            bits_set += count * with;
            sum += *with as f64 * power(count as f64 / (8 * BLOCK_BYTES) as f64, self.k());
        }
        let blocks = self.blocks() as f64;
        self.keys_at(bits_set)
            .map_or(1.0, |n| with_equal_low_bits(sum / blocks, n, blocks))
    }
}

impl Predict for Block {
    /// The mean over blocks of the share that is set, to the power of k.
    fn predicted_fpr(&self, payload: &[u8]) -> f64 {
        let mut blocks_with = [0; 8 * BLOCK_BYTES + 1];
        for block in payload.chunks_exact(BLOCK_BYTES) {
            blocks_with[count_ones(block) as usize] += 1;
        }
        self.geometry().predicted_fpr_of(&blocks_with)
    }

    fn estimated_count(&self, payload: &[u8]) -> Option<u64> {
        self.geometry()
            .keys_at(self.cells_set(payload))
            .map(|n| n.round() as u64)
    }
}

impl<K: Key> std::iter::FromIterator<K> for Filter {
    /// The filter of all keys, sized for their number at 1 %. It remembers 8 bytes a key until it has seen the last.
    ///
    /// # Panics
    /// When there is no memory, as collections of the standard library do.
    fn from_iter<I: IntoIterator<Item = K>>(keys: I) -> Self {
        let hasher = Block::default_hasher();
        let hashes: Vec<Hash> = keys.into_iter().map(|key| hasher.hash_key(key)).collect();
        let filter = Filter::with_capacity(hashes.len().max(1) as u64, 0.01);
        let mut filter = filter.unwrap_or_else(|error| panic!("{}", error));
        filter.add_hashes(&hashes);
        filter
    }
}
