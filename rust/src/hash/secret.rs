//! The 16-byte secret of a keyed hash, its text form, and the identifier that files hold in its place.

use std::fmt;
#[cfg(feature = "std")]
use std::fs::File;
#[cfg(feature = "std")]
use std::io::Read;
#[cfg(feature = "std")]
use std::path::Path;

use super::sip::{little_endian, siphash};
use crate::error::{Error, ErrorKind, Result};

/// A secret for `siphash13` and `siphash24`. Filter files never hold it, and `Debug` does not show it.
///
/// ```
/// use bloomery::Secret;
///
/// let secret = Secret::from_text(b"000102030405060708090a0b0c0d0e0f\n")?; // or Secret::open of such a file
/// assert!(!format!("{:?}", secret).contains("0a0b0c"));
/// # Ok::<(), bloomery::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Secret {
    k0: u64,
    k1: u64,
}

impl Secret {
    /// The secret of these 16 bytes.
    pub fn new(bytes: [u8; 16]) -> Secret {
        Secret {
            k0: little_endian(&bytes[..8]),
            k1: little_endian(&bytes[8..]),
        }
    }

    /// Reads the text form: 32 hexadecimal digits, then at most one line end.
    pub fn from_text(text: &[u8]) -> Result<Secret> {
        let digits = match text {
            [start @ .., b'\r', b'\n'] | [start @ .., b'\n'] => start,
            _ => text,
        };
        let mut bytes = [0; 16];
        if digits.len() != 32 {
            return Err(refused());
        }
        for (byte, pair) in bytes.iter_mut().zip(digits.chunks_exact(2)) {
            for digit in pair {
                let value = (*digit as char).to_digit(16).ok_or_else(refused)?;
                *byte = *byte << 4 | value as u8;
            }
        }
        Ok(Secret::new(bytes))
    }

    /// Reads a file that holds the text form.
    #[cfg(feature = "std")]
    pub fn open(path: &Path) -> Result<Secret> {
        let mut text = Vec::new();
        // One byte more than the longest valid text tells a longer file apart, whatever its size.
        File::open(path)
            .and_then(|file| file.take(35).read_to_end(&mut text))
            .map_err(|e| Error::io("cannot read the secret", e).in_file(path))?;
        Secret::from_text(&text).map_err(|e| e.in_file(path))
    }

    /// What a file stores to tell this secret from others.
    pub fn id(&self) -> u64 {
        siphash::<2, 4>(self.k0, self.k1, b"bloomery secret id v1")
    }

    pub(super) fn halves(&self) -> (u64, u64) {
        (self.k0, self.k1)
    }
}

fn refused() -> Error {
    Error::field(
        ErrorKind::InvalidArgument,
        "secret",
        "a secret file is 32 hexadecimal digits and at most one line end",
    )
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Secret {{ id: {:#018x} }}", self.id())
    }
}
