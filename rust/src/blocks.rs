//! What the two kinds of filters in blocks share: their salts, and where the blocks and words of a hash are.

use crate::error::{Error, ErrorKind};
use crate::hash::Hash;
use crate::prelude::*;

/// Odd numbers whose products have well-mixed high bits: the first eight are those of the Parquet format.
pub(crate) const SALT: [u32; 16] = [
    0x47b6_137b,
    0x4497_4d91,
    0x8824_ad5b,
    0xa2b7_289d,
    0x7054_95c7,
    0x2df1_424b,
    0x9efc_4947,
    0x5c6b_fb31,
    0x9e37_79b1,
    0x85eb_ca6b,
    0xc2b2_ae35,
    0x27d4_eb2f,
    0x1656_67b1,
    0xd3a2_646d,
    0xfd70_46c5,
    0xb55a_4f09,
];

/// The salts of a key with k bits, again and again: a vector that asks for more than k bits asks for some twice. There
/// are 32 rows, so that five bits of k find one; filters use the rows 1 to 16.
pub(crate) static SALTS_OF_K: [[u32; 16]; 32] = {
    let mut table = [SALT; 32];
    let mut at = 16;
    while at < 16 * 16 {
        table[at / 16][at % 16] = SALT[at % 16 % (at / 16)];
        at += 1;
    }
    table
};

/// The number of a hash's block in a split filter of so many.
#[inline(always)]
pub(crate) fn split_block_of(hash: Hash, blocks: u64) -> u64 {
    ((hash.bits() >> 32) * blocks) >> 32
}

/// The number of a hash's block, a cache line, in a block filter of so many.
#[inline(always)]
pub(crate) fn line_of(hash: Hash, blocks: u64) -> u64 {
    ((u128::from(hash.bits()) * u128::from(blocks)) >> 64) as u64
}

/// The word of 32 bits with this number in a block, which it is in: 4 bytes, little-endian.
#[inline(always)]
pub(crate) fn word<const N: usize>(block: &[u8; N], i: usize) -> u32 {
    let at = 4 * i;
    u32::from_le_bytes([block[at], block[at + 1], block[at + 2], block[at + 3]])
}

/// Sets a bit of that word. Returns it when it was not set before, else 0.
#[inline(always)]
pub(crate) fn set_bit<const N: usize>(block: &mut [u8; N], i: usize, bit: u32) -> u32 {
    let before = word(block, i);
    let after = before | 1 << bit;
    block[4 * i..4 * i + 4].copy_from_slice(&after.to_le_bytes());
    before ^ after
}

/// The most blocks of a block filter: their bytes fit in 64 bits.
pub(crate) const MOST_LINES: u64 = 1 << 56;

/// What helps where those are too few.
pub(crate) const FEWER_KEYS: &str = "ask for fewer keys or a higher rate";

pub(crate) fn too_many_blocks(blocks: impl std::fmt::Display, most: u64, instead: &str) -> Error {
    Error::field(
        ErrorKind::InvalidArgument,
        "blocks",
        format!("blocks is {}, must be 1 to {}: {}", blocks, most, instead),
    )
}
