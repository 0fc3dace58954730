//! Sorted fingerprints in one table, whose runs are found by counting bits. This crate reads such filters.
//!
//! ```no_run
//! let seen = bloomery::quotient::Filter::open("seen.blm", None)?; // an error, if it holds another kind
//! println!("{}", seen.contains("apple"));
//! # Ok::<(), bloomery::Error>(())
//! ```

mod check;
mod geometry;
#[cfg(feature = "std")]
mod predict;

pub use geometry::{Geometry, MAX_BITS};

use crate::error::{Error, ErrorKind, Result};
use crate::filter::{BasicFilter, BasicView};
use crate::hash::Hash;
use crate::layout::Layout;
use crate::sealed::Sealed;
use crate::words::{u16_at, u64_at};
use geometry::{AT_REMAINDERS, BLOCK_SLOTS};

/// A quotient filter over borrowed bytes.
pub type View<'a> = BasicView<'a, Quotient>;

/// A quotient filter that owns its slots.
pub type Filter = BasicFilter<Quotient>;

/// The layout of quotient filters.
#[derive(Clone, Copy, Debug)]
pub struct Quotient {
    geometry: Geometry,
}

impl Quotient {
    /// The home slot and the remainder of a hash.
    #[inline(always)]
    fn place(self, hash: Hash) -> (u64, u64) {
        let r = self.geometry.remainder_bits();
        let p = self.geometry.quotient_bits() + r;
        let fingerprint = hash.bits() >> (64 - p);
        (fingerprint >> r, fingerprint & ((1 << r) - 1))
    }

    fn offset(self, payload: &[u8], block: u64) -> u64 {
        u64::from(u16_at(payload, block * self.geometry.block_bytes()))
    }

    fn occupied(self, payload: &[u8], block: u64) -> u64 {
        u64_at(payload, block * self.geometry.block_bytes() + 2)
    }

    fn ends(self, payload: &[u8], block: u64) -> u64 {
        u64_at(payload, block * self.geometry.block_bytes() + 10)
    }

    fn is_end(self, payload: &[u8], slot: u64) -> bool {
        self.ends(payload, slot / BLOCK_SLOTS) >> (slot % BLOCK_SLOTS) & 1 == 1
    }

    /// The remainder in a slot. The taken slots at the end of the payload let the last one be read by eight bytes.
    fn remainder(self, payload: &[u8], slot: u64) -> u64 {
        let r = self.geometry.remainder_bits();
        let bit = slot % BLOCK_SLOTS * u64::from(r);
        let block = slot / BLOCK_SLOTS * self.geometry.block_bytes();
        u64_at(payload, block + AT_REMAINDERS + bit / 8) >> (bit % 8) & ((1 << r) - 1)
    }

    /// The slot of the k-th end from `from` on, k above 0; `None` when the payload has no such end.
    fn end_of_run(self, payload: &[u8], from: u64, mut k: u32) -> Option<u64> {
        let first = from / BLOCK_SLOTS;
        for block in first..self.geometry.blocks() {
            let mut ends = self.ends(payload, block);
            if block == first {
                ends &= u64::MAX << (from % BLOCK_SLOTS);
            }
            if ends.count_ones() >= k {
                for _ in 1..k {
                    ends &= ends - 1;
                }
                return Some(BLOCK_SLOTS * block + u64::from(ends.trailing_zeros()));
            }
            k -= ends.count_ones();
        }
        None
    }

    /// How many copies of a fingerprint there are, at most `most`; `None` where no end of its run is found.
    fn copies(self, payload: &[u8], hash: Hash, most: u64) -> Option<u64> {
        let (home, remainder) = self.place(hash);
        let block = home / BLOCK_SLOTS;
        let below = self.occupied(payload, block) << (BLOCK_SLOTS - 1 - home % BLOCK_SLOTS);
        if below >> (BLOCK_SLOTS - 1) == 0 {
            return Some(0);
        }
        let from = BLOCK_SLOTS * block + self.offset(payload, block);
        let mut slot = self.end_of_run(payload, from, below.count_ones())?;
        let mut copies = 0;
        loop {
            copies += u64::from(self.remainder(payload, slot) == remainder);
            if copies == most || slot <= home || self.is_end(payload, slot - 1) {
                return Some(copies);
            }
            slot -= 1;
        }
    }

    /// How many slots are taken.
    fn taken(self, payload: &[u8]) -> u64 {
        u64_at(payload, payload.len() as u64 - 8)
    }
}

impl View<'_> {
    /// How often a key with this hash is in: never less than that, and more by the keys with the same fingerprint.
    pub fn count_hash(&self, hash: Hash) -> u64 {
        let copies = self.layout().copies(self.payload(), hash, u64::MAX);
        copies.unwrap_or(1)
    }
}

impl Sealed for Quotient {}

impl Layout for Quotient {
    type Geometry = Geometry;
    const CELLS: &'static str = "slots";

    fn new(geometry: Geometry) -> Quotient {
        Quotient { geometry }
    }

    fn geometry(&self) -> Geometry {
        self.geometry
    }

    fn check_payload(&self, payload: &[u8]) -> Result<()> {
        let damaged = |message| Err(Error::field(ErrorKind::Damaged, "slots", message));
        if self.taken(payload) > self.geometry.capacity() {
            return damaged("more slots are taken than the filter has keys: it is damaged");
        }
        let homes = self.geometry.home_slots();
        let first = homes / BLOCK_SLOTS;
        for block in first..self.geometry.blocks() {
            let occupied = self.occupied(payload, block);
            let beyond = match block * BLOCK_SLOTS < homes {
                true => occupied >> (homes % BLOCK_SLOTS),
                false => occupied,
            };
            if beyond != 0 {
                return damaged(
                    "a quotient beyond the last one is occupied: the filter is damaged",
                );
            }
        }
        Ok(())
    }

    fn check_structure(&self, payload: &[u8]) -> Result<()> {
        self.check_runs(payload)
    }

    fn contains(&self, payload: &[u8], hash: Hash) -> bool {
        // In doubt, "maybe".
        self.copies(payload, hash, 1) != Some(0)
    }

    fn cells_set(&self, payload: &[u8]) -> u64 {
        self.taken(payload)
    }
}

#[cfg(test)]
mod tests;
