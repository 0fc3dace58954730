//! The numbers that fix a filter's layout, whichever kind they are of.

use crate::error::Result;
use crate::kind::Kind;
use crate::layout::{KindGeometry, Size, Sizing, Words};
use crate::{block, classic, fuse, split};

/// A geometry of any kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AnyGeometry {
    /// Of a classic filter.
    Classic(classic::Geometry),
    /// Of a split filter.
    Split(split::Geometry),
    /// Of a block filter.
    Block(block::Geometry),
    /// Of a fuse filter.
    Fuse(fuse::Geometry),
}

impl AnyGeometry {
    /// The geometry of a kind for `n` keys, with the number that the size leaves open or the kind's own choice of it.
    pub fn for_keys(kind: Kind, n: u64, size: Size, choice: Option<u64>) -> Result<AnyGeometry> {
        Ok(match kind {
            Kind::Classic => AnyGeometry::Classic(Sizing::for_size(n, size, choice)?),
            Kind::Split => AnyGeometry::Split(Sizing::for_size(n, size, choice)?),
            Kind::Block => AnyGeometry::Block(Sizing::for_size(n, size, choice)?),
            Kind::Fuse => AnyGeometry::Fuse(Sizing::for_size(n, size, choice)?),
        })
    }

    /// The geometry of a kind with these numbers, in the order of the file.
    pub fn from_values(kind: Kind, values: &Words) -> Result<AnyGeometry> {
        Ok(match kind {
            Kind::Classic => AnyGeometry::Classic(KindGeometry::from_values(values)?),
            Kind::Split => AnyGeometry::Split(KindGeometry::from_values(values)?),
            Kind::Block => AnyGeometry::Block(KindGeometry::from_values(values)?),
            Kind::Fuse => AnyGeometry::Fuse(KindGeometry::from_values(values)?),
        })
    }

    /// The names of a kind's numbers, in the order of the file.
    pub fn fields(kind: Kind) -> &'static [&'static str] {
        match kind {
            Kind::Classic => classic::Geometry::FIELDS,
            Kind::Split => split::Geometry::FIELDS,
            Kind::Block => block::Geometry::FIELDS,
            Kind::Fuse => fuse::Geometry::FIELDS,
        }
    }

    /// The one of them that a rate leaves open, where there is one.
    pub fn choice(kind: Kind) -> Option<&'static str> {
        match kind {
            Kind::Fuse => fuse::Geometry::CHOICE,
            _ => None,
        }
    }

    /// Whose geometry this is.
    pub fn kind(&self) -> Kind {
        match self {
            AnyGeometry::Classic(_) => Kind::Classic,
            AnyGeometry::Split(_) => Kind::Split,
            AnyGeometry::Block(_) => Kind::Block,
            AnyGeometry::Fuse(_) => Kind::Fuse,
        }
    }

    /// The numbers, in the order of the file; words that the kind does not use are 0.
    pub fn values(&self) -> Words {
        for_kind!(AnyGeometry, self, g => g.values())
    }

    /// The bytes of the payload.
    pub fn payload_bytes(&self) -> u64 {
        for_kind!(AnyGeometry, self, g => g.payload_bytes())
    }

    /// The bits of the payload, less what is left over in its last byte.
    pub fn payload_bits(&self) -> u64 {
        for_kind!(AnyGeometry, self, g => g.payload_bits())
    }
}
