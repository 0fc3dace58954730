//! The one number that fixes a split filter's layout.

use crate::blocks::{too_many_blocks, MOST_LINES};
use crate::error::Result;
use crate::kind::Kind;
use crate::layout::{KindGeometry, Words};
use crate::sealed::Sealed;

/// The most blocks: with more, some would be chosen visibly more often by 32 bits of the hash.
pub const MAX_BLOCKS: u64 = 1 << 28;
/// The bytes of a block.
pub const BLOCK_BYTES: usize = 32;

/// The number of blocks of 32 bytes: always within its bounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Geometry {
    blocks: u64,
}

impl Geometry {
    /// Refuses no blocks, and more than 2^28.
    pub fn new(blocks: u64) -> Result<Geometry> {
        if blocks == 0 || blocks > MAX_BLOCKS {
            let instead = if blocks <= MOST_LINES {
                "use the kind 'block'"
            } else {
                "ask for fewer"
            };
            return Err(too_many_blocks(blocks, MAX_BLOCKS, instead));
        }
        Ok(Geometry { blocks })
    }

    /// The number of blocks.
    #[inline]
    pub fn blocks(self) -> u64 {
        self.blocks
    }
}

impl Sealed for Geometry {}

impl KindGeometry for Geometry {
    const KIND: Kind = Kind::Split;
    const FIELDS: &'static [&'static str] = &["blocks"];

    fn values(&self) -> Words {
        [self.blocks, 0, 0, 0, 0, 0, 0, 0]
    }

    fn from_values(values: &Words) -> Result<Geometry> {
        Geometry::new(values[0])
    }

    fn payload_bytes(&self) -> u64 {
        self.blocks * BLOCK_BYTES as u64
    }

    fn payload_bits(&self) -> u64 {
        8 * self.payload_bytes()
    }
}
