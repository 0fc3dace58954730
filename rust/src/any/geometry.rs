//! The numbers that fix a filter's layout, whichever kind they are of.

use crate::error::Result;
use crate::kind::Kind;
use crate::layout::{KindGeometry, Words};
use crate::{block, classic, split};

/// A geometry of any kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AnyGeometry {
    /// Of a classic filter.
    Classic(classic::Geometry),
    /// Of a split filter.
    Split(split::Geometry),
    /// Of a block filter.
    Block(block::Geometry),
}

/// How a filter is sized.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Size {
    /// For a number of keys at a false-positive rate.
    Fpr(f64),
    /// For a number of keys with so many bits for each.
    BitsPerKey(f64),
}

impl AnyGeometry {
    /// The geometry of a kind for `n` keys.
    pub fn for_keys(kind: Kind, n: u64, size: Size) -> Result<AnyGeometry> {
        fn sized<G: KindGeometry>(n: u64, size: Size) -> Result<G> {
            match size {
                Size::Fpr(fpr) => G::for_capacity(n, fpr),
                Size::BitsPerKey(bits) => G::for_bits_per_key(n, bits),
            }
        }
        Ok(match kind {
            Kind::Classic => AnyGeometry::Classic(sized(n, size)?),
            Kind::Split => AnyGeometry::Split(sized(n, size)?),
            Kind::Block => AnyGeometry::Block(sized(n, size)?),
        })
    }

    /// The geometry of a kind with these numbers, in the order of the file.
    pub fn from_values(kind: Kind, values: &Words) -> Result<AnyGeometry> {
        Ok(match kind {
            Kind::Classic => AnyGeometry::Classic(KindGeometry::from_values(values)?),
            Kind::Split => AnyGeometry::Split(KindGeometry::from_values(values)?),
            Kind::Block => AnyGeometry::Block(KindGeometry::from_values(values)?),
        })
    }

    /// The names of a kind's numbers, in the order of the file.
    pub fn fields(kind: Kind) -> &'static [&'static str] {
        match kind {
            Kind::Classic => classic::Geometry::FIELDS,
            Kind::Split => split::Geometry::FIELDS,
            Kind::Block => block::Geometry::FIELDS,
        }
    }

    /// Whose geometry this is.
    pub fn kind(&self) -> Kind {
        match self {
            AnyGeometry::Classic(_) => Kind::Classic,
            AnyGeometry::Split(_) => Kind::Split,
            AnyGeometry::Block(_) => Kind::Block,
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
