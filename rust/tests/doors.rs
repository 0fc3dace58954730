//! Every door that takes bytes, against bytes made to break it: golden files with bytes flipped, cut, repeated and
//! spliced, half of them with checksums that fit, so that the checks behind the checksums are reached. Nothing may
//! panic, and what is let in has to answer, and to come back as it was.
//!
//! `BLOOMERY_SOAK` in the environment makes ten times as many, `BLOOMERY_FUZZ_SEED=N` other ones.

mod common;

use bloomery::hash::splitmix64;
use bloomery::{
    block, classic, fuse, AnyFilter, AnyGeometry, AnyView, Format, Hash, Hasher, Header, Kind,
    Parsed, Secret, Verify,
};
use common::json::Json;
use common::{from_hex, vectors};
use xxhash_rust::xxh3::{xxh3_64, Xxh3};

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

/// Makes lengths and checksums of an envelope fit its bytes.
fn repair(file: &mut [u8], dice: &mut Dice) {
    if file.len() < 128 {
        return;
    }
    file[..8].copy_from_slice(&[0x89, 0x42, 0x4c, 0x4d, 0x0d, 0x0a, 0x1a, 0x0a]);
    file[8..10].copy_from_slice(&[1, 0]);
    let stored = u64::from_le_bytes(file[32..40].try_into().unwrap());
    let offset = match usize::try_from(stored) {
        Ok(offset) if offset >= 128 && offset <= file.len() && offset % 64 == 0 => offset,
        _ => 128,
    };
    if dice.roll(8) != 0 {
        file[32..40].copy_from_slice(&(offset as u64).to_le_bytes());
        let length = (file.len() - offset) as u64;
        file[40..48].copy_from_slice(&length.to_le_bytes());
    }
    let payload = xxh3_64(&file[offset..]);
    file[112..120].copy_from_slice(&payload.to_le_bytes());
    let mut header = Xxh3::new();
    header.update(&file[..120]);
    header.update(&file[128..offset]);
    let header = header.digest();
    file[120..128].copy_from_slice(&header.to_le_bytes());
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
        repair(&mut file, dice);
    }
    file
}

fn hashes() -> Vec<Hash> {
    let edges = [0, 1, u64::MAX, 1 << 63, u64::from(u32::MAX)];
    let random = (0..35).map(splitmix64);
    edges.into_iter().chain(random).map(Hash::new).collect()
}

/// Asks everything that can be asked of a file. True when it was let in.
fn enter(file: &[u8]) -> bool {
    let _ = Header::parse(
        &file[..file.len().min(Header::length(file))],
        file.len() as u64,
    );
    let unchecked = Parsed::new(file, Verify::Header);
    let parsed = Parsed::new(file, Verify::All);
    assert!(parsed.is_err() || unchecked.is_ok());
    if let Ok(parsed) = unchecked {
        ask(&parsed);
    }
    let secret = Secret::new([7; 16]);
    for secret in [None, Some(&secret)] {
        match AnyFilter::decode(file, secret) {
            Ok(filter) => comes_back(filter, file, secret),
            Err(error) => assert!(!error.to_string().is_empty()),
        }
    }
    assert_eq!(
        AnyFilter::decode(file, None).is_ok(),
        AnyFilter::read_from(file, None).is_ok()
    );
    assert_eq!(
        AnyView::try_from(file).is_ok(),
        AnyFilter::try_from(file).is_ok()
    );
    of_kind(
        classic::Filter::decode(file, None).is_ok(),
        Kind::Classic,
        file,
    );
    of_kind(block::Filter::decode(file, None).is_ok(), Kind::Block, file);
    of_kind(fuse::Filter::decode(file, None).is_ok(), Kind::Fuse, file);
    parsed.is_ok()
}

/// The door of a kind lets in what the door of all kinds lets in, if it is of that kind.
fn of_kind(opens: bool, kind: Kind, file: &[u8]) {
    let any = AnyFilter::decode(file, None);
    assert_eq!(opens, any.map_or(false, |filter| filter.kind() == kind));
}

fn ask(parsed: &Parsed<'_>) {
    let hashes = hashes();
    let mut answers = Vec::new();
    parsed.contains_many_hashes(&hashes, &mut answers);
    for (hash, answer) in hashes.iter().zip(answers) {
        assert_eq!(parsed.contains_hash(*hash), answer);
    }
    let _ = (
        parsed.cells_set(),
        parsed.retries(),
        parsed.estimated_count(),
    );
    assert!(
        (0.0..=1.0).contains(&parsed.fill()),
        "fill {}",
        parsed.fill()
    );
    let fpr = parsed.predicted_fpr();
    assert!((0.0..=1.0).contains(&fpr), "predicted fpr {}", fpr);
    assert!(!format!("{:?}", parsed.header()).is_empty());
}

fn comes_back(mut filter: AnyFilter, file: &[u8], secret: Option<&Secret>) {
    let payload = filter.view().payload().to_vec();
    let format = match file.first() {
        Some(0x89) => Format::Envelope,
        _ => Format::Raw,
    };
    let written = filter.encode(format).unwrap();
    let again = AnyFilter::decode(&written, secret).unwrap();
    assert_eq!(again.view().payload(), &payload[..]);
    assert_eq!(again.key_count(), filter.key_count());
    if filter.add("a key").unwrap_or(false) {
        assert!(filter.contains("a key"));
        let written = filter.encode(format).unwrap();
        assert!(AnyFilter::decode(&written, secret)
            .unwrap()
            .contains("a key"));
    }
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
