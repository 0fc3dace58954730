//! A filter of any kind that owns its bytes. Reading it is here.

use std::fmt;

use super::{AnyGeometry, AnyView};
use crate::error::Result;
use crate::filter::Said;
use crate::hash::{Hash, HashSpec, Hasher};
use crate::key::Key;
use crate::kind::Kind;
use crate::layout::Layout;
use crate::mem::Bytes;
use crate::prelude::*;
use crate::records::Records;

macro_rules! any_filter {
    ($($variant:ident $module:ident),*) => {
        /// A filter of any kind.
        ///
        /// ```
        /// use bloomery::{AnyFilter, Filter, Format, Kind};
        ///
        /// let mut seen = Filter::with_capacity(1_000, 0.01)?;
        /// seen.add("apple");
        /// let file = seen.encode(Format::Envelope)?; // or a file of any other kind
        /// let mut any = AnyFilter::decode(&file, None)?;
        /// assert_eq!(any.kind(), Kind::Block);
        /// assert!(any.contains("apple"));
        /// assert!(any.add("pear")?); // an error, of kinds that take no keys one by one
        /// # Ok::<(), bloomery::Error>(())
        /// ```
        #[derive(Clone, PartialEq)]
        #[non_exhaustive]
        pub enum AnyFilter {
            $(
                #[doc = concat!("A ", stringify!($module), " filter.")]
                $variant(crate::$module::Filter),
            )*
        }

        impl AnyFilter {
            /// A filter of a copy of these bytes; see [`crate::BasicFilter::from_payload`].
            pub fn from_payload(
                geometry: AnyGeometry,
                payload: &[u8],
                hasher: Hasher,
                keys: Option<u64>,
            ) -> Result<AnyFilter> {
                AnyView::new(geometry, payload, hasher)?;
                AnyFilter::from_bytes(geometry, Bytes::copy_of(payload)?, hasher, keys)
            }

            /// Makes the filter of these bytes without a copy.
            pub(crate) fn from_bytes(
                geometry: AnyGeometry,
                payload: Bytes,
                hasher: Hasher,
                keys: Option<u64>,
            ) -> Result<AnyFilter> {
                Ok(match geometry {
                    $(AnyGeometry::$variant(g) => AnyFilter::$variant(
                        crate::$module::Filter::from_bytes(g, payload, hasher, keys)?,
                    ),)*
                })
            }

            pub(crate) fn with_said(self, said: Said) -> AnyFilter {
                match self {
                    $(AnyFilter::$variant(filter) => AnyFilter::$variant(filter.with_said(said)),)*
                }
            }

            /// The hash of a kind's files unless told otherwise.
            pub fn default_hasher(kind: Kind) -> Hasher {
                match kind {
                    $(Kind::$variant => crate::$module::$variant::default_hasher(),)*
                }
            }

            /// The numbers that fix the layout.
            pub fn geometry(&self) -> AnyGeometry {
                match self {
                    $(AnyFilter::$variant(filter) => AnyGeometry::$variant(filter.geometry()),)*
                }
            }

            /// The filter, for reading.
            pub fn view(&self) -> AnyView<'_> {
                match self {
                    $(AnyFilter::$variant(filter) => AnyView::$variant(filter.view()),)*
                }
            }
        }
    };
}

with_kinds!(any_filter);

impl AnyFilter {
    /// Which kind it is of.
    pub fn kind(&self) -> Kind {
        self.geometry().kind()
    }

    pub(crate) fn said(&self) -> &Said {
        for_kind!(AnyFilter, self, filter => filter.said())
    }

    /// What the file says of itself beside the filter; see [`crate::BasicFilter::records`].
    pub fn records(&self) -> &Records {
        for_kind!(AnyFilter, self, filter => filter.records())
    }

    /// The records that the next file is to have.
    pub fn records_mut(&mut self) -> &mut Records {
        for_kind!(AnyFilter, self, filter => filter.records_mut())
    }

    /// Has the next envelope begin its payload at a multiple of `bytes`; see [`crate::BasicFilter::align_payload`].
    pub fn align_payload(&mut self, bytes: u64) -> Result<()> {
        for_kind!(AnyFilter, self, filter => filter.align_payload(bytes))
    }

    /// Which hash the keys have.
    pub fn hash_spec(&self) -> HashSpec {
        for_kind!(AnyFilter, self, filter => filter.hash_spec())
    }

    /// How many adds returned, the repeated ones included; `None` when unknown.
    pub fn key_count(&self) -> Option<u64> {
        for_kind!(AnyFilter, self, filter => filter.key_count())
    }

    /// False when the key was never added, or, of a kind that [forgets](Kind::forgets), not lately; true when it may
    /// have been.
    pub fn contains(&self, key: impl Key) -> bool {
        for_kind!(AnyFilter, self, filter => filter.contains(key))
    }

    /// [`AnyFilter::contains`] of a key hashed by the caller, with this filter's hash.
    pub fn contains_hash(&self, hash: Hash) -> bool {
        for_kind!(AnyFilter, self, filter => filter.contains_hash(hash))
    }

    /// [`AnyFilter::contains`] of each key, in order; `answers` is overwritten. Faster than one by one.
    pub fn contains_many<K: Key>(&self, keys: &[K], answers: &mut Vec<bool>) {
        for_kind!(AnyFilter, self, filter => filter.contains_many(keys, answers))
    }
}

impl fmt::Debug for AnyFilter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for_kind!(AnyFilter, self, filter => filter.fmt(f))
    }
}
