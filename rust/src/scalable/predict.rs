//! What a chain at hand does: an absent key passes when some link lets it pass.

use super::Scalable;
use crate::layout::Predict;

impl Predict for Scalable {
    fn predicted_fpr(&self, payload: &[u8]) -> f64 {
        let links = self.links(payload);
        let denied = links.map(|(link, blocks)| (-link.predicted_fpr(blocks)).ln_1p());
        -denied.sum::<f64>().exp_m1()
    }

    /// The sum over the links. It lacks the keys that were not added because they seemed to be there.
    fn estimated_count(&self, payload: &[u8]) -> Option<u64> {
        let links = self.links(payload);
        links
            .map(|(link, blocks)| link.estimated_count(blocks))
            .sum()
    }
}
