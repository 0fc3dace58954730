//! What a quotient filter at hand does: an absent key looks present when its fingerprint is one of those that are in.

use super::geometry::BLOCK_SLOTS;
use super::Quotient;
use crate::layout::{Layout, Predict};

/// The numbers of the set bits, ascending.
fn bits_of(mut word: u64) -> impl Iterator<Item = u64> {
    std::iter::from_fn(move || {
        let bit = word
            .checked_sub(1)
            .map(|_| u64::from(word.trailing_zeros()))?;
        word &= word - 1;
        Some(bit)
    })
}

impl Quotient {
    /// How many different fingerprints are in: the k-th run is that of the k-th occupied quotient.
    fn different(&self, payload: &[u8]) -> u64 {
        let blocks = || 0..self.geometry.blocks();
        let homes = blocks().flat_map(|block| {
            bits_of(self.occupied(payload, block)).map(move |bit| BLOCK_SLOTS * block + bit)
        });
        let ends = blocks().flat_map(|block| {
            bits_of(self.ends(payload, block)).map(move |bit| BLOCK_SLOTS * block + bit)
        });
        let mut free = 0;
        let mut different = 0;
        for (home, end) in homes.zip(ends) {
            let mut before = None;
            for slot in free.max(home)..=end {
                let remainder = self.remainder(payload, slot);
                different += u64::from(before != Some(remainder));
                before = Some(remainder);
            }
            free = end + 1;
        }
        different
    }
}

impl Predict for Quotient {
    fn predicted_fpr(&self, payload: &[u8]) -> f64 {
        let bits = self.geometry.quotient_bits() + self.geometry.remainder_bits();
        // Damaged bytes can show more fingerprints than there are.
        (self.different(payload) as f64 / (bits as f64).exp2()).min(1.0)
    }

    fn estimated_count(&self, payload: &[u8]) -> Option<u64> {
        Some(self.cells_set(payload))
    }
}
