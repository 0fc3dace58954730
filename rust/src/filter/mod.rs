//! Filters of any kind: a view over bytes somebody else owns, and a filter that owns its own.

mod build;
mod change;
mod collect;
mod owner;
mod said;
mod view;

pub(crate) use change::check_same_shape;
pub use owner::BasicFilter;
pub(crate) use said::{Said, MAX_OFFSET, OFFSET_UNIT};
pub use view::BasicView;
