//! The size and the predictions of classic filters: the golden data, and what it does not have.

use super::super::predict::{exact_pairs, expected_fill};
use super::super::{Filter, View};
use super::*;
use crate::golden::json::Json;
use crate::golden::{from_hex, vectors};
use crate::hash::Hasher;

fn geometry(m: u64, k: u32) -> Geometry {
    Geometry::new(m, k).unwrap()
}

fn geometry_of_row(row: &Json) -> Geometry {
    geometry(row.number("m"), row.number("k"))
}

#[test]
fn sizes_are_those_of_the_golden_data() {
    let golden = vectors("sizing.json");
    let (small, hard) = (vectors("classic.json"), vectors("ln.json"));
    let rows = golden.rows("classic").iter().chain(small.rows("sizing"));
    for row in rows.chain(hard.rows("classic")) {
        let geometry = geometry_for(row.number("n"), row.number("fpr"));
        assert_eq!(geometry, Ok(geometry_of_row(row)), "{:?}", row);
    }
    for row in golden.rows("bits_per_key") {
        let geometry = Geometry::for_bits_per_key(row.number("n"), row.number("bits_per_key"));
        assert_eq!(geometry, Ok(geometry_of_row(row)), "{:?}", row);
    }
    for row in golden.rows("refused") {
        let fpr = row.text("fpr").parse().unwrap();
        assert!(geometry_for(row.number("n"), fpr).is_err());
        assert!(Filter::with_capacity(row.number("n"), fpr).is_err());
    }
}

#[test]
fn predictions_are_those_of_the_golden_data() {
    let golden = vectors("sizing.json");
    for row in golden.rows("exact") {
        let (geometry, bits) = (geometry_of_row(row), from_hex(row.text("bits_hex")));
        let pairs = exact_pairs(geometry, &bits);
        assert_eq!(pairs, row.number::<u64>("pairs"), "{:?}", row);
        let view = View::new(geometry, &bits, Hasher::fnv_splitmix()).unwrap();
        assert_eq!(view.cells_set(), row.number::<u64>("bits_set"));
        assert_eq!(fmt_g4(view.predicted_fpr()), row.text("predicted_fpr"));
    }
    for row in golden.rows("predicted") {
        let (geometry, set) = (geometry_of_row(row), row.number("bits_set"));
        let fpr = geometry.predicted_fpr_at(set);
        assert_eq!(fmt_g4(fpr), row.text("predicted_fpr"), "{:?}", row);
        let count = geometry.estimated_count(set);
        assert_eq!(count, row.maybe_number("estimated_count"), "{:?}", row);
    }
}

#[test]
fn plans_are_accepted_warned_of_or_refused() {
    for row in vectors("sizing.json").rows("plan") {
        let (n, fpr) = (row.number("n"), row.number("fpr"));
        let geometry = geometry_for(n, fpr).unwrap();
        assert_eq!(geometry, geometry_of_row(row));
        let predicted = geometry.predicted_fpr_after(n);
        assert_eq!(fmt_g4(predicted), row.text("predicted_fpr"), "{:?}", row);
        let verdict = match Plan::new(n, fpr) {
            Err(_) => "refused",
            Ok(plan) if plan.warning().is_some() => "warned",
            Ok(_) => "accepted",
        };
        assert_eq!(verdict, row.text("verdict"), "{:?}", row);
    }
}

#[test]
fn impossible_sizes_are_refused_by_name() {
    for fpr in [0.0, 1.0, -0.5, 2.0, f64::NAN, f64::INFINITY] {
        let error = geometry_for(1000, fpr).unwrap_err();
        assert_eq!(error.field_name(), Some("fpr"), "{}", fpr);
    }
    assert_eq!(geometry_for(0, 0.01).unwrap_err().field_name(), Some("n"));
    assert!(geometry_for(1000, 1e-17).is_err());
    assert!(geometry_for(u64::MAX, 0.999).is_err());
    for bits in [0.0, -1.0, f64::NAN, f64::INFINITY, 1e300] {
        assert!(Geometry::for_bits_per_key(1000, bits).is_err(), "{}", bits);
    }
}

#[test]
fn a_miss_is_warned_of_and_a_wide_one_refused() {
    assert!(Plan::new(1000, 0.01).unwrap().warning().is_none());
    let small = Plan::new(10, 0.01).unwrap();
    assert!(small.warning().unwrap().contains("block"));
    let wide = Plan::new(1_000_000_000, 0.01).unwrap_err();
    assert!(wide.message().contains("block"), "{}", wide);
    assert!(Plan::new(440_000_000, 0.01).is_ok());
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
