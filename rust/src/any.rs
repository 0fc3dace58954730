//! Filters whose kind is known at run time only: what a file turns out to hold.

use crate::error::{Error, Result};
use crate::filter::BasicFilter;
use crate::hash::{Hash, HashSpec, Hasher};
use crate::kind::Kind;
use crate::layout::{KindGeometry, Layout, Words};
use crate::{block, classic, split};

/// The same expression for whichever kind `$value` is of.
macro_rules! for_kind {
    ($any:ident, $value:expr, $inner:ident => $use:expr) => {
        match $value {
            $any::Classic($inner) => $use,
            $any::Split($inner) => $use,
            $any::Block($inner) => $use,
        }
    };
}

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

/// A view of any kind.
#[derive(Clone, Copy, Debug)]
pub enum AnyView<'a> {
    /// Of a classic filter.
    Classic(classic::View<'a>),
    /// Of a split filter.
    Split(split::View<'a>),
    /// Of a block filter.
    Block(block::View<'a>),
}

impl<'a> AnyView<'a> {
    /// The filter over bytes that somebody else owns.
    pub fn new(geometry: AnyGeometry, payload: &'a [u8]) -> Result<AnyView<'a>> {
        Ok(match geometry {
            AnyGeometry::Classic(g) => AnyView::Classic(classic::View::new(g, payload)?),
            AnyGeometry::Split(g) => AnyView::Split(split::View::new(g, payload)?),
            AnyGeometry::Block(g) => AnyView::Block(block::View::new(g, payload)?),
        })
    }

    /// The bytes of the filter.
    pub fn payload(&self) -> &'a [u8] {
        for_kind!(AnyView, self, view => view.payload())
    }

    /// False when no key with this hash was added; true when one may have been.
    pub fn contains(&self, hash: Hash) -> bool {
        for_kind!(AnyView, self, view => view.contains(hash))
    }

    /// [`AnyView::contains`] of each hash, in order; `answers` is overwritten. Faster than one by one.
    pub fn contains_many(&self, hashes: &[Hash], answers: &mut Vec<bool>) {
        for_kind!(AnyView, self, view => view.contains_many(hashes, answers))
    }

    /// How many bits are set, or cells of another sort in use.
    pub fn cells_set(&self) -> u64 {
        for_kind!(AnyView, self, view => view.cells_set())
    }

    /// What those cells are.
    pub fn cells(&self) -> &'static str {
        fn of<L: Layout>(_: &crate::BasicView<'_, L>) -> &'static str {
            L::CELLS
        }
        for_kind!(AnyView, self, view => of(view))
    }

    /// The share of them.
    pub fn fill(&self) -> f64 {
        for_kind!(AnyView, self, view => view.fill())
    }

    /// How many different keys were probably added; `None` when nobody can tell.
    pub fn estimated_count(&self) -> Option<u64> {
        for_kind!(AnyView, self, view => view.estimated_count())
    }

    /// The share of absent keys this filter lets through.
    pub fn predicted_fpr(&self) -> f64 {
        for_kind!(AnyView, self, view => view.predicted_fpr())
    }
}

/// A filter of any kind.
#[derive(Clone, Debug, PartialEq)]
pub enum AnyFilter {
    /// A classic filter.
    Classic(classic::Filter),
    /// A split filter.
    Split(split::Filter),
    /// A block filter.
    Block(block::Filter),
}

impl AnyFilter {
    /// An empty filter of this geometry with this hash.
    pub fn new(geometry: AnyGeometry, hasher: Hasher) -> Result<AnyFilter> {
        Ok(match geometry {
            AnyGeometry::Classic(g) => AnyFilter::Classic(classic::Filter::new(g, hasher)?),
            AnyGeometry::Split(g) => AnyFilter::Split(split::Filter::new(g, hasher)?),
            AnyGeometry::Block(g) => AnyFilter::Block(block::Filter::new(g, hasher)?),
        })
    }

    /// A filter of bytes that exist already; see [`BasicFilter::from_payload`].
    pub fn from_payload(
        geometry: AnyGeometry,
        payload: Vec<u8>,
        hasher: Hasher,
        keys: Option<u64>,
    ) -> Result<AnyFilter> {
        fn made<L: Layout>(
            g: L::Geometry,
            payload: Vec<u8>,
            hasher: Hasher,
            keys: Option<u64>,
        ) -> Result<BasicFilter<L>> {
            BasicFilter::from_payload(g, payload, hasher, keys)
        }
        Ok(match geometry {
            AnyGeometry::Classic(g) => AnyFilter::Classic(made(g, payload, hasher, keys)?),
            AnyGeometry::Split(g) => AnyFilter::Split(made(g, payload, hasher, keys)?),
            AnyGeometry::Block(g) => AnyFilter::Block(made(g, payload, hasher, keys)?),
        })
    }

    /// The hash of a kind's files unless told otherwise.
    pub fn default_hasher(kind: Kind) -> Hasher {
        match kind {
            Kind::Classic => classic::Classic::default_hasher(),
            Kind::Split => split::Split::default_hasher(),
            Kind::Block => block::Block::default_hasher(),
        }
    }

    /// The numbers that fix the layout.
    pub fn geometry(&self) -> AnyGeometry {
        match self {
            AnyFilter::Classic(filter) => AnyGeometry::Classic(filter.geometry()),
            AnyFilter::Split(filter) => AnyGeometry::Split(filter.geometry()),
            AnyFilter::Block(filter) => AnyGeometry::Block(filter.geometry()),
        }
    }

    /// Which hash the keys have.
    pub fn hash_spec(&self) -> HashSpec {
        for_kind!(AnyFilter, self, filter => filter.hash_spec())
    }

    /// How many adds returned, the repeated ones included; `None` when unknown.
    pub fn key_count(&self) -> Option<u64> {
        for_kind!(AnyFilter, self, filter => filter.key_count())
    }

    /// The filter, for reading.
    pub fn view(&self) -> AnyView<'_> {
        match self {
            AnyFilter::Classic(filter) => AnyView::Classic(filter.view()),
            AnyFilter::Split(filter) => AnyView::Split(filter.view()),
            AnyFilter::Block(filter) => AnyView::Block(filter.view()),
        }
    }

    /// Adds all keys.
    pub fn add_many<K: AsRef<[u8]>>(&mut self, keys: &[K]) -> Result<()> {
        for_kind!(AnyFilter, self, filter => filter.add_many(keys));
        Ok(())
    }

    /// False when the key was never added; true when it may have been.
    pub fn contains(&self, key: impl AsRef<[u8]>) -> bool {
        for_kind!(AnyFilter, self, filter => filter.contains(key))
    }

    /// [`AnyFilter::contains`] of each key, in order; `answers` is overwritten. Faster than one by one.
    pub fn contains_many<K: AsRef<[u8]>>(&self, keys: &[K], answers: &mut Vec<bool>) {
        for_kind!(AnyFilter, self, filter => filter.contains_many(keys, answers))
    }
}

/// The filter inside, when it is of the kind wanted.
pub trait OfKind: Sized {
    #[doc(hidden)]
    fn of_kind(filter: AnyFilter) -> Option<Self>;
}

macro_rules! of_kind {
    ($variant:ident, $geometry:ty, $filter:ty) => {
        impl From<$geometry> for AnyGeometry {
            fn from(geometry: $geometry) -> AnyGeometry {
                AnyGeometry::$variant(geometry)
            }
        }

        impl OfKind for $filter {
            fn of_kind(filter: AnyFilter) -> Option<Self> {
                match filter {
                    AnyFilter::$variant(filter) => Some(filter),
                    _ => None,
                }
            }
        }

        impl From<$filter> for AnyFilter {
            fn from(filter: $filter) -> AnyFilter {
                AnyFilter::$variant(filter)
            }
        }
    };
}

of_kind!(Classic, classic::Geometry, classic::Filter);
of_kind!(Split, split::Geometry, split::Filter);
of_kind!(Block, block::Geometry, block::Filter);

/// A filter of the wanted kind, or an error that names both.
pub(crate) fn expect_kind<L: Layout>(filter: AnyFilter) -> Result<BasicFilter<L>>
where
    BasicFilter<L>: OfKind,
{
    let kind = filter.geometry().kind();
    OfKind::of_kind(filter).ok_or_else(|| {
        Error::argument(format!(
            "holds a {} filter, not a {} one: open it as AnyFilter",
            kind,
            L::Geometry::KIND
        ))
    })
}
