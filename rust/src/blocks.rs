//! What the two kinds of filters in blocks share: their salts, and finding a block without a check per byte.

use std::convert::TryInto;

use crate::error::{Error, ErrorKind};
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

/// The block with this number. `None` never happens in a payload of its geometry's length.
#[inline(always)]
pub(crate) fn block<const N: usize>(payload: &[u8], number: u64) -> Option<&[u8; N]> {
    let at = number as usize * N;
    payload.get(at..at + N)?.try_into().ok()
}

/// The same, to change it.
#[inline(always)]
pub(crate) fn block_mut<const N: usize>(payload: &mut [u8], number: u64) -> Option<&mut [u8; N]> {
    let at = number as usize * N;
    payload.get_mut(at..at + N)?.try_into().ok()
}

pub(crate) fn too_many_blocks(blocks: impl std::fmt::Display, most: u64, instead: &str) -> Error {
    Error::field(
        ErrorKind::InvalidArgument,
        "blocks",
        format!("blocks is {}, must be 1 to {}: {}", blocks, most, instead),
    )
}
