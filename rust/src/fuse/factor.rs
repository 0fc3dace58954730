//! The seed of a part, and the factor that stands for it in the payload.

use crate::hash::splitmix64;

/// What the hashes of a part are multiplied by. Seed 0 leaves their order; of others the second byte is the seed.
pub(super) fn factor_of(parts: u64, seed: u8) -> u64 {
    match seed {
        0 => parts,
        _ => splitmix64(u64::from(seed)) & !0xffff | u64::from(seed) << 8 | 1,
    }
}

/// The seed of a factor.
pub(super) fn seed_of(parts: u64, factor: u64) -> u8 {
    if factor == parts {
        0
    } else {
        (factor >> 8) as u8
    }
}
