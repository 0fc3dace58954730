//! The promises of the two formats, on filters small enough to damage in every way.

use super::*;

fn parse(file: &[u8]) -> Result<Parsed<'_>> {
    Parsed::new(file, Verify::All)
}

use crate::classic::{Filter, Geometry};
use crate::hash::{HashId, Hasher};
use crate::kind::Kind;

fn small(hasher: Hasher) -> Filter {
    let mut filter = Filter::new(Geometry::new(77, 5).unwrap(), hasher).unwrap();
    filter.add_many(&["a", "b", "c", ""]);
    filter
}

fn hashers() -> Vec<Hasher> {
    let secret = secret();
    vec![
        Hasher::fnv_splitmix(),
        Hasher::xxh3(0),
        Hasher::xxh64(7),
        Hasher::siphash13(&secret),
        Hasher::siphash24(&secret),
    ]
}

fn secret() -> Secret {
    Secret::new([9; 16])
}

#[test]
fn what_was_written_is_read_back() {
    for hasher in hashers() {
        let filter = small(hasher);
        let secret = Some(secret()).filter(|_| hasher.spec().id.is_keyed());
        let file = filter.encode(Format::Envelope).unwrap();
        assert!(Filter::decode(&file, secret.as_ref()).unwrap() == filter);
        let parsed = parse(&file).unwrap();
        let header = parsed.header();
        assert_eq!(header.hash, hasher.spec());
        assert_eq!(header.key_count, Some(4));
        assert_eq!(parsed.payload(), filter.view().payload());
    }
    let file = small(Hasher::fnv_splitmix()).encode(Format::Raw).unwrap();
    assert_eq!(file.len(), 12 + 10);
    let again = Filter::decode(&file, None).unwrap();
    assert_eq!(again.key_count(), None);
    assert_eq!(again.encode(Format::Raw).unwrap(), file);
}

#[test]
fn a_raw_file_holds_its_one_hash_only() {
    for hasher in hashers() {
        let is_fnv = hasher.spec().id == HashId::FnvSplitmix;
        assert_eq!(small(hasher).encode(Format::Raw).is_ok(), is_fnv);
    }
}

#[test]
fn every_bit_flip_of_an_envelope_is_noticed() {
    for hasher in hashers() {
        let file = small(hasher).encode(Format::Envelope).unwrap();
        for bit in 0..file.len() * 8 {
            let mut damaged = file.clone();
            damaged[bit / 8] ^= 1 << (bit % 8);
            assert!(parse(&damaged).is_err(), "bit {}", bit);
        }
    }
}

#[test]
fn every_truncation_and_every_addition_is_noticed() {
    for format in [Format::Raw, Format::Envelope] {
        let file = small(Hasher::fnv_splitmix()).encode(format).unwrap();
        assert!(parse(&file).is_ok());
        for length in 0..file.len() {
            assert!(parse(&file[..length]).is_err(), "{:?}: {}", format, length);
        }
        for more in [1, 8, 128] {
            let mut longer = file.clone();
            longer.resize(file.len() + more, 0);
            assert!(parse(&longer).is_err(), "{:?}: + {}", format, more);
        }
    }
}

#[test]
fn a_header_is_compared_with_the_length_before_any_payload_is_needed() {
    let mut start = 7u32.to_le_bytes().to_vec();
    start.extend(u64::MAX.to_le_bytes());
    let error = Header::parse(&start, 14).unwrap_err();
    assert_eq!(error.field_name(), Some("payload length"));
    start[4..].copy_from_slice(&16u64.to_le_bytes());
    for (file_bytes, well) in [(13, false), (14, true), (15, false)] {
        assert_eq!(Header::parse(&start, file_bytes).is_ok(), well);
    }
    start[4..].copy_from_slice(&u64::MAX.to_le_bytes());
    // The same claim is believed when the file really is that long; only then are bits asked for.
    assert!(Header::parse(&start, 12 + (1 << 61)).is_ok());
}

