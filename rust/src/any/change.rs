//! Making and changing filters of a kind known at run time. What a kind does not take is refused by its name.

use super::{AnyFilter, AnyGeometry};
use crate::error::{Error, ErrorKind, Result};
use crate::hash::{Hash, Hasher};
use crate::key::Key;
use crate::kind::Kind;
#[cfg(feature = "std")]
use crate::layout::{Size, Sizing};
use crate::prelude::*;
use crate::{block, classic, fuse, split};

#[cfg(feature = "std")]
impl AnyGeometry {
    /// The geometry of a kind for `n` keys, with the number that the size leaves open or the kind's own choice of it.
    /// Kinds that this crate does not make are refused.
    pub fn for_keys(kind: Kind, n: u64, size: Size, choice: Option<u64>) -> Result<AnyGeometry> {
        Ok(match kind {
            Kind::Classic => AnyGeometry::Classic(Sizing::for_size(n, size, choice)?),
            Kind::Split => AnyGeometry::Split(Sizing::for_size(n, size, choice)?),
            Kind::Block => AnyGeometry::Block(Sizing::for_size(n, size, choice)?),
            Kind::Fuse => AnyGeometry::Fuse(Sizing::for_size(n, size, choice)?),
            other => return Err(not_made(other)),
        })
    }

    /// The one of a kind's numbers that a rate leaves open, where there is one.
    pub fn choice(kind: Kind) -> Option<&'static str> {
        match kind {
            Kind::Fuse => fuse::Geometry::CHOICE,
            _ => None,
        }
    }
}

impl AnyFilter {
    /// An empty filter of this geometry with this hash. Kinds that are made of all their keys, and those that this
    /// crate does not make, are refused.
    pub fn new(geometry: AnyGeometry, hasher: Hasher) -> Result<AnyFilter> {
        Ok(match geometry {
            AnyGeometry::Classic(g) => AnyFilter::Classic(classic::Filter::new(g, hasher)?),
            AnyGeometry::Split(g) => AnyFilter::Split(split::Filter::new(g, hasher)?),
            AnyGeometry::Block(g) => AnyFilter::Block(block::Filter::new(g, hasher)?),
            other => return Err(not_changeable(other.kind())),
        })
    }

    /// The filter of these hashes, of any kind that this crate makes. The geometry is taken as it is, or, of kinds that
    /// are made of all their keys, follows from the hashes, and gives the rate only.
    pub fn build_hashes(
        hashes: Vec<Hash>,
        geometry: AnyGeometry,
        hasher: Hasher,
    ) -> Result<AnyFilter> {
        if let AnyGeometry::Fuse(target) = geometry {
            return Ok(fuse::Filter::build_hashes(hashes, target, hasher)?.into());
        }
        let mut filter = AnyFilter::new(geometry, hasher)?;
        for hash in hashes {
            filter.add_hash(hash)?;
        }
        Ok(filter)
    }

    /// Adds a key. True when that changed a bit, so when the key was certainly not in the filter before.
    pub fn add(&mut self, key: impl Key) -> Result<bool> {
        match self {
            AnyFilter::Classic(filter) => Ok(filter.add(key)),
            AnyFilter::Split(filter) => Ok(filter.add(key)),
            AnyFilter::Block(filter) => Ok(filter.add(key)),
            other => Err(not_changeable(other.kind())),
        }
    }

    /// [`AnyFilter::add`] of a key hashed by the caller, with this filter's hash.
    pub fn add_hash(&mut self, hash: Hash) -> Result<bool> {
        match self {
            AnyFilter::Classic(filter) => Ok(filter.add_hash(hash)),
            AnyFilter::Split(filter) => Ok(filter.add_hash(hash)),
            AnyFilter::Block(filter) => Ok(filter.add_hash(hash)),
            other => Err(not_changeable(other.kind())),
        }
    }

    /// Adds all keys, faster than one by one.
    pub fn add_many<K: Key>(&mut self, keys: &[K]) -> Result<()> {
        match self {
            AnyFilter::Classic(filter) => filter.add_many(keys),
            AnyFilter::Split(filter) => filter.add_many(keys),
            AnyFilter::Block(filter) => filter.add_many(keys),
            other => return Err(not_changeable(other.kind())),
        }
        Ok(())
    }
}

#[cfg(feature = "std")]
fn not_made(kind: Kind) -> Error {
    match kind.check_made() {
        Err(error) => error,
        Ok(()) => not_changeable(kind),
    }
}

fn not_changeable(kind: Kind) -> Error {
    let why = match kind {
        Kind::Fuse => "is built of all its keys at once: use build_hashes",
        Kind::Ribbon => "takes no keys: it was built of all of them at once",
        _ => "is read by this crate and changed by the C++ library alone",
    };
    let message = format!("a {} filter {}", kind, why);
    Error::field(ErrorKind::NotChangeable, "kind", message)
}
