//! The golden data of partitioned filters; the writer is of the tests alone.

use super::*;
use crate::golden::json::Json;
use crate::golden::{from_hex, hex_u64, numbers, vectors};
use crate::hash::Hasher;
use crate::layout::{KindGeometry, Predict};
use xxhash_rust::xxh3::xxh3_64;

fn stream(row: &Json) -> Vec<Hash> {
    let ends = numbers(row, "stream");
    let numbers = ends[0]..ends[0] + ends[1];
    numbers.map(|i| Hash::new(splitmix64(i))).collect()
}

fn geometry_of(row: &Json) -> Geometry {
    Geometry::new(row.number("slice_bits"), row.number("k")).unwrap()
}

fn filled(geometry: Geometry, hashes: &[Hash]) -> Vec<u8> {
    let mut payload = vec![0; geometry.payload_bytes() as usize];
    for hash in hashes {
        for i in 0..u64::from(geometry.k()) {
            let place = hash.bits().wrapping_mul(splitmix64(i) | 1);
            let bit = i * geometry.slice_bits() + mulhi(place, geometry.slice_bits());
            payload[(bit / 8) as usize] |= 1 << (bit % 8);
        }
    }
    payload
}

#[test]
fn a_hash_is_found_when_exactly_its_bits_are_set() {
    let golden = vectors("partitioned.json");
    let small = |row: &&Json| row.number::<u64>("slice_bits") <= 1 << 20;
    for row in golden.rows("positions").iter().filter(small) {
        let geometry = Geometry::new(row.number("slice_bits"), 30).unwrap();
        let hash = Hash::new(hex_u64(row.text("hash")));
        let mut payload = vec![0; geometry.payload_bytes() as usize];
        for bit in numbers(row, "positions") {
            assert!(!Partitioned::new(geometry).contains(&payload, hash));
            payload[(bit / 8) as usize] |= 1 << (bit % 8);
        }
        assert!(Partitioned::new(geometry).contains(&payload, hash));
    }
}

#[test]
fn golden_payloads_are_read() {
    let golden = vectors("partitioned.json");
    for row in golden.rows("payloads") {
        let (geometry, hashes) = (geometry_of(row), stream(row));
        let payload = filled(geometry, &hashes);
        assert_eq!(xxh3_64(&payload), hex_u64(row.text("xxh3")));
        let view = View::new(geometry, &payload, Hasher::xxh3(0)).unwrap();
        assert!(hashes.iter().all(|hash| view.contains_hash(*hash)));
        assert!((0.0..=1.0).contains(&view.predicted_fpr()));
    }
    let row = golden.get("example").unwrap();
    assert_eq!(
        filled(geometry_of(row), &stream(row)),
        from_hex(row.text("hex"))
    );
}

#[test]
fn the_rate_is_the_product_of_the_fills() {
    let geometry = Geometry::new(10, 3).unwrap();
    // Bits 0 to 4 of the first slice, 10 of the second, 20 to 29 of the third.
    let payload = [0b0001_1111, 0b0000_0100, 0b1111_0000, 0b0011_1111];
    let layout = Partitioned::new(geometry);
    assert!((layout.predicted_fpr(&payload) - 0.5 * 0.1 * 1.0).abs() < 1e-15);
    assert!(View::new(geometry, &[0, 0, 0, 0x40], Hasher::xxh3(0)).is_err());
}

#[test]
fn the_estimate_comes_near_the_keys() {
    let geometry = Geometry::new(100_003, 7).unwrap();
    let hashes: Vec<Hash> = (0..40_000).map(|i| Hash::new(splitmix64(i))).collect();
    let layout = Partitioned::new(geometry);
    let estimate = layout.estimated_count(&filled(geometry, &hashes)).unwrap() as f64;
    assert!((estimate / 40_000.0 - 1.0).abs() < 0.01, "{}", estimate);
}
