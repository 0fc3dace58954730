//! Where a hash's slots are, and its fingerprint. All of it is integer arithmetic modulo 2^64.

use super::size::gap;
use super::Geometry;
use crate::hash::Hash;

const SPREAD: u64 = 0xbf58_476d_1ce4_e5b9;

#[inline(always)]
fn mulhi(a: u64, b: u64) -> u64 {
    ((u128::from(a) * u128::from(b)) >> 64) as u64
}

/// What the steps from slot to slot and the fingerprint come from.
#[inline(always)]
fn spread(hash: Hash) -> u64 {
    (hash.bits() ^ hash.bits() >> 32).wrapping_mul(SPREAD)
}

/// What finding places needs of a geometry.
#[derive(Clone, Copy, Debug)]
pub(super) struct Places {
    parts: u64,
    slots: u64,
    /// The slots in which a key can begin.
    starts: u64,
    mask: u64,
    shift: u32,
}

impl Places {
    pub(super) fn new(geometry: Geometry) -> Places {
        Places {
            parts: geometry.parts,
            slots: geometry.slots,
            starts: geometry.slots - gap(geometry.arity, geometry.window),
            mask: geometry.window - 1,
            shift: 64 - geometry.fingerprint_bits,
        }
    }

    /// The part of a hash.
    #[inline(always)]
    pub(super) fn part(&self, hash: Hash) -> u64 {
        mulhi(hash.bits(), self.parts)
    }

    /// The slots of a hash within its part, which differ; the factor is that of the part.
    #[inline(always)]
    pub(super) fn slots<const K: usize>(&self, hash: Hash, factor: u64) -> [usize; K] {
        let spread = spread(hash);
        let mut place = mulhi(hash.bits().wrapping_mul(factor), self.starts);
        let mut slots = [place as usize; K];
        for (j, slot) in slots.iter_mut().enumerate().skip(1) {
            place += 1 + (spread >> (48 - 16 * j) & self.mask);
            // Below S the subtraction wraps to a number above `place`, so the smaller one is the remainder.
            *slot = place.min(place.wrapping_sub(self.slots)) as usize;
        }
        slots
    }

    /// The fingerprint of a hash.
    #[inline(always)]
    pub(super) fn fingerprint(&self, hash: Hash) -> u16 {
        (spread(hash) >> self.shift) as u16
    }
}
