//! Reading a filter of any kind, whoever owns its bytes.

use std::fmt;

use super::AnyGeometry;
use crate::error::Result;
use crate::hash::{Hash, HashSpec, Hasher};
use crate::key::Key;
use crate::kind::Kind;
use crate::prelude::*;

macro_rules! any_view {
    ($($variant:ident $module:ident),*) => {
        /// A view of any kind.
        ///
        /// ```
        /// use bloomery::{AnyView, Filter, Format};
        ///
        /// let file: Vec<u8> = Filter::from_iter(["apple", "pear"]).encode(Format::Envelope)?;
        /// let view = AnyView::try_from(&file[..])?; // no copy: the bytes stay where they are
        /// assert!(view.contains("apple") && !view.contains("plum"));
        /// # Ok::<(), bloomery::Error>(())
        /// ```
        #[derive(Clone, Copy)]
        #[non_exhaustive]
        pub enum AnyView<'a> {
            $(
                #[doc = concat!("Of a ", stringify!($module), " filter.")]
                $variant(crate::$module::View<'a>),
            )*
        }

        impl<'a> AnyView<'a> {
            /// The filter over bytes that somebody else owns, whose keys have this hash.
            pub fn new(
                geometry: AnyGeometry,
                payload: &'a [u8],
                hasher: Hasher,
            ) -> Result<AnyView<'a>> {
                Ok(match geometry {
                    $(AnyGeometry::$variant(g) => {
                        AnyView::$variant(crate::$module::View::new(g, payload, hasher)?)
                    })*
                })
            }

            /// The numbers that fix the layout.
            pub fn geometry(&self) -> AnyGeometry {
                match self {
                    $(AnyView::$variant(view) => AnyGeometry::$variant(view.geometry()),)*
                }
            }
        }
    };
}

with_kinds!(any_view);

impl<'a> AnyView<'a> {
    /// Which kind it is of.
    pub fn kind(&self) -> Kind {
        self.geometry().kind()
    }

    /// The bytes of the filter.
    pub fn payload(&self) -> &'a [u8] {
        for_kind!(AnyView, self, view => view.payload())
    }

    pub(crate) fn check_structure(&self) -> Result<()> {
        for_kind!(AnyView, self, view => view.check_structure())
    }

    /// Which hash the keys have.
    pub fn hash_spec(&self) -> HashSpec {
        for_kind!(AnyView, self, view => view.hash_spec())
    }

    /// False when the key was never added, or, of a kind that [forgets](Kind::forgets), not lately; true when it may
    /// have been.
    pub fn contains(&self, key: impl Key) -> bool {
        for_kind!(AnyView, self, view => view.contains(key))
    }

    /// [`AnyView::contains`] of a key hashed by the caller, with this filter's hash.
    pub fn contains_hash(&self, hash: Hash) -> bool {
        for_kind!(AnyView, self, view => view.contains_hash(hash))
    }

    /// [`AnyView::contains`] of each key, in order; `answers` is overwritten. Faster than one by one.
    pub fn contains_many<K: Key>(&self, keys: &[K], answers: &mut Vec<bool>) {
        for_kind!(AnyView, self, view => view.contains_many(keys, answers))
    }

    /// [`AnyView::contains_hash`] of each hash, in order; `answers` is overwritten. Faster than one by one.
    pub fn contains_many_hashes(&self, hashes: &[Hash], answers: &mut Vec<bool>) {
        for_kind!(AnyView, self, view => view.contains_many_hashes(hashes, answers))
    }

    /// How many bits are set, or cells of another sort in use.
    pub fn cells_set(&self) -> u64 {
        for_kind!(AnyView, self, view => view.cells_set())
    }

    /// What those cells are, for people: "bits", "counters", "slots" or "cells".
    pub fn cells(&self) -> &'static str {
        for_kind!(AnyView, self, view => view.cells())
    }

    /// The share of them.
    pub fn fill(&self) -> f64 {
        for_kind!(AnyView, self, view => view.fill())
    }

    /// How many attempts of the build failed; `None` of kinds whose building cannot.
    pub fn retries(&self) -> Option<u64> {
        for_kind!(AnyView, self, view => view.retries())
    }

    /// How many different keys were probably added; `None` when nobody can tell.
    #[cfg(feature = "std")]
    pub fn estimated_count(&self) -> Option<u64> {
        for_kind!(AnyView, self, view => view.estimated_count())
    }

    /// The share of absent keys this filter lets through.
    #[cfg(feature = "std")]
    pub fn predicted_fpr(&self) -> f64 {
        for_kind!(AnyView, self, view => view.predicted_fpr())
    }
}

impl fmt::Debug for AnyView<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for_kind!(AnyView, self, view => view.fmt(f))
    }
}
