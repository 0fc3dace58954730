//! What a cuckoo filter at hand does: an absent key is found when it is alike to one that is in.

use super::Cuckoo;
use crate::layout::{Layout, Predict};

impl Predict for Cuckoo {
    fn predicted_fpr(&self, payload: &[u8]) -> f64 {
        let largest = ((1u64 << self.geometry.fingerprint_bits()) - 1) as f64;
        let alike = 2.0 / (self.geometry.buckets() as f64 * largest);
        -(self.cells_set(payload) as f64 * (-alike).ln_1p()).exp_m1()
    }

    fn estimated_count(&self, payload: &[u8]) -> Option<u64> {
        Some(self.cells_set(payload))
    }
}
