//! Machines of other architectures have no AVX2, so there is no value of this type and nothing to call.

use crate::hash::Hash;

#[derive(Clone, Copy, Debug)]
pub(crate) enum Avx2 {}

impl Avx2 {
    pub(crate) fn here() -> Option<Avx2> {
        None
    }
    pub(crate) fn run<R>(self, _: impl FnOnce() -> R) -> R {
        match self {}
    }
    pub(crate) fn split_contains(self, _: &[u8], _: u64, _: Hash) -> bool {
        match self {}
    }
    pub(crate) fn split_add(self, _: &mut [u8], _: u64, _: Hash) -> bool {
        match self {}
    }
    pub(crate) fn block_contains(self, _: &[u8], _: (u64, u32), _: Hash) -> bool {
        match self {}
    }
}
