//! The size of a fuse filter for a number of keys, and what a filter at hand does.

use super::geometry::{check_arity, refused};
use super::size::{parts_for, window_and_slots};
use super::{Fuse, Geometry, DEFAULT_ARITY, MAX_SLOTS};
use crate::error::{Error, Result};
use crate::layout::{KindGeometry, Layout, Predict, Size, Sizing};
use crate::sizing::blocked::{instead_at, ribbon_reaches};
use crate::sizing::{check_bits, check_keys, check_rate};

impl Geometry {
    /// The geometry planned for `n` random hashes; the filter that is built has what its own keys need.
    pub fn plan(n: u64, arity: u64, fingerprint_bits: u32) -> Result<Geometry> {
        check_keys(n)?;
        check_arity(arity)?;
        let parts = parts_for(n);
        // Far above what fits, before the products below could overflow.
        if n > MAX_SLOTS {
            return Err(too_many(n));
        }
        let largest = n / parts + u64::from(n % parts != 0);
        let (window, slots) = window_and_slots(largest, arity as u32);
        Geometry {
            arity: arity as u32,
            fingerprint_bits,
            parts,
            window,
            slots,
            keys: n,
        }
        .checked()
    }
}

fn too_many(n: u64) -> Error {
    refused(
        "n",
        format!("{} keys take more than 2^48 slots: use fewer", n),
    )
}

impl Sizing for Geometry {
    const CHOICE: Option<&'static str> = Some("arity");

    fn for_capacity(n: u64, fpr: f64) -> Result<Geometry> {
        Geometry::for_size(n, Size::Fpr(fpr), None)
    }

    fn for_bits_per_key(n: u64, bits: f64) -> Result<Geometry> {
        Geometry::for_size(n, Size::BitsPerKey(bits), None)
    }

    fn for_size(n: u64, size: Size, arity: Option<u64>) -> Result<Geometry> {
        let arity = arity.unwrap_or(u64::from(DEFAULT_ARITY));
        match size {
            Size::Fpr(fpr) => Geometry::plan(n, arity, bits_for_rate(n, fpr)?),
            Size::BitsPerKey(bits) => {
                check_bits(bits)?;
                let fits = |g: &Geometry| 8.0 * g.payload_bytes() as f64 <= n as f64 * bits;
                let wide = Geometry::plan(n, arity, 16)?;
                let narrow = Geometry::plan(n, arity, 8)?;
                [wide, narrow].into_iter().find(fits).ok_or_else(|| {
                    refused(
                        "bits per key",
                        format!(
                            "bits per key is {}, a fuse filter of {} keys needs {:.2}: give more, or use the kind 'block'",
                            bits,
                            n,
                            least_bits_per_key(&narrow, n)
                        ),
                    )
                })
            }
        }
    }

    fn predicted_fpr_after(&self, n: u64) -> f64 {
        match (n, self.fingerprint_bits) {
            (0, _) => 0.0,
            (_, 8) => 1.0 / 256.0,
            _ => 1.0 / 65536.0,
        }
    }
}

impl Predict for Fuse {
    fn predicted_fpr(&self, _payload: &[u8]) -> f64 {
        self.geometry().predicted_fpr_after(self.geometry().keys)
    }

    fn estimated_count(&self, _payload: &[u8]) -> Option<u64> {
        Some(self.geometry().keys)
    }
}

/// In whole hundredths, the least with which `n` keys have no fewer bits than the geometry.
fn least_bits_per_key(geometry: &Geometry, n: u64) -> f64 {
    let bits = 8.0 * geometry.payload_bytes() as f64;
    let mut hundredths = (100.0 * bits / n as f64).floor();
    while n as f64 * (hundredths / 100.0) < bits {
        hundredths += 1.0;
    }
    hundredths / 100.0
}

/// The bits of a fingerprint that reach a rate; what else n keys can have it in where none do.
fn bits_for_rate(n: u64, fpr: f64) -> Result<u32> {
    check_rate(fpr)?;
    if fpr >= 1.0 / 256.0 {
        return Ok(8);
    }
    if fpr >= 1.0 / 65536.0 {
        return Ok(16);
    }
    Err(refused(
        "fpr",
        format!(
            "fpr is {}, a fuse filter reaches 2^-16: {}{}",
            fpr,
            instead_at(n, fpr),
            if ribbon_reaches(n, fpr) {
                ", or use ribbon of the C++ command"
            } else {
                ""
            }
        ),
    ))
}
