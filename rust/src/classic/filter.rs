//! A classic filter that owns its bits and knows its hash: what most users of the crate hold.

use super::indexes::Modulus;
use super::view::GROUP;
use super::{Geometry, View};
use crate::error::{Error, ErrorKind, Result};
use crate::hash::{Hash, HashSpec, Hasher};
use crate::sizing;

/// A classic Bloom filter. Many threads may read it while none writes, as its borrows demand.
///
/// Keys are anything that is bytes: `&str`, `String`, `Vec<u8>`, `[u8; N]`.
#[derive(Clone, Debug)]
pub struct Filter {
    geometry: Geometry,
    modulus: Modulus,
    bits: Vec<u8>,
    hasher: Hasher,
    key_count: Option<u64>,
}

impl Filter {
    /// An empty filter for `n` keys at the false-positive rate `fpr`, with the hash of raw files.
    ///
    /// Small filters miss low rates; [`sizing::plan_classic`] tells beforehand. Where it is the size beyond 2^32
    /// bits that makes it miss, the filter is refused.
    pub fn with_capacity(n: u64, fpr: f64) -> Result<Filter> {
        let plan = sizing::plan_classic(n, fpr)?;
        Filter::new(plan.geometry, Hasher::fnv_splitmix())
    }

    /// An empty filter of `m` bits with `k` indexes per key, with the hash of raw files.
    pub fn with_geometry(m: u64, k: u32) -> Result<Filter> {
        Filter::new(Geometry::new(m, k)?, Hasher::fnv_splitmix())
    }

    /// An empty filter of this geometry with this hash.
    pub fn new(geometry: Geometry, hasher: Hasher) -> Result<Filter> {
        let bytes = usize::try_from(geometry.payload_bytes()).unwrap_or(usize::MAX);
        let mut bits = Vec::new();
        bits.try_reserve_exact(bytes).map_err(|_| {
            Error::new(
                ErrorKind::OutOfMemory,
                format!("no memory for {} bytes of bits", geometry.payload_bytes()),
            )
        })?;
        bits.resize(bytes, 0);
        Ok(Filter {
            geometry,
            modulus: Modulus::new(geometry),
            bits,
            hasher,
            key_count: Some(0),
        })
    }

    /// A filter of bits that exist already, with the checks of [`View::new`]. A `key_count` of `None` is unknown.
    pub fn from_bits(
        geometry: Geometry,
        bits: Vec<u8>,
        hasher: Hasher,
        key_count: Option<u64>,
    ) -> Result<Filter> {
        View::new(geometry, &bits)?;
        Ok(Filter {
            geometry,
            modulus: Modulus::new(geometry),
            bits,
            hasher,
            key_count,
        })
    }

    /// The layout of the bits.
    pub fn geometry(&self) -> Geometry {
        self.geometry
    }

    /// The hash of the keys.
    pub fn hasher(&self) -> Hasher {
        self.hasher
    }

    /// Which hash that is, as a file would say it.
    pub fn hash_spec(&self) -> HashSpec {
        self.hasher.spec()
    }

    /// How many adds returned, the repeated ones included; `None` when unknown.
    pub fn key_count(&self) -> Option<u64> {
        self.key_count
    }

