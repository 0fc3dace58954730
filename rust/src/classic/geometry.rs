//! The two numbers that fix a classic filter's layout. They are stored in its file and never recomputed.

use crate::error::{Error, ErrorKind, Result};
use crate::kind::Kind;
use crate::layout::{KindGeometry, Words};
use crate::prelude::*;
use crate::sealed::Sealed;

/// The most indexes a key can have.
pub const MAX_K: u32 = 30;

/// The number of bits, m, and of indexes per key, k: always within their bounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Geometry {
    m: u64,
    k: u32,
}

impl Geometry {
    /// Refuses m = 0 and k outside 1 to 30.
    pub fn new(m: u64, k: u32) -> Result<Geometry> {
        Geometry::checked(m, u64::from(k))
    }

    fn checked(m: u64, k: u64) -> Result<Geometry> {
        let refused =
            |field, message| Err(Error::field(ErrorKind::InvalidArgument, field, message));
        if k == 0 || k > u64::from(MAX_K) {
            return refused("k", format!("k is {}, must be 1 to {}", k, MAX_K));
        }
        if m == 0 {
            return refused("m", "m is 0, must be at least 1".to_string());
        }
        Ok(Geometry { m, k: k as u32 })
    }

    /// The number of bits.
    #[inline]
    pub fn m(self) -> u64 {
        self.m
    }

    /// The number of indexes per key.
    #[inline]
    pub fn k(self) -> u32 {
        self.k
    }

    /// Whether no bit at or above m is set in the last byte of `bits`.
    pub(crate) fn padding_is_clear(self, bits: &[u8]) -> bool {
        let used = self.m % 8;
        used == 0 || bits.last().map_or(true, |last| last >> used == 0)
    }
}

impl Sealed for Geometry {}

impl KindGeometry for Geometry {
    const KIND: Kind = Kind::Classic;
    const FIELDS: &'static [&'static str] = &["m", "k"];

    fn values(&self) -> Words {
        [self.m, u64::from(self.k), 0, 0, 0, 0, 0, 0]
    }

    fn from_values(values: &Words) -> Result<Geometry> {
        Geometry::checked(values[0], values[1])
    }

    fn payload_bytes(&self) -> u64 {
        // Not (m + 7) / 8, which overflows for the largest m.
        self.m / 8 + u64::from(self.m % 8 != 0)
    }

    fn payload_bits(&self) -> u64 {
        self.m
    }
}
