//! Where a hash's slots are, and its fingerprint. All of it is integer arithmetic modulo 2^64.

use super::size::gap;
use super::Geometry;
use crate::hash::Hash;

const SEED_STEP: u64 = 0x9e37_79b9_7f4a_7c14;
const SPREAD: u64 = 0xbf58_476d_1ce4_e5b9;

#[inline(always)]
fn mulhi(a: u64, b: u64) -> u64 {
    ((u128::from(a) * u128::from(b)) >> 64) as u64
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

    /// A hash mixed with the seed of its part, one to one within the part: what the slots come from.
    #[inline(always)]
    pub(super) fn mixed(&self, hash: Hash, seed: u8) -> u64 {
        let factor = u64::from(seed).wrapping_mul(SEED_STEP).wrapping_add(1);
        let y = hash.bits().wrapping_mul(self.parts).wrapping_mul(factor);
        y ^ y >> 32
    }

    /// The slots of a mixed hash within its part, which differ.
    #[inline(always)]
    pub(super) fn slots<const K: usize>(&self, mixed: u64) -> [usize; K] {
        let spread = mixed.wrapping_mul(SPREAD);
        let mut place = mulhi(mixed, self.starts);
        let mut slots = [place as usize; K];
        for (j, slot) in slots.iter_mut().enumerate().skip(1) {
            place += 1 + (spread >> (48 - 16 * j) & self.mask);
            // Below S the subtraction wraps to a number above `place`, so the smaller one is the remainder.
            *slot = place.min(place.wrapping_sub(self.slots)) as usize;
        }
        slots
    }

    /// The fingerprint of a mixed hash.
    #[inline(always)]
    pub(super) fn fingerprint(&self, mixed: u64) -> u16 {
        (mixed.wrapping_mul(SPREAD) >> self.shift) as u16
    }
}
