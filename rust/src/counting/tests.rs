//! The golden data of counting filters.

use super::*;
use crate::golden::json::Json;
use crate::golden::{from_hex, hex_u64, numbers, vectors, words};
use crate::hash::{splitmix64, Hasher};
use crate::layout::{KindGeometry, Predict};
use xxhash_rust::xxh3::xxh3_64;

#[test]
fn the_counters_of_a_hash_are_those_of_classic() {
    let golden = vectors("counting.json");
    let small = |row: &&Json| row.number::<u64>("m") <= 1 << 20;
    for row in golden.rows("indexes").iter().filter(small) {
        for bits in [4, 32] {
            let geometry = Geometry::new(row.number("m"), row.number("k"), bits).unwrap();
            let hash = Hash::new(hex_u64(row.text("hash")));
            let mut payload = vec![0; geometry.payload_bytes() as usize];
            for i in numbers(row, "counters") {
                assert!(!Counting::new(geometry).contains(&payload, hash));
                match bits {
                    4 => payload[(i / 2) as usize] |= 7 << (4 * (i % 2)),
                    _ => payload[4 * i as usize + 3] = 7,
                }
            }
            assert!(Counting::new(geometry).contains(&payload, hash));
        }
    }
}

#[test]
fn golden_payloads_are_read() {
    let golden = vectors("counting.json");
    let whole = |row: &&Json| row.get("hex").is_some();
    for row in golden.rows("streams").iter().filter(whole) {
        let bits = row.number("counter_bits");
        let geometry = Geometry::new(row.number("m"), row.number("k"), bits).unwrap();
        let payload = from_hex(row.text("hex"));
        let view = View::new(geometry, &payload, Hasher::xxh3(0)).unwrap();
        assert_eq!(view.cells_set(), row.number::<u64>("counters_set"));
        let counts = (1..9).map(|i| u64::from(view.count_hash(Hash::new(splitmix64(i)))));
        assert_eq!(counts.collect::<Vec<_>>(), numbers(row, "counts"));
        let (_, bits) = view.layout().to_classic(&payload);
        assert_eq!(xxh3_64(&bits), hex_u64(row.text("classic_xxh3")));
        let (added, removed) = (numbers(row, "added"), numbers(row, "removed"));
        for i in added[0] + removed[1]..added[0] + added[1] {
            assert!(view.contains_hash(Hash::new(splitmix64(i))));
        }
        let classic = Classic::new(geometry.classic());
        assert_eq!(view.predicted_fpr(), classic.predicted_fpr(&bits));
    }
}

use crate::classic::Classic;

#[test]
fn what_breaks_a_rule_is_refused() {
    for row in vectors("counting.json").rows("invalid") {
        let payload = from_hex(row.text("payload_hex"));
        let view = Geometry::from_values(&words(row, "words"))
            .and_then(|geometry| View::new(geometry, &payload, Hasher::xxh3(0)).map(|_| ()));
        assert!(view.is_err(), "{}", row.text("why"));
    }
}
