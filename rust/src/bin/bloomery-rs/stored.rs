//! The file that a command was given as a filter.

use std::fs;
use std::path::Path;

use bloomery::file::Stored;
use bloomery::{Error, ErrorKind, Verify};

use crate::failure::Failure;

/// Why a file is not taken: what is printed, the same without the name of the file, and what sort of error it is.
pub struct Refused {
    pub failure: Failure,
    pub verdict: String,
    pub kind: ErrorKind,
}

impl From<Error> for Refused {
    fn from(error: Error) -> Refused {
        Refused {
            verdict: error.message().to_string(),
            kind: error.kind(),
            failure: error.into(),
        }
    }
}

/// Reads a filter file. What is neither a file nor a folder is refused before it is opened, as by the other commands:
/// a FIFO that nobody writes to would be waited for.
pub fn open(path: &Path, verify: Verify) -> Result<Stored, Refused> {
    let odd = |found: fs::Metadata| !found.is_file() && !found.is_dir();
    if fs::metadata(path).map_or(false, odd) {
        let why = "is not a regular file: copy it to one first";
        return Err(Refused {
            failure: Failure::from(why).in_file(path),
            verdict: why.to_string(),
            kind: ErrorKind::Io,
        });
    }
    Ok(Stored::open(path, verify)?)
}
