//! The one error type of the crate: what went wrong, in which field, and in which file.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// A `Result` whose error is [`Error`].
pub type Result<T> = std::result::Result<T, Error>;

/// What sort of thing went wrong, for callers that act on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// A number or a combination that no filter can have.
    InvalidArgument,
    /// Bytes that are no filter, or no longer the ones that were written.
    Damaged,
    /// A version, kind, hash or flag this release does not know.
    Unsupported,
    /// A keyed filter without its secret, or with another one.
    WrongSecret,
    /// The memory for the bits could not be had.
    OutOfMemory,
    /// The operating system refused.
    Io,
}

/// An error with a message for people, and the field and file it is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    kind: ErrorKind,
    field: Option<&'static str>,
    message: String,
    path: Option<PathBuf>,
}

impl Error {
    pub(crate) fn new(kind: ErrorKind, message: impl Into<String>) -> Error {
        Error {
            kind,
            field: None,
            message: message.into(),
            path: None,
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

    pub(crate) fn io(what: &str, error: &io::Error) -> Error {
        let kind = match error.kind() {
            io::ErrorKind::OutOfMemory => ErrorKind::OutOfMemory,
            _ => ErrorKind::Io,
        };
        Error::new(kind, format!("{}: {}", what, error))
    }

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

    /// What is wrong, without the file's name.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// The file at fault, where it is one.
    pub fn path(&self) -> Option<&Path> {
        self.path.as_deref()
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.path {
            Some(path) => write!(f, "{}: {}", path.display(), self.message),
            None => f.write_str(&self.message),
        }
    }
}

impl std::error::Error for Error {}
