//! The one error type of the crate: what went wrong, in which field, in which file, and what caused it.

use crate::prelude::*;

use std::fmt;
#[cfg(feature = "std")]
use std::io;
#[cfg(feature = "std")]
use std::path::{Path, PathBuf};
#[cfg(feature = "std")]
use std::sync::Arc;

/// A `Result` whose error is [`Error`].
pub type Result<T> = std::result::Result<T, Error>;

/// What sort of thing went wrong, for callers that act on it.
///
/// ```
/// use bloomery::{ErrorKind, Filter};
///
/// let error = Filter::decode(b"no filter", None).unwrap_err();
/// assert_eq!(error.kind(), ErrorKind::Damaged);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// A number or a combination that no filter can have.
    InvalidArgument,
    /// Bytes that are no filter, or no longer the ones that were written.
    Damaged,
    /// A version, kind, hash or flag that this release does not know.
    Unsupported,
    /// A file of another kind than the one that was asked for.
    WrongKind,
    /// Two filters whose geometry or hash differs, so that they cannot be combined.
    Incompatible,
    /// A change that the kind does not take: a key for a filter that is made of all its keys at once, for example.
    NotChangeable,
    /// A keyed filter without its secret, or with another one.
    WrongSecret,
    /// The memory for the bits could not be had.
    OutOfMemory,
    /// The operating system refused; the source of the error is what it said.
    Io,
}

/// An error with a message for people, the field and file that it is about, and its cause.
///
/// ```
/// use std::error::Error;
///
/// let error = bloomery::Filter::open("no/such/file.blm", None).unwrap_err();
/// assert_eq!(error.kind(), bloomery::ErrorKind::Io);
/// assert!(error.path().is_some());
/// assert!(error.source().is_some(), "what the system said");
/// ```
#[derive(Clone, Debug)]
pub struct Error {
    kind: ErrorKind,
    field: Option<&'static str>,
    message: String,
    #[cfg(feature = "std")]
    path: Option<PathBuf>,
    #[cfg(feature = "std")]
    cause: Option<Arc<io::Error>>,
}

impl Error {
    pub(crate) fn new(kind: ErrorKind, message: impl Into<String>) -> Error {
        Error {
            kind,
            field: None,
            message: message.into(),
            #[cfg(feature = "std")]
            path: None,
            #[cfg(feature = "std")]
            cause: None,
        }
    }

    pub(crate) fn argument(message: impl Into<String>) -> Error {
        Error::new(ErrorKind::InvalidArgument, message)
    }

    /// A fault in one field of a file or of a geometry.
    pub(crate) fn field(kind: ErrorKind, field: &'static str, message: impl Into<String>) -> Error {
        Error {
            field: Some(field),
            ..Error::new(kind, message)
        }
    }

    /// The memory for `what` could not be had.
    pub(crate) fn no_memory(what: impl fmt::Display) -> Error {
        Error::new(ErrorKind::OutOfMemory, format!("no memory for {}", what))
    }

    #[cfg(feature = "std")]
    pub(crate) fn io(what: &str, cause: io::Error) -> Error {
        let kind = match cause.kind() {
            io::ErrorKind::OutOfMemory => ErrorKind::OutOfMemory,
            _ => ErrorKind::Io,
        };
        Error {
            cause: Some(Arc::new(cause)),
            ..Error::new(kind, what)
        }
    }

    #[cfg(feature = "std")]
    /// The same error, naming the file it happened in.
    pub fn in_file(mut self, path: &Path) -> Error {
        self.path = Some(path.to_path_buf());
        self
    }

    /// What sort of error this is.
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// The field of the file or geometry at fault, where it is one.
    pub fn field_name(&self) -> Option<&'static str> {
        self.field
    }

    /// What is wrong, without the file's name and without the cause.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// The file at fault, where it is one.
    #[cfg(feature = "std")]
    pub fn path(&self) -> Option<&Path> {
        self.path.as_deref()
    }
}

/// The file and the message, without the cause: whoever prints an error prints its sources behind it.
impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        #[cfg(feature = "std")]
        if let Some(path) = &self.path {
            write!(f, "{}: ", path.display())?;
        }
        f.write_str(&self.message)
    }
}

#[cfg(feature = "std")]
impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match &self.cause {
            Some(cause) => Some(cause.as_ref()),
            None => None,
        }
    }
}

/// Equal when they say the same. The causes, which cannot be compared, are left out.
impl PartialEq for Error {
    fn eq(&self, other: &Error) -> bool {
        #[cfg(feature = "std")]
        if self.path != other.path {
            return false;
        }
        (self.kind, self.field, &self.message) == (other.kind, other.field, &other.message)
    }
}

impl Eq for Error {}
