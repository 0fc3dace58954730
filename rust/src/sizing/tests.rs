//! What sizing promises beyond the golden data, which `tests/vectors.rs` reads.

use super::*;

fn geometry(m: u64, k: u32) -> Geometry {
    Geometry::new(m, k).unwrap()
}

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
fn impossible_sizes_are_refused_by_name() {
    for fpr in [0.0, 1.0, -0.5, 2.0, f64::NAN, f64::INFINITY] {
        let error = classic_geometry(1000, fpr).unwrap_err();
        assert_eq!(error.field_name(), Some("fpr"), "{}", fpr);
    }
    assert_eq!(
        classic_geometry(0, 0.01).unwrap_err().field_name(),
        Some("n")
    );
    assert!(classic_geometry(1000, 1e-17).is_err());
    assert!(classic_geometry(u64::MAX, 0.999).is_err());
    for bits in [0.0, -1.0, f64::NAN, f64::INFINITY, 1e300] {
        assert!(classic_geometry_from_bits(1000, bits).is_err(), "{}", bits);
    }
}

#[test]
fn a_miss_is_warned_of_and_a_wide_one_refused() {
    assert!(plan_classic(1000, 0.01).unwrap().warning().is_none());
    let small = plan_classic(10, 0.01).unwrap();
    assert!(small.warning().unwrap().contains("block"));
    let wide = plan_classic(1_000_000_000, 0.01).unwrap_err();
    assert!(wide.message().contains("block"), "{}", wide);
    assert!(plan_classic(440_000_000, 0.01).is_ok());
}

#[test]
fn the_rate_rises_with_the_fill_in_every_model() {
    for (m, k) in [(1, 1), (2, 30), (1000, 7), (1 << 20, 10), (1 << 31, 7)] {
        let geometry = geometry(m, k);
        let steps = 8.min(m);
        let mut before = -1.0;
        for step in 0..=steps {
            let fpr = fpr_at_bits_set(geometry, m / steps * step);
            assert!((0.0..=1.0).contains(&fpr), "{:?} {}", geometry, fpr);
            assert!(fpr >= before, "{:?} at {}", geometry, step);
            before = fpr;
        }
        assert_eq!(fpr_at_bits_set(geometry, 0), 0.0);
        assert_eq!(fpr_at_bits_set(geometry, m), 1.0);
        assert_eq!(estimated_count(geometry, m), None);
        assert_eq!(estimated_count(geometry, 0), Some(0));
    }
}

#[test]
fn the_estimate_inverts_the_expected_fill() {
    for (m, k, n) in [
        (95_851, 7, 10_000),
        (1 << 24, 5, 2_000_000),
        (1 << 31, 7, 200_000_000),
    ] {
        let geometry = geometry(m, k);
        let set = (m as f64 * expected_fill(geometry, n)).round() as u64;
        let estimate = estimated_count(geometry, set).unwrap() as f64;
        assert!((estimate / n as f64 - 1.0).abs() < 1e-4, "{}", estimate);
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
