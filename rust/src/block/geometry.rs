//! The two numbers that fix a block filter's layout.

use crate::blocks::{too_many_blocks, FEWER_KEYS, MOST_LINES};
use crate::error::{Error, ErrorKind, Result};
use crate::kind::Kind;
use crate::layout::{KindGeometry, Words};
use crate::prelude::*;
use crate::sealed::Sealed;

/// The most blocks.
pub const MAX_BLOCKS: u64 = MOST_LINES;
/// The most bits per key.
pub const MAX_K: u32 = 16;
/// The bytes of a block: a cache line.
pub const BLOCK_BYTES: usize = 64;

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
            return Err(too_many_blocks(blocks, MAX_BLOCKS, FEWER_KEYS));
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
}

impl Sealed for Geometry {}

impl KindGeometry for Geometry {
    const KIND: Kind = Kind::Block;
    const FIELDS: &'static [&'static str] = &["blocks", "k"];

    fn values(&self) -> Words {
        [self.blocks, u64::from(self.k), 0, 0, 0, 0, 0, 0]
    }

    fn from_values(values: &Words) -> Result<Geometry> {
        Geometry::checked(values[0], values[1])
    }

    fn payload_bytes(&self) -> u64 {
        self.blocks * BLOCK_BYTES as u64
    }

    fn payload_bits(&self) -> u64 {
        // At most 2^65: a filter of that many blocks is refused for want of memory before anybody asks.
        self.payload_bytes().saturating_mul(8)
    }
}
