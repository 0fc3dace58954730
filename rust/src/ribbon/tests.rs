//! The golden data of ribbon filters.

use super::*;
use crate::golden::json::Json;
use crate::golden::{from_hex, hex_u64, numbers, vectors, words};
use crate::hash::Hasher;
use crate::layout::KindGeometry;

#[test]
fn a_hash_has_its_place_coefficients_and_fingerprint() {
    for row in vectors("ribbon.json").rows("keys") {
        let place = place_of(Hash::new(hex_u64(row.text("hash"))), row.number("seed"));
        let coefficients = splitmix64(place);
        assert_eq!(place, hex_u64(row.text("place")));
        assert_eq!(coefficients, hex_u64(row.text("coefficients")));
        let fingerprint = fingerprint_of(coefficients);
        let columns = (0..32).map(|i| (fingerprint >> (8 * (i % 8) + i / 8) & 1) << i);
        assert_eq!(columns.sum::<u64>(), hex_u64(row.text("fingerprint")));
    }
}

#[test]
fn windows_are_where_they_belong() {
    for row in vectors("ribbon.json").rows("layouts") {
        let (starts, share) = (row.number("starts"), row.number("low_share"));
        let layer = Layer::of_starts(starts, row.number("columns"), share, 0);
        assert_eq!(layer.cut, row.number::<u64>("cut"));
        if row.get("bytes").is_none() {
            continue;
        }
        assert_eq!(layer.bytes(), row.number::<u64>("bytes"));
        assert_eq!(layer.slots(), row.number::<u64>("slots"));
        for window in row.rows("windows") {
            let window = Json::Object(vec![("w".to_string(), window.clone())]);
            let window = numbers(&window, "w");
            let found = [
                window[0],
                layer.columns_at(window[0]),
                layer.window(window[0]),
            ];
            assert_eq!(found, window[..]);
        }
    }
}

fn hashes(row: &Json) -> Vec<Hash> {
    let hash = |i: u64| match row.text("hashes") {
        "random" => splitmix64(1 + i),
        "counted" => i,
        "spaced" => i << 44,
        other => panic!("{}", other),
    };
    (0..row.number("keys"))
        .map(|i| Hash::new(hash(i)))
        .collect()
}

#[test]
fn golden_payloads_are_read() {
    let mut seen = 0;
    for row in vectors("ribbon.json").rows("payloads") {
        let geometry = Geometry::from_values(&words(row, "geometry")).unwrap();
        assert_eq!(
            geometry.payload_bytes(),
            row.number::<u64>("bytes"),
            "{:?}",
            row
        );
        if row.get("hex").is_some() {
            let payload = from_hex(row.text("hex"));
            let view = View::new(geometry, &payload, Hasher::xxh3(0)).unwrap();
            for hash in hashes(row) {
                assert!(view.contains_hash(hash), "{:?}", row);
                seen += 1;
            }
            let absent = (1u64 << 40..(1 << 40) + 20_000).map(|i| Hash::new(splitmix64(i)));
            let found = absent.filter(|hash| view.contains_hash(*hash)).count() as f64;
            let expected = 20_000.0 * view.predicted_fpr();
            assert!(
                (found - expected).abs() <= 6.0 * expected.sqrt() + 1e-9,
                "{}",
                found
            );
            assert_eq!(view.retries(), Some(words(row, "geometry")[3]));
        }
    }
    assert!(seen > 30, "{}", seen);
}

#[test]
fn plans_have_their_bytes() {
    for row in vectors("ribbon.json").rows("sizing") {
        let geometry = Geometry::from_values(&words(row, "geometry")).unwrap();
        assert_eq!(
            geometry.payload_bytes(),
            row.number::<u64>("bytes"),
            "{:?}",
            row
        );
    }
    for wrong in [
        [0, 0, 0, 0, 0, 0, 0, 0],
        [0, 33, 0, 0, 0, 0, 0, 0],
        [1000, 1, 1, 0, 0, 0, 0, 0],
        [1000, 7, 65536, 0, 0, 0, 0, 0],
        [1000, 7, 0, 4, 0, 0, 0, 0],
        [1000, 7, 0, 0, 1001, 0, 0, 0],
        [1_000_000, 7, 0, 0, 0, 0, 0, 0],
        [3, 7, 0, 0, 2, 2, 2, 2],
    ] {
        assert!(Geometry::from_values(&wrong).is_err(), "{:?}", wrong);
    }
}
