//! Filters whose kind is known at run time only: what a file turns out to hold.

/// Hands the list of kinds, each with its module, to a macro.
macro_rules! with_kinds {
    ($use:ident) => {
        $use! {
            Classic classic, Split split, Block block, Counting counting, Partitioned partitioned,
            Scalable scalable, Stable stable, Cuckoo cuckoo, Quotient quotient, Fuse fuse, Ribbon ribbon
        }
    };
}

/// The same expression for whichever kind `$value` is of.
macro_rules! for_kind {
    ($any:ident, $value:expr, $inner:ident => $use:expr) => {
        match $value {
            $any::Classic($inner) => $use,
            $any::Split($inner) => $use,
            $any::Block($inner) => $use,
            $any::Counting($inner) => $use,
            $any::Partitioned($inner) => $use,
            $any::Scalable($inner) => $use,
            $any::Stable($inner) => $use,
            $any::Cuckoo($inner) => $use,
            $any::Quotient($inner) => $use,
            $any::Fuse($inner) => $use,
            $any::Ribbon($inner) => $use,
        }
    };
}

mod change;
mod filter;
mod geometry;
mod of_kind;
mod view;

pub use filter::AnyFilter;
pub use geometry::AnyGeometry;
pub(crate) use of_kind::{expect_kind, OfKind};
pub use view::AnyView;
