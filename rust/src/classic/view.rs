//! Reading a classic filter's bits, whoever owns them. The hot path of every lookup is here.

use super::indexes::{Modulus, Walk};
use super::Geometry;
use crate::error::{Error, ErrorKind, Result};
use crate::hash::Hash;
use crate::sizing;

/// Keys probed together: enough for their cache misses to overlap, few enough to stay in registers and L1.
pub(super) const GROUP: usize = 32;

/// A classic filter over borrowed bytes. Copyable, immutable, safe from any thread.
#[derive(Clone, Copy, Debug)]
pub struct View<'a> {
    geometry: Geometry,
    modulus: Modulus,
    bits: &'a [u8],
}

impl<'a> View<'a> {
    /// Refuses bytes of another length than the geometry's, and set bits at or above m.
    pub fn new(geometry: Geometry, bits: &'a [u8]) -> Result<View<'a>> {
        if bits.len() as u64 != geometry.payload_bytes() {
            return Err(Error::field(
                ErrorKind::Damaged,
                "payload length",
                format!(
                    "the bits are {} bytes, m = {} needs {}",
                    bits.len(),
                    geometry.m(),
                    geometry.payload_bytes()
                ),
            ));
        }
        if !geometry.padding_is_clear(bits) {
            return Err(Error::field(
                ErrorKind::Damaged,
                "bits",
                format!(
                    "a bit at or above m = {} is set in the last byte: the file is damaged",
                    geometry.m()
                ),
            ));
        }
        Ok(View::trusted(geometry, Modulus::new(geometry), bits))
    }

    pub(super) fn trusted(geometry: Geometry, modulus: Modulus, bits: &'a [u8]) -> View<'a> {
        View {
            geometry,
            modulus,
            bits,
        }
    }

    /// The layout of the bits.
    pub fn geometry(&self) -> Geometry {
        self.geometry
    }

    /// The bits themselves.
    pub fn bits(&self) -> &'a [u8] {
        self.bits
    }

    #[inline(always)]
    fn bit(&self, walk: Walk) -> u8 {
        self.bits[walk.byte()] >> walk.shift() & 1
    }

    /// False when no key with this hash was added; true when one may have been.
    #[inline]
    pub fn contains(&self, hash: Hash) -> bool {
        let mut walk = self.modulus.start(hash);
        let (first, rest) = self.split_k();
        self.first_are_set(&mut walk, first) && self.rest_is_set(walk, rest)
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
    fn first_are_set(&self, walk: &mut Walk, indexes: u32) -> bool {
        let mut all = 1;
        for _ in 0..indexes {
            all &= self.bit(*walk);
            walk.step(self.modulus);
        }
        all == 1
    }

    /// The same for a key that is probably present: a branch guesses that well.
    #[inline(always)]
    fn rest_is_set(&self, mut walk: Walk, indexes: u32) -> bool {
        for _ in 0..indexes {
            if self.bit(walk) == 0 {
                return false;
            }
            walk.step(self.modulus);
        }
        true
    }

    /// [`View::contains`] of each hash, in order; `answers` is overwritten. Faster than one by one.
    pub fn contains_many(&self, hashes: &[Hash], answers: &mut Vec<bool>) {
        answers.clear();
        answers.resize(hashes.len(), false);
        for (hashes, answers) in hashes.chunks(GROUP).zip(answers.chunks_mut(GROUP)) {
            self.contains_group(hashes, answers);
        }
    }

    /// Answers up to [`GROUP`] hashes. The first indexes of the whole group come first, so that their cache misses
    /// overlap.
    #[inline(always)]
    pub(super) fn contains_group(&self, hashes: &[Hash], answers: &mut [bool]) {
        let (first, rest) = self.split_k();
        let mut walks = [Walk::default(); GROUP];
        for ((walk, hash), answer) in walks.iter_mut().zip(hashes).zip(answers.iter_mut()) {
            *walk = self.modulus.start(*hash);
            *answer = self.first_are_set(walk, first);
        }
        for (walk, answer) in walks.iter().zip(answers) {
            *answer = *answer && self.rest_is_set(*walk, rest);
        }
    }

    /// How many bits are set.
    pub fn bits_set(&self) -> u64 {
        count_ones(self.bits)
    }

    /// The share of bits that are set.
    pub fn fill(&self) -> f64 {
        self.bits_set() as f64 / self.geometry.m() as f64
    }

    /// How many different keys were probably added; `None` when every bit is set.
    pub fn estimated_count(&self) -> Option<u64> {
        sizing::estimated_count(self.geometry, self.bits_set())
    }

    /// The share of absent keys this filter lets through: exact up to 1,024 bits, from a model above.
    pub fn predicted_fpr(&self) -> f64 {
        sizing::exact_fpr(self.geometry, self.bits)
            .unwrap_or_else(|| sizing::fpr_at_bits_set(self.geometry, self.bits_set()))
    }
}

/// Indexes after which one absent key in eight is left in a filter filled by half, as they should be.
const BRANCHLESS: u32 = 3;

/// The number of set bits in `bytes`.
pub(crate) fn count_ones(bytes: &[u8]) -> u64 {
    let mut words = bytes.chunks_exact(8);
    let whole: u64 = (&mut words)
        .map(|word| {
            let mut bytes = [0; 8];
            bytes.copy_from_slice(word);
            u64::from(u64::from_le_bytes(bytes).count_ones())
        })
        .sum();
    let rest: u32 = words.remainder().iter().map(|byte| byte.count_ones()).sum();
    whole + u64::from(rest)
}
