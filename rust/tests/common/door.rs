//! Everything that can be asked of a file, at every door that takes bytes: in memory, on disk, mapped, by serde. The
//! fuzzer of `tests/doors.rs` and those of `fuzz/` throw their files at these.

#![allow(dead_code)] // each of them uses its own part

use std::path::Path;

use bloomery::hash::splitmix64;
use bloomery::{
    block, classic, fuse, AnyFilter, AnyView, Format, Hash, Header, Kind, Parsed, Secret, Verify,
};
use xxhash_rust::xxh3::{xxh3_64, Xxh3};

/// Makes the checksums of an envelope fit its bytes, and, with `extent`, place and length of its payload.
pub fn repair(file: &mut [u8], extent: bool) {
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
    if extent {
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

fn hashes() -> Vec<Hash> {
    let edges = [0, 1, u64::MAX, 1 << 63, u64::from(u32::MAX)];
    let random = (0..35).map(splitmix64);
    edges.into_iter().chain(random).map(Hash::new).collect()
}

/// Asks everything that can be asked of a file. True when it was let in.
pub fn enter(file: &[u8]) -> bool {
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

/// Whether the rate is had without trying every key there can be, which small filters of pairs do and which takes longer
/// than everything else together; of these, one in sixteen.
fn rate_is_quick(parsed: &Parsed<'_>) -> bool {
    let payload = parsed.payload();
    let tries_all = matches!(
        parsed.header().geometry.kind(),
        Kind::Classic | Kind::Counting
    ) && (17..=512).contains(&payload.len());
    !tries_all || xxh3_64(payload) % 16 == 0
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
    if rate_is_quick(parsed) {
        let fpr = parsed.predicted_fpr();
        assert!((0.0..=1.0).contains(&fpr), "predicted fpr {}", fpr);
    }
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

/// A file system may wait for the disk when a file is cut and written again, not when it is a new one.
fn write_anew(file: &[u8], path: &Path) {
    let _ = std::fs::remove_file(path);
    std::fs::write(path, file).unwrap();
}

/// The doors of files: what is let in is what memory lets in. `path` is overwritten.
pub fn enter_on_disk(file: &[u8], path: &Path) -> bool {
    write_anew(file, path);
    let opened = AnyFilter::open(path, None);
    let decoded = AnyFilter::decode(file, None);
    assert_eq!(opened.is_ok(), decoded.is_ok(), "{:?}", opened);
    if let (Ok(opened), Ok(decoded)) = (&opened, &decoded) {
        assert!(opened == decoded);
    }
    #[cfg(feature = "mmap")]
    enter_mapped(file, path);
    opened.is_ok()
}

#[cfg(feature = "mmap")]
fn enter_mapped(file: &[u8], path: &Path) {
    // SAFETY: nobody else has this file, and it is not written to before the mapping is gone.
    let mapped = unsafe { bloomery::Mapped::open(path) };
    assert_eq!(mapped.is_ok(), Parsed::new(file, Verify::Header).is_ok());
    if let Ok(mapped) = mapped {
        let parsed = mapped.parsed().unwrap();
        assert_eq!(parsed.verify().is_ok(), mapped.verify().is_ok());
        ask(&parsed);
    }
}

/// The door of serde: a list of numbers, and whatever else `text` is. True when it was let in.
#[cfg(feature = "serde")]
pub fn enter_by_serde(text: &[u8]) -> bool {
    let any = serde_json::from_slice::<AnyFilter>(text);
    if let Ok(filter) = &any {
        let again = serde_json::to_vec(filter).unwrap();
        assert!(serde_json::from_slice::<AnyFilter>(&again).unwrap() == *filter);
    }
    let of_block = serde_json::from_slice::<block::Filter>(text).is_ok();
    let is_block = any.as_ref().map_or(false, |any| any.kind() == Kind::Block);
    assert_eq!(of_block, is_block);
    any.is_ok()
}
