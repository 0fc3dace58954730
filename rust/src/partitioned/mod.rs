//! A Bloom filter in k slices: a key has one bit in each of them. This crate reads such filters.
//!
//! ```no_run
//! let seen = bloomery::partitioned::Filter::open("seen.blm", None)?; // an error, if it holds another kind
//! println!("{}", seen.contains("apple"));
//! # Ok::<(), bloomery::Error>(())
//! ```

mod geometry;
#[cfg(feature = "std")]
mod predict;

pub use geometry::{Geometry, MAX_K, MAX_SLICE_BITS};

use crate::error::{Error, ErrorKind, Result};
use crate::filter::{BasicFilter, BasicView};
use crate::hash::{splitmix64, Hash};
use crate::layout::Layout;
use crate::sealed::Sealed;
use crate::words::{byte_at, mulhi};

/// A partitioned filter over borrowed bytes.
pub type View<'a> = BasicView<'a, Partitioned>;

/// A partitioned filter that owns its bits.
pub type Filter = BasicFilter<Partitioned>;

/// The layout of partitioned filters.
#[derive(Clone, Copy, Debug)]
pub struct Partitioned {
    geometry: Geometry,
    salts: [u64; MAX_K as usize],
}

impl Sealed for Partitioned {}

impl Layout for Partitioned {
    type Geometry = Geometry;

    fn new(geometry: Geometry) -> Partitioned {
        let mut salts = [0; MAX_K as usize];
        for (i, salt) in (0..).zip(salts.iter_mut()) {
            *salt = splitmix64(i) | 1;
        }
        Partitioned { geometry, salts }
    }

    fn geometry(&self) -> Geometry {
        self.geometry
    }

    fn check_payload(&self, payload: &[u8]) -> Result<()> {
        let used = self.geometry.bits() % 8;
        if used == 0 || payload.last().map_or(true, |last| last >> used == 0) {
            return Ok(());
        }
        Err(Error::field(
            ErrorKind::Damaged,
            "bits",
            "a bit after the last slice is set: the filter is damaged",
        ))
    }

    #[inline]
    fn contains(&self, payload: &[u8], hash: Hash) -> bool {
        let slice = self.geometry.slice_bits();
        let salts = self.salts.iter().take(self.geometry.k() as usize);
        (0..).zip(salts).all(|(i, salt): (u64, &u64)| {
            let bit = i * slice + mulhi(hash.bits().wrapping_mul(*salt), slice);
            byte_at(payload, bit / 8) >> (bit % 8) & 1 == 1
        })
    }
}

#[cfg(test)]
mod tests;
