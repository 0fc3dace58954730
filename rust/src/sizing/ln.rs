//! The logarithm that decides bytes: m of a classic filter is the ceiling of a product with it. `f64::ln` may be off by
//! a unit in the last place, on each system for other numbers; this one is correctly rounded, as `sizing.md` of the
//! specification wants it.

/// Fraction bits of the fixed-point numbers below. A result needs 106 of them where it is smallest, and about 64 more
/// where it is hardest to round.
const FRACTION_BITS: u32 = 240;

/// A number times 2^240, lowest word first, in two's complement. 80 bits stand before the point, so that a number
/// below 2 can be multiplied by 54 bits.
type Fixed = [u64; 5];

/// ln 2, cut off.
const LN2: Fixed = [
    0xb62d_8a0d_175b_8baa,
    0xf6af_40f3_4326_7298,
    0x79ab_c9e3_b398_03f2,
    0x0000_b172_17f7_d1cf,
    0,
];

/// The double nearest to ln x, for finite x > 0.
///
/// x is f * 2^e with f from sqrt(1/2) to sqrt(2), and ln x is e * ln 2 + 2 * (s + s^3/3 + s^5/5 + ..) with
/// s = (f - 1) / (f + 1). Numerator and denominator of s are whole numbers of 55 bits, so that every step
/// multiplies or divides by one word.
pub(crate) fn ln(x: f64) -> f64 {
    let (mantissa, exponent) = split(x);
    let one = 1u64 << 53;
    let (numerator, denominator) = (mantissa.abs_diff(one), mantissa + one);
    let mut power = divided(times([0, 0, 0, 1 << 48, 0], numerator), denominator);
    let mut sum = Fixed::default();
    let mut odd = 1;
    while power != Fixed::default() {
        sum = plus(sum, divided(power, odd));
        for _ in 0..2 {
            power = divided(times(power, numerator), denominator);
        }
        odd += 2;
    }
    let of_fraction = signed(times(sum, 2), mantissa < one);
    let of_exponent = signed(times(LN2, exponent.unsigned_abs()), exponent < 0);
    nearest(plus(of_fraction, of_exponent))
}

/// x as mantissa * 2^(exponent - 53), with a mantissa from sqrt(1/2) * 2^53 to sqrt(2) * 2^53.
fn split(x: f64) -> (u64, i64) {
    const SQRT2: u64 = 12_738_103_345_051_545; // 2^53 times sqrt(2), cut off
    let bits = x.to_bits();
    let (biased, fraction) = (bits >> 52, bits & ((1 << 52) - 1));
    // A subnormal number has no hidden bit, and the exponent of the smallest normal one.
    let significand = if biased == 0 {
        fraction
    } else {
        fraction | 1 << 52
    };
    let shift = significand.leading_zeros() - 10;
    let mantissa = significand << shift;
    let exponent = biased.max(1) as i64 - 1022 - i64::from(shift);
    if mantissa > SQRT2 {
        // The last bit is 0: significands have 53 bits, and these have been shifted to 54.
        (mantissa / 2, exponent + 1)
    } else {
        (mantissa, exponent)
    }
}

fn plus(a: Fixed, b: Fixed) -> Fixed {
    let mut result = a;
    let mut carry = false;
    for (word, b) in result.iter_mut().zip(b) {
        let (sum, first) = word.overflowing_add(b);
        let (sum, second) = sum.overflowing_add(u64::from(carry));
        *word = sum;
        carry = first || second;
    }
    result
}

fn signed(a: Fixed, negative: bool) -> Fixed {
    match negative {
        true => plus(a.map(|word| !word), [1, 0, 0, 0, 0]),
        false => a,
    }
}

/// a * by, of a number that is not negative.
fn times(a: Fixed, by: u64) -> Fixed {
    let mut carry = 0;
    a.map(|word| {
        let product = u128::from(word) * u128::from(by) + carry;
        carry = product >> 64;
        product as u64
    })
}

/// a / by, cut off, of a number that is not negative.
fn divided(a: Fixed, by: u64) -> Fixed {
    let mut result = a;
    let mut rest = 0;
    for word in result.iter_mut().rev() {
        let dividend = rest << 64 | u128::from(*word);
        *word = (dividend / u128::from(by)) as u64;
        rest = dividend % u128::from(by);
    }
    result
}

/// The double nearest to a number of at least 2^-64 or 0.
fn nearest(a: Fixed) -> f64 {
    let negative = a[4] >> 63 == 1;
    let size = signed(a, negative);
    let top = match (0..320)
        .rev()
        .find(|bit| size[bit / 64] >> (bit % 64) & 1 == 1)
    {
        Some(top) => top,
        None => return 0.0,
    };
    let bit = |at: usize| size[at / 64] >> (at % 64) & 1;
    let kept = (top - 52..=top)
        .rev()
        .fold(0, |kept, at| kept << 1 | bit(at));
    // No logarithm of a double but ln 1 is exactly in the middle of two: what was cut off decides nothing.
    let rounded = (kept + bit(top - 53)) as f64;
    let scale = f64::from_bits((1023 + top as u64 - 52 - u64::from(FRACTION_BITS)) << 52);
    if negative {
        -(rounded * scale)
    } else {
        rounded * scale
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::golden::{hex_u64, vectors};

    #[test]
    fn logarithms_are_those_of_the_golden_data() {
        for row in vectors("ln.json").rows("ln") {
            let x = f64::from_bits(hex_u64(row.text("x")));
            assert_eq!(ln(x).to_bits(), hex_u64(row.text("ln")), "ln {:e}", x);
        }
    }

    #[test]
    fn a_logarithm_is_within_a_unit_of_the_systems() {
        let mut x = 1e-320;
        while x < 1e308 {
            let (ours, theirs) = (ln(x), x.ln());
            assert!(
                (ours - theirs).abs() <= 4.0 * f64::EPSILON * theirs.abs(),
                "{:e}",
                x
            );
            x *= 1.37;
        }
    }
}
