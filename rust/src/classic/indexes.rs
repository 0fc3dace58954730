//! A hash's k bit indexes, without a division: two remainders by multiplication (Lemire, Kaser and Kurz, 2019),
//! then one addition and one conditional subtraction a step.

use super::Geometry;
use crate::hash::Hash;

/// Remainders of 32-bit numbers by m.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Modulus {
    m: u64,
    /// ceil(2^64 / m) modulo 2^64, or 0 for m above 2^32, where 32-bit numbers are their own remainders.
    magic: u64,
}

const TWO_TO_32: u64 = 1 << 32;

impl Modulus {
    pub(crate) fn new(geometry: Geometry) -> Modulus {
        let m = geometry.m();
        let magic = if m > TWO_TO_32 {
            0
        } else {
            // 2^64 - 1 = q*m + r with r < m, so that ceil(2^64 / m) is q + 1 for every m. Of m = 1 that is 2^64,
            // which wraps to 0, and every remainder is rightly 0.
            (u64::MAX / m).wrapping_add(1)
        };
        Modulus { m, magic }
    }

    #[inline(always)]
    pub(crate) fn remainder(self, half: u32) -> u64 {
        if self.m > TWO_TO_32 {
            return u64::from(half);
        }
        let fraction = self.magic.wrapping_mul(u64::from(half));
        ((u128::from(fraction) * u128::from(self.m)) >> 64) as u64
    }

    /// The first index of a hash, and the stride to the following ones.
    #[inline(always)]
    pub(crate) fn start(self, hash: Hash) -> Walk {
        let bits = hash.bits();
        Walk {
            index: self.remainder(bits as u32),
            stride: self.remainder((bits >> 32) as u32),
        }
    }
}

/// Where a key's indexes are and how they go on.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Walk {
    index: u64,
    stride: u64,
}

impl Walk {
    /// Steps to the next index. Both numbers are below m; they only come near 2^37 when m is above 2^32, so the
    /// sum does not overflow.
    #[inline(always)]
    pub(crate) fn step(&mut self, modulus: Modulus) {
        let next = self.index + self.stride;
        // Below m the subtraction wraps to a number above `next`, so the smaller one is the remainder.
        self.index = next.min(next.wrapping_sub(modulus.m));
    }

    #[inline(always)]
    pub(crate) fn index(self) -> u64 {
        self.index
    }

    #[inline(always)]
    pub(crate) fn byte(self) -> usize {
        (self.index >> 3) as usize
    }

    #[inline(always)]
    pub(crate) fn shift(self) -> u32 {
        (self.index & 7) as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hash::splitmix64;

    #[test]
    fn indexes_equal_the_exact_remainder() {
        let near = |x: u64| [x - 1, x, x + 1];
        let mut sizes: Vec<u64> = (1..70).collect();
        for power in [9, 16, 27, 31, 32, 33, 36, 37, 63] {
            sizes.extend(near(1 << power));
        }
        sizes.extend([9_585_059, 4_294_967_291, u64::MAX]);
        sizes.extend((0..200).map(|i| splitmix64(i) >> (i % 64) | 1));
        let mut hashes = vec![0, 1, u64::MAX, u64::from(u32::MAX), u64::MAX << 32];
        hashes.extend((0..300).map(splitmix64));
        for m in sizes {
            let modulus = Modulus::new(Geometry::new(m, 30).unwrap());
            for h in &hashes {
                let mut walk = modulus.start(Hash::new(*h));
                for i in 0..30 {
                    let exact = ((h & 0xffff_ffff) + i * (h >> 32)) % m;
                    assert_eq!(walk.index, exact, "m {}, hash {:x}, index {}", m, h, i);
                    walk.step(modulus);
                }
            }
        }
    }
}
