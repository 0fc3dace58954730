//! How far a sampled rate can be from the true one: Wilson's interval, at 95 %.

const Z: f64 = 1.959963984540054;

/// A sampled rate and the bounds it is believed in.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// Hits per sample.
    pub rate: f64,
    /// The lower bound.
    pub low: f64,
    /// The upper bound.
    pub high: f64,
}

/// The interval for `hits` of `samples`; of no samples, everything is possible.
pub fn wilson(hits: u64, samples: u64) -> Interval {
    if samples == 0 {
        return Interval {
            rate: 0.0,
            low: 0.0,
            high: 1.0,
        };
    }
    let n = samples as f64;
    let p = hits as f64 / n;
    let scale = 1.0 + Z * Z / n;
    let centre = (p + Z * Z / (2.0 * n)) / scale;
    let half = Z * (p * (1.0 - p) / n + Z * Z / (4.0 * n * n)).sqrt() / scale;
    Interval {
        rate: p,
        // The formula gives these two only up to rounding.
        low: if hits == 0 { 0.0 } else { centre - half },
        high: if hits == samples { 1.0 } else { centre + half },
    }
}
