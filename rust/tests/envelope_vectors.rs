//! The golden data of the envelope: what every language writes, and what every language refuses at which check.

mod common;

use bloomery::classic::{Filter, Geometry};
use bloomery::wire::{Parsed, Verify};
use bloomery::{ErrorKind, Format, HashId, Hasher, Secret};
use common::json::Json;
use common::{from_hex, hex_u64, sha256, vectors};

fn secret_of(row: &Json) -> Option<Secret> {
    match row.get("secret") {
        Some(Json::Text(text)) => Some(Secret::from_text(text.as_bytes()).unwrap()),
        _ => None,
    }
}

fn hasher_of(row: &Json) -> Hasher {
    match HashId::from_name(row.text("hash")).unwrap() {
        HashId::FnvSplitmix => Hasher::fnv_splitmix(),
        HashId::Xxh3 => Hasher::xxh3(hex_u64(row.text("seed"))),
        HashId::Xxh64 => Hasher::xxh64(hex_u64(row.text("seed"))),
        HashId::Siphash13 => Hasher::siphash13(&secret_of(row).unwrap()),
        HashId::Siphash24 => Hasher::siphash24(&secret_of(row).unwrap()),
    }
}

#[test]
fn valid_files_are_read_and_answer() {
    for row in vectors("envelope.json").rows("valid") {
        let name = row.text("name");
        let file = from_hex(row.text("hex"));
        assert_eq!(sha256::hex(&file), row.text("sha256"), "{}", name);
        let parsed = Parsed::new(&file, Verify::All).unwrap();
        let header = parsed.header();
        assert_eq!(header.hash, hasher_of(row).spec(), "{}", name);
        assert_eq!(header.key_count, row.maybe_number("key_count"), "{}", name);
        assert_eq!(
            parsed.cells_set(),
            row.number::<u64>("bits_set"),
            "{}",
            name
        );
        let filter = Filter::decode(&file, secret_of(row).as_ref()).unwrap();
        assert_eq!(filter.encode(Format::Envelope).unwrap(), file, "{}", name);
        for (key, maybe) in row.fields("absent") {
            let answer = filter.contains(key);
            assert_eq!(Json::Bool(answer), *maybe, "{}: {}", name, key);
        }
    }
}

#[test]
fn the_same_keys_make_the_same_file() {
    for row in vectors("envelope.json").rows("valid") {
        let keys: Vec<Vec<u8>> = match row.get("keys_hex") {
            Some(Json::List(keys)) => keys.iter().map(|key| from_hex(key.as_text())).collect(),
            other => panic!("no keys: {:?}", other),
        };
        let geometry = Geometry::new(row.number("m"), row.number("k")).unwrap();
        let mut filter = Filter::new(geometry, hasher_of(row)).unwrap();
        filter.add_many(&keys);
        // Some rows claim another key count than their keys have, to fix how that is stored.
        let count = row.maybe_number("key_count");
        let bits = filter.view().payload().to_vec();
        let filter = Filter::from_payload(geometry, &bits, hasher_of(row), count).unwrap();
        let file = filter.encode(Format::Envelope).unwrap();
        assert_eq!(file, from_hex(row.text("hex")), "{}", row.text("name"));
    }
}

/// The fields that each check of the specification can report.
fn fields_of(check: u32) -> &'static [&'static str] {
    match check {
        1 => &["length", "magic"],
        2 => &["version"],
        3 => &["payload offset", "header checksum"],
        4 => &["kind", "hash id", "flags", "hash seed", "records"],
        5 => &["payload length", "records"],
        6 => &["m", "k", "payload length", "geometry", "bits"],
        7 => &["payload checksum"],
        other => panic!("no check {}", other),
    }
}

#[test]
fn invalid_files_are_refused_by_the_right_check() {
    for row in vectors("envelope.json").rows("invalid") {
        let file = from_hex(row.text("hex"));
        let error = Parsed::new(&file, Verify::All)
            .map(|_| ())
            .expect_err(row.text("why"));
        // Without the first byte of the magic it is no envelope, and the checks of raw files refuse it.
        if file.first() == Some(&0x89) {
            let expected = fields_of(row.number("check"));
            let field = error.field_name().unwrap_or("none");
            assert!(expected.contains(&field), "{}: {}", row.text("why"), error);
        }
    }
}

#[test]
fn a_keyed_file_needs_its_secret_and_no_other() {
    let wrong = Secret::new([0x55; 16]);
    let golden = vectors("envelope.json");
    let keyed = |row: &&Json| secret_of(row).is_some();
    assert!(golden.rows("valid").iter().any(|row| keyed(&row)));
    for row in golden.rows("valid").iter().filter(keyed) {
        let file = from_hex(row.text("hex"));
        for secret in [None, Some(&wrong)] {
            let error = Filter::decode(&file, secret).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::WrongSecret);
        }
    }
}
