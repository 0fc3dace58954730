//! Split and block filters against the golden data of all languages.

mod common;

use bloomery::hash::splitmix64;
use bloomery::layout::KindGeometry;
use bloomery::wire::{Parsed, Verify};
use bloomery::{
    block, split, AnyFilter, AnyGeometry, Format, Hash, HashId, Hasher, Kind, Secret, Size,
};
use common::format::fmt_g4;
use common::json::Json;
use common::{from_hex, hex_u64, named_keys, sha256, vectors};

fn positions(payload: &[u8]) -> Vec<u64> {
    (0..payload.len() as u64 * 8)
        .filter(|i| payload[(i / 8) as usize] >> (i % 8) & 1 == 1)
        .collect()
}

fn numbers(row: &Json, name: &str) -> Vec<u64> {
    let list = row.rows(name).iter();
    let mut numbers: Vec<u64> = list
        .map(|number| match number {
            Json::Number(text) => text.parse().unwrap(),
            other => panic!("no number: {:?}", other),
        })
        .collect();
    numbers.sort_unstable();
    numbers.dedup();
    numbers
}

/// Where a hash alone sets bits: one block of the filter, and places in it.
fn places(geometry: AnyGeometry, hash: u64, block_bits: u64) -> (u64, Vec<u64>) {
    let mut filter = AnyFilter::new(geometry, Hasher::fnv_splitmix()).unwrap();
    match &mut filter {
        AnyFilter::Split(filter) => assert!(filter.add_hash(Hash::new(hash))),
        AnyFilter::Block(filter) => assert!(filter.add_hash(Hash::new(hash))),
        other => panic!("{:?}", other.geometry()),
    }
    let set = positions(filter.view().payload());
    let block = set[0] / block_bits;
    (block, set.iter().map(|p| p - block * block_bits).collect())
}

#[test]
fn every_hash_has_its_block_and_bits() {
    let golden = vectors("blocked.json");
    // Filters of more blocks than this would take the memory of the machine; their block is a product either way.
    let small = |row: &&Json| row.number::<u64>("nblocks") <= 1000;
    for row in golden.rows("split").iter().filter(small) {
        let geometry = split::Geometry::new(row.number("nblocks")).unwrap();
        let (block, set) = places(geometry.into(), hex_u64(row.text("hash")), 256);
        assert_eq!(
            (block, set),
            (row.number("block"), numbers(row, "positions"))
        );
    }
    for row in golden.rows("block").iter().filter(small) {
        let geometry = block::Geometry::new(row.number("nblocks"), 16).unwrap();
        let (block, set) = places(geometry.into(), hex_u64(row.text("hash")), 512);
        assert_eq!(
            (block, set),
            (row.number("block"), numbers(row, "positions_k16"))
        );
    }
}

fn stream(row: &Json) -> Vec<Hash> {
    let ends = numbers(row, "stream");
    let (first, count) = (ends[0], *ends.last().unwrap());
    (first..first + count)
        .map(|i| Hash::new(splitmix64(i)))
        .collect()
}

#[test]
fn payloads_and_their_rates_are_the_same_to_the_byte() {
    let golden = vectors("blocked.json");
    for row in golden.rows("split_payloads") {
        let geometry = split::Geometry::new(row.number("nblocks")).unwrap();
        let mut filter = split::Filter::new(geometry, Hasher::xxh64(0)).unwrap();
        for hash in stream(row) {
            filter.add_hash(hash);
            assert!(filter.contains_hash(hash) && !filter.add_hash(hash));
        }
        assert_eq!(sha256::hex(filter.view().payload()), row.text("sha256"));
        assert_eq!(fmt_g4(filter.predicted_fpr()), row.text("predicted_fpr"));
    }
    for row in golden.rows("block_payloads") {
        let geometry = block::Geometry::new(row.number("nblocks"), row.number("k")).unwrap();
        let mut filter = block::Filter::new(geometry, Hasher::xxh3(0)).unwrap();
        for hash in stream(row) {
            filter.add_hash(hash);
            assert!(filter.contains_hash(hash) && !filter.add_hash(hash));
        }
        assert_eq!(sha256::hex(filter.view().payload()), row.text("sha256"));
        assert_eq!(fmt_g4(filter.predicted_fpr()), row.text("predicted_fpr"));
    }
}

