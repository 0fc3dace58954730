//! The six numbers that fix a scalable filter's layout, and its directory.

use crate::block;
use crate::error::{Error, ErrorKind, Result};
use crate::kind::Kind;
use crate::layout::{KindGeometry, Words};
use crate::prelude::*;
use crate::sealed::Sealed;

/// The most links.
pub const MAX_LINKS: u64 = 64;
/// The most blocks of all links together.
pub const MAX_BLOCKS: u64 = 1 << 54;
/// The largest growth from link to link.
pub const MAX_GROWTH: u64 = 8;

/// The bytes of a row of the directory.
pub(super) const ENTRY_BYTES: u64 = 32;
/// No link takes more.
pub(super) const MAX_KEYS_PER_BLOCK: u64 = 512;

const BLOCK_BYTES: u64 = block::BLOCK_BYTES as u64;
/// Rates are stored in parts per 10^12.
const ONE: u64 = 1_000_000_000_000;
const LOWEST_PPT: u64 = 10_000_000;

/// Links, their blocks, the newest link, the growth and the rate: always within their bounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Geometry {
    links: u64,
    blocks: u64,
    link_k: u64,
    link_capacity: u64,
    growth: u64,
    fpr_ppt: u64,
}

impl Geometry {
    /// The number of links.
    pub fn links(self) -> u64 {
        self.links
    }

    /// The blocks of all links together.
    pub fn blocks(self) -> u64 {
        self.blocks
    }

    /// The rate that the whole chain stays below.
    pub fn target_fpr(self) -> f64 {
        self.fpr_ppt as f64 / ONE as f64
    }

    /// The bits per key, and the capacity, of the newest link.
    pub(super) fn newest(self) -> (u64, u64) {
        (self.link_k, self.link_capacity)
    }

    /// The directory, padded to whole blocks.
    pub(super) fn directory_bytes(self) -> u64 {
        (self.links + 1) / 2 * BLOCK_BYTES
    }
}

impl Sealed for Geometry {}

impl KindGeometry for Geometry {
    const KIND: Kind = Kind::Scalable;
    const FIELDS: &'static [&'static str] = &[
        "links",
        "blocks",
        "link_k",
        "link_capacity",
        "growth",
        "fpr_ppt",
    ];

    fn values(&self) -> Words {
        [
            self.links,
            self.blocks,
            self.link_k,
            self.link_capacity,
            self.growth,
            self.fpr_ppt,
            0,
            0,
        ]
    }

    fn from_values(values: &Words) -> Result<Geometry> {
        let [links, blocks, link_k, link_capacity, growth, fpr_ppt, ..] = *values;
        let check = |field, value, least, most| match (least..=most).contains(&value) {
            true => Ok(()),
            false => Err(Error::field(
                ErrorKind::InvalidArgument,
                field,
                format!("{} is {}, must be {} to {}", field, value, least, most),
            )),
        };
        check("links", links, 1, MAX_LINKS)?;
        check("blocks", blocks, links, MAX_BLOCKS)?;
        check("link_k", link_k, 1, u64::from(block::MAX_K))?;
        let most = MAX_KEYS_PER_BLOCK * (blocks - links + 1);
        check("link_capacity", link_capacity, 1, most)?;
        check("growth", growth, 1, MAX_GROWTH)?;
        check("fpr_ppt", fpr_ppt, LOWEST_PPT, ONE - 1)?;
        Ok(Geometry {
            links,
            blocks,
            link_k,
            link_capacity,
            growth,
            fpr_ppt,
        })
    }

    fn payload_bytes(&self) -> u64 {
        self.directory_bytes() + BLOCK_BYTES * self.blocks
    }

    /// The bits of the links: the directory holds none.
    fn cells(&self) -> u64 {
        8 * BLOCK_BYTES * self.blocks
    }
}
