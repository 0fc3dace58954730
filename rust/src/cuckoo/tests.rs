//! The golden data of cuckoo filters.

use super::*;
use crate::golden::json::Json;
use crate::golden::{from_hex, hex_u64, vectors};
use crate::hash::{splitmix64, Hasher};

fn geometry_of(row: &Json) -> Geometry {
    Geometry::new(row.number("buckets"), row.number("fingerprint_bits")).unwrap()
}

#[test]
fn a_hash_has_its_fingerprint_and_its_buckets() {
    for row in vectors("cuckoo.json").rows("places") {
        let layout = Cuckoo::new(geometry_of(row));
        let place = Place {
            fingerprint: row.number("fingerprint"),
            first: row.number("first"),
            second: row.number("second"),
        };
        assert_eq!(layout.place(Hash::new(hex_u64(row.text("hash")))), place);
    }
}

#[test]
fn golden_payloads_are_read() {
    let golden = vectors("cuckoo.json");
    let mut seen = 0;
    for row in golden
        .rows("payloads")
        .iter()
        .filter(|row| row.get("hex").is_some())
    {
        let payload = from_hex(row.text("hex"));
        let view = View::new(geometry_of(row), &payload, Hasher::xxh3(0)).unwrap();
        assert_eq!(view.cells_set(), row.number::<u64>("taken"));
        assert_eq!(view.estimated_count(), Some(row.number("taken")));
        if row.number::<u64>("refused") == 0 {
            let left = row.number::<u64>("removed") - row.number::<u64>("again");
            for i in left..row.number("offered") {
                let hash = Hash::new(splitmix64(1 + i));
                assert!(view.contains_hash(hash) && view.count_hash(hash) > 0);
                seen += 1;
            }
        }
    }
    assert!(seen > 0);
}

#[test]
fn padding_other_than_zero_is_refused() {
    let geometry = Geometry::new(2, 12).unwrap();
    assert!(View::new(geometry, &[0; 14], Hasher::xxh3(0)).is_ok());
    for at in [12, 13] {
        let mut payload = [0; 14];
        payload[at] = 1;
        assert!(View::new(geometry, &payload, Hasher::xxh3(0)).is_err());
    }
    assert!(Geometry::new(3, 8).is_err() && Geometry::new(2, 9).is_err());
}
