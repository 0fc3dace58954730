//! Every door that takes bytes, against bytes made to break it: golden files with bytes flipped, cut, repeated and
//! spliced, half of them with checksums that fit, so that the checks behind the checksums are reached. Nothing may
//! panic, and what is let in has to answer, and to come back as it was.
//!
//! `BLOOMERY_SOAK` in the environment makes ten times as many, `BLOOMERY_FUZZ_SEED=N` other ones.

mod common;
#[path = "common/door.rs"]
mod door;

use bloomery::hash::splitmix64;
use bloomery::{classic, AnyFilter, AnyGeometry, Format, Hasher, Kind, Parsed, Secret, Verify};
use common::json::Json;
use common::{from_hex, vectors, Folder};
use door::{enter, repair};

const ROUNDS: u64 = 100_000;

/// Random numbers that are the same in every run.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_add(1);
        (splitmix64(self.0) % sides.max(1) as u64) as usize
    }
}

fn rounds() -> u64 {
    match std::env::var_os("BLOOMERY_SOAK") {
        Some(_) => 10 * ROUNDS,
        None => ROUNDS,
    }
}

fn seed() -> u64 {
    let given = std::env::var("BLOOMERY_FUZZ_SEED").ok();
    given.map_or(1, |text| text.parse().expect("a number"))
}

/// Golden files: every kind, every record, raw files, and those that are refused.
fn seeds() -> Vec<Vec<u8>> {
    let mut found = Vec::new();
    let lists = [
        ("kinds.json", "files"),
        ("records.json", "valid"),
        ("records.json", "invalid"),
        ("envelope.json", "valid"),
        ("envelope.json", "invalid"),
    ];
    for (name, list) in lists {
        let rows = vectors(name);
        let files = rows.rows(list).iter().map(|row| from_hex(row.text("hex")));
        found.extend(files.filter(|file| file.len() < 3000));
    }
    for row in vectors("envelope.json").rows("valid") {
        let file = from_hex(row.text("hex"));
        let filter = match (row.get("secret"), classic::Filter::decode(&file, None)) {
            (Some(Json::Null) | None, Ok(filter)) => filter,
            _ => continue,
        };
        found.extend(filter.encode(Format::Raw));
    }
    assert!(found.len() > 100, "{}", found.len());
    found
}

/// Values at which checks turn.
const EDGES: [u64; 12] = [
    0,
    1,
    63,
    64,
    128,
    255,
    0x10000,
    1 << 32,
    i64::MAX as u64,
    1 << 63,
    u64::MAX - 1,
    u64::MAX,
];

fn mutate(file: &mut Vec<u8>, other: &[u8], dice: &mut Dice) {
    let at = dice.roll(file.len());
    match dice.roll(8) {
        0 if !file.is_empty() => file[at] ^= 1 << dice.roll(8),
        1 if !file.is_empty() => file[at] = dice.roll(256) as u8,
        2 => file.truncate(at),
        3 => file.extend_from_slice(&other[..dice.roll(other.len())]),
        4 => {
            // A field of the header, or any aligned word.
            let word = 8 * if dice.roll(2) == 0 {
                dice.roll(16)
            } else {
                at / 8
            };
            let value = match dice.roll(3) {
                0 => EDGES[dice.roll(EDGES.len())],
                1 => dice.roll(100) as u64,
                _ => splitmix64(dice.roll(usize::MAX) as u64),
            };
            if let Some(field) = file.get_mut(word..word + 8) {
                field.copy_from_slice(&value.to_le_bytes());
            }
        }
        5 => {
            let end = (at + dice.roll(64)).min(file.len());
            let piece = file[at.min(end)..end].to_vec();
            file.extend(piece);
        }
        6 => {
            let end = (at + dice.roll(64)).min(file.len()).min(other.len());
            if at < end {
                file[at..end].copy_from_slice(&other[at..end]);
            }
        }
        _ if file.len() > 14 => file[10] = 1 + dice.roll(12) as u8,
        _ => {}
    }
}

/// A file whose bytes do not end with its words is a copy on the heap, so that a read behind its end is one that tools
/// notice.
fn next(seeds: &[Vec<u8>], dice: &mut Dice) -> Vec<u8> {
    let mut file = seeds[dice.roll(seeds.len())].clone();
    for _ in 0..1 + dice.roll(4) {
        let other = &seeds[dice.roll(seeds.len())];
        mutate(&mut file, other, dice);
    }
    if dice.roll(2) == 0 {
        repair(&mut file, dice.roll(8) != 0);
    }
    file
}

