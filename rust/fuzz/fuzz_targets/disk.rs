//! Files on disk: read, and mapped. Checksums fit in half of them.
#![no_main]

#[path = "../../tests/common/door.rs"]
mod door;

libfuzzer_sys::fuzz_target!(|input: &[u8]| {
    if let Some((first, file)) = input.split_first() {
        let mut file = file.to_vec();
        if first % 2 == 0 {
            door::repair(&mut file, true);
        }
        let name = format!("bloomery-fuzz-{}", std::process::id());
        door::enter_on_disk(&file, &std::env::temp_dir().join(name));
    }
});
