//! Split and block filters by AVX2: the products, shifts and tests of eight bits at once.

#![allow(unsafe_code)]

use std::arch::x86_64::*;

use crate::blocks::{line_of, split_block_of, SALT, SALTS_OF_K};
use crate::hash::Hash;
use crate::mem::{block, block_mut};

/// The promise that the machine has AVX2: nobody gets one unless it does.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Avx2(());

// SAFETY of every `unsafe` block here: the machine has AVX2, since there is a `self`.
impl Avx2 {
    /// The promise, where it is true.
    pub(crate) fn here() -> Option<Avx2> {
        #[cfg(feature = "std")]
        let here = std::is_x86_feature_detected!("avx2");
        #[cfg(not(feature = "std"))]
        let here = cfg!(target_feature = "avx2");
        here.then_some(Avx2(()))
    }

    /// Calls `work` as code for AVX2: the methods below are inlined into it.
    #[inline(always)]
    pub(crate) fn run<R>(self, work: impl FnOnce() -> R) -> R {
        unsafe { run(work) }
    }

    /// [`crate::layout::Layout::contains`] of a split filter.
    #[inline(always)]
    pub(crate) fn split_contains(self, payload: &[u8], blocks: u64, hash: Hash) -> bool {
        unsafe { split_contains(payload, blocks, hash) }
    }

    /// [`crate::layout::Growing::add`] of a split filter.
    #[inline(always)]
    pub(crate) fn split_add(self, payload: &mut [u8], blocks: u64, hash: Hash) -> bool {
        unsafe { split_add(payload, blocks, hash) }
    }

    /// [`crate::layout::Layout::contains`] of a block filter.
    #[inline(always)]
    pub(crate) fn block_contains(self, payload: &[u8], shape: (u64, u32), hash: Hash) -> bool {
        unsafe { block_contains(payload, shape.0, shape.1, hash) }
    }
}

#[target_feature(enable = "avx2")]
unsafe fn run<R>(work: impl FnOnce() -> R) -> R {
    work()
}

/// The bytes of an array of 32 that begins here.
#[inline]
#[target_feature(enable = "avx2")]
unsafe fn load<T>(from: *const T) -> __m256i {
    _mm256_loadu_si256(from.cast())
}

/// The low half of a hash times eight salts.
#[inline]
#[target_feature(enable = "avx2")]
unsafe fn products(hash: Hash, salts: *const u32) -> __m256i {
    _mm256_mullo_epi32(_mm256_set1_epi32(hash.bits() as i32), load(salts))
}

/// The bit that a hash has in each of the eight words of its block.
#[inline]
#[target_feature(enable = "avx2")]
unsafe fn split_bits(hash: Hash) -> __m256i {
    let places = _mm256_srli_epi32::<27>(products(hash, SALT.as_ptr()));
    _mm256_sllv_epi32(_mm256_set1_epi32(1), places)
}

#[inline]
#[target_feature(enable = "avx2")]
unsafe fn split_contains(payload: &[u8], blocks: u64, hash: Hash) -> bool {
    let block = block::<32>(payload, split_block_of(hash, blocks));
    match block {
        Some(block) => _mm256_testc_si256(load(block.as_ptr()), split_bits(hash)) == 1,
        None => true,
    }
}

#[inline]
#[target_feature(enable = "avx2")]
unsafe fn split_add(payload: &mut [u8], blocks: u64, hash: Hash) -> bool {
    let block = block_mut::<32>(payload, split_block_of(hash, blocks));
    let at = match block {
        Some(block) => block.as_mut_ptr(),
        None => return false,
    };
    let (before, bits) = (load(at), split_bits(hash));
    _mm256_storeu_si256(at.cast(), _mm256_or_si256(before, bits));
    _mm256_testc_si256(before, bits) == 0
}

/// Lanes from k on ask for a bit that another lane asks for too, so no lane has to be left out.
#[inline]
#[target_feature(enable = "avx2")]
unsafe fn block_contains(payload: &[u8], blocks: u64, k: u32, hash: Hash) -> bool {
    let block = match block::<64>(payload, line_of(hash, blocks)) {
        Some(block) => block.as_ptr(),
        None => return true,
    };
    let salts = SALTS_OF_K[k as usize & 31].as_ptr();
    let (first, second) = (load(block), load(block.add(32)));
    let mut signs = signs_of_eight(first, second, products(hash, salts));
    if k > 8 {
        signs &= signs_of_eight(first, second, products(hash, salts.add(8)));
    }
    signs == 0xff
}

/// The eight bits that the highest nine bits of the products name in a block, one in each bit of the result.
///
/// Place p is bit p % 32 of word p / 32; words 0 to 7 are in `first`, 8 to 15 in `second`. A permutation looks at the
/// low three bits of a word's number only; the fourth, which is the sign of the product, picks the half. Each bit is
/// then shifted to the sign of its lane.
#[inline]
#[target_feature(enable = "avx2")]
unsafe fn signs_of_eight(first: __m256i, second: __m256i, products: __m256i) -> i32 {
    let word = _mm256_srli_epi32::<28>(products);
    let from_first = _mm256_castsi256_ps(_mm256_permutevar8x32_epi32(first, word));
    let from_second = _mm256_castsi256_ps(_mm256_permutevar8x32_epi32(second, word));
    let words = _mm256_blendv_ps(from_first, from_second, _mm256_castsi256_ps(products));
    let to_sign = _mm256_andnot_si256(_mm256_srli_epi32::<23>(products), _mm256_set1_epi32(31));
    let signs = _mm256_sllv_epi32(_mm256_castps_si256(words), to_sign);
    _mm256_movemask_ps(_mm256_castsi256_ps(signs))
}
