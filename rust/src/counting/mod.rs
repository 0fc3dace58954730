//! A classic filter with a counter in the place of each bit, so that keys can be removed. This crate reads such filters.
//!
//! ```no_run
//! let seen = bloomery::counting::Filter::open("seen.blm", None)?; // an error, if it holds another kind
//! println!("{}", seen.contains("apple"));
//! # Ok::<(), bloomery::Error>(())
//! ```

mod geometry;
#[cfg(feature = "std")]
mod predict;

pub use geometry::{Geometry, MAX_M};

use crate::classic::Modulus;
use crate::error::{Error, ErrorKind, Result};
use crate::filter::{BasicFilter, BasicView};
use crate::hash::Hash;
use crate::layout::Layout;
use crate::sealed::Sealed;
use crate::words::{byte_at, u32_at};

/// A counting filter over borrowed bytes.
pub type View<'a> = BasicView<'a, Counting>;

/// A counting filter that owns its counters.
pub type Filter = BasicFilter<Counting>;

/// The layout of counting filters.
#[derive(Clone, Copy, Debug)]
pub struct Counting {
    geometry: Geometry,
    modulus: Modulus,
}

impl Counting {
    /// The counter with this number.
    #[inline(always)]
    fn counter(self, payload: &[u8], i: u64) -> u32 {
        match self.geometry.counter_bits() {
            4 => u32::from(byte_at(payload, i / 2) >> (4 * (i % 2)) & 15),
            _ => u32_at(payload, 4 * i),
        }
    }

    /// The counters of a hash, as often as its indexes meet them.
    #[inline(always)]
    fn counters<'a>(self, payload: &'a [u8], hash: Hash) -> impl Iterator<Item = u32> + 'a {
        let mut walk = self.modulus.start(hash);
        (0..self.geometry.k()).map(move |_| {
            let counter = self.counter(payload, walk.index());
            walk.step(self.modulus);
            counter
        })
    }
}

impl View<'_> {
    /// How often a key with this hash is in: never less than that, and more where all of its counters are shared.
    pub fn count_hash(&self, hash: Hash) -> u32 {
        let counters = self.layout().counters(self.payload(), hash);
        counters.min().unwrap_or(0)
    }
}

impl Sealed for Counting {}

impl Layout for Counting {
    type Geometry = Geometry;
    const CELLS: &'static str = "counters";

    fn new(geometry: Geometry) -> Counting {
        Counting {
            geometry,
            modulus: Modulus::new(geometry.classic()),
        }
    }

    fn geometry(&self) -> Geometry {
        self.geometry
    }

    fn check_payload(&self, payload: &[u8]) -> Result<()> {
        let odd = self.geometry.counter_bits() == 4 && self.geometry.m() % 2 == 1;
        if odd && payload.last().map_or(false, |last| last >> 4 != 0) {
            return Err(Error::field(
                ErrorKind::Damaged,
                "counters",
                "half a byte after the last counter is not 0: the counters are damaged",
            ));
        }
        Ok(())
    }

    #[inline]
    fn contains(&self, payload: &[u8], hash: Hash) -> bool {
        self.counters(payload, hash).all(|counter| counter != 0)
    }

    fn cells_set(&self, payload: &[u8]) -> u64 {
        let in_use = match self.geometry.counter_bits() {
            4 => payload
                .iter()
                .map(|byte| usize::from(byte & 15 != 0) + usize::from(byte >> 4 != 0))
                .sum(),
            _ => payload
                .chunks_exact(4)
                .filter(|counter| counter.iter().any(|byte| *byte != 0))
                .count(),
        };
        in_use as u64
    }
}

#[cfg(test)]
mod tests;
