//! Four threads add to one filter and ask it meanwhile.

use bloomery::{block::Block, Result, Shared};

fn main() -> Result<()> {
    let seen = Shared::<Block>::with_capacity(1_000_000, 0.001)?;
    std::thread::scope(|threads| {
        for thread in 0..4u64 {
            let seen = &seen;
            threads.spawn(move || {
                for key in thread * 250_000..(thread + 1) * 250_000 {
                    seen.add(key);
                    assert!(seen.contains(key));
                }
            });
        }
    });
    let filter = seen.into_filter();
    println!("{:?}, about {:?} keys", filter, filter.estimated_count());
    Ok(())
}
