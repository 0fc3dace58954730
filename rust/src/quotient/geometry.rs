//! The two numbers that fix a quotient filter's layout, and where its blocks are.

use crate::error::{Error, ErrorKind, Result};
use crate::kind::Kind;
use crate::layout::{KindGeometry, Words};
use crate::prelude::*;
use crate::sealed::Sealed;

/// The most bits of a quotient, and of a remainder.
pub const MAX_BITS: u32 = 56;

/// The slots of a block.
pub(super) const BLOCK_SLOTS: u64 = 64;
/// Where the remainders begin in a block: after the offset and two words of bits.
pub(super) const AT_REMAINDERS: u64 = 18;
/// Blocks of the tail for q = 6 to 14; larger filters have five.
const TAIL: [u64; 9] = [1, 1, 1, 2, 2, 3, 3, 4, 4];

/// The bits of a quotient, q, and of a remainder, r: always within their bounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Geometry {
    quotient_bits: u32,
    remainder_bits: u32,
}

impl Geometry {
    /// Refuses bits outside 1 to 56, and more than 64 of both together.
    pub fn new(quotient_bits: u32, remainder_bits: u32) -> Result<Geometry> {
        let (q, r) = (u64::from(quotient_bits), u64::from(remainder_bits));
        Geometry::from_values(&[q, r, 0, 0, 0, 0, 0, 0])
    }

    /// The bits of a quotient.
    pub fn quotient_bits(self) -> u32 {
        self.quotient_bits
    }

    /// The bits of a remainder.
    pub fn remainder_bits(self) -> u32 {
        self.remainder_bits
    }

    /// The slots that keys belong to.
    pub fn home_slots(self) -> u64 {
        1 << self.quotient_bits
    }

    /// The keys that it takes, a key added again counted again.
    pub fn capacity(self) -> u64 {
        (u128::from(self.home_slots()) * 19 / 20) as u64
    }

    /// The home slots and the tail behind them, which the last runs may reach into.
    pub fn slots(self) -> u64 {
        BLOCK_SLOTS * self.blocks()
    }

    pub(super) fn blocks(self) -> u64 {
        match self.quotient_bits {
            0..=5 => 1,
            q => (1 << (q - 6)) + TAIL.get(q as usize - 6).copied().unwrap_or(5),
        }
    }

    pub(super) fn block_bytes(self) -> u64 {
        AT_REMAINDERS + 8 * u64::from(self.remainder_bits)
    }
}

impl Sealed for Geometry {}

impl KindGeometry for Geometry {
    const KIND: Kind = Kind::Quotient;
    const FIELDS: &'static [&'static str] = &["quotient_bits", "remainder_bits"];

    fn values(&self) -> Words {
        let (q, r) = (self.quotient_bits, self.remainder_bits);
        [u64::from(q), u64::from(r), 0, 0, 0, 0, 0, 0]
    }

    fn from_values(values: &Words) -> Result<Geometry> {
        let [q, r, ..] = *values;
        let refused =
            |field, message| Err(Error::field(ErrorKind::InvalidArgument, field, message));
        for (field, bits) in [("quotient_bits", q), ("remainder_bits", r)] {
            if bits == 0 || bits > u64::from(MAX_BITS) {
                let message = format!("{} is {}, must be 1 to {}", field, bits, MAX_BITS);
                return refused(field, message);
            }
        }
        if q + r > 64 {
            return refused(
                "remainder_bits",
                format!(
                    "quotient_bits and remainder_bits are {}, must be at most 64 together",
                    q + r
                ),
            );
        }
        Ok(Geometry {
            quotient_bits: q as u32,
            remainder_bits: r as u32,
        })
    }

    fn payload_bytes(&self) -> u64 {
        self.blocks() * self.block_bytes() + 8
    }

    fn cells(&self) -> u64 {
        self.home_slots()
    }
}
