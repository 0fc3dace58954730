//! Any text as JSON, and any bytes as the list of numbers that a filter is in JSON.
#![no_main]

#[path = "../../tests/common/door.rs"]
mod door;

libfuzzer_sys::fuzz_target!(|input: &[u8]| {
    door::enter_by_serde(input);
    let mut file = input.to_vec();
    door::repair(&mut file, true);
    door::enter_by_serde(&serde_json::to_vec(&file).unwrap());
});
