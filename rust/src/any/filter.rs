//! A filter of any kind that owns its bytes.

use super::{AnyGeometry, AnyView};
use crate::error::Result;
use crate::filter::BasicFilter;
use crate::hash::{HashSpec, Hasher};
use crate::kind::Kind;
use crate::layout::Layout;
use crate::{block, classic, split};

/// A filter of any kind.
#[derive(Clone, Debug, PartialEq)]
pub enum AnyFilter {
    /// A classic filter.
    Classic(classic::Filter),
    /// A split filter.
    Split(split::Filter),
    /// A block filter.
    Block(block::Filter),
}

impl AnyFilter {
    /// An empty filter of this geometry with this hash.
    pub fn new(geometry: AnyGeometry, hasher: Hasher) -> Result<AnyFilter> {
        Ok(match geometry {
            AnyGeometry::Classic(g) => AnyFilter::Classic(classic::Filter::new(g, hasher)?),
            AnyGeometry::Split(g) => AnyFilter::Split(split::Filter::new(g, hasher)?),
            AnyGeometry::Block(g) => AnyFilter::Block(block::Filter::new(g, hasher)?),
        })
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
        })
    }

    /// The hash of a kind's files unless told otherwise.
    pub fn default_hasher(kind: Kind) -> Hasher {
        match kind {
            Kind::Classic => classic::Classic::default_hasher(),
            Kind::Split => split::Split::default_hasher(),
            Kind::Block => block::Block::default_hasher(),
        }
    }

    /// The numbers that fix the layout.
    pub fn geometry(&self) -> AnyGeometry {
        match self {
            AnyFilter::Classic(filter) => AnyGeometry::Classic(filter.geometry()),
            AnyFilter::Split(filter) => AnyGeometry::Split(filter.geometry()),
            AnyFilter::Block(filter) => AnyGeometry::Block(filter.geometry()),
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
        }
    }

    /// Adds all keys.
    pub fn add_many<K: AsRef<[u8]>>(&mut self, keys: &[K]) -> Result<()> {
        for_kind!(AnyFilter, self, filter => filter.add_many(keys));
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
