//! Files: reading one without believing its header, and publishing one whole or not at all.

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::process;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::any::{expect_kind, AnyFilter, AnyGeometry, OfKind};
use crate::error::{Error, ErrorKind, Result};
use crate::filter::{BasicFilter, Said};
use crate::hash::Secret;
use crate::layout::Layout;
use crate::mem::Bytes;
use crate::wire::{Contents, Format, Header, Parsed, Verify, ENVELOPE_HEADER};

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

    /// Writes the filter to a file, which appears whole or stays as it was.
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

    /// Writes the filter to a file, which appears whole or stays as it was.
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

/// Whether a file can be published at `path`: not over a directory, a device or a pipe.
pub fn check_target(path: &Path) -> Result<()> {
    resolve(path).map(|_| ()).map_err(|e| e.in_file(path))
}

/// The place behind symbolic links, which are kept: the file they lead to is replaced, or made where there is none yet.
fn resolve(path: &Path) -> Result<PathBuf> {
    let refused = |why: &str| Err(Error::new(ErrorKind::Io, format!("cannot write: {}", why)));
    let cannot = |e: io::Error| Error::io("cannot write", e);
    if path.file_name().is_none() {
        return refused("it is not the name of a file");
    }
    match fs::metadata(path) {
        Ok(target) if target.is_dir() => refused("it is a directory"),
        Ok(target) if !target.is_file() => refused("it is not a regular file"),
        Ok(_) => fs::canonicalize(path).map_err(cannot),
        Err(e) if e.kind() == io::ErrorKind::NotFound => {
            let place = behind_links(path);
            match fs::metadata(directory_of(&place)) {
                Ok(_) => Ok(place),
                Err(e) => Err(Error::io("cannot write: its folder", e)),
            }
        }
        Err(e) => Err(cannot(e)),
    }
}

/// Where a link leads that ends at no file, or the path itself.
fn behind_links(path: &Path) -> PathBuf {
    const MOST: usize = 40; // as many as the system follows
    let mut place = path.to_path_buf();
    for _ in 0..MOST {
        match fs::read_link(&place) {
            Ok(to) => place = directory_of(&place).join(to),
            Err(_) => break,
        }
    }
    place
}

/// Writes `parts` beside the target, and moves the result there once it is safely on disk.
fn publish(path: &Path, parts: &[&[u8]]) -> Result<()> {
    let target = resolve(path)?;
    let cannot = |e: io::Error| Error::io("cannot write", e);
    let (mut file, temporary) = Temporary::beside(&target).map_err(cannot)?;
    for part in parts {
        file.write_all(part).map_err(cannot)?;
    }
    if let Ok(old) = fs::metadata(&target) {
        file.set_permissions(old.permissions()).map_err(cannot)?;
    }
    file.sync_all().map_err(cannot)?;
    drop(file);
    temporary.move_to(&target).map_err(cannot)?;
    // The name is only as durable as the directory that holds it.
    File::open(directory_of(&target))
        .and_then(|directory| directory.sync_all())
        .map_err(cannot)
}

fn directory_of(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if parent != Path::new("") => parent,
        _ => Path::new("."),
    }
}

/// The longest name that a file may have, in bytes.
const MOST_NAME: usize = 255;

/// The name, or its first bytes where it has more than `most`; such a name that is no text gives none.
fn cut(name: &OsStr, most: usize) -> &OsStr {
    if name.len() <= most {
        return name;
    }
    let text = name.to_str().unwrap_or_default();
    let end = (0..=most).rev().find(|end| text.is_char_boundary(*end));
    OsStr::new(text.get(..end.unwrap_or(0)).unwrap_or_default())
}

/// A file under a name nobody else uses, removed unless it was moved away.
struct Temporary {
    path: PathBuf,
    moved: bool,
}

impl Temporary {
    fn beside(target: &Path) -> io::Result<(File, Temporary)> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        loop {
            let number = NEXT.fetch_add(1, Ordering::Relaxed);
            let end = format!(".{}-{}.tmp", process::id(), number);
            let mut name = OsString::from(".");
            name.push(cut(
                target.file_name().unwrap_or_default(),
                MOST_NAME - 1 - end.len(),
            ));
            name.push(end);
            let path = directory_of(target).join(name);
            match OpenOptions::new().write(true).create_new(true).open(&path) {
                Ok(file) => return Ok((file, Temporary { path, moved: false })),
                Err(e) if e.kind() == io::ErrorKind::AlreadyExists => {}
                Err(e) => return Err(e),
            }
        }
    }

    fn move_to(mut self, target: &Path) -> io::Result<()> {
        fs::rename(&self.path, target)?;
        self.moved = true;
        Ok(())
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        if !self.moved {
            // The failure that led here is the one to report, not another one of cleaning up.
            let _ = fs::remove_file(&self.path);
        }
    }
}
