//! The binary fuse filter: made of all its keys at once and never changed, in 9 bits a key at a rate of 0.39 %, or 18 at
//! 0.0015 %. A key has three or four slots, whose xor is its fingerprint.
//!
//! ```
//! let seen = bloomery::fuse::Filter::build(&["apple", "pear", "plum"], 0.004)?;
//! assert!(seen.contains("pear"));
//! # Ok::<(), bloomery::Error>(())
//! ```

mod build;
mod factor;
mod geometry;
mod peel;
mod places;
mod size;
#[cfg(feature = "std")]
mod sizing;
#[cfg(test)]
mod tests;

pub use geometry::{Geometry, DEFAULT_ARITY, MAX_PARTS, MAX_SLOTS, MAX_WINDOW};

use crate::error::Result;
use crate::filter::{BasicFilter, BasicView};
use crate::hash::{Hash, Hasher};
use crate::layout::{Layout, Static};
use crate::mem::Bytes;
use crate::sealed::Sealed;
use crate::simd;
use places::Places;

/// A fuse filter over borrowed bytes.
pub type View<'a> = BasicView<'a, Fuse>;

/// A fuse filter that owns its slots.
pub type Filter = BasicFilter<Fuse>;

/// The layout of fuse filters.
#[derive(Clone, Copy, Debug)]
pub struct Fuse {
    geometry: Geometry,
    places: Places,
}

impl Fuse {
    #[inline(always)]
    fn matches<const K: usize>(&self, payload: &[u8], hash: Hash) -> bool {
        let bits = self.geometry.fingerprint_bits;
        let part = self.places.part(hash) as usize;
        let factor = self.geometry.factor(payload, part);
        let first = part * self.geometry.slots as usize;
        let mut rest = self.places.fingerprint(hash);
        for slot in self.places.slots::<K>(hash, factor) {
            rest ^= peel::read(payload, first + slot, bits);
        }
        rest == 0 && self.geometry.keys != 0
    }
}

impl Sealed for Fuse {}

impl Layout for Fuse {
    type Geometry = Geometry;
    const CELLS: &'static str = "slots";

    fn new(geometry: Geometry) -> Fuse {
        Fuse {
            geometry,
            places: Places::new(geometry),
        }
    }

    fn geometry(&self) -> Geometry {
        self.geometry
    }

    fn default_hasher() -> Hasher {
        Hasher::xxh3(0)
    }

    #[inline(always)]
    fn prefetch(&self, payload: &[u8], hash: Hash) {
        let part = self.places.part(hash) as usize;
        let factor = self.geometry.factor(payload, part);
        let first = part * self.geometry.slots as usize;
        let bytes = (self.geometry.fingerprint_bits / 8) as usize;
        for slot in self.places.slots::<3>(hash, factor) {
            simd::prefetch(payload, bytes * (first + slot));
        }
    }

    #[inline(always)]
    fn contains(&self, payload: &[u8], hash: Hash) -> bool {
        match self.geometry.arity {
            3 => self.matches::<3>(payload, hash),
            _ => self.matches::<4>(payload, hash),
        }
    }

    fn cells_set(&self, _payload: &[u8]) -> u64 {
        self.geometry.keys
    }

    fn retries(&self, payload: &[u8]) -> Option<u64> {
        Some(self.geometry.retries(payload))
    }
}

impl Static for Fuse {
    fn build(hashes: &[Hash], target: Geometry) -> Result<(Geometry, Bytes)> {
        build::build(hashes, target)
    }
}
