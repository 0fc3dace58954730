//! The text of secrets: what is taken is 32 digits, and comes out nowhere.
#![no_main]

use bloomery::{Hasher, Secret};

libfuzzer_sys::fuzz_target!(|text: &[u8]| {
    if let Ok(secret) = Secret::from_text(text) {
        let digits = std::str::from_utf8(&text[..32]).expect("32 digits");
        assert!(digits.bytes().all(|digit| digit.is_ascii_hexdigit()));
        let shown = format!("{:?} {:?}", secret, Hasher::siphash13(&secret));
        assert!(!shown.to_lowercase().contains(&digits.to_lowercase()));
    }
});
