//! The three numbers that fix a stable filter's layout.

use crate::error::{Error, ErrorKind, Result};
use crate::kind::Kind;
use crate::layout::{KindGeometry, Words};
use crate::prelude::*;
use crate::sealed::Sealed;

/// The most lines.
pub const MAX_LINES: u64 = 1 << 54;
/// The most cells per key.
pub const MAX_K: u32 = 16;
/// The most cells that an add makes older.
pub const MAX_DECREMENT: u32 = 256;

/// The bytes of a line, and of the header before the first.
pub(super) const LINE_BYTES: usize = 64;
/// The cells of a line.
pub(super) const LINE_CELLS: u64 = 256;

/// The number of lines, of cells per key, and of cells that an add makes older: always within their bounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Geometry {
    lines: u64,
    k: u32,
    decrement: u32,
}

impl Geometry {
    /// Refuses no lines and more than 2^54, k outside 1 to 16, and a decrement outside 1 to 256.
    pub fn new(lines: u64, k: u32, decrement: u32) -> Result<Geometry> {
        Geometry::from_values(&[lines, u64::from(k), u64::from(decrement), 0, 0, 0, 0, 0])
    }

    /// The number of lines.
    pub fn lines(self) -> u64 {
        self.lines
    }

    /// The cells per key.
    pub fn k(self) -> u32 {
        self.k
    }

    /// The cells that each add makes older.
    pub fn decrement(self) -> u32 {
        self.decrement
    }

    /// For how many further adds a key is found for certain.
    pub fn remembered_adds(self) -> u64 {
        2 * self.cells() / u64::from(self.decrement)
    }
}

impl Sealed for Geometry {}

impl KindGeometry for Geometry {
    const KIND: Kind = Kind::Stable;
    const FIELDS: &'static [&'static str] = &["lines", "k", "decrement"];

    fn values(&self) -> Words {
        let (k, decrement) = (u64::from(self.k), u64::from(self.decrement));
        [self.lines, k, decrement, 0, 0, 0, 0, 0]
    }

    fn from_values(values: &Words) -> Result<Geometry> {
        let [lines, k, decrement, ..] = *values;
        let bounds = [
            ("lines", lines, MAX_LINES),
            ("k", k, u64::from(MAX_K)),
            ("decrement", decrement, u64::from(MAX_DECREMENT)),
        ];
        for (field, value, most) in bounds {
            if value == 0 || value > most {
                return Err(Error::field(
                    ErrorKind::InvalidArgument,
                    field,
                    format!("{} is {}, must be 1 to {}", field, value, most),
                ));
            }
        }
        Ok(Geometry {
            lines,
            k: k as u32,
            decrement: decrement as u32,
        })
    }

    fn payload_bytes(&self) -> u64 {
        LINE_BYTES as u64 * (1 + self.lines)
    }

    fn cells(&self) -> u64 {
        LINE_CELLS * self.lines
    }
}
