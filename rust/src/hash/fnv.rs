//! `fnv_splitmix`: FNV-1a, whose last bytes are mixed too little, repaired by the finalizer of SplitMix64.

use std::sync::atomic::{AtomicUsize, Ordering};

use super::Hash;

const FNV_START: u64 = 0xcbf2_9ce4_8422_2325;
const FNV_PRIME: u64 = 0x0000_0100_0000_01b3;

/// FNV-1a with 64 bits, not good enough for a filter by itself.
#[inline]
pub fn fnv1a64(key: &[u8]) -> u64 {
    key.iter().fold(FNV_START, step)
}

#[inline(always)]
fn step(h: u64, byte: &u8) -> u64 {
    (h ^ u64::from(*byte)).wrapping_mul(FNV_PRIME)
}

/// One output of the SplitMix64 generator whose state is `x`: a bijection that spreads every bit.
#[inline]
pub fn splitmix64(x: u64) -> u64 {
    let x = x.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

#[inline]
pub(super) fn fnv_splitmix(key: &[u8]) -> Hash {
    Hash::new(splitmix64(fnv1a64(key)))
}

/// Ends the program when this build computes another FNV-1a or SplitMix64 than the one that files are made with, since
/// every answer would be wrong. Looks once; a hasher calls it when it is made.
pub(super) fn check_once() {
    static DONE: AtomicUsize = AtomicUsize::new(0);
    let done = DONE.load(Ordering::Relaxed);
    if done == 0 {
        // The compiler cannot know `done`, so it cannot work the answer out at build time.
        assert!(
            is_sound(done),
            "FNV-1a of \"\" or \"foobar\" is wrong in this build"
        );
        DONE.store(1, Ordering::Relaxed);
    }
}

fn is_sound(zero: usize) -> bool {
    fnv1a64(&b"foobar"[..zero]) == 0xcbf2_9ce4_8422_2325
        && fnv1a64(&b"foobar"[zero..]) == 0x8594_4171_f739_67e8
        && splitmix64(zero as u64) == 0xe220_a839_7b1d_cdaf
}

/// Four keys at a time: each step of FNV waits for the multiplication before it, so that four independent chains
/// take hardly longer than one.
#[inline(always)]
pub(super) fn fnv_splitmix_four(keys: [&[u8]; 4], out: &mut [Hash]) {
    let [a, b, c, d] = keys;
    let common = a.len().min(b.len()).min(c.len()).min(d.len());
    let mut h = [FNV_START; 4];
    for (((a, b), c), d) in a[..common]
        .iter()
        .zip(&b[..common])
        .zip(&c[..common])
        .zip(&d[..common])
    {
        h = [step(h[0], a), step(h[1], b), step(h[2], c), step(h[3], d)];
    }
    for ((key, h), out) in keys.iter().zip(h).zip(out) {
        *out = Hash::new(splitmix64(key[common..].iter().fold(h, step)));
    }
}

#[cfg(test)]
#[test]
fn the_check_of_a_build_passes_and_can_fail() {
    assert!(is_sound(0));
    assert!(!is_sound(1));
}
