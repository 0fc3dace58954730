//! The crates, in one shape. A virtual call covers a whole window of keys, so it costs nothing per key.

use bloomery::layout::Growing;
use bloomery::{BasicFilter, Hash};
use fastbloom::BloomFilter;
use sbbf_rs::{FilterFn, BUCKET_SIZE};

pub const FPR: f64 = 0.01;
/// Bits a key of a split block filter at 1 %, from the table "Sizing an SBBF" of Parquet's specification.
const SPLIT_BITS: f64 = 10.5;

pub trait Peer {
    fn name(&self) -> &'static str;
    /// What its calls are given: keys, which it hashes, or hashes.
    fn takes(&self) -> &'static str;
    fn note(&self) -> String;
    fn clear(&mut self);
    fn add(&mut self, keys: &[u64]);
    /// Whether it has a call that adds many keys, which then adds them; `hashes` are the same numbers.
    fn add_many(&mut self, _keys: &[u64], _hashes: &[Hash]) -> bool {
        false
    }
    fn contains(&self, keys: &[u64], answers: &mut [bool]);
    /// Whether it has a call for many keys, which then answers them; `hashes` are the same numbers.
    fn contains_many(&self, _keys: &[u64], _hashes: &[Hash], _answers: &mut Vec<bool>) -> bool {
        false
    }
    fn bits(&self) -> usize;
}

/// The Rust sibling of this repository: a kind of it, given 8-byte keys for the kind's hash, or hashes.
pub struct Bloomery<L, const HASHES: bool> {
    name: &'static str,
    filter: BasicFilter<L>,
}

impl<L: Growing, const HASHES: bool> Bloomery<L, HASHES> {
    pub fn new(name: &'static str, filter: BasicFilter<L>) -> Self {
        Self { name, filter }
    }
}

impl<L: Growing, const HASHES: bool> Peer for Bloomery<L, HASHES> {
    fn name(&self) -> &'static str {
        self.name
    }
    fn takes(&self) -> &'static str {
        if HASHES {
            "hashes"
        } else {
            "keys"
        }
    }
    fn note(&self) -> String {
        let hash = if HASHES {
            "hashes given"
        } else {
            self.filter.hash_spec().id.name()
        };
        hash.to_string()
    }
    fn clear(&mut self) {
        self.filter.clear();
    }
    fn add(&mut self, keys: &[u64]) {
        for key in keys {
            if HASHES {
                self.filter.add_hash(Hash::new(*key));
            } else {
                self.filter.add(*key);
            }
        }
    }
    fn add_many(&mut self, keys: &[u64], hashes: &[Hash]) -> bool {
        if HASHES {
            self.filter.add_hashes(hashes);
        } else {
            self.filter.add_many(keys);
        }
        true
    }
    fn contains(&self, keys: &[u64], answers: &mut [bool]) {
        for (key, answer) in keys.iter().zip(answers) {
            *answer = if HASHES {
                self.filter.contains_hash(Hash::new(*key))
            } else {
                self.filter.contains(*key)
            };
        }
    }
    fn contains_many(&self, keys: &[u64], hashes: &[Hash], answers: &mut Vec<bool>) -> bool {
        if HASHES {
            self.filter.contains_many_hashes(hashes, answers);
        } else {
            self.filter.contains_many(keys, answers);
        }
        true
    }
    fn bits(&self) -> usize {
        8 * self.filter.view().payload().len()
    }
}

/// fastbloom, given 8-byte keys for its default hash, or hashes. A fixed seed makes runs alike.
pub struct Fastbloom<const HASHES: bool>(BloomFilter);

impl<const HASHES: bool> Fastbloom<HASHES> {
    pub fn new(n: u64) -> Self {
        Self(
            BloomFilter::with_false_pos(FPR)
                .seed(&1)
                .expected_items(n as usize),
        )
    }
}

impl<const HASHES: bool> Peer for Fastbloom<HASHES> {
    fn name(&self) -> &'static str {
        "fastbloom"
    }
    fn takes(&self) -> &'static str {
        if HASHES {
            "hashes"
        } else {
            "keys"
        }
    }
    fn note(&self) -> String {
        let hash = if HASHES { "" } else { ", SipHash-1-3" };
        format!("{} bits a key set{}", self.0.num_hashes(), hash)
    }
    fn clear(&mut self) {
        self.0.clear();
    }
    fn add(&mut self, keys: &[u64]) {
        for key in keys {
            if HASHES {
                self.0.insert_hash(*key);
            } else {
                self.0.insert(key); // the 8 bytes of the number, without the length that a slice would add
            }
        }
    }
    fn contains(&self, keys: &[u64], answers: &mut [bool]) {
        for (key, answer) in keys.iter().zip(answers) {
            *answer = if HASHES {
                self.0.contains_hash(*key)
            } else {
                self.0.contains(key)
            };
        }
    }
    fn bits(&self) -> usize {
        self.0.num_bits()
    }
}

/// sbbf-rs: Parquet's split block filter, given hashes. It brings neither memory nor sizing.
pub struct Sbbf {
    calls: FilterFn,
    lines: Vec<Line>,
    buckets: usize,
}

/// What the crate asks of its memory.
#[derive(Clone)]
#[repr(C, align(64))]
struct Line([u8; 64]);
const _: () = assert!(std::mem::align_of::<Line>() == sbbf_rs::ALIGNMENT);

impl Sbbf {
    pub fn new(n: u64) -> Self {
        let bits = n as f64 * SPLIT_BITS;
        let buckets = ((bits / 8.0 / BUCKET_SIZE as f64).ceil() as usize).max(1);
        let lines = vec![Line([0; 64]); (buckets * BUCKET_SIZE).div_ceil(64)];
        Self {
            calls: FilterFn::new(),
            lines,
            buckets,
        }
    }
}

impl Peer for Sbbf {
    fn name(&self) -> &'static str {
        "sbbf-rs"
    }
    fn takes(&self) -> &'static str {
        "hashes"
    }
    fn note(&self) -> String {
        format!(
            "sized by the table of Parquet's specification; it chose {}",
            self.calls.which()
        )
    }
    fn clear(&mut self) {
        self.lines.fill(Line([0; 64]));
    }
    fn add(&mut self, keys: &[u64]) {
        let memory = self.lines.as_mut_ptr().cast::<u8>();
        for key in keys {
            // SAFETY: aligned, and at least `buckets` buckets long.
            unsafe { self.calls.insert(memory, self.buckets, *key) };
        }
    }
    fn contains(&self, keys: &[u64], answers: &mut [bool]) {
        let memory = self.lines.as_ptr().cast::<u8>();
        for (key, answer) in keys.iter().zip(answers) {
            // SAFETY: as in add.
            *answer = unsafe { self.calls.contains(memory, self.buckets, *key) };
        }
    }
    fn bits(&self) -> usize {
        self.buckets * BUCKET_SIZE * 8
    }
}
