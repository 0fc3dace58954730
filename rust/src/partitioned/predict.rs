//! What a partitioned filter at hand does: the slices are independent, so that their fills multiply.

use super::Partitioned;
use crate::layout::{count_ones, Layout, Predict};
use crate::words::byte_at;

impl Partitioned {
    /// How many bits of slice `i` are set.
    fn set_in_slice(&self, payload: &[u8], i: u64) -> u64 {
        let (from, to) = (
            i * self.geometry.slice_bits(),
            (i + 1) * self.geometry.slice_bits(),
        );
        let bit = |at: u64| u64::from(byte_at(payload, at / 8) >> (at % 8) & 1);
        let (first, last) = ((from + 7) / 8, to / 8);
        if first >= last {
            return (from..to).map(bit).sum();
        }
        let whole = payload.get(first as usize..last as usize).unwrap_or(&[]);
        (from..8 * first).map(bit).sum::<u64>()
            + count_ones(whole)
            + (8 * last..to).map(bit).sum::<u64>()
    }
}

impl Predict for Partitioned {
    fn predicted_fpr(&self, payload: &[u8]) -> f64 {
        let slice = self.geometry.slice_bits() as f64;
        (0..u64::from(self.geometry.k()))
            .map(|i| self.set_in_slice(payload, i) as f64 / slice)
            .product()
    }

    fn estimated_count(&self, payload: &[u8]) -> Option<u64> {
        let (set, bits) = (self.cells_set(payload), self.geometry.bits());
        if set >= bits {
            return None;
        }
        if self.geometry.slice_bits() == 1 {
            return Some(u64::from(set != 0));
        }
        let fill = set as f64 / bits as f64;
        let alone = -1.0 / self.geometry.slice_bits() as f64;
        Some(((-fill).ln_1p() / alone.ln_1p()).round() as u64)
    }
}
