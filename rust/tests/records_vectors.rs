//! The golden data of records, and files of every kind.

mod common;

use bloomery::{AnyFilter, Error, Format, Parsed, Secret, Verify};
use common::json::Json;
use common::{from_hex, vectors};

/// As `bloomery verify` looks: the chunks, too.
fn read(file: &[u8]) -> Result<AnyFilter, Error> {
    Parsed::new(file, Verify::Header)?.verify()?;
    AnyFilter::decode(file, None)
}

fn text<'a>(row: &'a Json, name: &str) -> Option<&'a str> {
    row.get(name)
        .filter(|value| **value != Json::Null)
        .map(Json::as_text)
}

#[test]
fn records_are_read_kept_and_dropped() {
    for row in vectors("records.json").rows("valid") {
        let (name, file) = (row.text("name"), from_hex(row.text("hex")));
        let filter = read(&file).unwrap_or_else(|e| panic!("{}: {}", name, e));
        let records = filter.records();
        assert_eq!(records.label(), text(row, "label"), "{}", name);
        assert_eq!(records.keys(), text(row, "keys"), "{}", name);
        assert_eq!(records.created(), row.maybe_number("created"), "{}", name);
        assert_eq!(
            records.chunk_bytes(),
            row.maybe_number("chunk_bytes"),
            "{}",
            name
        );
        if row.get("written") == Some(&Json::Bool(true)) {
            assert!(filter.encode(Format::Envelope).unwrap() == file, "{}", name);
        }
        // Adding a key that is in already changes no bit but the count, which the golden file leaves as it was.
        let (count, mut changed) = (filter.key_count(), filter);
        changed.add("key0").unwrap();
        let mut written = changed.encode(Format::Envelope).unwrap();
        let golden = from_hex(row.text("changed_hex"));
        assert_eq!(read(&golden).unwrap().key_count(), count);
        assert_eq!(written.len(), golden.len(), "{}", name);
        for at in (24..32).chain(120..128) {
            written[at] = golden[at];
        }
        assert!(written == golden, "{}", name);
    }
}

#[test]
fn records_that_break_a_rule_are_refused() {
    for row in vectors("records.json").rows("invalid") {
        assert!(
            read(&from_hex(row.text("hex"))).is_err(),
            "{}",
            row.text("why")
        );
    }
}

#[test]
fn records_are_written_as_others_write_them() {
    let golden = vectors("records.json");
    let known = |row: &&Json| {
        row.get("written") == Some(&Json::Bool(true))
            && row.get("unknown") == Some(&Json::List(Vec::new()))
            // Writers take the smallest chunks; readers keep what they find.
            && row.maybe_number::<u64>("chunk_bytes").map_or(true, |size| size == 4096)
    };
    let mut seen = 0;
    for row in golden.rows("valid").iter().filter(known) {
        let file = from_hex(row.text("hex"));
        let mut filter = read(&file).unwrap();
        let created = row.maybe_number("created");
        let records = filter.records_mut();
        records.set_label(None).unwrap();
        records.set_chunks(false);
        records.set_created(created);
        records.set_keys(text(row, "keys")).unwrap();
        records.set_label(text(row, "label")).unwrap();
        records.set_chunks(row.maybe_number::<u64>("chunk_bytes").is_some());
        assert!(
            filter.encode(Format::Envelope).unwrap() == file,
            "{}",
            row.text("name")
        );
        seen += 1;
    }
    assert!(seen > 5, "{}", seen);
}

#[test]
fn files_of_every_kind_answer_as_they_do_everywhere() {
    for row in vectors("kinds.json").rows("files") {
        let file = from_hex(row.text("hex"));
        let secret = text(row, "secret").map(|hex| Secret::from_text(hex.as_bytes()).unwrap());
        let filter = AnyFilter::decode(&file, secret.as_ref()).unwrap();
        let kind = row.text("kind");
        assert_eq!(filter.kind().name(), kind);
        assert!(filter.encode(Format::Envelope).unwrap() == file, "{}", kind);
        let listed = |name: &str, key: &str| match row.get(name) {
            Some(Json::List(list)) => list.iter().any(|one| match one {
                Json::Text(text) => text == key,
                Json::Number(text) => key.trim_start_matches(char::is_alphabetic) == text,
                _ => false,
            }),
            other => panic!("{:?}", other),
        };
        for i in 0..row.number::<u64>("keys") {
            let key = format!("key{}", i);
            assert_eq!(
                filter.contains(&key),
                !listed("denied", &key),
                "{} {}",
                kind,
                key
            );
        }
        for i in 0..100 {
            let key = format!("miss{}", i);
            assert_eq!(
                filter.contains(&key),
                listed("maybes", &key),
                "{} {}",
                kind,
                key
            );
        }
    }
}

#[test]
fn every_flip_and_cut_of_a_file_with_records_is_noticed() {
    let golden = vectors("records.json");
    let rows = golden
        .rows("valid")
        .iter()
        .filter(|row| row.text("hex").len() < 1200);
    let mut seen = 0;
    for file in rows.map(|row| from_hex(row.text("hex"))).take(6) {
        for bit in 0..8 * file.len() {
            let mut damaged = file.clone();
            damaged[bit / 8] ^= 1 << (bit % 8);
            assert!(Parsed::new(&damaged, Verify::All).is_err(), "bit {}", bit);
        }
        for length in 0..file.len() {
            assert!(
                Parsed::new(&file[..length], Verify::All).is_err(),
                "{}",
                length
            );
        }
        seen += 1;
    }
    assert_eq!(seen, 6);
}
