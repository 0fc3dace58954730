//! "Was this key added lately?" for endless streams: cells of two bits that a hand makes older as keys arrive. This
//! crate reads such filters.
//!
//! It forgets: `contains` answers whether a key was seen recently, and false means "not lately", not "never".
//!
//! ```no_run
//! let seen = bloomery::stable::Filter::open("seen.blm", None)?; // an error, if it holds another kind
//! println!("{}", seen.contains("apple"));
//! # Ok::<(), bloomery::Error>(())
//! ```

mod geometry;
#[cfg(feature = "std")]
mod predict;

pub use geometry::{Geometry, MAX_DECREMENT, MAX_K, MAX_LINES};

use crate::blocks::SALT;
use crate::error::{Error, ErrorKind, Result};
use crate::filter::{BasicFilter, BasicView};
use crate::hash::Hash;
use crate::layout::{KindGeometry, Layout};
use crate::mem::block;
use crate::sealed::Sealed;
use crate::words::{mulhi, u64_at};
use geometry::LINE_BYTES;

/// A stable filter over borrowed bytes.
pub type View<'a> = BasicView<'a, Stable>;

/// A stable filter that owns its cells.
pub type Filter = BasicFilter<Stable>;

/// The layout of stable filters.
#[derive(Clone, Copy, Debug)]
pub struct Stable {
    geometry: Geometry,
}

/// How many cells of a line are above 0.
fn in_use(line: &[u8]) -> u64 {
    let cells = |byte: &u8| (byte | byte >> 1) & 0x55;
    line.iter()
        .map(|byte| u64::from(cells(byte).count_ones()))
        .sum()
}

impl Sealed for Stable {}

impl Layout for Stable {
    type Geometry = Geometry;
    const CELLS: &'static str = "cells";

    fn new(geometry: Geometry) -> Stable {
        Stable { geometry }
    }

    fn geometry(&self) -> Geometry {
        self.geometry
    }

    fn check_payload(&self, payload: &[u8]) -> Result<()> {
        let damaged = |message| Err(Error::field(ErrorKind::Damaged, "hand", message));
        if u64_at(payload, 0) >= self.geometry.cells() {
            return damaged("the hand points to no cell: the header of the payload is damaged");
        }
        if payload
            .iter()
            .take(LINE_BYTES)
            .skip(8)
            .any(|byte| *byte != 0)
        {
            return damaged("a byte after the hand is not 0: the header of the payload is damaged");
        }
        Ok(())
    }

    #[inline]
    fn contains(&self, payload: &[u8], hash: Hash) -> bool {
        // The header is as long as a line.
        let line = 1 + mulhi(hash.bits(), self.geometry.lines());
        block::<LINE_BYTES>(payload, line).map_or(true, |line| {
            let salts = SALT.iter().take(self.geometry.k() as usize);
            let mut cells = salts.map(|salt| (hash.bits() as u32).wrapping_mul(*salt) >> 24);
            cells.all(|cell| line[(cell / 4) as usize] >> (2 * (cell % 4)) & 3 != 0)
        })
    }

    fn cells_set(&self, payload: &[u8]) -> u64 {
        in_use(payload.get(LINE_BYTES..).unwrap_or(&[]))
    }
}

#[cfg(test)]
mod tests;
