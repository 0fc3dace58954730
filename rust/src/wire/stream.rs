//! Filters from and to whatever is read and written: sockets, archives, standard input.

use std::io::{Read, Write};

use super::{Contents, Format};
use crate::any::{expect_kind, AnyFilter, AnyGeometry, OfKind};
use crate::error::{Error, Result};
use crate::filter::BasicFilter;
use crate::hash::Secret;
use crate::layout::Layout;

fn write(mut out: impl Write, contents: &Contents<'_>, format: Format) -> Result<()> {
    let header = contents.header(format)?;
    out.write_all(&header)
        .and_then(|()| out.write_all(contents.payload))
        .and_then(|()| out.flush()) // whoever gave the writer away cannot
        .map_err(|e| Error::io("cannot write the filter", e))
}

impl AnyFilter {
    /// Writes the filter as a file would hold it.
    pub fn write_to(&self, out: impl Write, format: Format) -> Result<()> {
        write(out, &self.contents(), format)
    }

    /// Reads to the end, and then the filter that was there. It takes as much memory as was really read.
    pub fn read_from(mut source: impl Read, secret: Option<&Secret>) -> Result<AnyFilter> {
        let mut file = Vec::new();
        source
            .read_to_end(&mut file)
            .map_err(|e| Error::io("cannot read the filter", e))?;
        AnyFilter::decode(&file, secret)
    }
}

impl<L: Layout> BasicFilter<L>
where
    BasicFilter<L>: OfKind,
    AnyGeometry: From<L::Geometry>,
{
    /// Writes the filter as a file would hold it.
    pub fn write_to(&self, out: impl Write, format: Format) -> Result<()> {
        write(out, &self.contents(), format)
    }

    /// [`AnyFilter::read_from`] of what has to hold this kind.
    pub fn read_from(source: impl Read, secret: Option<&Secret>) -> Result<BasicFilter<L>> {
        expect_kind(AnyFilter::read_from(source, secret)?)
    }
}
