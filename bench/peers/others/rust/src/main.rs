//! `bloomery-peers N`: what adding to and asking filters of N keys at 1 % costs with other Rust crates, one JSON
//! object a line and library. bench/peers/others.py runs it.
//!
//! Key number i is splitmix64(i), as in bench/keys.h. Making keys is not timed. Exits 1 when an added key is not found.

mod peers;

use std::process::ExitCode;

use bloomery::{block, classic, split, Hash};
use peers::{Bloomery, Fastbloom, Peer, Sbbf, FPR};

const WINDOWS: usize = 15;
const WINDOW: u64 = 400_000;
const ADD_WINDOW: u64 = 1_000_000;
/// Numbers from here on were never added.
const ABSENT: u64 = 1 << 40;
const ASKED: u64 = 1_000_000;

#[derive(Default)]
struct Samples {
    add: Vec<f64>,
    present: Vec<f64>,
    absent: Vec<f64>,
    /// The same by the calls for many keys, of those that have them.
    add_many: Vec<f64>,
    many_present: Vec<f64>,
    many_absent: Vec<f64>,
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let n = match arguments.as_slice() {
        [n] => n.parse().unwrap_or(0),
        _ => 0,
    };
    if n == 0 || n >= ABSENT {
        eprintln!("bloomery-peers: usage: bloomery-peers N, a number of keys from 1 to 2^40 - 1");
        return ExitCode::from(2);
    }
    let mut peers = peers(n);
    let mut samples: Vec<Samples> = peers.iter().map(|_| Samples::default()).collect();
    build(&mut peers, n, &mut samples);
    look_up(&peers, n, &mut samples);
    for (peer, samples) in peers.iter().zip(samples) {
        if let Some(key) = first_lost(peer.as_ref(), n) {
            eprintln!(
                "bloomery-peers: {}: added key {} is not found",
                peer.name(),
                key
            );
            return ExitCode::from(1);
        }
        report(peer.as_ref(), n, samples);
    }
    ExitCode::SUCCESS
}

fn peers(n: u64) -> Vec<Box<dyn Peer>> {
    let block = || block::Filter::with_capacity(n, FPR).expect("a size");
    let split = || split::Filter::with_capacity(n, FPR).expect("a size");
    let classic = || classic::Filter::with_capacity(n, FPR).expect("a size");
    vec![
        Box::new(Fastbloom::<false>::new(n)),
        Box::new(Fastbloom::<true>::new(n)),
        Box::new(Sbbf::new(n)),
        Box::new(Bloomery::<_, false>::new("bloomery block", block())),
        Box::new(Bloomery::<_, true>::new("bloomery block", block())),
        Box::new(Bloomery::<_, false>::new("bloomery split", split())),
        Box::new(Bloomery::<_, true>::new("bloomery split", split())),
        Box::new(Bloomery::<_, false>::new("bloomery classic", classic())),
        Box::new(Bloomery::<_, true>::new("bloomery classic", classic())),
    ]
}

/// Whole builds in turn, key by key and then by the call for many, until each peer has a sample for every window; a
/// window has at most a million keys. What is built last stays.
fn build(peers: &mut [Box<dyn Peer>], n: u64, samples: &mut [Samples]) {
    while samples[0].add.len() < WINDOWS {
        for many in [true, false] {
            peers.iter_mut().for_each(|peer| peer.clear());
            for from in (0..n).step_by(ADD_WINDOW as usize) {
                let keys = keys(from, ADD_WINDOW.min(n - from));
                for (peer, samples) in peers.iter_mut().zip(samples.iter_mut()) {
                    add(peer.as_mut(), &keys, many, samples);
                }
            }
        }
    }
}

fn add(peer: &mut dyn Peer, keys: &[u64], many: bool, samples: &mut Samples) {
    if !many {
        samples.add.push(ns_per_key(keys.len(), || peer.add(keys)));
        return;
    }
    let hashes: Vec<Hash> = keys.iter().map(|key| Hash::new(*key)).collect();
    let mut has = false;
    let ns = ns_per_key(keys.len(), || has = peer.add_many(keys, &hashes));
    samples.add_many.extend(Some(ns).filter(|_| has));
}

