//! `TryFrom` of bytes that are a whole file, for filters whose hash takes no secret.

use std::convert::TryFrom;

use super::{Parsed, Verify};
use crate::any::{AnyFilter, AnyGeometry, AnyView, OfKind};
use crate::error::{Error, Result};
use crate::filter::BasicFilter;
use crate::layout::Layout;

impl<'a> TryFrom<&'a [u8]> for AnyView<'a> {
    type Error = Error;

    /// The filter in place, once all checks passed.
    fn try_from(file: &'a [u8]) -> Result<AnyView<'a>> {
        Parsed::new(file, Verify::All)?.view(None)
    }
}

impl TryFrom<&[u8]> for AnyFilter {
    type Error = Error;

    /// [`AnyFilter::decode`] without a secret.
    fn try_from(file: &[u8]) -> Result<AnyFilter> {
        AnyFilter::decode(file, None)
    }
}

impl<L: Layout> TryFrom<&[u8]> for BasicFilter<L>
where
    BasicFilter<L>: OfKind,
    AnyGeometry: From<L::Geometry>,
{
    type Error = Error;

    /// [`BasicFilter::decode`] without a secret.
    fn try_from(file: &[u8]) -> Result<BasicFilter<L>> {
        BasicFilter::decode(file, None)
    }
}
