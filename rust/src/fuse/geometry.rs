//! The numbers that fix a fuse filter's layout. Sizes are whole numbers throughout: no rounding decides a byte.

use super::places::seed_of;
use super::size::{parts_for, window_and_slots};
use crate::error::{Error, ErrorKind, Result};
use crate::kind::Kind;
use crate::layout::{KindGeometry, Size, Words};
use crate::sizing::{check_bits, check_keys, check_rate};

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

fn refused(field: &'static str, message: String) -> Error {
    Error::field(ErrorKind::InvalidArgument, field, message)
}

impl Geometry {
    /// The geometry planned for `n` random hashes; the filter that is built has what its own keys need.
    pub fn plan(n: u64, arity: u64, fingerprint_bits: u32) -> Result<Geometry> {
        check_keys(n)?;
        check_arity(arity)?;
        let parts = parts_for(n);
        // Far above what fits, before the products below could overflow.
        if n > MAX_SLOTS {
            return Err(too_many(n));
        }
        let largest = n / parts + u64::from(n % parts != 0);
        let (window, slots) = window_and_slots(largest, arity as u32);
        Geometry {
            arity: arity as u32,
            fingerprint_bits,
            parts,
            window,
            slots,
            keys: n,
        }
        .checked()
    }

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

fn check_arity(arity: u64) -> Result<()> {
    if arity != 3 && arity != 4 {
        return Err(refused(
            "arity",
            format!("arity is {}, must be 3 or 4", arity),
        ));
    }
    Ok(())
}

fn too_many(n: u64) -> Error {
    refused(
        "n",
        format!("{} keys take more than 2^48 slots: use fewer", n),
    )
}

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
    const CHOICE: Option<&'static str> = Some("arity");

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

    fn for_capacity(n: u64, fpr: f64) -> Result<Geometry> {
        Geometry::for_size(n, Size::Fpr(fpr), None)
    }

    fn for_bits_per_key(n: u64, bits: f64) -> Result<Geometry> {
        Geometry::for_size(n, Size::BitsPerKey(bits), None)
    }

    fn for_size(n: u64, size: Size, arity: Option<u64>) -> Result<Geometry> {
        let arity = arity.unwrap_or(u64::from(DEFAULT_ARITY));
        match size {
            Size::Fpr(fpr) => Geometry::plan(n, arity, bits_for_rate(fpr)?),
            Size::BitsPerKey(bits) => {
                check_bits(bits)?;
                let fits = |g: &Geometry| 8.0 * g.payload_bytes() as f64 <= n as f64 * bits;
                let wide = Geometry::plan(n, arity, 16)?;
                let narrow = Geometry::plan(n, arity, 8)?;
                [wide, narrow].into_iter().find(fits).ok_or_else(|| {
                    refused(
                        "bits per key",
                        format!(
                            "bits per key is {}, a fuse filter of {} keys needs {:.2}: use kind block",
                            bits,
                            n,
                            8.0 * narrow.payload_bytes() as f64 / n as f64
                        ),
                    )
                })
            }
        }
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

    fn predicted_fpr_after(&self, n: u64) -> f64 {
        self.predicted_fpr_at(n)
    }

    fn predicted_fpr_at(&self, keys: u64) -> f64 {
        match (keys, self.fingerprint_bits) {
            (0, _) => 0.0,
            (_, 8) => 1.0 / 256.0,
            _ => 1.0 / 65536.0,
        }
    }

    fn estimated_count(&self, keys: u64) -> Option<u64> {
        Some(keys)
    }
}

/// The bits of a fingerprint that reach a rate.
fn bits_for_rate(fpr: f64) -> Result<u32> {
    check_rate(fpr)?;
    if fpr >= 1.0 / 256.0 {
        return Ok(8);
    }
    if fpr >= 1.0 / 65536.0 {
        return Ok(16);
    }
    Err(refused(
        "fpr",
        format!(
            "fpr is {}, a fuse filter reaches 2^-16: use kind block, or ribbon of the C++ command",
            fpr
        ),
    ))
}
