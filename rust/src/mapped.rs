//! Filter files in place: mapped into memory, opened in constant time, read as they are asked.

#![allow(unsafe_code)]
#![deny(unsafe_op_in_unsafe_fn)]

use std::fs::File;
use std::path::Path;

use memmap2::Mmap;

use crate::any::AnyView;
use crate::error::{Error, Result};
use crate::hash::Secret;
use crate::wire::{Header, Parsed, Verify};

/// A filter file that is mapped into memory. It may be read from any thread, and owns the mapping.
///
/// Opening checks the header and what the kind's specification checks in constant time; [`Mapped::verify`] reads the
/// whole payload. The file must not be changed while it is mapped: publish another and rename it over this one, as
/// `save` does.
///
/// ```
/// use bloomery::{Filter, Format, Mapped};
///
/// let path = std::env::temp_dir().join(format!("bloomery-mapped-{}.blm", std::process::id()));
/// Filter::from_iter(["apple"]).save(&path, Format::Envelope)?;
/// // SAFETY: nobody writes to the file.
/// let mapped = unsafe { Mapped::open(&path)? };
/// assert!(mapped.view(None)?.contains("apple"));
/// # std::fs::remove_file(path).unwrap();
/// # Ok::<(), bloomery::Error>(())
/// ```
#[derive(Debug)]
pub struct Mapped {
    map: Mmap,
    header: Header,
}

impl Mapped {
    /// Maps a filter file.
    ///
    /// # Safety
    /// Nobody may write to the file, or cut it short, while it is mapped. A file that is only ever replaced by a
    /// rename is safe.
    pub unsafe fn open(path: impl AsRef<Path>) -> Result<Mapped> {
        let path = path.as_ref();
        let file = File::open(path);
        let map = file.and_then(|file| unsafe { Mmap::map(&file) });
        let map = map.map_err(|e| Error::io("cannot map the filter", e).in_file(path))?;
        let parsed = Parsed::new(&map, Verify::Header).map_err(|e| e.in_file(path))?;
        let header = parsed.header().clone();
        Ok(Mapped { map, header })
    }

    /// What the file says of itself.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// Compares the checksum of the payload, where the format has one, and those of its chunks, as [`Parsed::verify`].
    pub fn verify(&self) -> Result<()> {
        self.parsed()?.verify()
    }

    /// The file, for questions about hashes and about the filter.
    pub fn parsed(&self) -> Result<Parsed<'_>> {
        Parsed::new(&self.map, Verify::Header)
    }

    /// The filter, for lookups by key. A keyed hash needs its secret, any other needs none.
    pub fn view(&self, secret: Option<&Secret>) -> Result<AnyView<'_>> {
        self.parsed()?.view(secret)
    }
}
