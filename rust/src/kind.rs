//! The kinds of filters an envelope can name, by number and by name. This crate makes and reads some of them.

use std::fmt;

use crate::error::{Error, ErrorKind, Result};

/// A kind of filter, numbered as it is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u16)]
pub enum Kind {
    /// m bits, k of them a key: the one kind that has a raw file too.
    Classic = 1,
    /// Blocks of 32 bytes, eight bits a key, as in Parquet.
    Split = 2,
    /// Blocks of 64 bytes, k bits a key.
    Block = 3,
    /// Slots whose xor is a fingerprint; made of all its keys at once.
    Fuse = 10,
}

/// Every kind of the format, in the order of its numbers.
const NAMES: [&str; 12] = [
    "classic",
    "split",
    "block",
    "counting",
    "partitioned",
    "scalable",
    "stable",
    "cuckoo",
    "quotient",
    "fuse",
    "ribbon",
    "iblt",
];

impl Kind {
    /// The kinds of this crate.
    pub const ALL: [Kind; 4] = [Kind::Classic, Kind::Split, Kind::Block, Kind::Fuse];

    /// The kind with this number in a file; refused by name where it is one of the C++ library alone.
    pub fn from_number(number: u16) -> Result<Kind> {
        let known = Kind::ALL.into_iter().find(|kind| *kind as u16 == number);
        known.ok_or_else(|| {
            let name = NAMES.get(usize::from(number).wrapping_sub(1));
            unsupported(match name {
                Some(name) => format!(
                    "kind is {} ({}), this release reads {}: use the C++ command",
                    number,
                    name,
                    known_names("and")
                ),
                None => format!("kind is {}, which this release does not know", number),
            })
        })
    }

    /// The kind with this name; refused where it is one of the C++ library alone.
    pub fn from_name(name: &str) -> Result<Kind> {
        let known = Kind::ALL.into_iter().find(|kind| kind.name() == name);
        known.ok_or_else(|| {
            unsupported(if NAMES.contains(&name) {
                format!(
                    "the kind '{}' is made by the C++ command alone: use it, or {}",
                    name,
                    known_names("or")
                )
            } else {
                format!(
                    "there is no kind '{}': this release makes {}",
                    name,
                    known_names("and")
                )
            })
        })
    }

    /// Whether it is made of all its keys at once, and takes no more.
    pub fn is_static(self) -> bool {
        self == Kind::Fuse
    }

    /// The name used on command lines and in output.
    pub fn name(self) -> &'static str {
        NAMES[self as usize - 1]
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

fn unsupported(message: String) -> Error {
    Error::field(ErrorKind::Unsupported, "kind", message)
}

/// "classic, split, block and fuse"
fn known_names(last: &str) -> String {
    listed(&Kind::ALL.map(Kind::name), last)
}

/// Words as people list them.
pub(crate) fn listed(words: &[&str], last: &str) -> String {
    match words.split_last() {
        Some((end, start)) if !start.is_empty() => {
            format!("{} {} {}", start.join(", "), last, end)
        }
        Some((only, _)) => only.to_string(),
        None => String::new(),
    }
}
