//! The promises of the classic filter, on keys from a generator.

use super::*;
use crate::hash::{splitmix64, Hash, Hasher, Secret};

/// Different keys of 8 to 16 bytes; ranges that do not overlap have no key in common.
fn keys(from: u64, count: u64) -> Vec<Vec<u8>> {
    (from..from + count)
        .map(|i| {
            let tail = splitmix64(i).to_le_bytes();
            [&i.to_le_bytes(), &tail[..(i % 9) as usize]].concat()
        })
        .collect()
}

fn geometries() -> Vec<(u64, u32)> {
    let sizes = [
        1,
        2,
        7,
        8,
        9,
        64,
        100,
        959,
        1024,
        9586,
        1 << 16,
        (1 << 17) + 1,
    ];
    let ks = [1, 2, 3, 4, 7, 29, 30];
    sizes
        .iter()
        .flat_map(|m| ks.iter().map(move |k| (*m, *k)))
        .collect()
}

#[test]
fn no_false_negatives_in_any_geometry_with_any_hash() {
    let secret = Secret::new([3; 16]);
    let hashers = [
        Hasher::fnv_splitmix(),
        Hasher::xxh3(1),
        Hasher::xxh64(2),
        Hasher::siphash13(&secret),
        Hasher::siphash24(&secret),
    ];
    let keys = keys(0, 333);
    for (m, k) in geometries() {
        for hasher in hashers {
            let mut filter = Filter::new(Geometry::new(m, k).unwrap(), hasher).unwrap();
            for key in &keys {
                filter.add(key);
                assert!(filter.contains(key));
            }
            let mut answers = Vec::new();
            filter.contains_many(&keys, &mut answers);
            assert_eq!(answers, vec![true; keys.len()], "m {} k {}", m, k);
            assert!(filter.geometry().padding_is_clear(filter.view().payload()));
        }
    }
}

#[test]
fn a_batch_answers_and_adds_as_its_keys_one_by_one() {
    for (m, k) in geometries() {
        for count in [0, 1, 31, 32, 33, 65] {
            let (present, absent) = (keys(1, count), keys(1000, 200));
            let mut single = Filter::with_geometry(m, k).unwrap();
            let mut batch = single.clone();
            present.iter().for_each(|key| {
                single.add(key);
            });
            batch.add_many(&present);
            assert!(single == batch, "m {} k {} count {}", m, k, count);
            let one_by_one: Vec<bool> = absent.iter().map(|key| single.contains(key)).collect();
            let mut answers = vec![true; 3];
            batch.contains_many(&absent, &mut answers);
            assert_eq!(answers, one_by_one, "m {} k {} count {}", m, k, count);
            let hashes: Vec<Hash> = absent.iter().map(|key| batch.hasher().hash(key)).collect();
            batch.view().contains_many_hashes(&hashes, &mut answers);
            assert_eq!(answers, one_by_one);
        }
    }
}

#[test]
fn add_tells_whether_a_bit_changed() {
    let mut filter = Filter::with_capacity(200, 0.01).unwrap();
    let mut fresh = 0;
    for key in keys(0, 200) {
        let before = filter.contains(&key);
        let bits = filter.view().cells_set();
        assert_eq!(filter.add(&key), !before);
        assert_eq!(filter.view().cells_set() > bits, !before);
        assert!(!filter.add(&key));
        assert!(filter.test_and_add(&key));
        fresh += usize::from(!before);
    }
    assert!(fresh > 180);
    assert!(!filter.test_and_add("another"));
    assert_eq!(filter.key_count(), Some(601));
}

#[test]
fn a_merge_is_the_filter_of_the_union() {
    let (a, b) = (keys(0, 300), keys(5000, 400));
    let of = |sets: &[&Vec<Vec<u8>>]| {
        let mut filter = Filter::with_geometry(4001, 5).unwrap();
        sets.iter().for_each(|keys| filter.add_many(keys));
        filter
    };
    let mut merged = of(&[&a]);
    merged.merge(&of(&[&b])).unwrap();
    assert!(merged == of(&[&a, &b]));
    let mut other_way = of(&[&b]);
    other_way.merge(&of(&[&a])).unwrap();
    assert!(merged == other_way);
    let mut twice = merged.clone();
    twice.merge(&merged).unwrap();
    assert_eq!(twice.view().payload(), merged.view().payload());
    let mut with_none = merged.clone();
    with_none.merge(&of(&[])).unwrap();
    assert!(with_none == merged);
}

