//! Numbers as people write them on a command line: exact, or refused.

/// A whole number: `1000`, `10k`, `2.5M`, `1G`, `1e9`. `None` when it is not whole or does not fit 64 bits.
pub fn whole(text: &str) -> Option<u64> {
    let (number, suffix) = match text.as_bytes().last()? {
        b'k' => (&text[..text.len() - 1], Some(3)),
        b'M' => (&text[..text.len() - 1], Some(6)),
        b'G' => (&text[..text.len() - 1], Some(9)),
        _ => (text, None),
    };
    let decimal = Decimal::parse(number)?;
    if suffix.is_some() && decimal.exponent.is_some() {
        return None;
    }
    let fraction = decimal.fraction.trim_end_matches('0');
    let digits = [decimal.integer, fraction].concat();
    let power = suffix.or(decimal.exponent).unwrap_or(0);
    scaled(
        &digits,
        power.checked_sub(i32::try_from(fraction.len()).ok()?)?,
    )
}

/// `digits` times ten to `power`, when that is whole.
fn scaled(digits: &str, power: i32) -> Option<u64> {
    let significant = digits.trim_start_matches('0');
    if significant.is_empty() {
        return Some(0);
    }
    let trimmed = significant.trim_end_matches('0');
    let zeros = i32::try_from(significant.len() - trimmed.len()).ok()?;
    let power = u32::try_from(zeros.checked_add(power)?).ok()?;
    let value: u64 = trimmed.parse().ok()?;
    value.checked_mul(10u64.checked_pow(power)?)
}

/// A real number in decimal: no sign, no infinity, no NaN.
pub fn real(text: &str) -> Option<f64> {
    Decimal::parse(text)?;
    text.parse().ok()
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

/// digits [. digits] [e [+-] digits]
struct Decimal<'a> {
    integer: &'a str,
    fraction: &'a str,
    exponent: Option<i32>,
}

impl Decimal<'_> {
    fn parse(text: &str) -> Option<Decimal<'_>> {
        let (mantissa, exponent) = match text.split_once(['e', 'E']) {
            Some((mantissa, exponent)) => (mantissa, Some(exponent)),
            None => (text, None),
        };
        let (integer, fraction) = match mantissa.split_once('.') {
            Some((integer, fraction)) => (integer, Some(fraction)),
            None => (mantissa, None),
        };
        let all_digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
        let unsigned = exponent.map(|e| e.strip_prefix(['+', '-']).unwrap_or(e));
        if ![Some(integer), fraction, unsigned]
            .iter()
            .flatten()
            .all(|part| all_digits(part))
        {
            return None;
        }
        Some(Decimal {
            integer,
            fraction: fraction.unwrap_or(""),
            exponent: exponent
                .map(|e| e.parse().ok())
                .map_or(Some(None), |e| e.map(Some))?,
        })
    }
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
            ("2.5M", 2_500_000),
            ("1G", 1_000_000_000),
            ("1e9", 1_000_000_000),
            ("1.50e1", 15),
            ("10e-1", 1),
            ("0.0", 0),
            ("18446744073709551615", u64::MAX),
            ("0e999999999", 0),
        ];
        for (text, expected) in good {
            assert_eq!(whole(text), Some(expected), "{}", text);
        }
        let bad = [
            "",
            "k",
            "-1",
            "+1",
            "1.5",
            "1.2345k",
            "1e-1",
            "1e",
            "e9",
            ".5M",
            "5.",
            "1e99",
            "18446744073709551616",
            "1K",
            "1 ",
            "1kk",
            "1e3k",
            "0x10",
            "nan",
            "inf",
            "1e9999999999",
            "1\u{e9}",
        ];
        for text in bad {
            assert_eq!(whole(text), None, "{}", text);
        }
    }

    #[test]
    fn reals_are_plain_decimals() {
        assert_eq!(real("0.01"), Some(0.01));
        assert_eq!(real("1e-3"), Some(0.001));
        for text in ["", "nan", "inf", "-0.1", "0x1p-3", "1_0", ".5", "0.1 "] {
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
            "18446744073709551616",
            "0x1ffffffffffffffff",
        ] {
            assert_eq!(seed(text), None, "{}", text);
        }
    }
}
