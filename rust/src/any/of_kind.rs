//! From a filter of any kind to one of a kind, and back.

use super::{AnyFilter, AnyGeometry};
use crate::error::{Error, ErrorKind, Result};
use crate::filter::BasicFilter;
use crate::layout::{KindGeometry, Layout};
use crate::sealed::Sealed;
use crate::{block, classic, fuse, split};

/// The filter inside, when it is of the kind wanted.
pub trait OfKind: Sealed + Sized {
    #[doc(hidden)]
    fn of_kind(filter: AnyFilter) -> Option<Self>;
}

macro_rules! of_kind {
    ($variant:ident, $geometry:ty, $filter:ty) => {
        impl From<$geometry> for AnyGeometry {
            fn from(geometry: $geometry) -> AnyGeometry {
                AnyGeometry::$variant(geometry)
            }
        }

        impl Sealed for $filter {}

        impl OfKind for $filter {
            fn of_kind(filter: AnyFilter) -> Option<Self> {
                match filter {
                    AnyFilter::$variant(filter) => Some(filter),
                    _ => None,
                }
            }
        }

        impl From<$filter> for AnyFilter {
            fn from(filter: $filter) -> AnyFilter {
                AnyFilter::$variant(filter)
            }
        }
    };
}

of_kind!(Classic, classic::Geometry, classic::Filter);
of_kind!(Split, split::Geometry, split::Filter);
of_kind!(Block, block::Geometry, block::Filter);
of_kind!(Fuse, fuse::Geometry, fuse::Filter);

/// A filter of the wanted kind, or an error that names both.
pub(crate) fn expect_kind<L: Layout>(filter: AnyFilter) -> Result<BasicFilter<L>>
where
    BasicFilter<L>: OfKind,
{
    let kind = filter.geometry().kind();
    OfKind::of_kind(filter).ok_or_else(|| {
        Error::new(
            ErrorKind::WrongKind,
            format!(
                "holds a {} filter, not a {} one: open it as AnyFilter",
                kind,
                L::Geometry::KIND
            ),
        )
    })
}
