//! Batches by vector instructions where the machine has them, found out when the program runs. The scalar code is the
//! definition; what is here gives the same answers. The other place with `unsafe` code.

#[cfg(all(target_arch = "x86_64", feature = "std"))]
mod x86;

use crate::hash::Hash;

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

/// Answers a group of a split filter by vectors; false, and nothing done, where the machine has none.
#[inline(always)]
pub(crate) fn split_contains(
    payload: &[u8],
    hashes: &[Hash],
    answers: &mut [bool],
    blocks: u64,
    block_of: impl Fn(Hash) -> u64,
) -> bool {
    #[cfg(all(target_arch = "x86_64", feature = "std"))]
    if usable(payload, 32, blocks, hashes, answers) {
        // SAFETY: `usable` asked for AVX2 and compared the lengths; a block's number is below `blocks`.
        #[allow(unsafe_code)]
        unsafe {
            x86::split_contains(payload, hashes, answers, block_of);
        }
        return true;
    }
    let _ = (payload, hashes, answers, blocks, block_of);
    false
}

/// The same of a block filter with k bits a key.
#[inline(always)]
pub(crate) fn block_contains(
    payload: &[u8],
    hashes: &[Hash],
    answers: &mut [bool],
    (blocks, k): (u64, u32),
    block_of: impl Fn(Hash) -> u64,
) -> bool {
    #[cfg(all(target_arch = "x86_64", feature = "std"))]
    if usable(payload, 64, blocks, hashes, answers) {
        // SAFETY: as above, and a geometry has a k of 1 to 16.
        #[allow(unsafe_code)]
        unsafe {
            x86::block_contains(payload, hashes, answers, k, block_of);
        }
        return true;
    }
    let _ = (payload, hashes, answers, blocks, k, block_of);
    false
}

/// Whether the machine has AVX2, and the lengths are those that the loops count on.
#[cfg(all(target_arch = "x86_64", feature = "std"))]
#[inline(always)]
fn usable(payload: &[u8], block: u64, blocks: u64, hashes: &[Hash], answers: &[bool]) -> bool {
    std::is_x86_feature_detected!("avx2")
        && payload.len() as u64 == block.saturating_mul(blocks)
        && hashes.len() == answers.len()
}

#[cfg(test)]
mod tests;
