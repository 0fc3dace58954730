//! A chain of block filters for keys whose number nobody knows: each link is larger than the one before. This crate
//! reads such filters.
//!
//! ```no_run
//! let seen = bloomery::scalable::Filter::open("seen.blm", None)?; // an error, if it holds another kind
//! println!("{}", seen.contains("apple"));
//! # Ok::<(), bloomery::Error>(())
//! ```

mod geometry;
#[cfg(feature = "std")]
mod predict;

pub use geometry::{Geometry, MAX_BLOCKS, MAX_GROWTH, MAX_LINKS};

use crate::block::{self, Block};
use crate::error::{Error, ErrorKind, Result};
use crate::filter::{BasicFilter, BasicView};
use crate::hash::Hash;
use crate::layout::{count_ones, KindGeometry, Layout};
use crate::prelude::*;
use crate::sealed::Sealed;
use crate::words::u64_at;
use geometry::{ENTRY_BYTES, MAX_KEYS_PER_BLOCK};

/// A scalable filter over borrowed bytes.
pub type View<'a> = BasicView<'a, Scalable>;

/// A scalable filter that owns its links.
pub type Filter = BasicFilter<Scalable>;

/// The layout of scalable filters.
#[derive(Clone, Copy, Debug)]
pub struct Scalable {
    geometry: Geometry,
}

/// A row of the directory.
#[derive(Clone, Copy, Debug)]
struct Entry {
    blocks: u64,
    k: u64,
    capacity: u64,
    count: u64,
}

impl Scalable {
    fn entry(self, payload: &[u8], link: u64) -> Entry {
        let at = ENTRY_BYTES * link;
        Entry {
            blocks: u64_at(payload, at),
            k: u64_at(payload, at + 8),
            capacity: u64_at(payload, at + 16),
            count: u64_at(payload, at + 24),
        }
    }

    /// The links with their blocks, the newest first: it holds most of the keys.
    fn links<'a>(self, payload: &'a [u8]) -> impl Iterator<Item = (Block, &'a [u8])> + 'a {
        let mut end = payload.len();
        (0..self.geometry.links()).rev().filter_map(move |link| {
            let entry = self.entry(payload, link);
            let geometry = block::Geometry::new(entry.blocks, entry.k as u32).ok()?;
            let start = end.checked_sub(geometry.payload_bytes() as usize)?;
            let blocks = payload.get(start..end)?;
            end = start;
            Some((Block::new(geometry), blocks))
        })
    }
}

impl Sealed for Scalable {}

impl Layout for Scalable {
    type Geometry = Geometry;

    fn new(geometry: Geometry) -> Scalable {
        Scalable { geometry }
    }

    fn geometry(&self) -> Geometry {
        self.geometry
    }

    fn check_payload(&self, payload: &[u8]) -> Result<()> {
        let wrong = |what: String| {
            let message = format!("the directory of the chain is damaged: {}", what);
            Err(Error::field(ErrorKind::Damaged, "directory", message))
        };
        let mut room = self.geometry.blocks();
        for link in 0..self.geometry.links() {
            let entry = self.entry(payload, link);
            if entry.blocks == 0 || entry.blocks > room {
                return wrong(format!(
                    "link {} has more blocks than there are, or none",
                    link
                ));
            }
            if entry.k == 0 || entry.k > u64::from(block::MAX_K) {
                return wrong(format!("link {} does not set 1 to 16 bits per key", link));
            }
            if entry.capacity == 0 || entry.capacity > MAX_KEYS_PER_BLOCK * entry.blocks {
                return wrong(format!("link {} does not take 1 to 512 keys a block", link));
            }
            if entry.count > entry.capacity {
                return wrong(format!("link {} has more keys than it takes", link));
            }
            room -= entry.blocks;
        }
        let newest = self.entry(payload, self.geometry.links() - 1);
        if (newest.k, newest.capacity) != self.geometry.newest() {
            return wrong("the newest link is not the one of the geometry".to_string());
        }
        if room != 0 {
            return wrong("its links have fewer blocks than the chain".to_string());
        }
        let used = (ENTRY_BYTES * self.geometry.links()) as usize;
        let directory = payload
            .iter()
            .take(self.geometry.directory_bytes() as usize);
        if directory.skip(used).any(|byte| *byte != 0) {
            return wrong("a byte after its last entry is not 0".to_string());
        }
        Ok(())
    }

    fn contains(&self, payload: &[u8], hash: Hash) -> bool {
        self.links(payload)
            .any(|(link, blocks)| link.contains(blocks, hash))
    }

    fn cells_set(&self, payload: &[u8]) -> u64 {
        let directory = self.geometry.directory_bytes() as usize;
        count_ones(payload.get(directory..).unwrap_or(&[]))
    }
}

#[cfg(test)]
mod tests;