/// Every window has keys of its own and starts with another peer; each first gets a short untimed run, which brings
/// its filter back into the caches it lives in.
fn look_up(peers: &[Box<dyn Peer>], n: u64, samples: &mut [Samples]) {
    let window = WINDOW.min(n);
    let mut answers = vec![false; window as usize];
    for w in 0..WINDOWS {
        let present = |w: u64, count| keys(w * window % (n - count + 1), count);
        let added = present(w as u64, window);
        let warm = present(w as u64 + 1, window / 4);
        let missing = keys(ABSENT + w as u64 * window, window);
        for p in 0..peers.len() {
            let which = (p + w) % peers.len();
            let (peer, samples) = (&peers[which], &mut samples[which]);
            for (keys, into) in [
                (&added, &mut samples.present),
                (&missing, &mut samples.absent),
            ] {
                peer.contains(&warm, &mut answers);
                into.push(ns_per_key(keys.len(), || peer.contains(keys, &mut answers)));
            }
            let mut many = Vec::with_capacity(window as usize);
            for (keys, into) in [
                (&added, &mut samples.many_present),
                (&missing, &mut samples.many_absent),
            ] {
                let hashes: Vec<Hash> = keys.iter().map(|key| Hash::new(*key)).collect();
                let mut has = peer.contains_many(&warm, &hashes[..warm.len()], &mut many);
                let ns = ns_per_key(keys.len(), || {
                    has = peer.contains_many(keys, &hashes, &mut many);
                });
                into.extend(Some(ns).filter(|_| has));
            }
        }
    }
}

/// The number of the first added key that is not found.
fn first_lost(peer: &dyn Peer, n: u64) -> Option<u64> {
    let mut answers = vec![false; ADD_WINDOW as usize];
    (0..n).step_by(ADD_WINDOW as usize).find_map(|from| {
        let keys = keys(from, ADD_WINDOW.min(n - from));
        peer.contains(&keys, &mut answers);
        let lost = answers[..keys.len()].iter().position(|answer| !answer)?;
        Some(from + lost as u64)
    })
}

fn report(peer: &dyn Peer, n: u64, samples: Samples) {
    let mut answers = vec![false; ASKED as usize];
    peer.contains(&keys(2 * ABSENT, ASKED), &mut answers);
    let found = answers.iter().filter(|answer| **answer).count();
    println!(
        "{{\"library\":\"{}\",\"takes\":\"{}\",\"note\":\"{}\",\"clock\":\"thread CPU time\",\"n\":{},\
         \"ns\":{{\"add\":{:.3},\"contains_present\":{:.3},\"contains_absent\":{:.3}{}}},\
         \"bits_per_key\":{:.3},\"fpr\":{:.6}}}",
        peer.name(),
        peer.takes(),
        peer.note(),
        n,
        median(samples.add),
        median(samples.present),
        median(samples.absent),
        many_text(samples.add_many, samples.many_present, samples.many_absent),
        peer.bits() as f64 / n as f64,
        found as f64 / ASKED as f64,
    );
}

fn many_text(add: Vec<f64>, present: Vec<f64>, absent: Vec<f64>) -> String {
    if present.is_empty() {
        return String::new();
    }
    format!(
        ",\"add_many\":{:.3},\"contains_many_present\":{:.3},\"contains_many_absent\":{:.3}",
        median(add),
        median(present),
        median(absent)
    )
}

fn keys(first: u64, count: u64) -> Vec<u64> {
    (first..first + count).map(splitmix64).collect()
}

fn splitmix64(number: u64) -> u64 {
    let mut z = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

fn thread_ns() -> f64 {
    let mut now = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: now is a timespec to write to.
    let status = unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &mut now) };
    assert_eq!(status, 0, "there is no clock of the thread's CPU time");
    now.tv_sec as f64 * 1e9 + now.tv_nsec as f64
}

fn ns_per_key(keys: usize, work: impl FnOnce()) -> f64 {
    let start = thread_ns();
    work();
    (thread_ns() - start) / keys as f64
}

fn median(mut samples: Vec<f64>) -> f64 {
    samples.sort_by(f64::total_cmp);
    samples[samples.len() / 2]
}
