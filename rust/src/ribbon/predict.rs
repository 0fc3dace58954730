//! What a ribbon filter does: the rate of each layer with its share of the keys, and of the list.

use super::Ribbon;
use crate::layout::Predict;

impl Predict for Ribbon {
    fn predicted_fpr(&self, _payload: &[u8]) -> f64 {
        let geometry = self.geometry;
        if geometry.keys() == 0 {
            return 0.0;
        }
        let keys = geometry.keys() as f64;
        let mut rate = geometry.listed() as f64 / 64f64.exp2();
        for (i, layer) in self.layers.iter().enumerate() {
            if layer.starts != 0 {
                let low = layer.cut as f64 / layer.starts as f64;
                let share = (geometry.keys_of(i) - geometry.bumped(i)) as f64 / keys;
                rate += share * (1.0 + low) / f64::from(geometry.columns()).exp2();
            }
        }
        rate
    }

    fn estimated_count(&self, _payload: &[u8]) -> Option<u64> {
        Some(self.geometry.keys())
    }
}
