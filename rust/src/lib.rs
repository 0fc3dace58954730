//! Bloom filters in files that C++, Rust and Go read and write to the same byte.
//!
//! A filter answers "is this key definitely absent?". A [`Filter`] never denies a key that was added to it; of
//! the keys that were not, it lets through about the share it was sized for.
//!
//! ```
//! use bloomery::{Filter, Format};
//!
//! let mut seen = Filter::with_capacity(1_000, 0.01)?;
//! seen.add("apple");
//! seen.add(42u64);
//! assert!(seen.contains("apple") && seen.contains(42u64));
//! assert!(!seen.contains("pear"));
//!
//! let bytes = seen.encode(Format::Envelope)?;
//! let again = Filter::decode(&bytes, None)?;
//! assert!(again.contains("apple"));
//! # Ok::<(), bloomery::Error>(())
//! ```
//!
//! [`Filter`] is the [`block`] kind: one cache miss a lookup. [`split`] has Parquet's layout, [`fuse`] is smaller and made
//! of all its keys at once, [`classic`] has the raw file. The other kinds are read. All have the same shape, and
//! [`AnyFilter`] is whichever of them a file holds.
//!
//! Keys are text, bytes and integers: see [`Key`]. Threads share a [`Shared`] filter. Bytes that somebody else owns are
//! read in place by [`AnyView`] and [`Parsed`].
//!
//! Errors are values: nothing here panics on input, prints, or allocates what a file merely claims to need.
//!
//! Without the feature `std`, which is on by default, the crate is `no_std` with `alloc`: it decodes filters and looks
//! keys up. The features `serde` and `mmap` bring what their names say.

#![cfg_attr(not(feature = "std"), no_std)]
#![cfg_attr(not(feature = "std"), allow(dead_code))]
#![deny(unsafe_code)]
#![warn(missing_docs)]

extern crate alloc;
// Without `std`, what `core` has goes by the same name.
#[cfg(not(feature = "std"))]
extern crate core as std;

mod any;
pub mod block;
mod blocks;
pub mod classic;
pub mod counting;
pub mod cuckoo;
mod error;
#[cfg(feature = "std")]
pub mod file;
mod filter;
pub mod fuse;
#[cfg(test)]
#[path = "../tests/common/golden.rs"]
mod golden;
pub mod hash;
mod key;
mod kind;
pub mod layout;
#[cfg(feature = "mmap")]
mod mapped;
mod mem;
pub mod partitioned;
mod prelude;
#[cfg(feature = "std")]
mod publish;
pub mod quotient;
mod records;
pub mod ribbon;
pub mod scalable;
mod sealed;
mod shared;
mod simd;
#[cfg(feature = "std")]
pub mod sizing;
pub mod split;
pub mod stable;
pub mod wire;
mod words;

pub use any::{AnyFilter, AnyGeometry, AnyView};
pub use block::{Filter, Geometry, View};
pub use error::{Error, ErrorKind, Result};
pub use filter::{BasicFilter, BasicView};
pub use hash::{Hash, HashId, HashSpec, Hasher, Secret};
pub use key::{ByHash, Key};
pub use kind::Kind;
pub use layout::Size;
#[cfg(feature = "mmap")]
pub use mapped::Mapped;
pub use records::Records;
pub use shared::{Shared, Sharing};
pub use wire::{Format, Header, Parsed, Verify};
