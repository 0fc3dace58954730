//! The golden data of quotient filters. The bytes follow from the fingerprints alone, so that sorting them writes a
//! payload; that writer is of the tests alone.

use super::*;
use crate::golden::json::Json;
use crate::golden::{from_hex, hex_u64, numbers, vectors};
use crate::hash::{splitmix64, Hasher};
use crate::layout::{KindGeometry, Predict};
use xxhash_rust::xxh3::xxh3_64;

fn geometry_of(row: &Json) -> Geometry {
    Geometry::new(row.number("quotient_bits"), row.number("remainder_bits")).unwrap()
}

fn set(payload: &mut [u8], bit: u64) {
    payload[(bit / 8) as usize] |= 1 << (bit % 8);
}

fn filled(geometry: Geometry, hashes: &[Hash]) -> Vec<u8> {
    let layout = Quotient::new(geometry);
    let mut places: Vec<(u64, u64)> = hashes.iter().map(|hash| layout.place(*hash)).collect();
    places.sort_unstable();
    let mut payload = vec![0; geometry.payload_bytes() as usize];
    let block_at = |slot: u64| 8 * (slot / 64) * geometry.block_bytes();
    let mut free = 0;
    for (i, (home, remainder)) in places.iter().enumerate() {
        // The runs of earlier blocks take the slots of this one up to `free`.
        let slot = free.max(*home);
        set(&mut payload, block_at(*home) + 16 + home % 64);
        for j in (0..u64::from(geometry.remainder_bits())).filter(|j| remainder >> j & 1 == 1) {
            let bit = slot % 64 * u64::from(geometry.remainder_bits()) + j;
            set(&mut payload, block_at(slot) + 144 + bit);
        }
        if places.get(i + 1).map_or(true, |next| next.0 != *home) {
            set(&mut payload, block_at(slot) + 80 + slot % 64);
        }
        for block in home / 64 + 1..=slot / 64 {
            let at = (block * geometry.block_bytes()) as usize;
            let offset = (slot + 1 - 64 * block) as u16;
            payload[at..at + 2].copy_from_slice(&offset.to_le_bytes());
        }
        free = slot + 1;
    }
    let end = payload.len() - 8;
    payload[end..].copy_from_slice(&(places.len() as u64).to_le_bytes());
    payload
}

fn stream(row: &Json) -> Vec<Hash> {
    let (ends, copies) = (numbers(row, "stream"), row.number::<u64>("copies"));
    let times = |i: u64| {
        std::iter::repeat(Hash::new(splitmix64(ends[0] + i))).take((1 + i % copies) as usize)
    };
    (0..ends[1]).flat_map(times).collect()
}

#[test]
fn a_hash_has_its_fingerprint() {
    for row in vectors("quotient.json").rows("fingerprints") {
        let place = Quotient::new(geometry_of(row)).place(Hash::new(hex_u64(row.text("hash"))));
        assert_eq!(place, (row.number("quotient"), row.number("remainder")));
    }
    for row in vectors("quotient.json").rows("geometry") {
        let geometry = geometry_of(row);
        assert_eq!(geometry.capacity(), row.number::<u64>("capacity"));
        assert_eq!(geometry.slots(), row.number::<u64>("slots"));
        assert_eq!(geometry.payload_bytes(), row.number::<u64>("bytes"));
    }
    for row in vectors("quotient.json").rows("refused") {
        let bits = [
            row.number("quotient_bits"),
            row.number("remainder_bits"),
            0,
            0,
            0,
            0,
            0,
            0,
        ];
        assert!(Geometry::from_values(&bits).is_err(), "{:?}", row);
    }
}

#[test]
fn golden_payloads_are_read() {
    let golden = vectors("quotient.json");
    let example = golden.get("example").unwrap();
    for row in golden.rows("payloads").iter().chain([example]) {
        let (geometry, hashes) = (geometry_of(row), stream(row));
        let payload = filled(geometry, &hashes);
        match row.get("hex") {
            Some(hex) => assert_eq!(payload, from_hex(hex.as_text())),
            None => assert_eq!(xxh3_64(&payload), hex_u64(row.text("xxh3")), "{:?}", row),
        }
        let view = View::new(geometry, &payload, Hasher::xxh3(0)).unwrap();
        assert_eq!(view.cells_set(), hashes.len() as u64);
        let mut places: Vec<(u64, u64)> = Vec::new();
        for hash in &hashes {
            assert!(view.contains_hash(*hash));
            places.push(view.layout().place(*hash));
        }
        places.sort_unstable();
        for hash in hashes.iter().take(2000) {
            let place = view.layout().place(*hash);
            let from = places.partition_point(|other| *other < place);
            let equal = places[from..].iter().take_while(|other| **other == place);
            assert_eq!(view.count_hash(*hash), equal.count() as u64);
        }
        places.dedup();
        let bits = geometry.quotient_bits() + geometry.remainder_bits();
        let rate = places.len() as f64 / f64::from(bits).exp2();
        assert_eq!(view.layout().predicted_fpr(&payload), rate);
        // Every answer is the one of the list of fingerprints.
        for i in 1 << 40..(1 << 40) + 2000 {
            let hash = Hash::new(splitmix64(i));
            let there = places.binary_search(&view.layout().place(hash)).is_ok();
            assert_eq!(view.contains_hash(hash), there);
        }
    }
}

#[test]
fn damaged_bytes_end_in_an_answer() {
    let geometry = Geometry::new(7, 9).unwrap();
    let hashes: Vec<Hash> = (0..110).map(|i| Hash::new(splitmix64(i))).collect();
    let good = filled(geometry, &hashes);
    for i in 0..3000 {
        let mut payload = good.clone();
        for j in 0..4 {
            let at = splitmix64(4 * i + j) as usize % (payload.len() - 8);
            payload[at] = splitmix64(i ^ j << 32) as u8;
        }
        let layout = Quotient::new(geometry);
        for hash in &hashes {
            let _ = layout.contains(&payload, *hash);
        }
        let _ = layout.predicted_fpr(&payload);
    }
    let mut full = good;
    let end = full.len() - 8;
    full[end] = 122;
    assert!(View::new(geometry, &full, Hasher::xxh3(0)).is_err());
}
