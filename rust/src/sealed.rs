//! What keeps the traits of the crate its own: a kind is what the specification says, so that nobody else adds one.

/// Cannot be named outside the crate.
pub trait Sealed {}
