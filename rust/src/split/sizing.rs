//! The size of a split filter for a number of keys and a rate, and what a filter at hand does.

use super::{Geometry, Split, BLOCK_BYTES, MAX_BLOCKS};
use crate::blocks::{too_many_blocks, MOST_LINES};
use crate::error::Result;
use crate::layout::{KindGeometry, Layout, Predict, Sizing};
use crate::sizing::blocked::{
    blocks_for_bits, check_target, instead_at, keys_at, smallest, split_fpr, split_miss_one,
    with_equal_low_bits,
};

/// Below this rate eight bits a key take more space than other kinds do.
const LOWEST_FPR: f64 = 1e-5;
/// The bits of a block of the kind 'block'.
const BITS_OF_LINE: f64 = 512.0;

impl Sizing for Geometry {
    fn for_capacity(n: u64, fpr: f64) -> Result<Geometry> {
        check_target(n, fpr, LOWEST_FPR)?;
        let good = |blocks: u64| split_fpr(n as f64, blocks as f64) <= fpr;
        if !good(MAX_BLOCKS) {
            return Err(too_many_blocks("more", MAX_BLOCKS, instead_at(n, fpr)));
        }
        Geometry::new(smallest(1, MAX_BLOCKS, good))
    }

    fn for_bits_per_key(n: u64, bits: f64) -> Result<Geometry> {
        let blocks = blocks_for_bits(n, bits, 8.0 * BLOCK_BYTES as f64)?;
        if blocks > MAX_BLOCKS as f64 {
            let lines = blocks_for_bits(n, bits, BITS_OF_LINE)?;
            let instead = if lines <= MOST_LINES as f64 {
                "use the kind 'block'"
            } else {
                "ask for fewer bits per key"
            };
            return Err(too_many_blocks(blocks, MAX_BLOCKS, instead));
        }
        Geometry::new(blocks as u64)
    }

    fn predicted_fpr_after(&self, n: u64) -> f64 {
        split_fpr(n as f64, self.blocks() as f64)
    }
}

impl Geometry {
    fn keys_at(self, bits_set: u64) -> Option<f64> {
        let fill = bits_set as f64 / self.payload_bits() as f64;
        keys_at(fill, self.blocks() as f64, split_miss_one())
    }

    /// The rate of a filter at hand: `products` is the sum over its blocks of the product of the bits set in each word.
    fn predicted_fpr_of(self, products: f64, bits_set: u64) -> f64 {
        const WAYS: f64 = (1u64 << 40) as f64; // to choose a bit of each word
        let blocks = self.blocks() as f64;
        self.keys_at(bits_set).map_or(1.0, |n| {
            with_equal_low_bits(products / WAYS / blocks, n, blocks)
        })
    }
}

impl Predict for Split {
    /// The mean over blocks of the product of the shares that are set in each word.
    fn predicted_fpr(&self, payload: &[u8]) -> f64 {
        let mut products = 0.0;
        let mut set = 0;
        for block in payload.chunks_exact(BLOCK_BYTES) {
            let mut product = 1;
            for word in block.chunks_exact(4) {
                let word = u32::from_le_bytes([word[0], word[1], word[2], word[3]]);
                let count = u64::from(word.count_ones());
                product *= count;
                set += count;
            }
            products += product as f64;
        }
        self.geometry().predicted_fpr_of(products, set)
    }

    fn estimated_count(&self, payload: &[u8]) -> Option<u64> {
        self.geometry()
            .keys_at(self.cells_set(payload))
            .map(|n| n.round() as u64)
    }
}
