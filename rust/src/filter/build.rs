//! Making filters of kinds that are built of all their keys at once.

use super::BasicFilter;
use crate::error::Result;
use crate::hash::{Hash, Hasher};
#[cfg(feature = "std")]
use crate::layout::Sizing;
use crate::layout::Static;
use crate::prelude::*;

#[cfg(feature = "std")]
impl<L: Static> BasicFilter<L>
where
    L::Geometry: Sizing,
{
    /// The filter of these keys at the false-positive rate `fpr`, with the kind's own hash. Equal keys count once.
    pub fn build<K: crate::key::Key>(keys: &[K], fpr: f64) -> Result<BasicFilter<L>> {
        let target = L::Geometry::for_capacity(keys.len().max(1) as u64, fpr)?;
        let hasher = L::default_hasher();
        BasicFilter::build_hashes(hashes_of(keys, hasher)?, target, hasher)
    }
}

#[cfg(feature = "std")]
fn hashes_of<K: crate::key::Key>(keys: &[K], hasher: Hasher) -> Result<Vec<Hash>> {
    let mut hashes = Vec::new();
    hashes
        .try_reserve_exact(keys.len())
        .map_err(|_| crate::error::Error::no_memory("the hashes"))?;
    hashes.resize(keys.len(), Hash::default());
    hasher.hash_many(keys, &mut hashes);
    Ok(hashes)
}

impl<L: Static> BasicFilter<L> {
    /// The filter of keys hashed by the caller, with this hash. The geometry that it gets follows from the hashes; of
    /// `target` only the numbers that give the rate count.
    pub fn build_hashes(
        mut hashes: Vec<Hash>,
        target: L::Geometry,
        hasher: Hasher,
    ) -> Result<BasicFilter<L>> {
        hashes.sort_unstable();
        hashes.dedup();
        let (geometry, payload) = L::build(&hashes, target)?;
        let count = Some(hashes.len() as u64);
        Ok(BasicFilter::of_parts(
            L::new(geometry),
            payload,
            hasher,
            count,
        ))
    }
}
