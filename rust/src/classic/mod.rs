//! The classic Bloom filter: m bits, and k indexes per key by double hashing modulo m.
//!
//! ```
//! use bloomery::{classic, Format};
//!
//! let mut seen = classic::Filter::with_capacity(1_000, 0.01)?;
//! seen.add("apple");
//! let raw = seen.encode(Format::Raw)?; // the file without a checksum, which this kind alone has
//! assert!(classic::Filter::decode(&raw, None)?.contains("apple"));
//! # Ok::<(), bloomery::Error>(())
//! ```

mod geometry;
mod indexes;
mod layout;
#[cfg(feature = "std")]
mod predict;
#[cfg(feature = "std")]
mod sizing;
#[cfg(test)]
mod tests;
#[cfg(feature = "std")]
mod wide;

pub use geometry::{Geometry, MAX_K};
pub(crate) use indexes::Modulus;
pub use layout::Classic;
#[cfg(feature = "std")]
pub(crate) use predict::EXACT_UP_TO;
#[cfg(feature = "std")]
pub use sizing::Plan;

use crate::error::Result;
use crate::filter::{BasicFilter, BasicView};
use crate::hash::Hasher;

/// A classic filter over borrowed bytes.
pub type View<'a> = BasicView<'a, Classic>;

/// A classic filter that owns its bits.
pub type Filter = BasicFilter<Classic>;

impl Filter {
    /// An empty filter of `m` bits with `k` indexes per key, with the hash of raw files.
    pub fn with_geometry(m: u64, k: u32) -> Result<Filter> {
        Filter::new(Geometry::new(m, k)?, Hasher::fnv_splitmix())
    }
}
