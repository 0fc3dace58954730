//! The golden data of fuse filters, places and given parts included, which cannot be reached from outside; and what every
//! set of keys is promised.

use xxhash_rust::xxh3::xxh3_64;

use super::build::{build, build_in_parts, solve_by};
use super::factor::{factor_of, seed_of};
use super::size::window_and_slots;
use super::*;
use crate::golden::{self, json::Json};
use crate::hash::splitmix64;
use crate::layout::{KindGeometry, Size, Sizing, Words};

fn vectors() -> Json {
    golden::vectors("fuse.json")
}

fn numbers(row: &Json, name: &str) -> Vec<u64> {
    match row.get(name) {
        Some(Json::List(rows)) => rows.iter().map(number).collect(),
        other => panic!("{}: {:?}", name, other),
    }
}

fn number(value: &Json) -> u64 {
    match value {
        Json::Number(text) => text.parse().unwrap(),
        Json::Text(text) => u64::from_str_radix(text, 16).unwrap(),
        other => panic!("{:?}", other),
    }
}

/// The fields of a geometry that a row names; others are 0.
fn values(row: &Json) -> Words {
    let mut words = Words::default();
    for (word, field) in words.iter_mut().zip(Geometry::FIELDS) {
        *word = row.get(field).map_or(0, number);
    }
    words
}

#[test]
fn every_hash_has_its_places() {
    for row in vectors().rows("places") {
        // Not by from_values: some of these filters are larger than any file.
        let [arity, bits, parts, window, slots, ..] = values(row);
        let geometry = Geometry {
            arity: arity as u32,
            fingerprint_bits: bits as u32,
            parts,
            window,
            slots,
            keys: 0,
        };
        let (places, hash) = (
            Places::new(geometry),
            Hash::new(number(row.get("hash").unwrap())),
        );
        let factor = factor_of(parts, row.number("seed"));
        let slots: Vec<usize> = match geometry.arity {
            3 => places.slots::<3>(hash, factor).to_vec(),
            _ => places.slots::<4>(hash, factor).to_vec(),
        };
        let slots: Vec<u64> = slots.iter().map(|slot| *slot as u64).collect();
        assert_eq!(places.part(hash), row.number::<u64>("part"));
        assert_eq!(slots, numbers(row, "places"));
        assert_eq!(places.fingerprint(hash), row.number::<u16>("fingerprint"));
    }
}

#[test]
fn sizes_are_the_same_everywhere() {
    let golden = vectors();
    for row in golden.rows("parts") {
        let found = window_and_slots(row.number("n"), row.number("arity"));
        assert_eq!(
            found,
            (row.number("window"), row.number("slots")),
            "{:?}",
            row
        );
    }
    for row in golden.rows("sizing") {
        let size = Size::Fpr(row.number("fpr"));
        let found = Geometry::for_size(row.number("n"), size, Some(row.number("arity")));
        assert_eq!(found.unwrap().values(), values(row), "{:?}", row);
    }
    for row in golden.rows("bits_per_key") {
        let found = Geometry::for_bits_per_key(row.number("n"), row.number("bits_per_key"));
        assert_eq!(found.unwrap().values(), values(row), "{:?}", row);
    }
    for row in golden.rows("refused") {
        let fpr: f64 = row.text("fpr").parse().unwrap();
        assert!(
            Geometry::for_capacity(row.number("n"), fpr).is_err(),
            "{:?}",
            row
        );
    }
    for row in golden.rows("refused_bits_per_key") {
        let found = Geometry::for_bits_per_key(row.number("n"), row.number("bits_per_key"));
        assert!(found.is_err(), "{:?}", row);
    }
}

