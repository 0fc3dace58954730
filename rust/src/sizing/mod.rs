//! What the sizing of several kinds shares: checks of what is asked for, arithmetic that is the same everywhere, and how
//! far a sampled rate can be trusted.
//!
//! Floating point is here and in the `sizing` and `predict` files of the kinds. No reader recomputes any of it: a
//! geometry is stored, not derived again.

pub(crate) mod blocked;
mod format;
mod interval;
mod ln;
pub(crate) mod plain_math;
#[cfg(test)]
mod tests;

pub(crate) use format::fmt_g4;
pub use interval::{wilson, Interval};
pub(crate) use ln::ln;

use crate::error::{Error, ErrorKind, Result};

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
