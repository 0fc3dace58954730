//! The golden data of stable filters; the writer is of the tests alone.

use super::*;
use crate::golden::json::Json;
use crate::golden::{from_hex, hex_u64, numbers, vectors, words};
use crate::hash::{splitmix64, Hasher};
use xxhash_rust::xxh3::xxh3_64;

fn stream(row: &Json) -> Vec<Hash> {
    let ends = numbers(row, "stream");
    let numbers = ends[0]..ends[0] + ends[1];
    numbers.map(|i| Hash::new(splitmix64(i))).collect()
}

fn add(geometry: Geometry, payload: &mut [u8], hash: Hash) {
    let mut hand = u64_at(payload, 0);
    for _ in 0..geometry.decrement() {
        let (byte, shift) = (64 + (hand / 4) as usize, 2 * (hand % 4));
        if payload[byte] >> shift & 3 != 0 {
            payload[byte] -= 1 << shift;
        }
        hand = (hand + 1) % geometry.cells();
    }
    payload[..8].copy_from_slice(&hand.to_le_bytes());
    let line = 64 * (1 + mulhi(hash.bits(), geometry.lines()) as usize);
    for salt in SALT.iter().take(geometry.k() as usize) {
        let cell = (hash.bits() as u32).wrapping_mul(*salt) >> 24;
        payload[line + cell as usize / 4] |= 3 << (2 * (cell % 4));
    }
}

#[test]
fn golden_payloads_are_read() {
    let golden = vectors("stable.json");
    let example = golden.get("example").unwrap();
    for row in golden.rows("payloads").iter().chain([example]) {
        let geometry = Geometry::from_values(&words(row, "words")).unwrap();
        let mut payload = vec![0; geometry.payload_bytes() as usize];
        for hash in stream(row) {
            add(geometry, &mut payload, hash);
        }
        let view = View::new(geometry, &payload, Hasher::xxh3(0)).unwrap();
        let seen = stream(row)
            .into_iter()
            .filter(|hash| view.contains_hash(*hash));
        match row.get("hex") {
            Some(hex) => assert_eq!(payload, from_hex(hex.as_text())),
            None => {
                assert_eq!(xxh3_64(&payload), hex_u64(row.text("xxh3")));
                assert_eq!(seen.count() as u64, row.number::<u64>("seen_recently"));
            }
        }
        assert!((0.0..=1.0).contains(&view.predicted_fpr()));
        assert_eq!(view.estimated_count(), None);
    }
}

#[test]
fn a_header_that_breaks_a_rule_is_refused() {
    let geometry = Geometry::new(1, 5, 27).unwrap();
    let good = |payload: &[u8]| View::new(geometry, payload, Hasher::xxh3(0)).is_ok();
    let mut payload = vec![0; 128];
    assert!(good(&payload));
    payload[0] = 255;
    assert!(good(&payload));
    payload[1] = 1;
    assert!(!good(&payload));
    payload[..2].fill(0);
    payload[63] = 1;
    assert!(!good(&payload));
    assert_eq!(geometry.remembered_adds(), 18);
    assert!(Geometry::new(0, 5, 27).is_err() && Geometry::new(1, 17, 27).is_err());
}
