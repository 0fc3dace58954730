//! The two numbers that fix a block filter's layout.

use crate::blocks::too_many_blocks;
use crate::error::{Error, ErrorKind, Result};
use crate::kind::Kind;
use crate::layout::{KindGeometry, Words};
use crate::sizing::blocked::{
    best_k, block_fpr, block_miss_one, blocks_for_bits, check_target, keys_at, smallest,
    with_equal_low_bits,
};
use crate::sizing::plain_math::power;

/// The most blocks.
pub const MAX_BLOCKS: u64 = 1 << 56;
/// The most bits per key.
pub const MAX_K: u32 = 16;
/// The bytes of a block: a cache line.
pub const BLOCK_BYTES: usize = 64;

/// Below this rate keys of equal low 32 hash bits are in the way.
const LOWEST_FPR: f64 = 5e-8;
const SMALLER: &str = "ask for fewer keys or a higher rate";

/// The number of blocks of 64 bytes, and of bits per key: always within their bounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Geometry {
    blocks: u64,
    k: u32,
}

impl Geometry {
    /// Refuses no blocks and more than 2^56, and k outside 1 to 16.
    pub fn new(blocks: u64, k: u32) -> Result<Geometry> {
        Geometry::checked(blocks, u64::from(k))
    }

    fn checked(blocks: u64, k: u64) -> Result<Geometry> {
        if blocks == 0 || blocks > MAX_BLOCKS {
            return Err(too_many_blocks(blocks, MAX_BLOCKS, SMALLER));
        }
        if k == 0 || k > u64::from(MAX_K) {
            return Err(Error::field(
                ErrorKind::InvalidArgument,
                "k",
                format!("k is {}, must be 1 to {}", k, MAX_K),
            ));
        }
        Ok(Geometry {
            blocks,
            k: k as u32,
        })
    }

    /// The number of blocks.
    #[inline]
    pub fn blocks(self) -> u64 {
        self.blocks
    }

    /// The number of bits per key.
    #[inline]
    pub fn k(self) -> u32 {
        self.k
    }

    fn keys_at(self, bits_set: u64) -> Option<f64> {
        let fill = bits_set as f64 / self.payload_bits() as f64;
        keys_at(fill, self.blocks as f64, block_miss_one(self.k))
    }

    /// The rate of a filter at hand, of whose blocks `blocks_with[c]` have c bits set.
    pub(super) fn predicted_fpr_of(self, blocks_with: &[u64; 8 * BLOCK_BYTES + 1]) -> f64 {
        let mut bits_set = 0;
        let mut sum = 0.0;
        for (count, with) in (0..).zip(blocks_with) {
            bits_set += count * with;
            sum += *with as f64 * power(count as f64 / (8 * BLOCK_BYTES) as f64, self.k);
        }
        let blocks = self.blocks as f64;
        self.keys_at(bits_set)
            .map_or(1.0, |n| with_equal_low_bits(sum / blocks, n, blocks))
    }
}

impl KindGeometry for Geometry {
    const KIND: Kind = Kind::Block;
    const FIELDS: &'static [&'static str] = &["blocks", "k"];

    fn values(&self) -> Words {
        [self.blocks, u64::from(self.k), 0, 0, 0, 0, 0, 0]
    }

    fn from_values(values: &Words) -> Result<Geometry> {
        Geometry::checked(values[0], values[1])
    }

    /// The k that needs the fewest blocks.
    fn for_capacity(n: u64, fpr: f64) -> Result<Geometry> {
        check_target(n, fpr, LOWEST_FPR, "ask for a higher rate")?;
        let mut best: Option<Geometry> = None;
        for k in 1..=MAX_K {
            let good = |blocks: u64| block_fpr(n as f64, blocks as f64, k) <= fpr;
            // Only a k that can do with fewer blocks than the best so far is worth a search.
            let limit = best.map_or(MAX_BLOCKS, |best| best.blocks - 1);
            if limit >= 1 && good(limit) {
                let blocks = smallest(1, limit, good);
                best = Some(Geometry { blocks, k });
            }
        }
        best.ok_or_else(|| too_many_blocks("more", MAX_BLOCKS, SMALLER))
    }

    fn for_bits_per_key(n: u64, bits: f64) -> Result<Geometry> {
        let blocks = blocks_for_bits(n, bits, 8.0 * BLOCK_BYTES as f64)?;
        if blocks > MAX_BLOCKS as f64 {
            return Err(too_many_blocks(blocks, MAX_BLOCKS, SMALLER));
        }
        Geometry::new(blocks as u64, best_k(n as f64, blocks))
    }

    fn payload_bytes(&self) -> u64 {
        self.blocks * BLOCK_BYTES as u64
    }

    fn payload_bits(&self) -> u64 {
        // At most 2^65: a filter of that many blocks is refused for want of memory before anybody asks.
        self.payload_bytes().saturating_mul(8)
    }

    fn predicted_fpr_after(&self, n: u64) -> f64 {
        block_fpr(n as f64, self.blocks as f64, self.k)
    }

    fn predicted_fpr_at(&self, bits_set: u64) -> f64 {
        self.keys_at(bits_set)
            .map_or(1.0, |n| block_fpr(n, self.blocks as f64, self.k))
    }

    fn estimated_count(&self, bits_set: u64) -> Option<u64> {
        self.keys_at(bits_set).map(|n| n.round() as u64)
    }
}
