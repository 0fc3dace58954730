//! What threads that share a filter take turns for: `add_once` of one key, and the records, which a merge changes. `add`
//! and `contains` never come here. Without `std` there are no locks, and no records are kept.

use crate::error::Result;
use crate::filter::Said;
use crate::records::Records;

#[cfg(feature = "std")]
pub(super) use with_std::Locks;
#[cfg(not(feature = "std"))]
pub(super) use without_std::Locks;

#[cfg(feature = "std")]
mod with_std {
    use super::*;
    use crate::hash::Hash;
    use std::sync::{Mutex, MutexGuard, PoisonError};

    /// A lock with a cache line of its own.
    #[derive(Default)]
    #[repr(align(64))]
    struct Stripe(Mutex<()>);

    /// 64 locks for adds, and one for the records.
    pub(crate) struct Locks {
        stripes: Vec<Stripe>,
        said: Mutex<Said>,
    }

    const STRIPES: usize = 64;

    impl Locks {
        pub(crate) fn new(mut said: Said) -> Locks {
            said.changed();
            Locks {
                stripes: (0..STRIPES).map(|_| Stripe::default()).collect(),
                said: Mutex::new(said),
            }
        }

        /// Holds the lock of a hash, which equal hashes share.
        pub(crate) fn of(&self, hash: Hash) -> MutexGuard<'_, ()> {
            held(&self.stripes[hash.bits() as usize % STRIPES].0)
        }

        pub(crate) fn said(&self) -> Said {
            held(&self.said).clone()
        }

        pub(crate) fn merge(&self, other: &Records) -> Result<()> {
            held(&self.said).records_mut().merge(other)
        }
    }

    /// What these locks hold is whole at every moment, so that a thread that panicked with one changes nothing.
    fn held<T>(lock: &Mutex<T>) -> MutexGuard<'_, T> {
        lock.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(not(feature = "std"))]
mod without_std {
    use super::*;

    pub(crate) struct Locks;

    impl Locks {
        pub(crate) fn new(_said: Said) -> Locks {
            Locks
        }

        pub(crate) fn said(&self) -> Said {
            Said::default()
        }

        pub(crate) fn merge(&self, _other: &Records) -> Result<()> {
            Ok(())
        }
    }
}
