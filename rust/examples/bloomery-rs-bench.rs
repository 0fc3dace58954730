//! `bloomery-rs-bench N`: what adding to and asking a classic filter of N keys at 1 % costs, one `OP NS` line each.
//!
//! Keys are 8 bytes, hashing is included, making the keys is not. Each number is the median of seven windows of
//! about a million keys; the benchmark of the C++ core runs this and prints the lines beside its own.

use std::process::ExitCode;
use std::time::Instant;

use bloomery::classic::Filter;
use bloomery::hash::splitmix64;
use bloomery::Result;

const WINDOWS: u64 = 7;
const WINDOW: u64 = 1_000_000;
/// Numbers from here on were never added.
const ABSENT: u64 = 1 << 40;

type Key = [u8; 8];

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let n = match arguments.as_slice() {
        [n] => n.parse().unwrap_or(0),
        _ => 0,
    };
    if n == 0 || n >= ABSENT {
        eprintln!(
            "bloomery-rs-bench: usage: bloomery-rs-bench N, a number of keys from 1 to 2^40 - 1"
        );
        return ExitCode::from(2);
    }
    match run(n) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("bloomery-rs-bench: {}", error);
            ExitCode::from(2)
        }
    }
}

fn run(n: u64) -> Result<()> {
    let mut filter = Filter::with_capacity(n, 0.01)?;
    report("add", n, |keys, first| {
        if first {
            filter.clear();
        }
        let start = Instant::now();
        let mut changed = 0;
        for key in keys {
            changed += usize::from(filter.add(key));
        }
        (start, changed > 0 || n < WINDOW)
    });
    fill(&mut filter, n);
    for (name, from) in [("contains_present", 0), ("contains_absent", ABSENT)] {
        report(name, from.max(n), |keys, _| {
            let start = Instant::now();
            let found = keys.iter().filter(|key| filter.contains(key)).count();
            (start, plausible(found, keys.len(), from))
        });
    }
    let mut answers = Vec::new();
    for (name, from) in [
        ("contains_many_present", 0),
        ("contains_many_absent", ABSENT),
    ] {
        report(name, from.max(n), |keys, _| {
            let start = Instant::now();
            filter.contains_many(keys, &mut answers);
            let found = answers.iter().filter(|answer| **answer).count();
            (start, plausible(found, keys.len(), from))
        });
    }
    Ok(())
}

/// Looks at the answers, so that the compiler cannot leave them out, and a broken filter gets no numbers.
fn plausible(found: usize, asked: usize, from: u64) -> bool {
    if from == 0 {
        found == asked
    } else {
        found < asked
    }
}

/// Times seven windows of the keys below `end`, or of those from [`ABSENT`] on when that is `end`, and prints the
/// median. `window` gets the keys and whether they start over, and gives back when it began and whether all is well.
fn report(name: &str, end: u64, mut window: impl FnMut(&[Key], bool) -> (Instant, bool)) {
    let mut times = Vec::new();
    for w in 0..WINDOWS {
        let keys: Vec<Key> = (w * WINDOW..(w + 1) * WINDOW)
            .map(|i| if end == ABSENT { ABSENT + i } else { i % end })
            .map(|i| splitmix64(i).to_le_bytes())
            .collect();
        let (start, well) = window(&keys, end <= WINDOW || w * WINDOW % end < WINDOW);
        times.push(start.elapsed().as_nanos() as f64 / WINDOW as f64);
        assert!(well, "{}: wrong answers", name);
    }
    times.sort_by(f64::total_cmp);
    println!("{} {:.3}", name, times[times.len() / 2]);
}

fn fill(filter: &mut Filter, n: u64) {
    filter.clear();
    let mut from = 0;
    while from < n {
        let end = n.min(from + WINDOW);
        let keys: Vec<Key> = (from..end).map(|i| splitmix64(i).to_le_bytes()).collect();
        filter.add_many(&keys);
        from = end;
    }
}
