//! The size of a classic filter for a number of keys and a rate, and what it is expected to do.

use std::f64::consts::LN_2 as LN2;

use super::predict::{estimated_count, exact_fpr, fpr_at_bits_set, fpr_at_keys};
use super::{Classic, Geometry, MAX_K};
use crate::error::{Error, ErrorKind, Result};
use crate::layout::{Layout, Predict, Sizing};
use crate::sizing::blocked::instead_at;
use crate::sizing::{check_bits, check_keys, check_rate, fmt_g4, ln};

const TWO_TO_32: u64 = 1 << 32;
const TWO_TO_63: f64 = 9_223_372_036_854_775_808.0;
const TWO_TO_64: f64 = 18_446_744_073_709_551_616.0;

/// How far above its target a prediction may be before a plan is called a miss.
const TOLERANCE: f64 = 1.1;

/// A geometry for a number of keys and a rate, with the rate it is expected to reach.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plan {
    /// The size of the filter.
    pub geometry: Geometry,
    /// The rate that was asked for.
    pub target_fpr: f64,
    /// The rate the filter should have once it holds all keys.
    pub predicted_fpr: f64,
}

impl Plan {
    /// The geometry for `n` keys at the rate `fpr`, with its prediction. It is refused where 32-bit halves of the hash
    /// are why it misses its target: beyond 2^32 bits.
    pub fn new(n: u64, fpr: f64) -> Result<Plan> {
        let geometry = geometry_for(n, fpr)?;
        let plan = Plan {
            geometry,
            target_fpr: fpr,
            predicted_fpr: fpr_at_keys(geometry, n),
        };
        match plan.warning() {
            Some(why) if geometry.m() > TWO_TO_32 => {
                Err(Error::argument(format!("beyond 2^32 bits: {}", why)))
            }
            _ => Ok(plan),
        }
    }

    /// Whether the prediction is within a tenth of the target.
    pub fn meets_target(&self) -> bool {
        self.predicted_fpr <= TOLERANCE * self.target_fpr
    }

    /// What to tell somebody about to build a filter that will miss its target.
    pub fn warning(&self) -> Option<String> {
        if self.meets_target() {
            return None;
        }
        // Any number of keys will do: a block filter has four times the bits of the largest classic one.
        let instead = instead_at(1, self.target_fpr);
        Some(format!(
            "predicted fpr is {}, the target was {}: classic filters of {} bits cannot do better: {}",
            fmt_g4(self.predicted_fpr),
            fmt_g4(self.target_fpr),
            self.geometry.m(),
            instead
        ))
    }
}

/// The geometry for `n` keys at the rate `fpr`, however well it will do.
fn geometry_for(n: u64, fpr: f64) -> Result<Geometry> {
    check_keys(n)?;
    check_rate(fpr)?;
    if fpr < n as f64 / TWO_TO_64 {
        return Err(Error::field(
            ErrorKind::InvalidArgument,
            "fpr",
            format!(
                "fpr is {}, but 64-bit hashes of {} keys reach no less than {}",
                fmt_g4(fpr),
                n,
                fmt_g4(n as f64 / TWO_TO_64)
            ),
        ));
    }
    geometry_of(n, ((-(n as f64) * ln(fpr)) / (LN2 * LN2)).ceil())
}

fn geometry_of(n: u64, m: f64) -> Result<Geometry> {
    if m > TWO_TO_63 {
        return Err(Error::field(
            ErrorKind::InvalidArgument,
            "m",
            format!("{} keys would need {} bits, more than 2^63", n, fmt_g4(m)),
        ));
    }
    let k = ((m / n as f64) * LN2)
        .round()
        .max(1.0)
        .min(f64::from(MAX_K));
    Geometry::new(m as u64, k as u32)
}

impl Sizing for Geometry {
    fn for_capacity(n: u64, fpr: f64) -> Result<Geometry> {
        Plan::new(n, fpr).map(|plan| plan.geometry)
    }

    fn for_bits_per_key(n: u64, bits: f64) -> Result<Geometry> {
        check_keys(n)?;
        check_bits(bits)?;
        geometry_of(n, (n as f64 * bits).ceil().max(1.0))
    }

    fn predicted_fpr_after(&self, n: u64) -> f64 {
        fpr_at_keys(*self, n)
    }
}

impl Geometry {
    /// The rate of a filter whose number of set bits alone is known.
    pub fn predicted_fpr_at(&self, bits_set: u64) -> f64 {
        fpr_at_bits_set(*self, bits_set)
    }

    /// How many different keys a filter with this many set bits probably holds; `None` when every bit is set.
    pub fn estimated_count(&self, bits_set: u64) -> Option<u64> {
        estimated_count(*self, bits_set)
    }
}

impl Predict for Classic {
    /// Exact up to 1,024 bits, from a model above.
    fn predicted_fpr(&self, payload: &[u8]) -> f64 {
        let geometry = self.geometry();
        exact_fpr(geometry, payload)
            .unwrap_or_else(|| geometry.predicted_fpr_at(self.cells_set(payload)))
    }

    fn estimated_count(&self, payload: &[u8]) -> Option<u64> {
        self.geometry().estimated_count(self.cells_set(payload))
    }
}

#[cfg(test)]
#[path = "sizing_tests.rs"]
mod tests;
