//! Split and block filters by AVX2: eight products, shifts and tests at once. The answers are those of the scalar code,
//! bit for bit; callers have asked whether the machine has AVX2.

#![allow(unsafe_code)]

use std::arch::x86_64::*;

use super::prefetch;
use crate::blocks::SALT;
use crate::hash::Hash;

#[target_feature(enable = "avx2")]
unsafe fn products(hash: Hash, salts: usize) -> __m256i {
    let salts = _mm256_loadu_si256(SALT.as_ptr().add(salts).cast());
    _mm256_mullo_epi32(_mm256_set1_epi32(hash.bits() as i32), salts)
}

/// [`crate::layout::Layout::contains_group`] of a split filter, whose `block_of` gives the block of a hash.
///
/// # Safety
/// The machine has AVX2, there are as many answers as hashes, and every block is inside the payload.
#[target_feature(enable = "avx2")]
pub(crate) unsafe fn split_contains(
    payload: &[u8],
    hashes: &[Hash],
    answers: &mut [bool],
    block_of: impl Fn(Hash) -> u64,
) {
    for hash in hashes {
        prefetch(payload, 32 * block_of(*hash) as usize);
    }
    for (hash, answer) in hashes.iter().zip(answers) {
        let at = 32 * block_of(*hash) as usize;
        debug_assert!(at + 32 <= payload.len());
        let block = _mm256_loadu_si256(payload.as_ptr().add(at).cast());
        let shifts = _mm256_srli_epi32::<27>(products(*hash, 0));
        let mask = _mm256_sllv_epi32(_mm256_set1_epi32(1), shifts);
        *answer = _mm256_testc_si256(block, mask) == 1;
    }
}

/// The same of a block filter with k bits a key.
///
/// # Safety
/// As of [`split_contains`], and k is 1 to 16.
#[target_feature(enable = "avx2")]
pub(crate) unsafe fn block_contains(
    payload: &[u8],
    hashes: &[Hash],
    answers: &mut [bool],
    k: u32,
    block_of: impl Fn(Hash) -> u64,
) {
    for hash in hashes {
        prefetch(payload, 64 * block_of(*hash) as usize);
    }
    // Lanes from k on have no bit to look for.
    let lanes = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    let few = _mm256_cmpgt_epi32(_mm256_set1_epi32(k as i32), lanes);
    let more = _mm256_cmpgt_epi32(_mm256_set1_epi32(k as i32 - 8), lanes);
    for (hash, answer) in hashes.iter().zip(answers) {
        let at = 64 * block_of(*hash) as usize;
        debug_assert!(at + 64 <= payload.len());
        let block = payload.as_ptr().add(at);
        let mut good = has_bits(block, products(*hash, 0), few);
        if k > 8 {
            good &= has_bits(block, products(*hash, 8), more);
        }
        *answer = good;
    }
}

/// Whether the bits that the highest nine bits of each product name are set in a block, in the lanes of `used`.
#[target_feature(enable = "avx2")]
unsafe fn has_bits(block: *const u8, products: __m256i, used: __m256i) -> bool {
    let places = _mm256_srli_epi32::<23>(products);
    let words = _mm256_i32gather_epi32::<4>(block.cast(), _mm256_srli_epi32::<5>(places));
    let bits = _mm256_sllv_epi32(
        _mm256_set1_epi32(1),
        _mm256_and_si256(places, _mm256_set1_epi32(31)),
    );
    _mm256_testc_si256(words, _mm256_and_si256(bits, used)) == 1
}
