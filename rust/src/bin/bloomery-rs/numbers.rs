//! Numbers as people write them on a command line, by the grammar of `cli.md` of the specification: exact, or refused.

/// The largest number with a point, a suffix or an exponent.
const LARGEST_INEXACT: u64 = 1 << 53;
/// No larger exponent can give a number that is not refused, but for that of 0.
const LARGEST_POWER: u64 = 1000;

/// A whole number: `1000`, `10k`, `2.5M`, `1G`, `1e9`. `None` when it is not whole or too large.
pub fn whole(text: &str) -> Option<u64> {
    if text.bytes().all(|byte| byte.is_ascii_digit()) {
        return text.parse().ok();
    }
    let (digits, behind_point, rest) = decimal(text)?;
    let power = match rest {
        "" => 0,
        "k" => 3,
        "M" => 6,
        "G" => 9,
        _ => {
            let exponent = rest.strip_prefix(['e', 'E'])?;
            digits_alone(exponent.strip_prefix('+').unwrap_or(exponent))?
        }
    };
    // In whole numbers, since 1.001k is 1001 and not what 1.001 times 1000 is in floating point.
    let significant = digits.trim_end_matches('0');
    if significant.is_empty() {
        return Some(0).filter(|_| power <= LARGEST_POWER);
    }
    let zeros = (digits.len() - significant.len()) as u64 + power;
    let zeros = zeros.checked_sub(behind_point as u64)?;
    let value: u64 = significant.parse().ok()?;
    let value = value.checked_mul(10u64.checked_pow(u32::try_from(zeros).ok()?)?)?;
    Some(value).filter(|value| *value <= LARGEST_INEXACT)
}

/// A real number in decimal: no sign, no infinity, no NaN.
pub fn real(text: &str) -> Option<f64> {
    let (_, _, rest) = decimal(text)?;
    if let Some(exponent) = rest.strip_prefix(['e', 'E']) {
        let exponent = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
        if exponent.is_empty() || !exponent.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
    } else if !rest.is_empty() {
        return None;
    }
    text.parse().ok()
}

/// A power of two from 64 to 4M: `64`, `4k`, `2M`. Its k and M are 2^10 and 2^20.
pub fn alignment(text: &str) -> Option<u64> {
    let (digits, power) = match (text.strip_suffix('k'), text.strip_suffix('M')) {
        (Some(digits), _) => (digits, 10),
        (_, Some(digits)) => (digits, 20),
        _ => (text, 0),
    };
    let bytes = digits_alone(digits)?.checked_mul(1 << power)?;
    Some(bytes).filter(|bytes| bytes.is_power_of_two() && (64..=4 << 20).contains(bytes))
}

/// A 64-bit number, decimal or hexadecimal after `0x`.
pub fn seed(text: &str) -> Option<u64> {
    let (digits, radix) = match text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        Some(digits) => (digits, 16),
        None => (text, 10),
    };
    // The parser of the standard library would take a sign as well.
    if !digits.chars().all(|c| c.is_digit(radix)) {
        return None;
    }
    u64::from_str_radix(digits, radix).ok()
}

fn digits_alone(text: &str) -> Option<u64> {
    let good = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|_| good)
}

/// `DIGITS [. DIGITS] | . DIGITS` at the front: its digits without the point, how many stand behind that, and the rest.
fn decimal(text: &str) -> Option<(String, usize, &str)> {
    let (before, rest) = take_digits(text);
    match rest.strip_prefix('.') {
        None if before.is_empty() => None,
        None => Some((before.to_string(), 0, rest)),
        Some(rest) => {
            let (behind, rest) = take_digits(rest);
            let digits = [before, behind].concat();
            Some((digits, behind.len(), rest)).filter(|_| !behind.is_empty())
        }
    }
}

fn take_digits(text: &str) -> (&str, &str) {
    let end = text
        .bytes()
        .position(|byte| !byte.is_ascii_digit())
        .unwrap_or(text.len());
    text.split_at(end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_numbers_are_exact_or_refused() {
        let good = [
            ("0", 0),
            ("007", 7),
            ("1000", 1000),
            ("10k", 10_000),
            (".5k", 500),
            ("1.001k", 1001),
            ("2.5M", 2_500_000),
            ("1G", 1_000_000_000),
            ("1e9", 1_000_000_000),
            ("1E+3", 1000),
            ("1.50e1", 15),
            ("0.0", 0),
            ("10.0", 10),
            ("18446744073709551615", u64::MAX),
            ("9007199254740992.0", 1 << 53),
            ("0e9", 0),
        ];
        for (text, expected) in good {
            assert_eq!(whole(text), Some(expected), "{}", text);
        }
        let bad = [
            "",
            "k",
            ".",
            "-1",
            "+1",
            "1.5",
            ".5",
            "1.k",
            "1.2345k",
            "1e-1",
            "10e-1",
            "1e",
            "1e+",
            "e9",
            "5.",
            "1e99",
            "18446744073709551616",
            "9007199254740993.0",
            "1K",
            "1 ",
            " 1",
            "1kk",
            "1e3k",
            "0x10",
            "1_000",
            "nan",
            "inf",
            "1e9999999999",
            "1e99999999999999999999",
            "1\u{e9}",
        ];
        for text in bad {
            assert_eq!(whole(text), None, "{}", text);
        }
    }

    #[test]
    fn reals_are_plain_decimals() {
        for (text, value) in [
            ("0.01", 0.01),
            ("1e-3", 0.001),
            (".5", 0.5),
            (".1e-1", 0.01),
        ] {
            assert_eq!(real(text), Some(value), "{}", text);
        }
        for text in [
            "", "nan", "inf", "-0.1", "+0.1", "0x1p-3", "1_0", "1.e-2", "0.1 ", "1e", "1%", "0,01",
        ] {
            assert_eq!(real(text), None, "{}", text);
        }
    }

    #[test]
    fn seeds_are_decimal_or_hexadecimal() {
        assert_eq!(seed("12"), Some(12));
        assert_eq!(seed("0xFf"), Some(255));
        assert_eq!(seed("0xffffffffffffffff"), Some(u64::MAX));
        for text in [
            "",
            "0x",
            "-1",
            "+1",
            "ff",
            "10k",
            "18446744073709551616",
            "0x1ffffffffffffffff",
        ] {
            assert_eq!(seed(text), None, "{}", text);
        }
    }
}