/// A small file of a kind: with a few keys where this crate makes it, else as it is before the first one.
fn file_of(kind: Kind) -> Vec<u8> {
    let values = match kind {
        Kind::Counting => [25, 4, 4, 0, 0, 0, 0, 0],
        Kind::Partitioned => [10, 7, 0, 0, 0, 0, 0, 0],
        Kind::Scalable => [1, 1, 2, 1, 2, 10_000_000_000, 0, 0],
        Kind::Stable => [1, 5, 27, 0, 0, 0, 0, 0],
        Kind::Cuckoo => [4, 12, 0, 0, 0, 0, 0, 0],
        Kind::Quotient => [6, 7, 0, 0, 0, 0, 0, 0],
        Kind::Ribbon => [7, 7, 0, 0, 0, 0, 0, 0],
        made => return made_file_of(made),
    };
    let geometry = AnyGeometry::from_values(kind, &values).unwrap();
    let mut payload = vec![0; geometry.payload_bytes() as usize];
    if kind == Kind::Scalable {
        // Its one link has one block, k = 2 and room for a key.
        for (at, value) in [(0, 1), (8, 2), (16, 1)] {
            payload[at] = value;
        }
    }
    let filter = AnyFilter::from_payload(geometry, &payload, Hasher::xxh3(1), Some(0)).unwrap();
    filter.encode(Format::Envelope).unwrap()
}

fn made_file_of(kind: Kind) -> Vec<u8> {
    let geometry = AnyGeometry::for_keys(kind, 20, crate::Size::Fpr(0.1), None).unwrap();
    let hasher = Hasher::xxh3(1);
    let hashes = ["a", "b", "c", ""].map(|key| hasher.hash(key.as_bytes()));
    let filter = AnyFilter::build_hashes(hashes.to_vec(), geometry, hasher).unwrap();
    filter.encode(Format::Envelope).unwrap()
}

#[test]
fn every_bit_flip_of_every_kind_is_noticed() {
    for kind in Kind::ALL {
        let file = file_of(kind);
        assert!(parse(&file).is_ok());
        for bit in 0..file.len() * 8 {
            let mut damaged = file.clone();
            damaged[bit / 8] ^= 1 << (bit % 8);
            assert!(parse(&damaged).is_err(), "{}: bit {}", kind, bit);
        }
    }
}

#[test]
fn no_input_makes_a_reader_panic() {
    let files: Vec<Vec<u8>> = Kind::ALL.into_iter().map(file_of).collect();
    let mut state = 1;
    let mut read = 0;
    for i in 0..20_000 {
        let mut bytes = files[i % files.len()].clone();
        for _ in 0..4 {
            state = crate::hash::splitmix64(state);
            let at = state as usize % bytes.len();
            bytes[at] = (state >> 32) as u8;
        }
        if i % 4 == 0 {
            bytes.truncate((state >> 40) as usize % (bytes.len() + 1));
        }
        // Right checksums let the damage through to the later checks.
        if bytes.len() >= ENVELOPE_HEADER {
            let sum = xxh3_64(&bytes[ENVELOPE_HEADER..]).to_le_bytes();
            bytes[112..120].copy_from_slice(&sum);
            let sum = xxh3_64(&bytes[..120]).to_le_bytes();
            bytes[120..128].copy_from_slice(&sum);
        }
        let _ = parse(&bytes);
        if let Ok(filter) = AnyFilter::decode(&bytes, None) {
            let view = filter.view();
            let _ = (filter.contains("a"), view.predicted_fpr(), view.fill());
            let _ = (view.estimated_count(), view.retries());
            read += 1;
        }
    }
    assert!(read > 300, "only {} passed the checks", read);
}

#[test]
fn errors_name_the_field_and_what_it_must_be() {
    let mut file = small(Hasher::fnv_splitmix()).encode(Format::Raw).unwrap();
    file[0] = 31;
    assert_eq!(
        parse(&file).unwrap_err().message(),
        "k is 31, must be 1 to 30: this is no classic filter file, or it is damaged"
    );
}
