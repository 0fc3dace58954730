//! A filter of text and numbers, saved and read again.

use bloomery::{Filter, Format, Result};

fn main() -> Result<()> {
    let path = std::env::temp_dir().join("seen.blm");
    let mut seen = Filter::with_capacity(1_000_000, 0.01)?;
    seen.add("apple");
    seen.add(42u64);
    seen.save(&path, Format::Envelope)?;

    let seen = Filter::open(&path, None)?;
    println!(
        "apple {}, 42 {}, pear {}",
        seen.contains("apple"),
        seen.contains(42u64),
        seen.contains("pear")
    );
    Ok(())
}
