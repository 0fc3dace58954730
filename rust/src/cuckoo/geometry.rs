//! The two numbers that fix a cuckoo filter's layout.

use crate::error::{Error, ErrorKind, Result};
use crate::kind::Kind;
use crate::layout::{KindGeometry, Words};
use crate::prelude::*;
use crate::sealed::Sealed;

/// The most buckets.
pub const MAX_BUCKETS: u64 = 1 << 48;
/// The slots of a bucket.
pub const SLOTS: u64 = 4;

/// The number of buckets, and the bits of a fingerprint, 8, 12 or 16: always within their bounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Geometry {
    buckets: u64,
    fingerprint_bits: u32,
}

impl Geometry {
    /// Refuses an odd number of buckets, fewer than 2 and more than 2^48, and other fingerprints.
    pub fn new(buckets: u64, fingerprint_bits: u32) -> Result<Geometry> {
        Geometry::from_values(&[buckets, u64::from(fingerprint_bits), 0, 0, 0, 0, 0, 0])
    }

    /// The number of buckets.
    pub fn buckets(self) -> u64 {
        self.buckets
    }

    /// The bits of a fingerprint.
    pub fn fingerprint_bits(self) -> u32 {
        self.fingerprint_bits
    }

    /// The bytes of 0 after the last bucket.
    pub(super) fn padding(self) -> u64 {
        match self.fingerprint_bits {
            12 => 2,
            _ => 0,
        }
    }
}

impl Sealed for Geometry {}

impl KindGeometry for Geometry {
    const KIND: Kind = Kind::Cuckoo;
    const FIELDS: &'static [&'static str] = &["buckets", "fingerprint_bits"];

    fn values(&self) -> Words {
        let bits = u64::from(self.fingerprint_bits);
        [self.buckets, bits, 0, 0, 0, 0, 0, 0]
    }

    fn from_values(values: &Words) -> Result<Geometry> {
        let [buckets, bits, ..] = *values;
        let refused =
            |field, message| Err(Error::field(ErrorKind::InvalidArgument, field, message));
        if !(2..=MAX_BUCKETS).contains(&buckets) || buckets % 2 != 0 {
            return refused(
                "buckets",
                format!(
                    "buckets is {}, must be even and 2 to {}",
                    buckets, MAX_BUCKETS
                ),
            );
        }
        if ![8, 12, 16].contains(&bits) {
            return refused(
                "fingerprint_bits",
                format!("fingerprint_bits is {}, must be 8, 12 or 16", bits),
            );
        }
        Ok(Geometry {
            buckets,
            fingerprint_bits: bits as u32,
        })
    }

    fn payload_bytes(&self) -> u64 {
        self.buckets * u64::from(self.fingerprint_bits) / 2 + self.padding()
    }

    fn cells(&self) -> u64 {
        SLOTS * self.buckets
    }
}
