//! What a stranger writes first: fill a filter, save it, open it, share it between threads.
use bloomery::{block::Block, Error, Filter, Format, Shared};

fn main() -> Result<(), Error> {
    let path = std::env::temp_dir().join(format!("bloomery-app-{}.blm", std::process::id()));
    let mut seen = Filter::with_capacity(1_000, 0.01)?;
    seen.extend(["apple", "plum"]);
    seen.save(&path, Format::Envelope)?;

    let shared = &Shared::<Block>::from(Filter::open(&path, None)?);
    std::thread::scope(|threads| {
        for first in [0u64, 250] {
            threads.spawn(move || shared.add_many(&Vec::from_iter(first..first + 250)));
        }
    });
    assert!((0..500u64).all(|key| shared.contains(key)));
    let said = |key| ["is not", "may be there"][usize::from(shared.contains(key))];
    println!("apple {}, pear {}", said("apple"), said("pear"));
    std::fs::remove_file(path).map_err(|e| panic!("{}", e))
}
