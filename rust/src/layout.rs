//! What a kind of filter has to say of itself; views, owners and files are the same for all of them.
//!
//! A kind is a **geometry**, the numbers that fix its layout and are stored in its file, and a **layout**, which finds
//! a hash's place in the payload. The kinds of the specification have both here; no other crate can add one.

use std::fmt;

use crate::error::Result;
use crate::hash::{Hash, Hasher};
use crate::kind::Kind;
use crate::mem::Bytes;
use crate::sealed::Sealed;

/// Keys probed together: enough for their cache misses to overlap, few enough to stay in registers and L1.
pub const GROUP: usize = 32;

/// Keys hashed together, before any of them is looked up or added.
pub(crate) const BATCH: usize = 256;

/// The words of an envelope that hold a geometry.
pub type Words = [u64; 8];

/// How a filter is sized.
///
/// ```
/// use bloomery::layout::{KindGeometry, Sizing};
/// use bloomery::{block, Size};
///
/// let geometry = block::Geometry::for_size(1_000, Size::BitsPerKey(12.0), None)?;
/// assert!(geometry.payload_bits() >= 12_000);
/// # Ok::<(), bloomery::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Size {
    /// For a number of keys at a false-positive rate.
    Fpr(f64),
    /// For a number of keys with so many bits for each.
    BitsPerKey(f64),
}

/// The numbers that fix a filter's layout: always within their bounds.
pub trait KindGeometry: Sealed + Copy + PartialEq + fmt::Debug {
    /// Whose numbers these are.
    const KIND: Kind;
    /// Their names, in the order of the file.
    const FIELDS: &'static [&'static str];

    /// The numbers, in the order of [`KindGeometry::FIELDS`], then zeros.
    fn values(&self) -> Words;
    /// Refuses numbers that no filter of this kind has. Words after the last field are not looked at.
    fn from_values(values: &Words) -> Result<Self>;
    /// The bytes of the payload.
    fn payload_bytes(&self) -> u64;
    /// The bits of the payload, less what is left over in its last byte.
    fn payload_bits(&self) -> u64 {
        self.payload_bytes().saturating_mul(8)
    }
    /// What [`Layout::cells_set`] is counted out of.
    fn cells(&self) -> u64 {
        self.payload_bits()
    }
}

/// A geometry that can be had for a number of keys.
#[cfg(feature = "std")]
pub trait Sizing: KindGeometry {
    /// The one number that a rate leaves open, where there is one.
    const CHOICE: Option<&'static str> = None;

    /// The geometry for `n` keys at the false-positive rate `fpr`.
    fn for_capacity(n: u64, fpr: f64) -> Result<Self>;
    /// The geometry for `n` keys with `bits` bits for each of them.
    fn for_bits_per_key(n: u64, bits: f64) -> Result<Self>;
    /// One of the two above, with the number that they leave open.
    fn for_size(n: u64, size: Size, _choice: Option<u64>) -> Result<Self> {
        match size {
            Size::Fpr(fpr) => Self::for_capacity(n, fpr),
            Size::BitsPerKey(bits) => Self::for_bits_per_key(n, bits),
        }
    }
    /// The rate expected once the filter holds `n` keys.
    fn predicted_fpr_after(&self, n: u64) -> f64;
}

/// Where a hash is found in a payload. Payloads have the length of the geometry.
pub trait Layout: Sealed + Copy + fmt::Debug {
    /// The numbers it is made from.
    type Geometry: KindGeometry;
    /// What the payload holds, for messages.
    const CELLS: &'static str = "bits";

    /// The layout of a geometry.
    fn new(geometry: Self::Geometry) -> Self;
    /// The geometry it was made from.
    fn geometry(&self) -> Self::Geometry;
    /// The hash of its files unless told otherwise.
    fn default_hasher() -> Hasher {
        Hasher::xxh3(0)
    }
    /// Refuses a payload that is not this layout's, as far as that can be seen in constant time.
    fn check_payload(&self, _payload: &[u8]) -> Result<()> {
        Ok(())
    }
    /// Refuses, in linear time, what lookups rely on and [`Layout::check_payload`] cannot see.
    fn check_structure(&self, _payload: &[u8]) -> Result<()> {
        Ok(())
    }
    /// False when no key with this hash is there; true when one may be.
    fn contains(&self, payload: &[u8], hash: Hash) -> bool;
    /// Begins to load what a lookup or an add of this hash reads first.
    #[inline(always)]
    fn prefetch(&self, _payload: &[u8], _hash: Hash) {}
    /// [`Layout::contains`] of up to [`GROUP`] hashes.
    #[inline(always)]
    fn contains_group(&self, payload: &[u8], hashes: &[Hash], answers: &mut [bool]) {
        for hash in hashes {
            self.prefetch(payload, *hash);
        }
        for (hash, answer) in hashes.iter().zip(answers) {
            *answer = self.contains(payload, *hash);
        }
    }
    /// [`Layout::contains`] of any number of hashes, with their cache misses side by side.
    #[inline(always)]
    fn contains_each(&self, payload: &[u8], hashes: &[Hash], answers: &mut [bool]) {
        for (hashes, answers) in hashes.chunks(GROUP).zip(answers.chunks_mut(GROUP)) {
            self.contains_group(payload, hashes, answers);
        }
    }
    /// How many cells are in use.
    fn cells_set(&self, payload: &[u8]) -> u64 {
        count_ones(payload)
    }
    /// How many attempts of the build failed; `None` of kinds whose building cannot.
    fn retries(&self, _payload: &[u8]) -> Option<u64> {
        None
    }
}

/// A layout that tells from a payload what the filter does.
#[cfg(feature = "std")]
pub trait Predict: Layout {
    /// The share of absent keys that this payload lets through.
    fn predicted_fpr(&self, payload: &[u8]) -> f64;
    /// How many different keys were probably added; `None` when nobody can tell.
    fn estimated_count(&self, payload: &[u8]) -> Option<u64>;
}

/// A layout that is made of all its keys at once and never changed.
pub trait Static: Layout {
    /// The geometry and payload of these hashes, which are sorted and differ. Of `target` only what gives the rate
    /// counts.
    fn build(hashes: &[Hash], target: Self::Geometry) -> Result<(Self::Geometry, Bytes)>;
}

/// A layout whose bits are only ever set: keys can be added, and equal filters can be united bit by bit.
pub trait Growing: Layout {
    /// Adds a hash. True when that changed a bit.
    fn add(&self, payload: &mut [u8], hash: Hash) -> bool;
    /// [`Growing::add`] of any number of hashes, with their cache misses side by side.
    #[inline(always)]
    fn add_each(&self, payload: &mut [u8], hashes: &[Hash]) {
        for hashes in hashes.chunks(GROUP) {
            for hash in hashes {
                self.prefetch(payload, *hash);
            }
            for hash in hashes {
                self.add(payload, *hash);
            }
        }
    }
}

/// The number of set bits in `bytes`.
pub(crate) fn count_ones(bytes: &[u8]) -> u64 {
    let mut words = bytes.chunks_exact(8);
    let whole: u64 = (&mut words)
        .map(|word| {
            let mut bytes = [0; 8];
            bytes.copy_from_slice(word);
            u64::from(u64::from_le_bytes(bytes).count_ones())
        })
        .sum();
    let rest: u32 = words.remainder().iter().map(|byte| byte.count_ones()).sum();
    whole + u64::from(rest)
}
