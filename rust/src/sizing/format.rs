//! Numbers as C's `%.4g` prints them, which Rust's formatting has no equal of.

/// Four significant digits, without trailing zeros, in exponent form below 10^-4 and from 10^4 on.
pub fn fmt_g4(x: f64) -> String {
    if x.is_nan() {
        return "nan".to_string();
    }
    if x.is_infinite() {
        return if x > 0.0 { "inf" } else { "-inf" }.to_string();
    }
    // Rounds as C does, to even on the exact value, and tells the exponent after rounding.
    let scientific = format!("{:.3e}", x);
    let (digits, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    if !(-4..4).contains(&exponent) {
        let sign = if exponent < 0 { '-' } else { '+' };
        return format!("{}e{}{:02}", without_zeros(digits), sign, exponent.abs());
    }
    let fixed = format!("{:.*}", (3 - exponent) as usize, x);
    without_zeros(&fixed).to_string()
}

fn without_zeros(number: &str) -> &str {
    if number.contains('.') {
        number.trim_end_matches('0').trim_end_matches('.')
    } else {
        number
    }
}
