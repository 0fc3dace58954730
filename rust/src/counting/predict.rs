//! What a counting filter at hand does: what the classic filter of the same keys does.

use super::Counting;
use crate::classic::{Classic, EXACT_UP_TO};
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
