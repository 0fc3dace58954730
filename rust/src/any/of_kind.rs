//! From a filter of any kind to one of a kind, and back.

use super::AnyFilter;
use crate::error::{Error, ErrorKind, Result};
use crate::filter::BasicFilter;
use crate::layout::{KindGeometry, Layout};
use crate::prelude::*;
use crate::sealed::Sealed;

/// The filter inside, when it is of the kind wanted.
pub trait OfKind: Sealed + Sized {
    #[doc(hidden)]
    fn of_kind(filter: AnyFilter) -> Option<Self>;
}

macro_rules! of_kind {
    ($($variant:ident $module:ident),*) => {$(
        impl Sealed for crate::$module::Filter {}

        impl OfKind for crate::$module::Filter {
            fn of_kind(filter: AnyFilter) -> Option<Self> {
                match filter {
                    AnyFilter::$variant(filter) => Some(filter),
                    _ => None,
                }
            }
        }

        impl From<crate::$module::Filter> for AnyFilter {
            fn from(filter: crate::$module::Filter) -> AnyFilter {
                AnyFilter::$variant(filter)
            }
        }
    )*};
}

with_kinds!(of_kind);

/// A filter of the wanted kind, or an error that names both.
pub(crate) fn expect_kind<L: Layout>(filter: AnyFilter) -> Result<BasicFilter<L>>
where
    BasicFilter<L>: OfKind,
{
    let kind = filter.kind();
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
