//! Fingerprints in buckets of four slots, two buckets a key, from which keys can be removed. This crate reads such
//! filters.
//!
//! ```no_run
//! let seen = bloomery::cuckoo::Filter::open("seen.blm", None)?; // an error, if it holds another kind
//! println!("{}", seen.contains("apple"));
//! # Ok::<(), bloomery::Error>(())
//! ```

mod geometry;
#[cfg(feature = "std")]
mod predict;

pub use geometry::{Geometry, MAX_BUCKETS, SLOTS};

use crate::error::{Error, ErrorKind, Result};
use crate::filter::{BasicFilter, BasicView};
use crate::hash::Hash;
use crate::layout::Layout;
use crate::sealed::Sealed;
use crate::simd;
use crate::words::{bytes_at, mulhi, u64_at};

/// A cuckoo filter over borrowed bytes.
pub type View<'a> = BasicView<'a, Cuckoo>;

/// A cuckoo filter that owns its slots.
pub type Filter = BasicFilter<Cuckoo>;

/// The layout of cuckoo filters.
#[derive(Clone, Copy, Debug)]
pub struct Cuckoo {
    geometry: Geometry,
}

/// Where a hash may be, and what it leaves there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Place {
    fingerprint: u64,
    first: u64,
    second: u64,
}

impl Cuckoo {
    #[inline(always)]
    fn place(self, hash: Hash) -> Place {
        let (h, buckets) = (hash.bits(), self.geometry.buckets());
        let largest = (1 << self.geometry.fingerprint_bits()) - 1;
        let fingerprint = 1 + (((h & 0xffff) * largest) >> 16);
        let first = mulhi(h, buckets);
        let x = fingerprint.wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let y = (x ^ x >> 32).wrapping_mul(0x94d0_49bb_1331_11eb);
        let sum = mulhi(y, buckets) | 1;
        let second = if sum >= first {
            sum - first
        } else {
            sum + buckets - first
        };
        Place {
            fingerprint,
            first,
            second,
        }
    }

    /// The four slots of a bucket, as one number.
    #[inline(always)]
    fn bucket(self, payload: &[u8], i: u64) -> u64 {
        match self.geometry.fingerprint_bits() {
            8 => u64::from(u32::from_le_bytes(bytes_at(payload, 4 * i))),
            // Two bytes of padding let the last bucket be read by eight.
            12 => u64_at(payload, 6 * i) & ((1 << 48) - 1),
            _ => u64_at(payload, 8 * i),
        }
    }

    /// How many slots of a bucket hold this fingerprint.
    #[inline(always)]
    fn copies(self, payload: &[u8], bucket: u64, fingerprint: u64) -> u32 {
        let bits = self.geometry.fingerprint_bits();
        let slots = self.bucket(payload, bucket);
        let mask = (1 << bits) - 1;
        (0..SLOTS as u32)
            .map(|j| u32::from(slots >> (j * bits) & mask == fingerprint))
            .sum()
    }
}

impl View<'_> {
    /// How often a key with this hash is in: never less than that, and more by the keys that look alike.
    pub fn count_hash(&self, hash: Hash) -> u32 {
        let (layout, place) = (self.layout(), self.layout().place(hash));
        [place.first, place.second]
            .iter()
            .map(|bucket| layout.copies(self.payload(), *bucket, place.fingerprint))
            .sum()
    }
}

impl Sealed for Cuckoo {}

impl Layout for Cuckoo {
    type Geometry = Geometry;
    const CELLS: &'static str = "slots";

    fn new(geometry: Geometry) -> Cuckoo {
        Cuckoo { geometry }
    }

    fn geometry(&self) -> Geometry {
        self.geometry
    }

    fn check_payload(&self, payload: &[u8]) -> Result<()> {
        let padding = self.geometry.padding() as usize;
        let end = payload.len().saturating_sub(padding);
        if payload[end..].iter().any(|byte| *byte != 0) {
            return Err(Error::field(
                ErrorKind::Damaged,
                "slots",
                "a byte after the last bucket is not 0: the slots are damaged",
            ));
        }
        Ok(())
    }

    #[inline(always)]
    fn prefetch(&self, payload: &[u8], hash: Hash) {
        let place = self.place(hash);
        let bytes = self.geometry.fingerprint_bits() as usize / 2;
        simd::prefetch(payload, bytes * place.first as usize);
        simd::prefetch(payload, bytes * place.second as usize);
    }

    #[inline]
    fn contains(&self, payload: &[u8], hash: Hash) -> bool {
        let place = self.place(hash);
        self.copies(payload, place.first, place.fingerprint) != 0
            || self.copies(payload, place.second, place.fingerprint) != 0
    }

    fn cells_set(&self, payload: &[u8]) -> u64 {
        let empty = |bucket| u64::from(self.copies(payload, bucket, 0));
        let buckets = 0..self.geometry.buckets();
        buckets.map(|bucket| SLOTS - empty(bucket)).sum()
    }
}

#[cfg(test)]
mod tests;
