//! Filters whose kind is known at run time only: what a file turns out to hold.

/// The same expression for whichever kind `$value` is of.
macro_rules! for_kind {
    ($any:ident, $value:expr, $inner:ident => $use:expr) => {
        match $value {
            $any::Classic($inner) => $use,
            $any::Split($inner) => $use,
            $any::Block($inner) => $use,
            $any::Fuse($inner) => $use,
        }
    };
}

mod filter;
mod geometry;
mod of_kind;
mod view;

pub use filter::AnyFilter;
pub use geometry::AnyGeometry;
pub(crate) use of_kind::{expect_kind, OfKind};
pub use view::AnyView;
