//! XXH3 and XXH64 of exactly 8 bytes, the length of integer keys: without a call, so that the hashes of a batch are
//! computed side by side.

use super::Hash;

/// The words 1 and 2 of the secret that XXH3 defines, combined.
const XXH3_WORDS: u64 = 0x1cad_21f7_2c81_017c ^ 0xdb97_9083_e96d_d4de;
const XXH3_MIXER: u64 = 0x9fb2_1c65_1e98_df25;

const PRIME_1: u64 = 0x9e37_79b1_85eb_ca87;
const PRIME_2: u64 = 0xc2b2_ae3d_27d4_eb4f;
const PRIME_3: u64 = 0x1656_67b1_9e37_79f9;
const PRIME_4: u64 = 0x85eb_ca77_c2b2_ae63;
const PRIME_5: u64 = 0x27d4_eb2f_1656_67c5;

/// XXH3 of the 8 bytes of `key`, little-endian.
#[inline(always)]
pub(super) fn xxh3(key: u64, seed: u64) -> Hash {
    let seed = seed ^ u64::from((seed as u32).swap_bytes()) << 32;
    let mut x = key.rotate_left(32) ^ XXH3_WORDS.wrapping_sub(seed);
    x ^= x.rotate_left(49) ^ x.rotate_left(24);
    x = x.wrapping_mul(XXH3_MIXER);
    x ^= (x >> 35).wrapping_add(8);
    x = x.wrapping_mul(XXH3_MIXER);
    Hash::new(x ^ (x >> 28))
}

/// XXH64 of the 8 bytes of `key`, little-endian.
#[inline(always)]
pub(super) fn xxh64(key: u64, seed: u64) -> Hash {
    let lane = key.wrapping_mul(PRIME_2).rotate_left(31);
    let mut x = seed.wrapping_add(PRIME_5).wrapping_add(8) ^ lane.wrapping_mul(PRIME_1);
    x = x.rotate_left(27).wrapping_mul(PRIME_1);
    x = x.wrapping_add(PRIME_4);
    x = (x ^ (x >> 33)).wrapping_mul(PRIME_2);
    x = (x ^ (x >> 29)).wrapping_mul(PRIME_3);
    Hash::new(x ^ (x >> 32))
}

#[cfg(test)]
#[test]
fn eight_bytes_have_the_hash_that_any_length_has() {
    for i in 0..1000 {
        let (key, seed) = (super::splitmix64(i), [0, i, super::splitmix64(!i)]);
        for seed in seed {
            let bytes = key.to_le_bytes();
            let xxh3_of_any = xxhash_rust::xxh3::xxh3_64_with_seed(&bytes, seed);
            assert_eq!(xxh3(key, seed).bits(), xxh3_of_any);
            let xxh64_of_any = xxhash_rust::xxh64::xxh64(&bytes, seed);
            assert_eq!(xxh64(key, seed).bits(), xxh64_of_any);
        }
    }
}
