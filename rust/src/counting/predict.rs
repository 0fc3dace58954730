//! What a counting filter at hand does: what the classic filter of the same keys does.

use super::Counting;
use crate::classic::{self, Classic, EXACT_UP_TO};
use crate::layout::{Layout, Predict};

impl Predict for Counting {
    fn predicted_fpr(&self, payload: &[u8]) -> f64 {
        let classic = self.geometry.classic();
        if classic.m() > EXACT_UP_TO {
            return classic.predicted_fpr_at(self.cells_set(payload));
        }
        let (geometry, bits) = self.to_classic(payload);
        Classic::new(geometry).predicted_fpr(&bits)
    }

    fn estimated_count(&self, payload: &[u8]) -> Option<u64> {
        let classic = self.geometry.classic();
        classic.estimated_count(self.cells_set(payload))
    }
}

impl Counting {
    /// The bits of the classic filter that holds the same keys.
    pub(super) fn to_classic(self, payload: &[u8]) -> (classic::Geometry, Vec<u8>) {
        let m = self.geometry.m();
        let mut bits = vec![0; (m as usize + 7) / 8];
        for i in (0..m).filter(|i| self.counter(payload, *i) != 0) {
            bits[(i / 8) as usize] |= 1 << (i % 8);
        }
        (self.geometry.classic(), bits)
    }
}
