//! The two numbers that fix a partitioned filter's layout.

use crate::error::{Error, ErrorKind, Result};
use crate::kind::Kind;
use crate::layout::{KindGeometry, Words};
use crate::prelude::*;
use crate::sealed::Sealed;

/// The most bits of a slice.
pub const MAX_SLICE_BITS: u64 = 1 << 58;
/// The most slices.
pub const MAX_K: u32 = 30;

/// The bits of a slice, and the number of slices, k: always within their bounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Geometry {
    slice_bits: u64,
    k: u32,
}

impl Geometry {
    /// Refuses slices of 0 bits and of more than 2^58, and k outside 1 to 30.
    pub fn new(slice_bits: u64, k: u32) -> Result<Geometry> {
        Geometry::from_values(&[slice_bits, u64::from(k), 0, 0, 0, 0, 0, 0])
    }

    /// The bits of a slice.
    pub fn slice_bits(self) -> u64 {
        self.slice_bits
    }

    /// The number of slices.
    pub fn k(self) -> u32 {
        self.k
    }

    /// The bits of all slices.
    pub fn bits(self) -> u64 {
        self.slice_bits * u64::from(self.k)
    }
}

impl Sealed for Geometry {}

impl KindGeometry for Geometry {
    const KIND: Kind = Kind::Partitioned;
    const FIELDS: &'static [&'static str] = &["slice_bits", "k"];

    fn values(&self) -> Words {
        [self.slice_bits, u64::from(self.k), 0, 0, 0, 0, 0, 0]
    }

    fn from_values(values: &Words) -> Result<Geometry> {
        let [slice_bits, k, ..] = *values;
        let refused = |field, value, most| {
            let message = format!("{} is {}, must be 1 to {}", field, value, most);
            Err(Error::field(ErrorKind::InvalidArgument, field, message))
        };
        if slice_bits == 0 || slice_bits > MAX_SLICE_BITS {
            return refused("slice_bits", slice_bits, MAX_SLICE_BITS);
        }
        if k == 0 || k > u64::from(MAX_K) {
            return refused("k", k, u64::from(MAX_K));
        }
        Ok(Geometry {
            slice_bits,
            k: k as u32,
        })
    }

    fn payload_bytes(&self) -> u64 {
        (self.bits() + 7) / 8
    }

    fn payload_bits(&self) -> u64 {
        self.bits()
    }
}
