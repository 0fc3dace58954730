//! A filter of any kind that owns its bytes.

use std::fmt;

use super::{AnyGeometry, AnyView};
use crate::error::{Error, ErrorKind, Result};
use crate::filter::BasicFilter;
use crate::hash::{Hash, HashSpec, Hasher};
use crate::kind::Kind;
use crate::layout::Layout;
use crate::{block, classic, fuse, split};

/// A filter of any kind.
#[derive(Clone, PartialEq)]
pub enum AnyFilter {
    /// A classic filter.
    Classic(classic::Filter),
    /// A split filter.
    Split(split::Filter),
    /// A block filter.
    Block(block::Filter),
    /// A fuse filter.
    Fuse(fuse::Filter),
}

impl AnyFilter {
    /// An empty filter of this geometry with this hash. Kinds that are made of all their keys are refused.
    pub fn new(geometry: AnyGeometry, hasher: Hasher) -> Result<AnyFilter> {
        Ok(match geometry {
            AnyGeometry::Classic(g) => AnyFilter::Classic(classic::Filter::new(g, hasher)?),
            AnyGeometry::Split(g) => AnyFilter::Split(split::Filter::new(g, hasher)?),
            AnyGeometry::Block(g) => AnyFilter::Block(block::Filter::new(g, hasher)?),
            AnyGeometry::Fuse(_) => return Err(all_at_once(Kind::Fuse)),
        })
    }

    /// The filter of these hashes, of any kind. The geometry is taken as it is, or, of kinds that are made of all their
    /// keys, follows from the hashes, and gives the rate only.
    pub fn build_hashes(
        hashes: Vec<Hash>,
        geometry: AnyGeometry,
        hasher: Hasher,
    ) -> Result<AnyFilter> {
        if let AnyGeometry::Fuse(target) = geometry {
            return Ok(fuse::Filter::build_hashes(hashes, target, hasher)?.into());
        }
        let mut filter = AnyFilter::new(geometry, hasher)?;
        for hash in hashes {
            match &mut filter {
                AnyFilter::Classic(filter) => filter.add_hash(hash),
                AnyFilter::Split(filter) => filter.add_hash(hash),
                AnyFilter::Block(filter) => filter.add_hash(hash),
                AnyFilter::Fuse(_) => return Err(all_at_once(Kind::Fuse)),
            };
        }
        Ok(filter)
    }

    /// A filter of bytes that exist already; see [`BasicFilter::from_payload`].
    pub fn from_payload(
        geometry: AnyGeometry,
        payload: Vec<u8>,
        hasher: Hasher,
        keys: Option<u64>,
    ) -> Result<AnyFilter> {
        fn made<L: Layout>(
            g: L::Geometry,
            payload: Vec<u8>,
            hasher: Hasher,
            keys: Option<u64>,
        ) -> Result<BasicFilter<L>> {
            BasicFilter::from_payload(g, payload, hasher, keys)
        }
        Ok(match geometry {
            AnyGeometry::Classic(g) => AnyFilter::Classic(made(g, payload, hasher, keys)?),
            AnyGeometry::Split(g) => AnyFilter::Split(made(g, payload, hasher, keys)?),
            AnyGeometry::Block(g) => AnyFilter::Block(made(g, payload, hasher, keys)?),
            AnyGeometry::Fuse(g) => AnyFilter::Fuse(made(g, payload, hasher, keys)?),
        })
    }

    /// The hash of a kind's files unless told otherwise.
    pub fn default_hasher(kind: Kind) -> Hasher {
        match kind {
            Kind::Classic => classic::Classic::default_hasher(),
            Kind::Split => split::Split::default_hasher(),
            Kind::Block => block::Block::default_hasher(),
            Kind::Fuse => fuse::Fuse::default_hasher(),
        }
    }

    /// The numbers that fix the layout.
    pub fn geometry(&self) -> AnyGeometry {
        match self {
            AnyFilter::Classic(filter) => AnyGeometry::Classic(filter.geometry()),
            AnyFilter::Split(filter) => AnyGeometry::Split(filter.geometry()),
            AnyFilter::Block(filter) => AnyGeometry::Block(filter.geometry()),
            AnyFilter::Fuse(filter) => AnyGeometry::Fuse(filter.geometry()),
        }
    }

    /// Which hash the keys have.
    pub fn hash_spec(&self) -> HashSpec {
        for_kind!(AnyFilter, self, filter => filter.hash_spec())
    }

    /// How many adds returned, the repeated ones included; `None` when unknown.
    pub fn key_count(&self) -> Option<u64> {
        for_kind!(AnyFilter, self, filter => filter.key_count())
    }

    /// The filter, for reading.
    pub fn view(&self) -> AnyView<'_> {
        match self {
            AnyFilter::Classic(filter) => AnyView::Classic(filter.view()),
            AnyFilter::Split(filter) => AnyView::Split(filter.view()),
            AnyFilter::Block(filter) => AnyView::Block(filter.view()),
            AnyFilter::Fuse(filter) => AnyView::Fuse(filter.view()),
        }
    }

    /// Adds all keys. Kinds that are made of all their keys take no more.
    pub fn add_many<K: AsRef<[u8]>>(&mut self, keys: &[K]) -> Result<()> {
        match self {
            AnyFilter::Classic(filter) => filter.add_many(keys),
            AnyFilter::Split(filter) => filter.add_many(keys),
            AnyFilter::Block(filter) => filter.add_many(keys),
            AnyFilter::Fuse(_) => return Err(all_at_once(Kind::Fuse)),
        }
        Ok(())
    }

    /// False when the key was never added; true when it may have been.
    pub fn contains(&self, key: impl AsRef<[u8]>) -> bool {
        for_kind!(AnyFilter, self, filter => filter.contains(key))
    }

    /// [`AnyFilter::contains`] of each key, in order; `answers` is overwritten. Faster than one by one.
    pub fn contains_many<K: AsRef<[u8]>>(&self, keys: &[K], answers: &mut Vec<bool>) {
        for_kind!(AnyFilter, self, filter => filter.contains_many(keys, answers))
    }
}

fn all_at_once(kind: Kind) -> Error {
    Error::new(
        ErrorKind::NotChangeable,
        format!(
            "a {} filter is built of all its keys at once: use build_hashes",
            kind
        ),
    )
}

impl fmt::Debug for AnyFilter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for_kind!(AnyFilter, self, filter => filter.fmt(f))
    }
}
