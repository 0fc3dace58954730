//! Bloom filters in files that C++, Rust and Go read and write to the same byte.
//!
//! A filter answers "is this key definitely absent?". A [`Filter`] never denies a key that was added to it; of
//! the keys that were not, it lets through about the share it was sized for.
//!
//! ```
//! use bloomery::{Filter, Format};
//!
//! let mut seen = Filter::with_capacity(1_000, 0.01)?;
//! seen.add(b"apple");
//! assert!(seen.contains(b"apple"));
//! assert!(!seen.contains(b"pear"));
//!
//! let bytes = seen.encode(Format::Envelope)?;
//! let again = Filter::decode(&bytes, None)?;
//! assert!(again.contains(b"apple"));
//! # Ok::<(), bloomery::Error>(())
//! ```
//!
//! [`Filter`] is the classic Bloom filter. The kinds [`split`] and [`block`] keep a key's bits together and are faster;
//! [`fuse`] is smaller than both and made of all its keys at once. They have the same shape, and [`AnyFilter`] is whichever
//! of them a file holds.
//!
//! The layers, each using only those before it: [`Error`], [`hash`], [`sizing`], [`layout`], the kinds, [`wire`] and
//! [`mod@file`].
//! Errors are values: nothing here panics on input, prints, or allocates what a file merely claims to need.

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
pub mod quotient;
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
pub use shared::{Shared, Sharing};
pub use wire::{Format, Header, Parsed, Verify};