/// The numbers of the geometry that a size makes; `None` when it is refused.
fn sized(kind: Kind, row: &Json, size: Size) -> Option<Vec<u64>> {
    let geometry = AnyGeometry::for_keys(kind, row.number("n"), size, None).ok()?;
    Some(geometry.values()[..AnyGeometry::fields(kind).len()].to_vec())
}

#[test]
fn sizes_are_the_same_everywhere() {
    let golden = vectors("blocked.json");
    let number = |row: &Json, name| match row.get(name) {
        Some(Json::Null) => None,
        _ => Some(row.number::<u64>(name)),
    };
    for row in golden.rows("split_sizing") {
        let blocks = sized(Kind::Split, row, Size::Fpr(row.number("fpr")));
        assert_eq!(blocks, number(row, "blocks").map(|b| vec![b]), "{:?}", row);
    }
    for row in golden.rows("block_sizing") {
        let found = sized(Kind::Block, row, Size::Fpr(row.number("fpr")));
        assert_eq!(
            found,
            Some(vec![row.number("blocks"), row.number("k")]),
            "{:?}",
            row
        );
    }
    for row in golden.rows("bits_per_key") {
        let size = Size::BitsPerKey(row.number("bits_per_key"));
        let blocks = number(row, "split_blocks").map(|b| vec![b]);
        assert_eq!(sized(Kind::Split, row, size), blocks, "{:?}", row);
        let found = sized(Kind::Block, row, size);
        assert_eq!(
            found,
            Some(vec![row.number("blocks"), row.number("k")]),
            "{:?}",
            row
        );
    }
}

fn secret_of(row: &Json) -> Option<Secret> {
    let secret = row.get("secret").filter(|secret| **secret != Json::Null)?;
    let mut bytes = [0; 16];
    bytes.copy_from_slice(&from_hex(secret.as_text()));
    Some(Secret::new(bytes))
}

fn hasher_of(row: &Json) -> Hasher {
    let seed = || hex_u64(row.text("seed"));
    match HashId::from_name(row.text("hash")).unwrap() {
        HashId::FnvSplitmix => Hasher::fnv_splitmix(),
        HashId::Xxh3 => Hasher::xxh3(seed()),
        HashId::Xxh64 => Hasher::xxh64(seed()),
        HashId::Siphash13 => Hasher::siphash13(&secret_of(row).unwrap()),
        HashId::Siphash24 => Hasher::siphash24(&secret_of(row).unwrap()),
    }
}

#[test]
fn files_are_written_to_the_byte_and_read() {
    for row in vectors("blocked.json").rows("files") {
        let golden = from_hex(row.text("hex"));
        let keys = named_keys("key", row.number("keys"));
        let read = AnyFilter::decode(&golden, secret_of(row).as_ref()).unwrap();
        let mut built = AnyFilter::new(read.geometry(), hasher_of(row)).unwrap();
        built.add_many(&keys).unwrap();
        assert_eq!(read.geometry().kind().name(), row.text("kind"));
        assert_eq!(built.view().payload(), read.view().payload());
        if row.get("key_count") == Some(&Json::Null) {
            assert_eq!(read.key_count(), None);
        } else {
            assert_eq!(built.encode(Format::Envelope).unwrap(), golden);
        }
        assert!(built.encode(Format::Raw).is_err());
        let absent = named_keys("miss", 20);
        let maybes: Vec<&String> = absent.iter().filter(|key| read.contains(key)).collect();
        let wanted = match row.get("maybes") {
            Some(Json::List(rows)) => rows.iter().map(|key| key.as_text()).collect(),
            _ => Vec::new(),
        };
        assert_eq!(maybes, wanted);
    }
}

#[test]
fn files_that_break_a_rule_of_their_kind_are_refused() {
    for row in vectors("blocked.json").rows("invalid") {
        assert!(
            Parsed::new(&from_hex(row.text("hex")), Verify::All).is_err(),
            "{}",
            row.text("why")
        );
    }
}

#[test]
fn a_file_of_another_kind_is_named() {
    let file = split::Filter::with_capacity(10, 0.01).unwrap();
    let file = file.encode(Format::Envelope).unwrap();
    let error = block::Filter::decode(&file, None).unwrap_err();
    assert!(error.message().contains("split") && error.message().contains("block"));
    assert_eq!(split::Geometry::FIELDS, ["blocks"]);
}