#[test]
fn no_file_breaks_a_door() {
    let (seeds, mut dice) = (seeds(), Dice(seed() << 32));
    let mut let_in = 0;
    for round in 0..rounds() {
        let file = next(&seeds, &mut dice);
        match std::panic::catch_unwind(|| enter(&file)) {
            Ok(entered) => let_in += u64::from(entered),
            Err(_) => panic!("round {}: {}", round, hex(&file)),
        }
    }
    // A fuzzer whose files are all refused at the first check would find nothing.
    assert!(let_in > rounds() / 50, "{} of {} let in", let_in, rounds());
}

/// A tenth as many, since each of them is written to a disk.
#[test]
fn no_file_on_disk_breaks_a_door() {
    let (seeds, mut dice) = (seeds(), Dice(seed() << 35));
    let folder = Folder::new("doors");
    let path = folder.path("filter");
    let let_in = (0..rounds() / 10).filter(|_| {
        let file = next(&seeds, &mut dice);
        let entered = std::panic::catch_unwind(|| door::enter_on_disk(&file, &path));
        entered.unwrap_or_else(|_| panic!("{}", hex(&file)))
    });
    assert!(let_in.count() > rounds() as usize / 500);
}

#[cfg(feature = "serde")]
#[test]
fn no_value_of_serde_breaks_a_door() {
    let (seeds, mut dice) = (seeds(), Dice(seed() << 36));
    let let_in = (0..rounds() / 10).filter(|_| {
        let mut text = serde_json::to_vec(&next(&seeds, &mut dice)).unwrap();
        if dice.roll(4) == 0 {
            let other = text.clone();
            mutate(&mut text, &other, &mut dice);
        }
        door::enter_by_serde(&text)
    });
    assert!(let_in.count() > rounds() as usize / 1000);
}

#[test]
fn no_geometry_and_payload_break_a_filter() {
    let mut dice = Dice(seed() << 33);
    let mut let_in = 0;
    for _ in 0..rounds() / 10 {
        let kind = Kind::ALL[dice.roll(Kind::ALL.len())];
        let mut values = [0; 8];
        for value in values.iter_mut().take(AnyGeometry::fields(kind).len()) {
            *value = match dice.roll(4) {
                0 => EDGES[dice.roll(EDGES.len())],
                1 => splitmix64(dice.roll(usize::MAX) as u64),
                _ => dice.roll(40) as u64,
            };
        }
        let geometry = match AnyGeometry::from_values(kind, &values) {
            Ok(geometry) => geometry,
            Err(error) => {
                assert!(!error.to_string().is_empty());
                continue;
            }
        };
        if geometry.payload_bytes() > 1 << 16 {
            continue;
        }
        let payload: Vec<u8> = (0..geometry.payload_bytes())
            .map(|_| dice.roll(256) as u8 & dice.roll(256) as u8)
            .collect();
        if let Ok(filter) = AnyFilter::from_payload(geometry, &payload, Hasher::xxh3(0), None) {
            let file = filter.encode(Format::Envelope).unwrap();
            assert!(enter(&file));
            let_in += 1;
        }
    }
    assert!(let_in > rounds() / 200, "{} let in", let_in);
}

#[test]
fn no_text_breaks_the_reader_of_secrets() {
    let mut dice = Dice(seed() << 34);
    let mut let_in = 0;
    for _ in 0..rounds() / 10 {
        let mut text: Vec<u8> = (0..32)
            .map(|_| b"0123456789abcdefABCDEF"[dice.roll(22)])
            .collect();
        text.extend([&b""[..], b"\n", b"\r\n", b"\n\n"][dice.roll(4)]);
        if dice.roll(2) == 0 {
            let other = text.clone();
            mutate(&mut text, &other, &mut dice);
        }
        let_in += u64::from(Secret::from_text(&text).is_ok());
    }
    assert!(let_in > rounds() / 100);
}

/// A planted fault: a door that believes the length in the header would read behind the file. This is what the
/// fuzzer above has to be able to make.
#[test]
fn the_fuzzer_makes_files_that_claim_more_than_they_hold() {
    let (seeds, mut dice) = (seeds(), Dice(1));
    let claims = (0..10_000).filter(|_| {
        let file = next(&seeds, &mut dice);
        file.len() >= 128
            && u64::from_le_bytes(file[40..48].try_into().unwrap()) > file.len() as u64
            && Parsed::new(&file, Verify::Header).is_err()
    });
    assert!(claims.count() > 10);
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{:02x}", byte)).collect()
}
