//! Any bytes at all, as a file in memory.
#![no_main]

#[path = "../../tests/common/door.rs"]
mod door;

libfuzzer_sys::fuzz_target!(|file: &[u8]| {
    door::enter(file);
});
