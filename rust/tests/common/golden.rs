//! The golden data of all languages, for the tests in this folder and for those inside the crate.

#![allow(dead_code)] // each user has its own part

#[path = "json.rs"]
pub mod json;

use std::fs;
use std::path::Path;

use json::Json;

/// A file of golden data, shared by all languages.
pub fn vectors(name: &str) -> Json {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/vectors")
        .join(name);
    let text = fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {}", path.display(), e));
    Json::parse(&text)
}

pub fn from_hex(text: &str) -> Vec<u8> {
    assert_eq!(text.len() % 2, 0, "{}", text);
    (0..text.len() / 2)
        .map(|i| u8::from_str_radix(&text[2 * i..2 * i + 2], 16).unwrap())
        .collect()
}

pub fn hex_u64(text: &str) -> u64 {
    u64::from_str_radix(text, 16).unwrap()
}

/// `key0`, `key1`, ..
pub fn named_keys(prefix: &str, count: u64) -> Vec<String> {
    (0..count).map(|i| format!("{}{}", prefix, i)).collect()
}

/// The whole numbers of a list, given as numbers or as text.
pub fn numbers(row: &Json, name: &str) -> Vec<u64> {
    let list = match row.get(name) {
        Some(Json::List(list)) => list,
        other => panic!("{} is no list: {:?}", name, other),
    };
    let texts = list.iter().map(|number| match number {
        Json::Number(text) | Json::Text(text) => text,
        other => panic!("no number: {:?}", other),
    });
    texts.map(|text| text.parse().unwrap()).collect()
}

/// The geometry words of a row, filled up with zeros.
pub fn words(row: &Json, name: &str) -> [u64; 8] {
    let mut words = [0; 8];
    for (word, number) in words.iter_mut().zip(numbers(row, name)) {
        *word = number;
    }
    words
}
