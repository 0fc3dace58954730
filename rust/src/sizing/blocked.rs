//! The sizing of split and block filters. A key touches one block only, so the number of keys in its block is random,
//! and the rate is the mean over that spread; `split.md` and `block.md` of the specification derive the formulas.

use super::plain_math::{exp_of_minus, minus_log_of_rest, power};
use super::{check_bits, check_keys, check_rate};
use crate::blocks::{FEWER_KEYS, MOST_LINES};
use crate::error::{Error, ErrorKind, Result};

const BITS_PER_LINE: f64 = 512.0;
/// The lowest rate of a block filter: below it keys of equal low 32 hash bits are in the way.
pub(crate) const LOWEST_BLOCK_FPR: f64 = 5e-8;
/// The most bits that a key has in a block.
const MOST: usize = 16;

/// The smallest number in `low..=high` that is `good`: all from there on are, and `high` is.
pub(crate) fn smallest(mut low: u64, mut high: u64, good: impl Fn(u64) -> bool) -> u64 {
    while low < high {
        let middle = low + (high - low) / 2;
        if good(middle) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    high
}

fn binomial(n: u32, k: u32) -> f64 {
    (0..k).fold(1.0, |result, i| {
        result * f64::from(n - i) / f64::from(i + 1)
    })
}

/// The chance that none of n keys, each in a random block, hits a set of bits in a given block, when a key in that
/// block misses them with chance `miss`.
fn untouched(n: f64, blocks: f64, miss: f64) -> f64 {
    exp_of_minus(n * minus_log_of_rest((1.0 - miss) / blocks))
}

/// A rate by the bits, and of absent keys with the low 32 hash bits of a present one in their block: those look present
/// whatever the bits.
pub(crate) fn with_equal_low_bits(rate: f64, n: f64, blocks: f64) -> f64 {
    (rate + n / blocks / 4_294_967_296.0).clamp(0.0, 1.0)
}

/// The rate of a split filter with n keys: inclusion and exclusion over which of the eight bits are not set.
pub(crate) fn split_fpr(n: f64, blocks: f64) -> f64 {
    let mut sum = 0.0;
    for s in 0..=8 {
        let term = binomial(8, s) * untouched(n, blocks, split_miss(s));
        sum += if s % 2 == 0 { term } else { -term };
    }
    with_equal_low_bits(sum, n, blocks)
}

/// The chance that a key of the same block leaves s given bits, of s words, alone.
fn split_miss(s: u32) -> f64 {
    power(31.0 / 32.0, s)
}

/// chance[d]: that k throws into a block hit d distinct bits.
fn distinct_chances(k: u32) -> [f64; MOST + 2] {
    let mut chance = [0.0; MOST + 2];
    chance[0] = 1.0;
    for thrown in 0..k as usize {
        for d in (0..=thrown).rev() {
            chance[d + 1] += chance[d] * (1.0 - d as f64 / BITS_PER_LINE);
            chance[d] *= d as f64 / BITS_PER_LINE;
        }
    }
    chance
}

/// The rate of a block filter with n keys.
pub(crate) fn block_fpr(n: f64, blocks: f64, k: u32) -> f64 {
    let mut none = [0.0; MOST + 1]; // none[s]: s given bits are all unset
    for (s, none) in none.iter_mut().enumerate().take(k as usize + 1) {
        *none = untouched(n, blocks, power(1.0 - s as f64 / BITS_PER_LINE, k));
    }
    let mut fpr = 0.0;
    for (d, chance) in distinct_chances(k).iter().enumerate().take(k as usize + 1) {
        let mut all_set = 0.0;
        for (s, none) in none.iter().enumerate().take(d + 1) {
            let sign = if s % 2 == 0 { 1.0 } else { -1.0 };
            all_set += sign * binomial(d as u32, s as u32) * none;
        }
        fpr += chance * all_set;
    }
    with_equal_low_bits(fpr, n, blocks)
}

/// The chance that a key of the same block leaves a given bit of a split filter unset, and of a block filter.
pub(crate) fn split_miss_one() -> f64 {
    split_miss(1)
}

pub(crate) fn block_miss_one(k: u32) -> f64 {
    power(1.0 - 1.0 / BITS_PER_LINE, k)
}

/// The number of keys from the share of bits that are set; `None` when all are.
pub(crate) fn keys_at(fill: f64, blocks: f64, miss: f64) -> Option<f64> {
    if fill >= 1.0 {
        return None;
    }
    Some(minus_log_of_rest(fill) / minus_log_of_rest((1.0 - miss) / blocks))
}

/// The blocks of so many bits that give each of `n` keys `bits` bits.
pub(crate) fn blocks_for_bits(n: u64, bits: f64, bits_per_block: f64) -> Result<f64> {
    check_keys(n)?;
    check_bits(bits)?;
    Ok((n as f64 * bits / bits_per_block).ceil().max(1.0))
}

/// The k with the lowest rate for n keys in so many blocks.
pub(crate) fn best_k(n: f64, blocks: f64) -> u32 {
    let mut best = (block_fpr(n, blocks, 1), 1);
    for k in 2..=MOST as u32 {
        let fpr = block_fpr(n, blocks, k);
        if fpr < best.0 {
            best = (fpr, k);
        }
    }
    best.1
}

/// What a kind that cannot have a rate for n keys advises: the kind `block` where that can.
pub(crate) fn instead_at(n: u64, fpr: f64) -> &'static str {
    let most = MOST_LINES as f64;
    if fpr < LOWEST_BLOCK_FPR {
        "ask for a higher rate"
    } else if (1..=MOST as u32).any(|k| block_fpr(n as f64, most, k) <= fpr) {
        "use the kind 'block'"
    } else {
        FEWER_KEYS
    }
}

/// The most keys of a ribbon filter, `ribbon::MAX_KEYS`, which is in a later layer.
pub(crate) const MOST_RIBBON_KEYS: u64 = 1 << 48;

/// Whether a ribbon filter of n keys has the rate, as the C++ command sizes it.
pub(crate) fn ribbon_reaches(n: u64, fpr: f64) -> bool {
    const TWO_TO_32: f64 = 4_294_967_296.0;
    n <= MOST_RIBBON_KEYS && fpr >= 1.0 / TWO_TO_32 && fpr >= n as f64 / TWO_TO_32 / TWO_TO_32
}

/// Refuses what no filter of blocks is sized for, and rates below what the kind can do.
pub(crate) fn check_target(n: u64, fpr: f64, lowest: f64) -> Result<()> {
    check_keys(n)?;
    check_rate(fpr)?;
    if fpr < lowest {
        return Err(Error::field(
            ErrorKind::InvalidArgument,
            "fpr",
            format!(
                "fpr is {}, must be at least {}: {}",
                fpr,
                lowest,
                instead_at(n, fpr)
            ),
        ));
    }
    Ok(())
}