fn check_payload(row: &Json, mut hashes: Vec<Hash>) {
    hashes.sort_unstable();
    hashes.dedup();
    let wanted = values(row);
    let target = Geometry::plan(1, wanted[0], wanted[1] as u32).unwrap();
    let (geometry, payload) = match wanted[2] {
        1 => build(&hashes, target).unwrap(),
        parts => build_in_parts(&hashes, target, parts).unwrap(),
    };
    assert_eq!(geometry.values(), wanted, "{:?}", row);
    let by_wide_words = match wanted[0] {
        3 => solve_by::<3, u64>(&hashes, geometry).unwrap(),
        _ => solve_by::<4, u64>(&hashes, geometry).unwrap(),
    };
    assert!(by_wide_words.as_ref() == Some(&payload), "{:?}", row);
    let seeds: Vec<u64> = (0..geometry.parts as usize)
        .map(|part| u64::from(seed_of(geometry.parts, geometry.factor(&payload, part))))
        .collect();
    assert_eq!(seeds, numbers(row, "seeds"));
    let view = View::new(geometry, &payload, Hasher::xxh3(0)).unwrap();
    assert!(hashes.iter().all(|hash| view.contains_hash(*hash)));
    assert_eq!(view.retries(), Some(seeds.iter().sum()));
    match row.get("hex") {
        Some(hex) => {
            let found: String = payload.iter().map(|byte| format!("{:02x}", byte)).collect();
            assert_eq!(found, hex.as_text());
        }
        None => assert_eq!(xxh3_64(&payload), number(row.get("xxh3").unwrap())),
    }
}

#[test]
fn payloads_are_the_same_to_the_byte() {
    let golden = vectors();
    for row in golden.rows("payloads") {
        let (first, count): (u64, u64) = (row.number("first"), row.number("count"));
        check_payload(
            row,
            (first..first + count)
                .map(|i| Hash::new(splitmix64(i)))
                .collect(),
        );
    }
    for row in golden.rows("hashes") {
        check_payload(
            row,
            numbers(row, "hashes").into_iter().map(Hash::new).collect(),
        );
    }
}

#[test]
fn every_small_set_is_built_and_nothing_else_is_in_it() {
    for n in (0..70).chain([1000, 11_500]) {
        for (arity, fpr) in [(3, 0.01), (4, 0.01), (3, 1e-4), (4, 1e-4)] {
            let hashes: Vec<Hash> = (0..n)
                .map(|i| Hash::new(splitmix64(i << 8 | arity)))
                .collect();
            let target = Geometry::for_size(1, Size::Fpr(fpr), Some(arity)).unwrap();
            let twice = [&hashes[..], &hashes[..]].concat();
            let filter = Filter::build_hashes(twice, target, Hasher::xxh3(0)).unwrap();
            assert!(hashes.iter().all(|hash| filter.contains_hash(*hash)));
            assert_eq!(
                (filter.key_count(), filter.estimated_count()),
                (Some(n), Some(n))
            );
            let absent: Vec<Hash> = (0..4000).map(|i| Hash::new(splitmix64(!i))).collect();
            let mut answers = Vec::new();
            filter.view().contains_many_hashes(&absent, &mut answers);
            let found = answers.iter().filter(|answer| **answer).count() as f64;
            let expected = 4000.0 * filter.predicted_fpr();
            assert!(
                found <= expected + 6.0 * expected.sqrt() + 3.0,
                "{} of n {}",
                found,
                n
            );
            for (hash, answer) in absent.iter().zip(&answers).take(99) {
                assert_eq!(filter.contains_hash(*hash), *answer);
            }
        }
    }
}

#[test]
fn keys_are_built_by_their_own_hash_and_the_file_comes_back() {
    let keys: Vec<String> = (0..500).map(|i| format!("key{}", i)).collect();
    let filter = Filter::build(&keys, 0.004).unwrap();
    assert!(keys.iter().all(|key| filter.contains(key)));
    let file = filter.encode(crate::Format::Envelope).unwrap();
    assert!(Filter::decode(&file, None).unwrap() == filter);
    assert!(filter.encode(crate::Format::Raw).is_err());
    assert!(Filter::build(&keys, 1e-5).is_err());
    assert!(crate::AnyFilter::from(filter)
        .add_many(&["one more"])
        .is_err());
}

#[test]
fn geometries_that_no_filter_has_are_refused() {
    let good: Words = [3, 8, 1, 4, 20, 10, 0, 0];
    assert!(Geometry::from_values(&good).is_ok());
    let wrong = [
        (0, vec![0, 2, 5, 1 << 32 | 3]),
        (1, vec![0, 7, 32]),
        (2, vec![0, (1 << 32) + 1, 1 << 44]),
        (3, vec![0, 3, 10, 1 << 17]),
        (4, vec![0, 8, (1 << 48) + 1, u64::MAX]),
        (5, vec![21, u64::MAX]),
    ];
    for (word, bad) in wrong {
        for value in bad {
            let mut values = good;
            values[word] = value;
            assert!(Geometry::from_values(&values).is_err(), "{:?}", values);
        }
    }
}
