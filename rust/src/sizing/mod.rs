//! From (keys, false-positive rate) to a geometry, and back from a filter's fill to its rate and key count.
//!
//! The only floating point of the crate. No reader recomputes any of it: a geometry is stored, not derived again.

pub(crate) mod blocked;
mod format;
mod interval;
pub(crate) mod plain_math;
mod predict;
#[cfg(test)]
mod tests;
mod wide;

pub use format::fmt_g4;
pub use interval::{wilson, Interval};
pub use predict::{
    estimated_count, exact_fpr, exact_pairs, expected_fill, fpr_at_bits_set, fpr_at_keys,
};

use std::f64::consts::LN_2 as LN2;

use crate::classic::{Geometry, MAX_K};
use crate::error::{Error, ErrorKind, Result};

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
    /// Whether the prediction is within a tenth of the target.
    pub fn meets_target(&self) -> bool {
        self.predicted_fpr <= TOLERANCE * self.target_fpr
    }

    /// What to tell somebody about to build a filter that will miss its target.
    pub fn warning(&self) -> Option<String> {
        if self.meets_target() {
            return None;
        }
        Some(format!(
            "predicted fpr is {}, the target was {}: classic filters of {} bits cannot do better, kind block can",
            fmt_g4(self.predicted_fpr),
            fmt_g4(self.target_fpr),
            self.geometry.m()
        ))
    }
}

/// The classic geometry for `n` keys at the rate `fpr`, however well it will do.
pub fn classic_geometry(n: u64, fpr: f64) -> Result<Geometry> {
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
    geometry_of(n, ((-(n as f64) * fpr.ln()) / (LN2 * LN2)).ceil())
}

/// The classic geometry for `n` keys with `bits` bits for each of them.
pub fn classic_geometry_from_bits(n: u64, bits: f64) -> Result<Geometry> {
    check_keys(n)?;
    check_bits(bits)?;
    geometry_of(n, (n as f64 * bits).ceil().max(1.0))
}

/// [`classic_geometry`] with its prediction; refused where 32-bit halves of the hash are why it misses its target.
pub fn plan_classic(n: u64, fpr: f64) -> Result<Plan> {
    let geometry = classic_geometry(n, fpr)?;
    let plan = Plan {
        geometry,
        target_fpr: fpr,
        predicted_fpr: fpr_at_keys(geometry, n),
    };
    match plan.warning() {
        Some(why) if geometry.m() > TWO_TO_32 => {
            Err(Error::argument(format!("{} (more than 2^32 bits)", why)))
        }
        _ => Ok(plan),
    }
}

pub(crate) fn check_keys(n: u64) -> Result<()> {
    if n == 0 {
        return Err(Error::field(
            ErrorKind::InvalidArgument,
            "n",
            "n is 0, must be at least 1: a filter is sized for some number of keys",
        ));
    }
    Ok(())
}

pub(crate) fn check_rate(fpr: f64) -> Result<()> {
    // Written so that NaN is refused as well.
    if !(fpr > 0.0 && fpr < 1.0) {
        return Err(Error::field(
            ErrorKind::InvalidArgument,
            "fpr",
            format!("fpr is {}, must be above 0 and below 1", fpr),
        ));
    }
    Ok(())
}

pub(crate) fn check_bits(bits: f64) -> Result<()> {
    if !(bits > 0.0 && bits.is_finite()) {
        return Err(Error::field(
            ErrorKind::InvalidArgument,
            "bits per key",
            format!("bits per key is {}, must be above 0", bits),
        ));
    }
    Ok(())
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
