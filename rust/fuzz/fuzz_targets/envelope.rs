//! Envelopes whose checksums fit, so that what is behind them is reached. The first byte tells whether the place and the
//! length of the payload are made to fit, too.
#![no_main]

#[path = "../../tests/common/door.rs"]
mod door;

libfuzzer_sys::fuzz_target!(|input: &[u8]| {
    if let Some((first, file)) = input.split_first() {
        let mut file = file.to_vec();
        door::repair(&mut file, first % 8 != 0);
        door::enter(&file);
    }
});
