//! A refusal names a kind only where that kind can do what was asked, and bits per key that are enough.

use bloomery::layout::Sizing;
use bloomery::{classic, AnyGeometry, Kind, Size};

const KINDS: [Kind; 4] = [Kind::Classic, Kind::Split, Kind::Block, Kind::Fuse];
const RATES: [f64; 9] = [0.01, 1e-5, 1e-6, 1e-7, 5e-8, 4e-8, 1e-9, 1e-10, 1e-16];
const BITS: [f64; 9] = [1e-9, 0.5, 1.0, 5.0, 10.0, 100.0, 1e9, 1e18, 1e300];
const NUMBERS: [u64; 9] = [
    1,
    10,
    1000,
    1937,
    1_000_000,
    100_000_000_000,
    1 << 50,
    1 << 62,
    u64::MAX,
];

/// The kinds that the message names behind its last colon, where the way out stands.
fn named(message: &str) -> Vec<Kind> {
    let way_out = message.rsplit(": ").next().unwrap();
    let has = |kind: &Kind| {
        way_out.contains(&format!("kind {}", kind.name()))
            || way_out.contains(&format!("'{}'", kind.name()))
    };
    KINDS.iter().copied().filter(has).collect()
}

fn holds_to(size: Size, n: u64, seen: &mut usize) {
    for kind in KINDS {
        let message = match AnyGeometry::for_keys(kind, n, size, None) {
            Ok(_) => continue,
            Err(error) => error.to_string(),
        };
        for other in named(&message) {
            *seen += 1;
            let can = AnyGeometry::for_keys(other, n, size, None);
            assert!(
                can.is_ok(),
                "{} keys at {:?}: {}; {:?}",
                n,
                size,
                message,
                can
            );
        }
    }
}

#[test]
fn a_refusal_names_no_kind_that_refuses_as_well() {
    let mut seen = 0;
    for n in NUMBERS {
        for rate in RATES {
            holds_to(Size::Fpr(rate), n, &mut seen);
        }
        for bits in BITS {
            holds_to(Size::BitsPerKey(bits), n, &mut seen);
        }
    }
    assert!(seen > 20, "only {} were seen", seen);
}

#[test]
fn a_warning_names_block_where_block_can() {
    for (rate, names) in [(0.01, true), (5e-8, true), (4e-8, false), (1e-16, false)] {
        let warning = classic::Plan::new(10, rate).unwrap().warning().unwrap();
        assert_eq!(named(&warning).contains(&Kind::Block), names, "{}", warning);
        assert!(
            names || warning.ends_with("ask for a higher rate"),
            "{}",
            warning
        );
    }
}

#[test]
fn the_least_bits_per_key_of_a_fuse_filter_are_enough() {
    for n in (1..3000).chain([100_000, 999_999, 1_000_001, 123_456_789]) {
        let message = bloomery::fuse::Geometry::for_bits_per_key(n, 0.1)
            .unwrap_err()
            .to_string();
        let words: Vec<&str> = message.split(|c: char| c == ' ' || c == ':').collect();
        let at = words.iter().position(|word| *word == "needs").unwrap();
        let least: f64 = words[at + 1].parse().unwrap();
        assert!(
            bloomery::fuse::Geometry::for_bits_per_key(n, least).is_ok(),
            "{}",
            message
        );
    }
}
