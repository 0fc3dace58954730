//! Probes of split and block filters by vector instructions, where the machine has them: found out while the program
//! runs. The scalar code of the two kinds is the definition; what is here gives the same bits and the same answers.
//!
//! Why it is sound: a value of [`Avx2`] exists only after the machine said that it has AVX2, so its methods may run such
//! instructions; a layout keeps one, so the machine is asked once for each filter and not for each key. Loads and stores
//! are those of a block, which is taken from its payload as an array of its size.

#[cfg_attr(not(target_arch = "x86_64"), path = "none.rs")]
mod x86;

pub(crate) use x86::Avx2;

use crate::hash::Hash;
use crate::layout::Layout;

/// How many keys ahead a batch fetches the block of a key: enough for the cache misses to overlap.
const AHEAD: usize = 16;

/// A filter of at most so many bytes stays in the second cache of most machines: there fetching costs more than it saves.
const NEAR: usize = 1 << 19;

/// Begins to load the line at `at` of a payload, where the language has an instruction for that.
#[inline(always)]
pub(crate) fn prefetch(payload: &[u8], at: usize) {
    #[cfg(target_arch = "x86_64")]
    #[allow(unsafe_code)]
    {
        use std::arch::x86_64::{_mm_prefetch, _MM_HINT_T0};
        let line = payload.as_ptr().wrapping_add(at).cast::<i8>();
        // SAFETY: a prefetch reads nothing that a program could see, from whatever address.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(line) }
    }
    let _ = (payload, at);
}

/// Sets each answer to what `contains` says of its hash. The blocks of a large filter are fetched some keys before.
#[inline(always)]
pub(crate) fn contains_each<L: Layout>(
    layout: L,
    payload: &[u8],
    (hashes, answers): (&[Hash], &mut [bool]),
    contains: impl Fn(Hash) -> bool,
) {
    let pairs = hashes.iter().zip(answers);
    if payload.len() <= NEAR {
        return pairs.for_each(|(hash, answer)| *answer = contains(*hash));
    }
    let (first, later) = hashes.split_at(AHEAD.min(hashes.len()));
    for hash in first {
        layout.prefetch(payload, *hash);
    }
    let mut later = later.iter();
    for (hash, answer) in pairs {
        if let Some(later) = later.next() {
            layout.prefetch(payload, *later);
        }
        *answer = contains(*hash);
    }
}

/// Calls `add` with each hash, in the same way.
#[inline(always)]
pub(crate) fn add_each<L: Layout>(
    layout: L,
    payload: &mut [u8],
    hashes: &[Hash],
    add: impl Fn(&mut [u8], Hash) -> bool,
) {
    let near = payload.len() <= NEAR;
    let (first, later) = hashes.split_at(if near { 0 } else { AHEAD.min(hashes.len()) });
    for hash in first {
        layout.prefetch(payload, *hash);
    }
    let mut later = later.iter();
    for hash in hashes {
        match later.next() {
            Some(later) if !near => layout.prefetch(payload, *later),
            _ => {}
        }
        add(payload, *hash);
    }
}

#[cfg(test)]
mod tests;
