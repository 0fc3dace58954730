//! Making filters of kinds that are built of all their keys at once.

use super::BasicFilter;
use crate::error::{Error, Result};
use crate::hash::{Hash, Hasher};
use crate::key::Key;
use crate::layout::{Sizing, Static, GROUP};

impl<L: Static> BasicFilter<L>
where
    L::Geometry: Sizing,
{
    /// The filter of these keys at the false-positive rate `fpr`, with the kind's own hash. Equal keys count once.
    pub fn build<K: Key>(keys: &[K], fpr: f64) -> Result<BasicFilter<L>> {
        let target = L::Geometry::for_capacity(keys.len().max(1) as u64, fpr)?;
        let hasher = L::default_hasher();
        let mut hashes = Vec::new();
        hashes
            .try_reserve_exact(keys.len())
            .map_err(|_| Error::no_memory("the hashes"))?;
        let mut group = [Hash::default(); GROUP];
        for keys in keys.chunks(GROUP) {
            hasher.hash_many(keys, &mut group);
            hashes.extend_from_slice(&group[..keys.len()]);
        }
        BasicFilter::build_hashes(hashes, target, hasher)
    }
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
        Ok(BasicFilter {
            layout: L::new(geometry),
            payload,
            hasher,
            key_count: Some(hashes.len() as u64),
        })
    }
}
