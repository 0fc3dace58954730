//! What a stable filter at hand does. There is no estimated count: what was forgotten leaves no trace.

use super::geometry::{LINE_BYTES, LINE_CELLS};
use super::{in_use, Stable};
use crate::layout::Predict;
use crate::sizing::plain_math::power;

impl Predict for Stable {
    /// The mean over lines of the share of cells in use, to the power of k.
    fn predicted_fpr(&self, payload: &[u8]) -> f64 {
        let mut lines_with = [0u64; LINE_CELLS as usize + 1];
        for line in payload.chunks_exact(LINE_BYTES).skip(1) {
            lines_with[in_use(line) as usize] += 1;
        }
        let mut sum = 0.0;
        for (count, with) in lines_with.iter().enumerate() {
            sum += *with as f64 * power(count as f64 / LINE_CELLS as f64, self.geometry.k());
        }
        sum / self.geometry.lines() as f64
    }

    fn estimated_count(&self, _payload: &[u8]) -> Option<u64> {
        None
    }
}
