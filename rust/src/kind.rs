//! The kinds of filters an envelope can name, by number and by name. This crate reads all of them and makes some.

use std::fmt;

use crate::error::{Error, ErrorKind, Result};
use crate::prelude::*;

/// A kind of filter, numbered as it is stored.
///
/// ```
/// use bloomery::Kind;
///
/// assert_eq!(Kind::from_name("fuse")?, Kind::Fuse);
/// assert!(Kind::Fuse.is_static() && !Kind::Block.is_static());
/// # Ok::<(), bloomery::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
#[repr(u16)]
pub enum Kind {
    /// m bits, k of them a key: the one kind that has a raw file too.
    Classic = 1,
    /// Blocks of 32 bytes, eight bits a key, as in Parquet.
    Split = 2,
    /// Blocks of 64 bytes, k bits a key.
    Block = 3,
    /// The classic filter with counters for bits. Read only.
    Counting = 4,
    /// A bit in each of k slices. Read only.
    Partitioned = 5,
    /// A chain of block filters that grows. Read only.
    Scalable = 6,
    /// Cells that grow old: it forgets. Read only.
    Stable = 7,
    /// Fingerprints in two buckets a key. Read only.
    Cuckoo = 8,
    /// Sorted fingerprints. Read only.
    Quotient = 9,
    /// Slots whose xor is a fingerprint; made of all its keys at once.
    Fuse = 10,
    /// Equations over windows of slots. Read only.
    Ribbon = 11,
}

/// What an envelope can hold besides filters.
const IBLT: (u16, &str) = (12, "iblt");

impl Kind {
    /// Every kind of filter, in the order of the numbers.
    pub const ALL: [Kind; 11] = [
        Kind::Classic,
        Kind::Split,
        Kind::Block,
        Kind::Counting,
        Kind::Partitioned,
        Kind::Scalable,
        Kind::Stable,
        Kind::Cuckoo,
        Kind::Quotient,
        Kind::Fuse,
        Kind::Ribbon,
    ];

    /// The kinds that this crate makes; the others it reads.
    pub const MADE: [Kind; 4] = [Kind::Classic, Kind::Split, Kind::Block, Kind::Fuse];

    /// The kind with this number in a file.
    pub fn from_number(number: u16) -> Result<Kind> {
        let known = Kind::ALL.into_iter().find(|kind| *kind as u16 == number);
        known.ok_or_else(|| {
            unsupported(match number == IBLT.0 {
                true => format!(
                    "kind is {} ({}), which is no filter: use the C++ command",
                    number, IBLT.1
                ),
                false => format!("kind is {}, which this release does not know", number),
            })
        })
    }

    /// The kind with this name.
    pub fn from_name(name: &str) -> Result<Kind> {
        let known = Kind::ALL.into_iter().find(|kind| kind.name() == name);
        known.ok_or_else(|| {
            unsupported(if name == IBLT.1 {
                format!("the kind '{}' is no filter: use the C++ command", name)
            } else {
                format!(
                    "there is no kind '{}': this release makes {}",
                    name,
                    names_of_made("and")
                )
            })
        })
    }

    /// Refuses, by name, kinds that this crate does not make.
    pub fn check_made(self) -> Result<()> {
        if Kind::MADE.contains(&self) {
            return Ok(());
        }
        Err(unsupported(format!(
            "the kind '{}' is made by the C++ command alone: use it, or {}",
            self,
            names_of_made("or")
        )))
    }

    /// Whether it is made of all its keys at once, and takes no more.
    pub fn is_static(self) -> bool {
        matches!(self, Kind::Fuse | Kind::Ribbon)
    }

    /// Whether it forgets keys: then a key that it denies may have been added, but not lately.
    pub fn forgets(self) -> bool {
        self == Kind::Stable
    }

    /// The name used on command lines and in output.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Classic => "classic",
            Kind::Split => "split",
            Kind::Block => "block",
            Kind::Counting => "counting",
            Kind::Partitioned => "partitioned",
            Kind::Scalable => "scalable",
            Kind::Stable => "stable",
            Kind::Cuckoo => "cuckoo",
            Kind::Quotient => "quotient",
            Kind::Fuse => "fuse",
            Kind::Ribbon => "ribbon",
        }
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
fn names_of_made(last: &str) -> String {
    listed(&Kind::MADE.map(Kind::name), last)
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