#[test]
fn an_intersection_keeps_the_common_keys_and_no_other_bits() {
    let (a, b, c) = (keys(0, 100), keys(5000, 100), keys(9000, 100));
    let mut left = Filter::with_geometry(4001, 5).unwrap();
    let mut right = left.clone();
    left.add_many(&a);
    left.add_many(&c);
    right.add_many(&b);
    right.add_many(&c);
    let mut both = left.clone();
    both.intersect(&right).unwrap();
    assert!(c.iter().all(|key| both.contains(key)));
    let (left, right) = (left.view().payload(), right.view().payload());
    for ((both, left), right) in both.view().payload().iter().zip(left).zip(right) {
        assert_eq!(*both, left & right);
    }
    assert_eq!(both.key_count(), None);
}

#[test]
fn only_filters_of_one_shape_combine() {
    let make = |m, k, hasher| Filter::new(Geometry::new(m, k).unwrap(), hasher).unwrap();
    let mut base = make(100, 5, Hasher::xxh3(1));
    let others = [
        (make(101, 5, Hasher::xxh3(1)), "m"),
        (make(100, 6, Hasher::xxh3(1)), "k"),
        (make(100, 5, Hasher::xxh3(2)), "hash"),
        (make(100, 5, Hasher::xxh64(1)), "hash"),
    ];
    for (other, field) in others {
        assert_eq!(base.merge(&other).unwrap_err().field_name(), Some(field));
        assert_eq!(
            base.intersect(&other).unwrap_err().field_name(),
            Some(field)
        );
    }
}

#[test]
fn a_cleared_filter_is_as_new() {
    let mut filter = Filter::with_capacity(100, 0.01).unwrap();
    filter.add_many(&keys(0, 100));
    filter.clear();
    assert!(filter == Filter::with_capacity(100, 0.01).unwrap());
    assert_eq!((filter.fill(), filter.estimated_count()), (0.0, Some(0)));
    assert_eq!(filter.predicted_fpr(), 0.0);
}

#[test]
fn the_rate_is_the_one_asked_for_and_predicted() {
    let mut filter = Filter::with_capacity(20_000, 0.01).unwrap();
    for i in 0..20_000u64 {
        filter.add(i.to_le_bytes());
    }
    let absent: Vec<[u8; 8]> = (20_000..420_000u64).map(|i| i.to_le_bytes()).collect();
    let mut answers = Vec::new();
    filter.contains_many(&absent, &mut answers);
    let rate = answers.iter().filter(|answer| **answer).count() as f64 / absent.len() as f64;
    assert!((0.009..0.011).contains(&rate), "{}", rate);
    assert!((rate / filter.predicted_fpr() - 1.0).abs() < 0.08);
    let estimate = filter.estimated_count().unwrap() as f64;
    assert!((estimate / 20_000.0 - 1.0).abs() < 0.02, "{}", estimate);
}

#[test]
fn a_size_no_machine_has_is_an_error() {
    for m in [u64::MAX, u64::MAX - 7, 1 << 62] {
        let error = Filter::with_geometry(m, 1).unwrap_err();
        assert_eq!(error.kind(), crate::ErrorKind::OutOfMemory);
    }
    assert!(Filter::with_geometry(0, 1).is_err());
    assert!(Filter::with_geometry(1, 0).is_err());
    assert!(Filter::with_geometry(1, 31).is_err());
}

#[test]
fn a_view_refuses_bytes_that_are_not_its_geometry() {
    let geometry = Geometry::new(12, 3).unwrap();
    assert!(View::new(geometry, &[0xff, 0x0f], Hasher::xxh3(0)).is_ok());
    assert!(View::new(geometry, &[0xff, 0x1f], Hasher::xxh3(0)).is_err());
    assert!(View::new(geometry, &[0xff], Hasher::xxh3(0)).is_err());
    assert!(View::new(geometry, &[0xff, 0x0f, 0], Hasher::xxh3(0)).is_err());
}
