//! What the numbers of sizing look like, and what a sample tells.

use super::*;
use crate::golden::vectors;

#[test]
fn four_digits_as_c_prints_them() {
    let cases = [
        (0.0, "0"),
        (-0.0, "-0"),
        (1.0, "1"),
        (0.5197, "0.5197"),
        (0.010_23, "0.01023"),
        (0.0001, "0.0001"),
        (0.000_099_999, "0.0001"),
        (0.000_099_994, "9.999e-05"),
        (1e-5, "1e-05"),
        (1.5e-120, "1.5e-120"),
        (9999.0, "9999"),
        (9999.5, "1e+04"),
        (9999.4, "9999"),
        (12345.0, "1.234e+04"),
        (12355.0, "1.236e+04"),
        (0.125_05, "0.125"),
        (9.586, "9.586"),
        (100.0, "100"),
        (-2.5, "-2.5"),
        (f64::NAN, "nan"),
        (f64::INFINITY, "inf"),
    ];
    for (x, expected) in cases {
        assert_eq!(fmt_g4(x), expected, "{:?}", x);
    }
}

#[test]
fn an_interval_contains_its_rate() {
    for (hits, samples) in [(0, 10), (10, 10), (3, 7), (10_370, 1_000_000)] {
        let i = wilson(hits, samples);
        assert!(0.0 <= i.low && i.low <= i.rate && i.rate <= i.high && i.high <= 1.0);
    }
    assert_eq!(wilson(0, 0).high, 1.0);
}

#[test]
fn intervals_are_those_of_the_golden_data() {
    for row in vectors("sizing.json").rows("sampled") {
        let interval = wilson(row.number("hits"), row.number("samples"));
        for (value, name) in [
            (interval.rate, "rate"),
            (interval.low, "low"),
            (interval.high, "high"),
        ] {
            assert_eq!(fmt_g4(value), row.text(name), "{:?}", row);
        }
    }
}
