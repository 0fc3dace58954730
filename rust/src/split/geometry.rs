//! The one number that fixes a split filter's layout.

use crate::blocks::too_many_blocks;
use crate::error::Result;
use crate::kind::Kind;
use crate::layout::{KindGeometry, Words};
use crate::sizing::blocked::{
    blocks_for_bits, check_target, keys_at, smallest, split_fpr, split_miss_one,
    with_equal_low_bits,
};

/// The most blocks: with more, some would be chosen visibly more often by 32 bits of the hash.
pub const MAX_BLOCKS: u64 = 1 << 28;
/// The bytes of a block.
pub const BLOCK_BYTES: usize = 32;

/// Below this rate eight bits a key take more space than other kinds do.
const LOWEST_FPR: f64 = 1e-5;
const INSTEAD: &str = "use the kind block";

/// The number of blocks of 32 bytes: always within its bounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Geometry {
    blocks: u64,
}

impl Geometry {
    /// Refuses no blocks, and more than 2^28.
    pub fn new(blocks: u64) -> Result<Geometry> {
        if blocks == 0 || blocks > MAX_BLOCKS {
            return Err(too_many_blocks(blocks, MAX_BLOCKS, INSTEAD));
        }
        Ok(Geometry { blocks })
    }

    /// The number of blocks.
    #[inline]
    pub fn blocks(self) -> u64 {
        self.blocks
    }

    fn keys_at(self, bits_set: u64) -> Option<f64> {
        let fill = bits_set as f64 / self.payload_bits() as f64;
        keys_at(fill, self.blocks as f64, split_miss_one())
    }

    /// The rate of a filter at hand: `products` is the sum over its blocks of the product of the bits set in each word.
    pub(super) fn predicted_fpr_of(self, products: f64, bits_set: u64) -> f64 {
        const WAYS: f64 = (1u64 << 40) as f64; // to choose a bit of each word
        let blocks = self.blocks as f64;
        self.keys_at(bits_set).map_or(1.0, |n| {
            with_equal_low_bits(products / WAYS / blocks, n, blocks)
        })
    }
}

impl KindGeometry for Geometry {
    const KIND: Kind = Kind::Split;
    const FIELDS: &'static [&'static str] = &["blocks"];

    fn values(&self) -> Words {
        [self.blocks, 0, 0, 0, 0, 0, 0, 0]
    }

    fn from_values(values: &Words) -> Result<Geometry> {
        Geometry::new(values[0])
    }

    fn for_capacity(n: u64, fpr: f64) -> Result<Geometry> {
        check_target(n, fpr, LOWEST_FPR, INSTEAD)?;
        let good = |blocks: u64| split_fpr(n as f64, blocks as f64) <= fpr;
        if !good(MAX_BLOCKS) {
            return Err(too_many_blocks("more", MAX_BLOCKS, INSTEAD));
        }
        Geometry::new(smallest(1, MAX_BLOCKS, good))
    }

    fn for_bits_per_key(n: u64, bits: f64) -> Result<Geometry> {
        let blocks = blocks_for_bits(n, bits, 8.0 * BLOCK_BYTES as f64)?;
        if blocks > MAX_BLOCKS as f64 {
            return Err(too_many_blocks(blocks, MAX_BLOCKS, INSTEAD));
        }
        Geometry::new(blocks as u64)
    }

    fn payload_bytes(&self) -> u64 {
        self.blocks * BLOCK_BYTES as u64
    }

    fn payload_bits(&self) -> u64 {
        8 * self.payload_bytes()
    }

    fn predicted_fpr_after(&self, n: u64) -> f64 {
        split_fpr(n as f64, self.blocks as f64)
    }

    fn predicted_fpr_at(&self, bits_set: u64) -> f64 {
        self.keys_at(bits_set)
            .map_or(1.0, |n| split_fpr(n, self.blocks as f64))
    }

    fn estimated_count(&self, bits_set: u64) -> Option<u64> {
        self.keys_at(bits_set).map(|n| n.round() as u64)
    }
}
