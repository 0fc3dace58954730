//! The numbers that fix a fuse filter's layout. Sizes are whole numbers throughout: no rounding decides a byte.

use super::factor::seed_of;
use crate::error::{Error, ErrorKind, Result};
use crate::kind::Kind;
use crate::layout::{KindGeometry, Words};
use crate::prelude::*;
use crate::sealed::Sealed;

/// The most slots of a filter.
pub const MAX_SLOTS: u64 = 1 << 48;
/// The most parts.
pub const MAX_PARTS: u64 = 1 << 32;
/// The longest window.
pub const MAX_WINDOW: u64 = 1 << 16;
/// How many slots a key has unless told otherwise: the faster choice.
pub const DEFAULT_ARITY: u32 = 3;

/// The bytes of a part's factor.
pub(super) const FACTOR: usize = 8;

/// Slots per key, bits of a slot, parts, window, slots of a part and keys: always within their bounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Geometry {
    pub(super) arity: u32,
    pub(super) fingerprint_bits: u32,
    pub(super) parts: u64,
    pub(super) window: u64,
    pub(super) slots: u64,
    pub(super) keys: u64,
}

pub(super) fn refused(field: &'static str, message: String) -> Error {
    Error::field(ErrorKind::InvalidArgument, field, message)
}

impl Geometry {
    pub(super) fn checked(self) -> Result<Geometry> {
        if self.window == 0 || self.window > MAX_WINDOW || !self.window.is_power_of_two() {
            return Err(refused(
                "window",
                format!(
                    "window is {}, must be a power of two up to {}",
                    self.window, MAX_WINDOW
                ),
            ));
        }
        if self.parts == 0 || self.parts > MAX_PARTS {
            return Err(refused(
                "parts",
                format!("parts is {}, must be 1 to {}", self.parts, MAX_PARTS),
            ));
        }
        let least = u64::from(self.arity - 1) * self.window;
        if self.slots <= least || self.slots > MAX_SLOTS / self.parts {
            return Err(refused(
                "slots",
                format!(
                    "slots is {}, must be above {} and, times {} parts, at most 2^48: use fewer keys",
                    self.slots, least, self.parts
                ),
            ));
        }
        if self.keys > self.parts * self.slots {
            return Err(refused(
                "keys",
                format!(
                    "keys is {}, more than there are slots, {}",
                    self.keys,
                    self.parts * self.slots
                ),
            ));
        }
        Ok(self)
    }

    /// How many slots a key has.
    pub fn arity(self) -> u32 {
        self.arity
    }

    /// The bits of a slot.
    pub fn fingerprint_bits(self) -> u32 {
        self.fingerprint_bits
    }

    /// The number of distinct keys.
    pub fn keys(self) -> u64 {
        self.keys
    }

    /// The failed attempts of the build that made this payload: the sum of the parts' seeds.
    pub fn retries(self, payload: &[u8]) -> u64 {
        let parts = 0..self.parts as usize;
        let seeds = parts.map(|part| seed_of(self.parts, self.factor(payload, part)));
        seeds.map(u64::from).sum()
    }

    /// The factor of a part.
    #[inline(always)]
    pub(super) fn factor(self, payload: &[u8], part: usize) -> u64 {
        let at = self.factors_at() + FACTOR * part;
        let mut bytes = [0; FACTOR];
        bytes.copy_from_slice(&payload[at..at + FACTOR]);
        u64::from_le_bytes(bytes)
    }

    /// Where the factors begin.
    #[inline(always)]
    pub(super) fn factors_at(self) -> usize {
        (self.parts * self.slots * u64::from(self.fingerprint_bits / 8)) as usize
    }
}

pub(super) fn check_arity(arity: u64) -> Result<()> {
    if arity != 3 && arity != 4 {
        return Err(refused(
            "arity",
            format!("arity is {}, must be 3 or 4", arity),
        ));
    }
    Ok(())
}

impl Sealed for Geometry {}

impl KindGeometry for Geometry {
    const KIND: Kind = Kind::Fuse;
    const FIELDS: &'static [&'static str] = &[
        "arity",
        "fingerprint_bits",
        "parts",
        "window",
        "slots",
        "keys",
    ];

    fn values(&self) -> Words {
        [
            u64::from(self.arity),
            u64::from(self.fingerprint_bits),
            self.parts,
            self.window,
            self.slots,
            self.keys,
            0,
            0,
        ]
    }

    fn from_values(values: &Words) -> Result<Geometry> {
        let [arity, bits, parts, window, slots, keys, ..] = *values;
        check_arity(arity)?;
        if bits != 8 && bits != 16 {
            return Err(refused(
                "fingerprint_bits",
                format!("fingerprint_bits is {}, must be 8 or 16", bits),
            ));
        }
        Geometry {
            arity: arity as u32,
            fingerprint_bits: bits as u32,
            parts,
            window,
            slots,
            keys,
        }
        .checked()
    }

    fn payload_bytes(&self) -> u64 {
        self.parts * (self.slots * u64::from(self.fingerprint_bits / 8) + FACTOR as u64)
    }

    fn payload_bits(&self) -> u64 {
        8 * self.payload_bytes()
    }

    fn cells(&self) -> u64 {
        self.parts * self.slots
    }
}
