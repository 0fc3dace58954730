//! Reading a filter of any kind, whoever owns its bytes.

use std::fmt;

use super::AnyGeometry;
use crate::error::Result;
use crate::hash::Hash;
use crate::layout::Layout;
use crate::{block, classic, fuse, split};

/// A view of any kind.
#[derive(Clone, Copy)]
pub enum AnyView<'a> {
    /// Of a classic filter.
    Classic(classic::View<'a>),
    /// Of a split filter.
    Split(split::View<'a>),
    /// Of a block filter.
    Block(block::View<'a>),
    /// Of a fuse filter.
    Fuse(fuse::View<'a>),
}

impl<'a> AnyView<'a> {
    /// The filter over bytes that somebody else owns.
    pub fn new(geometry: AnyGeometry, payload: &'a [u8]) -> Result<AnyView<'a>> {
        Ok(match geometry {
            AnyGeometry::Classic(g) => AnyView::Classic(classic::View::new(g, payload)?),
            AnyGeometry::Split(g) => AnyView::Split(split::View::new(g, payload)?),
            AnyGeometry::Block(g) => AnyView::Block(block::View::new(g, payload)?),
            AnyGeometry::Fuse(g) => AnyView::Fuse(fuse::View::new(g, payload)?),
        })
    }

    /// The bytes of the filter.
    pub fn payload(&self) -> &'a [u8] {
        for_kind!(AnyView, self, view => view.payload())
    }

    /// False when no key with this hash was added; true when one may have been.
    pub fn contains(&self, hash: Hash) -> bool {
        for_kind!(AnyView, self, view => view.contains(hash))
    }

    /// [`AnyView::contains`] of each hash, in order; `answers` is overwritten. Faster than one by one.
    pub fn contains_many(&self, hashes: &[Hash], answers: &mut Vec<bool>) {
        for_kind!(AnyView, self, view => view.contains_many(hashes, answers))
    }

    /// How many bits are set, or cells of another sort in use.
    pub fn cells_set(&self) -> u64 {
        for_kind!(AnyView, self, view => view.cells_set())
    }

    /// What those cells are.
    pub fn cells(&self) -> &'static str {
        fn of<L: Layout>(_: &crate::BasicView<'_, L>) -> &'static str {
            L::CELLS
        }
        for_kind!(AnyView, self, view => of(view))
    }

    /// The share of them.
    pub fn fill(&self) -> f64 {
        for_kind!(AnyView, self, view => view.fill())
    }

    /// How many different keys were probably added; `None` when nobody can tell.
    pub fn estimated_count(&self) -> Option<u64> {
        for_kind!(AnyView, self, view => view.estimated_count())
    }

    /// How many attempts of the build failed; `None` of kinds whose building cannot.
    pub fn retries(&self) -> Option<u64> {
        for_kind!(AnyView, self, view => view.retries())
    }

    /// The share of absent keys this filter lets through.
    pub fn predicted_fpr(&self) -> f64 {
        for_kind!(AnyView, self, view => view.predicted_fpr())
    }
}

impl fmt::Debug for AnyView<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for_kind!(AnyView, self, view => view.fmt(f))
    }
}
