//! The golden data of scalable filters.

use super::*;
use crate::golden::{from_hex, numbers, vectors, words};
use crate::hash::{splitmix64, Hasher};

fn example() -> (Geometry, Vec<u8>, Vec<Hash>) {
    let golden = vectors("scalable.json");
    let row = golden.get("example").unwrap();
    let ends = numbers(row, "stream");
    let hashes = ends[0]..ends[0] + ends[1];
    (
        Geometry::from_values(&words(row, "words")).unwrap(),
        from_hex(row.text("hex")),
        hashes.map(|i| Hash::new(splitmix64(i))).collect(),
    )
}

#[test]
fn the_golden_chain_is_read() {
    let (geometry, payload, hashes) = example();
    let view = View::new(geometry, &payload, Hasher::xxh3(0)).unwrap();
    assert!(hashes.iter().all(|hash| view.contains_hash(*hash)));
    let absent = (1u64 << 40..(1 << 40) + 10_000).map(|i| Hash::new(splitmix64(i)));
    let found = absent.filter(|hash| view.contains_hash(*hash)).count();
    assert!(found < 100, "{} of 10,000, for 1 %", found);
    assert_eq!(view.estimated_count(), Some(4));
    for row in vectors("scalable.json").rows("payloads") {
        let geometry = Geometry::from_values(&words(row, "words")).unwrap();
        assert_eq!(geometry.payload_bytes(), row.number::<u64>("bytes"));
    }
}

#[test]
fn a_directory_that_breaks_a_rule_is_refused() {
    let (geometry, payload, _) = example();
    // The lowest bytes of each field of the three entries, and the padding behind them.
    for at in (0..96).step_by(8).chain([96, 127]) {
        let mut damaged = payload.clone();
        // Two bytes of each: a capacity of 255 would be one.
        damaged[at] = 0xff;
        damaged[at + usize::from(at < 127)] = 0xff;
        let view = View::new(geometry, &damaged, Hasher::xxh3(0));
        assert!(view.is_err(), "byte {}", at);
    }
    assert!(Geometry::from_values(&[65, 100, 1, 1, 2, 10_000_000_000, 0, 0]).is_err());
    assert!(Geometry::from_values(&[2, 1, 1, 1, 2, 10_000_000_000, 0, 0]).is_err());
    assert!(Geometry::from_values(&[1, 1, 1, 513, 2, 10_000_000_000, 0, 0]).is_err());
}
