//! Where a hash's bits are in a classic filter. The hot path of every lookup is here.

use super::indexes::{Modulus, Walk};
use super::Geometry;
use crate::error::{Error, ErrorKind, Result};
use crate::hash::{Hash, Hasher};
use crate::layout::{Growing, Layout, GROUP};
use crate::prelude::*;
use crate::sealed::Sealed;

/// Indexes after which one absent key in eight is left in a filter filled by half, as they should be.
const BRANCHLESS: u32 = 3;

/// The layout of classic filters.
#[derive(Clone, Copy, Debug)]
pub struct Classic {
    geometry: Geometry,
    modulus: Modulus,
}

impl Classic {
    #[inline(always)]
    fn bit(payload: &[u8], walk: Walk) -> u8 {
        payload[walk.byte()] >> walk.shift() & 1
    }

    /// How many indexes are probed without a branch, and how many with one.
    #[inline(always)]
    fn split_k(&self) -> (u32, u32) {
        let first = self.geometry.k().min(BRANCHLESS);
        (first, self.geometry.k() - first)
    }

    /// Whether the next bits are all set. Looks at each of them, since a branch on a random bit costs more than
    /// the probe it might save.
    #[inline(always)]
    fn first_are_set(&self, payload: &[u8], walk: &mut Walk, indexes: u32) -> bool {
        let mut all = 1;
        for _ in 0..indexes {
            all &= Classic::bit(payload, *walk);
            walk.step(self.modulus);
        }
        all == 1
    }

    /// Whether the rest of the bits is set, for a key that is probably present: a branch guesses that well.
    #[inline(always)]
    fn rest_is_set(&self, payload: &[u8], mut walk: Walk, indexes: u32) -> bool {
        for _ in 0..indexes {
            if Classic::bit(payload, walk) == 0 {
                return false;
            }
            walk.step(self.modulus);
        }
        true
    }
}

impl Classic {
    /// The indexes of a hash, one after the other.
    #[inline(always)]
    pub(crate) fn indexes(&self, hash: Hash) -> impl Iterator<Item = u64> {
        let mut walk = self.modulus.start(hash);
        let modulus = self.modulus;
        (0..self.geometry.k()).map(move |_| {
            let index = walk.index();
            walk.step(modulus);
            index
        })
    }
}

impl Sealed for Classic {}

impl Layout for Classic {
    type Geometry = Geometry;

    fn new(geometry: Geometry) -> Classic {
        Classic {
            geometry,
            modulus: Modulus::new(geometry),
        }
    }

    fn geometry(&self) -> Geometry {
        self.geometry
    }

    fn default_hasher() -> Hasher {
        Hasher::fnv_splitmix()
    }

    fn check_payload(&self, payload: &[u8]) -> Result<()> {
        if self.geometry.padding_is_clear(payload) {
            return Ok(());
        }
        Err(Error::field(
            ErrorKind::Damaged,
            "bits",
            format!(
                "a bit at or above m = {} is set in the last byte: the file is damaged",
                self.geometry.m()
            ),
        ))
    }

    #[inline]
    fn contains(&self, payload: &[u8], hash: Hash) -> bool {
        let mut walk = self.modulus.start(hash);
        let (first, rest) = self.split_k();
        self.first_are_set(payload, &mut walk, first) && self.rest_is_set(payload, walk, rest)
    }

    /// The first indexes of the whole group come first, so that their cache misses overlap.
    #[inline(always)]
    fn contains_group(&self, payload: &[u8], hashes: &[Hash], answers: &mut [bool]) {
        let (first, rest) = self.split_k();
        let mut walks = [Walk::default(); GROUP];
        for ((walk, hash), answer) in walks.iter_mut().zip(hashes).zip(answers.iter_mut()) {
            *walk = self.modulus.start(*hash);
            *answer = self.first_are_set(payload, walk, first);
        }
        for (walk, answer) in walks.iter().zip(answers) {
            *answer = *answer && self.rest_is_set(payload, *walk, rest);
        }
    }
}

impl Growing for Classic {
    #[inline(always)]
    fn add(&self, payload: &mut [u8], hash: Hash) -> bool {
        let mut walk = self.modulus.start(hash);
        let mut changed = false;
        for _ in 0..self.geometry.k() {
            let byte = &mut payload[walk.byte()];
            let mask = 1u8 << walk.shift();
            changed |= *byte & mask == 0;
            *byte |= mask;
            walk.step(self.modulus);
        }
        changed
    }
}
