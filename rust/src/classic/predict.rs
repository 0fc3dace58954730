//! What a classic filter is expected to do: its fill after n keys, its rate and its key count at a fill.
//!
//! Double hashing modulo m is not k independent bits: indexes repeat where h2 shares a factor with m, and two keys
//! can share a stride. `sizing.md` of the specification derives the terms.

use super::wide::{Wide, WIDE_FROM};
use super::Geometry;

/// Up to this many bits all pairs of residues can be counted.
pub(crate) const EXACT_UP_TO: u64 = 1024;

/// The divisors d of m below k, with the chance phi(d)/m that a key's indexes repeat after d of them.
fn repeats(geometry: Geometry) -> impl Iterator<Item = (u64, f64)> {
    let m = geometry.m();
    (1..u64::from(geometry.k()))
        .filter(move |d| m % d == 0)
        .map(move |d| (d, phi(d) as f64 / m as f64))
}

/// Euler's phi, by counting; d is below 30.
fn phi(d: u64) -> usize {
    (1..=d).filter(|i| gcd(*i, d) == 1).count()
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 {
        a
    } else {
        gcd(b, a % b)
    }
}

/// The share of bits that are set after `n` keys, on average.
pub(super) fn expected_fill(geometry: Geometry, n: u64) -> f64 {
    if n == 0 {
        return 0.0;
    }
    if geometry.m() >= WIDE_FROM {
        return Wide::new(geometry).mean_fill(n as f64);
    }
    let m = geometry.m() as f64;
    let mut distinct = 0.0;
    let mut chance = 0.0;
    for (d, p) in repeats(geometry) {
        distinct += p * d as f64;
        chance += p;
    }
    distinct += (1.0 - chance) * f64::from(geometry.k());
    if distinct >= m {
        return 1.0;
    }
    1.0 - (n as f64 * (-distinct / m).ln_1p()).exp()
}

/// The rate of a filter whose number of set bits alone is known.
pub(super) fn fpr_at_bits_set(geometry: Geometry, set: u64) -> f64 {
    if set == 0 {
        return 0.0;
    }
    if set >= geometry.m() {
        return 1.0;
    }
    if geometry.m() >= WIDE_FROM {
        let wide = Wide::new(geometry);
        return wide.fpr(wide.keys_at(set));
    }
    let m = geometry.m() as f64;
    let k = geometry.k();
    let f = set as f64 / m;
    let mut fpr = 0.0;
    let mut chance = 0.0;
    for (d, p) in repeats(geometry) {
        fpr += p * all_set(geometry, set, d);
        chance += p;
    }
    let distinct = 1.0 - chance;
    fpr += distinct * all_set(geometry, set, u64::from(k).min(geometry.m()));
    let keys = -(m / f64::from(k)) * (-f).ln_1p();
    let full = f.powi(k as i32);
    let shared: f64 = (1 - k as i32..k as i32)
        .map(|j| f.powi(j.abs()) - full)
        .sum();
    fpr += distinct * (2.0 * keys / (m * m)) * shared;
    fpr.min(1.0)
}

/// The chance that `d` distinct bits are all among the `set` ones.
fn all_set(geometry: Geometry, set: u64, d: u64) -> f64 {
    (0..d)
        .map(|i| set.saturating_sub(i) as f64 / (geometry.m() - i) as f64)
        .product()
}

/// The rate expected once the filter holds `n` keys.
pub(super) fn fpr_at_keys(geometry: Geometry, n: u64) -> f64 {
    if geometry.m() >= WIDE_FROM {
        return if n == 0 {
            0.0
        } else {
            Wide::new(geometry).fpr(n as f64)
        };
    }
    let set = (geometry.m() as f64 * expected_fill(geometry, n)).round();
    fpr_at_bits_set(geometry, set as u64)
}

/// How many of the m * m pairs of residues (h1, h2) a filter with these bits contains. Meant for small filters:
/// it looks at every pair.
pub(super) fn exact_pairs(geometry: Geometry, bits: &[u8]) -> u64 {
    let m = geometry.m();
    let is_set = |i: u64| {
        let byte = bits.get((i / 8) as usize).copied().unwrap_or(0);
        byte >> (i % 8) & 1 == 1
    };
    let contained = |a: u64, b: u64| {
        let mut index = a;
        (0..geometry.k()).all(|_| {
            let set = is_set(index);
            index = (index + b) % m;
            set
        })
    };
    (0..m)
        .filter(|a| is_set(*a))
        .map(|a| (0..m).filter(|b| contained(a, *b)).count() as u64)
        .sum()
}

/// The rate of a small filter, exactly; `None` above 1,024 bits.
pub(super) fn exact_fpr(geometry: Geometry, bits: &[u8]) -> Option<f64> {
    let m = geometry.m();
    if m > EXACT_UP_TO {
        return None;
    }
    Some(exact_pairs(geometry, bits) as f64 / (m * m) as f64)
}

/// How many different keys a filter with this many set bits probably holds (Swamidass and Baldi, 2007); `None` when
/// every bit is set.
pub(super) fn estimated_count(geometry: Geometry, set: u64) -> Option<u64> {
    if set >= geometry.m() {
        return None;
    }
    if geometry.m() >= WIDE_FROM {
        return Some(Wide::new(geometry).keys_at(set).round() as u64);
    }
    let m = geometry.m() as f64;
    let keys = -(m / f64::from(geometry.k())) * (-(set as f64 / m)).ln_1p();
    Some(keys.round() as u64)
}
