//! Files: reading one without believing its header, and saving one whole or not at all.

use std::fmt;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use crate::any::{expect_kind, AnyFilter, AnyGeometry, OfKind};
use crate::error::{Error, ErrorKind, Result};
use crate::filter::{BasicFilter, Said};
use crate::hash::Secret;
use crate::layout::Layout;
use crate::mem::Bytes;
use crate::publish::publish;
use crate::wire::{Contents, Format, Header, Parsed, Verify, ENVELOPE_HEADER};

pub use crate::publish::check_target;

/// A filter file that was read and checked; its hash may be a keyed one whose secret is not at hand.
///
/// ```
/// use bloomery::file::Stored;
/// use bloomery::{Filter, Format, Verify};
///
/// let path = std::env::temp_dir().join(format!("bloomery-stored-{}.blm", std::process::id()));
/// Filter::from_iter(["apple"]).save(&path, Format::Envelope)?;
/// let stored = Stored::open(&path, Verify::All)?;
/// assert_eq!(stored.header().key_count, Some(1));
/// assert!(stored.into_filter(None)?.contains("apple"));
/// # std::fs::remove_file(path).unwrap();
/// # Ok::<(), bloomery::Error>(())
/// ```
#[derive(Clone)]
pub struct Stored {
    header: Header,
    payload: Bytes,
    verify: Verify,
}

impl Stored {
    /// Reads a filter file. The header is checked against the file's length before the bits are read.
    pub fn open(path: &Path, verify: Verify) -> Result<Stored> {
        read(path, verify).map_err(|e| e.in_file(path))
    }

    /// What the file says of itself.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// The bits.
    pub fn payload(&self) -> &[u8] {
        &self.payload
    }

    /// The file, for questions about hashes and about the filter; [`Parsed::view`] answers those about keys.
    pub fn parsed(&self) -> Result<Parsed<'_>> {
        Parsed::of_parts(self.header.clone(), &self.payload, Verify::Header)
    }

    /// Whether the checksum of the payload was compared, where the format has one.
    pub fn is_verified(&self) -> bool {
        self.verify == Verify::All
    }

    /// The filter, for lookups by key and for adding.
    pub fn into_filter(self, secret: Option<&Secret>) -> Result<AnyFilter> {
        let Header {
            geometry,
            hash,
            key_count,
            ..
        } = self.header;
        let said = Said::new(
            self.header.records.clone(),
            self.header.header_bytes() as u64,
        );
        let hasher = hash.hasher(secret)?;
        Ok(AnyFilter::from_bytes(geometry, self.payload, hasher, key_count)?.with_said(said))
    }
}

/// One line: the header, and how many bytes follow.
impl fmt::Debug for Stored {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Stored({:?}, {} bytes)", self.header, self.payload.len())
    }
}

fn read(path: &Path, verify: Verify) -> Result<Stored> {
    let cannot = |e: io::Error| Error::io("cannot read the filter", e);
    let mut file = File::open(path).map_err(cannot)?;
    let metadata = file.metadata().map_err(cannot)?;
    if metadata.is_dir() {
        return Err(Error::new(
            ErrorKind::Io,
            "cannot read the filter: it is a directory",
        ));
    }
    let mut start = Vec::with_capacity(ENVELOPE_HEADER);
    (&mut file)
        .take(ENVELOPE_HEADER as u64)
        .read_to_end(&mut start)
        .map_err(cannot)?;
    let length = Header::length(&start);
    (&mut file)
        .take(length.saturating_sub(start.len()) as u64)
        .read_to_end(&mut start)
        .map_err(cannot)?;
    // A pipe has no length to compare with, so all of it is read first; that takes what it really holds.
    let mut rest = Vec::new();
    let mut file_bytes = metadata.len();
    if !metadata.is_file() {
        file.read_to_end(&mut rest).map_err(cannot)?;
        file_bytes = (start.len() + rest.len()) as u64;
    }
    let header = Header::parse(&start, file_bytes)?;
    let mut payload = Bytes::zeroed(header.geometry.payload_bytes())?;
    let mut source = start
        .get(header.header_bytes()..)
        .unwrap_or(&[])
        .chain(rest.as_slice())
        .chain(file);
    let changed = "the file changed its length while it was read";
    source
        .read_exact(&mut payload)
        .map_err(|e| match e.kind() {
            io::ErrorKind::UnexpectedEof => Error::new(ErrorKind::Io, changed),
            _ => cannot(e),
        })?;
    // One byte more than belongs there is enough to notice that the file grew meanwhile.
    if source.read(&mut [0]).map_err(cannot)? != 0 {
        return Err(Error::new(ErrorKind::Io, changed));
    }
    Parsed::of_parts(header.clone(), &payload, verify)?;
    Ok(Stored {
        header,
        payload,
        verify,
    })
}

impl AnyFilter {
    /// Reads and verifies a filter file. A keyed hash needs its secret, any other needs none.
    pub fn open(path: impl AsRef<Path>, secret: Option<&Secret>) -> Result<AnyFilter> {
        let path = path.as_ref();
        Stored::open(path, Verify::All)?
            .into_filter(secret)
            .map_err(|e| e.in_file(path))
    }

    /// Writes the filter to a file: to a temporary one of the same folder, which is synced and renamed, so that nobody
    /// ever sees half a filter, not even after a power cut. After an error what was there before is as it was, unless
    /// only the sync of the folder failed: then the new file is there, whole, and a power cut may bring the old one back.
    /// The folder is opened before the rename, so it has to be readable, too.
    pub fn save(&self, path: impl AsRef<Path>, format: Format) -> Result<()> {
        save(path.as_ref(), &self.contents(), format)
    }
}

impl<L: Layout> BasicFilter<L>
where
    BasicFilter<L>: OfKind,
    AnyGeometry: From<L::Geometry>,
{
    /// [`AnyFilter::open`] of a file that has to hold this kind.
    pub fn open(path: impl AsRef<Path>, secret: Option<&Secret>) -> Result<BasicFilter<L>> {
        let path = path.as_ref();
        expect_kind(AnyFilter::open(path, secret)?).map_err(|e| e.in_file(path))
    }

    /// [`AnyFilter::save`] of a filter of this kind.
    pub fn save(&self, path: impl AsRef<Path>, format: Format) -> Result<()> {
        save(path.as_ref(), &self.contents(), format)
    }
}

fn save(path: &Path, contents: &Contents<'_>, format: Format) -> Result<()> {
    contents
        .header(format)
        .and_then(|header| publish(path, &[&header, contents.payload]))
        .map_err(|e| e.in_file(path))
}
