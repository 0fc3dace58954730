//! The golden data of hashes, sizing and the raw classic file, the same for every language.

mod common;

use bloomery::classic::{Filter, Geometry};
use bloomery::hash::{fnv1a64, splitmix64};
use bloomery::{Format, HashId, Hasher, Secret};
use common::json::Json;
use common::{from_hex, hex_u64, named_keys, sha256, vectors};

fn geometry_of(row: &Json) -> Geometry {
    Geometry::new(row.number("m"), row.number("k")).unwrap()
}

#[test]
fn the_test_digest_is_sha256() {
    assert_eq!(
        sha256::hex(b"abc"),
        "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    );
}

#[test]
fn classic_hashes() {
    let golden = vectors("classic.json");
    for row in golden.rows("hash") {
        let key = from_hex(row.text("key_hex"));
        assert_eq!(fnv1a64(&key), hex_u64(row.text("fnv1a64")));
        let hash = Hasher::fnv_splitmix().hash(&key).bits();
        assert_eq!(hash, hex_u64(row.text("mix64")));
        assert_eq!(hash & 0xffff_ffff, hex_u64(row.text("h1")));
        assert_eq!(hash >> 32, hex_u64(row.text("h2")));
    }
    for row in golden.rows("splitmix64") {
        assert_eq!(splitmix64(hex_u64(row.text("x"))), hex_u64(row.text("y")));
    }
}

#[test]
fn classic_filters_are_the_same_to_the_byte() {
    for row in vectors("classic.json").rows("filters") {
        let mut filter = Filter::with_capacity(row.number("n"), row.number("fpr")).unwrap();
        assert_eq!(filter.geometry(), geometry_of(row));
        filter.add_many(&named_keys("key", row.number("n")));
        let file = filter.encode(Format::Raw).unwrap();
        assert_eq!(file.len(), row.number::<usize>("bytes"));
        assert_eq!(sha256::hex(&file), row.text("sha256"));
        assert_eq!(filter.view().cells_set(), row.number::<u64>("bits_set"));
        if row.get("hex").is_some() {
            assert_eq!(file, from_hex(row.text("hex")));
        }
        let maybe: Vec<String> = named_keys("miss", 1000)
            .into_iter()
            .filter(|key| filter.contains(key))
            .collect();
        let expected: Vec<&str> = row
            .rows("absent_that_answer_maybe")
            .iter()
            .map(Json::as_text)
            .collect();
        // The golden data lists the first ones.
        assert_eq!(maybe[..expected.len().min(maybe.len())], expected);
        assert_eq!(
            maybe.len(),
            row.number::<usize>("maybe_count_of_1000_misses")
        );
    }
}

#[test]
fn invalid_classic_files_are_refused() {
    for row in vectors("classic.json").rows("invalid") {
        let refused = Filter::decode(&from_hex(row.text("hex")), None);
        assert!(refused.is_err(), "{}", row.text("why"));
    }
}

fn check_hashes(golden: &Json, row: &Json, key: &[u8]) {
    let expect = |hasher: Hasher, expected: &str| {
        let hash = hasher.hash(key).bits();
        assert_eq!(hash, hex_u64(expected), "{:?} of {:?}", hasher, row);
    };
    expect(Hasher::fnv_splitmix(), row.text("fnv_splitmix"));
    for (i, seed) in golden.rows("seeds").iter().enumerate() {
        let seed = hex_u64(seed.as_text());
        expect(Hasher::xxh3(seed), row.rows("xxh3")[i].as_text());
        expect(Hasher::xxh64(seed), row.rows("xxh64")[i].as_text());
    }
    for (i, secret) in golden.rows("secrets").iter().enumerate() {
        let secret_id = hex_u64(secret.text("secret_id"));
        let secret = Secret::from_text(secret.text("secret").as_bytes()).unwrap();
        assert_eq!(secret.id(), secret_id);
        expect(
            Hasher::siphash13(&secret),
            row.rows("siphash13")[i].as_text(),
        );
        expect(
            Hasher::siphash24(&secret),
            row.rows("siphash24")[i].as_text(),
        );
    }
}

#[test]
fn every_hash_of_every_length() {
    let golden = vectors("hash.json");
    for row in golden.rows("rows") {
        let key: Vec<u8> = (0..row.number::<usize>("length"))
            .map(|i| (i % 251) as u8)
            .collect();
        if row.get("key_hex").is_some() {
            assert_eq!(key, from_hex(row.text("key_hex")));
        }
        check_hashes(&golden, row, &key);
    }
    for row in golden.rows("integers") {
        let integer: i64 = row.text("integer").parse().unwrap();
        let key = integer.to_le_bytes();
        assert_eq!(key.to_vec(), from_hex(row.text("key_hex")));
        check_hashes(&golden, row, &key);
        let hash = Hasher::fnv_splitmix().hash_key(integer);
        assert_eq!(hash.bits(), hex_u64(row.text("fnv_splitmix")));
    }
    assert_eq!(HashId::ALL.len(), 5);
}
