//! The classic Bloom filter: m bits, and k indexes per key by double hashing modulo m.

mod filter;
mod geometry;
mod indexes;
#[cfg(test)]
mod tests;
mod view;

pub use filter::Filter;
pub use geometry::{Geometry, MAX_K};
pub use view::View;