    /// The bits, for reading.
    #[inline]
    pub fn view(&self) -> View<'_> {
        View::trusted(self.geometry, self.modulus, &self.bits)
    }

    /// Adds a key. True when that changed a bit, so when the key was certainly not in the filter before.
    #[inline]
    pub fn add(&mut self, key: impl AsRef<[u8]>) -> bool {
        self.add_hash(self.hasher.hash(key.as_ref()))
    }

    /// [`Filter::add`] of a key hashed by the caller, with this filter's hash.
    #[inline]
    pub fn add_hash(&mut self, hash: Hash) -> bool {
        let changed = self.set_bits(hash);
        self.count_keys(1);
        changed
    }

    #[inline(always)]
    fn set_bits(&mut self, hash: Hash) -> bool {
        let mut walk = self.modulus.start(hash);
        let mut changed = false;
        for _ in 0..self.geometry.k() {
            let byte = &mut self.bits[walk.byte()];
            let mask = 1u8 << walk.shift();
            changed |= *byte & mask == 0;
            *byte |= mask;
            walk.step(self.modulus);
        }
        changed
    }

    fn count_keys(&mut self, more: u64) {
        // All ones is "unknown" in a file, so that is what an overflow becomes.
        self.key_count = self
            .key_count
            .and_then(|count| count.checked_add(more))
            .filter(|count| *count != u64::MAX);
    }

    /// False when the key was never added; true when it may have been.
    #[inline]
    pub fn contains(&self, key: impl AsRef<[u8]>) -> bool {
        self.contains_hash(self.hasher.hash(key.as_ref()))
    }

    /// [`Filter::contains`] of a key hashed by the caller, with this filter's hash.
    #[inline]
    pub fn contains_hash(&self, hash: Hash) -> bool {
        self.view().contains(hash)
    }

    /// Adds the key and tells whether it may have been in the filter before.
    #[inline]
    pub fn test_and_add(&mut self, key: impl AsRef<[u8]>) -> bool {
        !self.add(key)
    }

    /// Adds all keys, faster than one by one.
    pub fn add_many<K: AsRef<[u8]>>(&mut self, keys: &[K]) {
        let mut hashes = [Hash::default(); GROUP];
        for keys in keys.chunks(GROUP) {
            self.hasher.hash_many(keys, &mut hashes);
            for hash in hashes.iter().take(keys.len()) {
                self.set_bits(*hash);
            }
        }
        self.count_keys(keys.len() as u64);
    }

    /// [`Filter::contains`] of each key, in order; `answers` is overwritten. Faster than one by one.
    pub fn contains_many<K: AsRef<[u8]>>(&self, keys: &[K], answers: &mut Vec<bool>) {
        answers.clear();
        answers.resize(keys.len(), false);
        let view = self.view();
        let mut hashes = [Hash::default(); GROUP];
        for (keys, answers) in keys.chunks(GROUP).zip(answers.chunks_mut(GROUP)) {
            self.hasher.hash_many(keys, &mut hashes);
            view.contains_group(&hashes[..keys.len()], answers);
        }
    }

    /// Adds every key of `other`: afterwards the bits are those of the union of both key sets.
    pub fn merge(&mut self, other: &Filter) -> Result<()> {
        self.same_shape(other)?;
        for (mine, theirs) in self.bits.iter_mut().zip(&other.bits) {
            *mine |= theirs;
        }
        match other.key_count {
            Some(count) => self.count_keys(count),
            None => self.key_count = None,
        }
        Ok(())
    }

    /// Keeps the keys that are in both, and some more than a filter built from those alone would let through.
    pub fn intersect(&mut self, other: &Filter) -> Result<()> {
        self.same_shape(other)?;
        for (mine, theirs) in self.bits.iter_mut().zip(&other.bits) {
            *mine &= theirs;
        }
        self.key_count = None;
        Ok(())
    }

    fn same_shape(&self, other: &Filter) -> Result<()> {
        let differ = |field, what: String| {
            Err(Error::field(
                ErrorKind::InvalidArgument,
                field,
                format!(
                    "{}: only filters of equal m, k and hash can be combined",
                    what
                ),
            ))
        };
        let (a, b) = (self.geometry, other.geometry);
        if a.m() != b.m() {
            return differ("m", format!("m is {} and {}", a.m(), b.m()));
        }
        if a.k() != b.k() {
            return differ("k", format!("k is {} and {}", a.k(), b.k()));
        }
        if self.hasher != other.hasher {
            let [a, b] = [self, other].map(|f| (f.hash_spec().id.name(), f.hash_spec().seed));
            return differ(
                "hash",
                format!("the hash is {} ({:#x}) and {} ({:#x})", a.0, a.1, b.0, b.1),
            );
        }
        Ok(())
    }

    /// Removes all keys.
    pub fn clear(&mut self) {
        self.bits.fill(0);
        self.key_count = Some(0);
    }

    /// The share of bits that are set.
    pub fn fill(&self) -> f64 {
        self.view().fill()
    }

    /// How many different keys were probably added; `None` when every bit is set.
    pub fn estimated_count(&self) -> Option<u64> {
        self.view().estimated_count()
    }

    /// The share of absent keys this filter lets through: exact up to 1,024 bits, from a model above.
    pub fn predicted_fpr(&self) -> f64 {
        self.view().predicted_fpr()
    }
}

/// Equal when no lookup and no file can tell them apart.
impl PartialEq for Filter {
    fn eq(&self, other: &Filter) -> bool {
        self.same_shape(other).is_ok()
            && self.bits == other.bits
            && self.key_count == other.key_count
    }
}
