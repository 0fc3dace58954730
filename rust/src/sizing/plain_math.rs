//! Powers, logarithms and exponentials by additions, products and divisions alone, in the order that `sizing.md` of the
//! specification gives. Those of systems and languages differ in the last digit, which would now and then decide how
//! many blocks a filter gets.

use std::f64::consts::LN_2 as LN2;

/// The first 42 bits of ln 2, and the rest of it.
const LN2_HIGH: f64 = 3_048_493_539_143.0 / 4_398_046_511_104.0;
const LN2_LOW: f64 = 5.497923018708371e-14;

const INVERSE_FACTORIALS: [f64; 13] = [
    1.0,
    1.0 / 2.0,
    1.0 / 6.0,
    1.0 / 24.0,
    1.0 / 120.0,
    1.0 / 720.0,
    1.0 / 5_040.0,
    1.0 / 40_320.0,
    1.0 / 362_880.0,
    1.0 / 3_628_800.0,
    1.0 / 39_916_800.0,
    1.0 / 479_001_600.0,
    1.0 / 6_227_020_800.0,
];

pub(crate) fn power(mut base: f64, mut exponent: u32) -> f64 {
    let mut result = 1.0;
    while exponent != 0 {
        if exponent % 2 != 0 {
            result *= base;
        }
        exponent /= 2;
        base *= base;
    }
    result
}

/// -ln(1 - y) for 0 <= y < 1: twice the inverse hyperbolic tangent of a z of at most 0.177, by its series.
pub(super) fn minus_log_of_rest(y: f64) -> f64 {
    let mut z = y / (2.0 - y);
    let mut halvings = 0.0;
    if y >= 0.25 {
        let mut rest = 1.0 - y;
        while rest < 0.7 {
            rest *= 2.0;
            halvings += 1.0;
        }
        z = (1.0 - rest) / (1.0 + rest);
    }
    let square = z * z;
    let mut sum = 1.0 / 25.0;
    for half in (1..12).rev() {
        sum = sum * square + 1.0 / f64::from(2 * half + 1);
    }
    halvings * LN2 + 2.0 * z * (1.0 + sum * square)
}

/// e^-x for x >= 0; 0 where that is below the smallest normal number.
pub(super) fn exp_of_minus(x: f64) -> f64 {
    let halvings = (x / LN2 + 0.5).floor();
    if halvings > 1021.0 {
        return 0.0;
    }
    let rest = (x - halvings * LN2_HIGH) - halvings * LN2_LOW;
    let mut sum = 0.0;
    for inverse in INVERSE_FACTORIALS.iter().rev() {
        sum = inverse - rest * sum;
    }
    // 2^-halvings, made of its bits: exact, and so is the product.
    (1.0 - rest * sum) * f64::from_bits((1023 - halvings as u64) << 52)
}
