//! The three numbers that fix a counting filter's layout.

use crate::classic;
use crate::error::{Error, ErrorKind, Result};
use crate::kind::Kind;
use crate::layout::{KindGeometry, Words};
use crate::prelude::*;
use crate::sealed::Sealed;

/// The most counters.
pub const MAX_M: u64 = 1 << 58;

/// The number of counters, m, of indexes per key, k, and the bits of a counter, 4 or 32: always within their bounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Geometry {
    classic: classic::Geometry,
    counter_bits: u32,
}

impl Geometry {
    /// Refuses m = 0 and above 2^58, k outside 1 to 30, and counters of other than 4 or 32 bits.
    pub fn new(m: u64, k: u32, counter_bits: u32) -> Result<Geometry> {
        Geometry::from_values(&[m, u64::from(k), u64::from(counter_bits), 0, 0, 0, 0, 0])
    }

    /// The number of counters.
    pub fn m(self) -> u64 {
        self.classic.m()
    }

    /// The number of indexes per key.
    pub fn k(self) -> u32 {
        self.classic.k()
    }

    /// The bits of a counter.
    pub fn counter_bits(self) -> u32 {
        self.counter_bits
    }

    /// The geometry of the classic filter that holds the same keys.
    pub fn classic(self) -> classic::Geometry {
        self.classic
    }
}

impl Sealed for Geometry {}

impl KindGeometry for Geometry {
    const KIND: Kind = Kind::Counting;
    const FIELDS: &'static [&'static str] = &["m", "k", "counter_bits"];

    fn values(&self) -> Words {
        let [m, k, ..] = self.classic.values();
        [m, k, u64::from(self.counter_bits), 0, 0, 0, 0, 0]
    }

    fn from_values(values: &Words) -> Result<Geometry> {
        let refused =
            |field, message| Err(Error::field(ErrorKind::InvalidArgument, field, message));
        let [m, _, counter_bits, ..] = *values;
        if m > MAX_M {
            return refused("m", format!("m is {}, must be 1 to {}", m, MAX_M));
        }
        if counter_bits != 4 && counter_bits != 32 {
            return refused(
                "counter_bits",
                format!("counter_bits is {}, must be 4 or 32", counter_bits),
            );
        }
        Ok(Geometry {
            classic: classic::Geometry::from_values(values)?,
            counter_bits: counter_bits as u32,
        })
    }

    fn payload_bytes(&self) -> u64 {
        (self.payload_bits() + 7) / 8
    }

    fn payload_bits(&self) -> u64 {
        self.m() * u64::from(self.counter_bits)
    }

    fn cells(&self) -> u64 {
        self.m()
    }
}
