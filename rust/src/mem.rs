//! The memory of filters: bytes that begin at a cache line, so that a block of 64 bytes is one line and not two; and the
//! same memory as words that threads share. One of the two places with `unsafe` code.

#![allow(unsafe_code)]

use std::fmt;
use std::mem::ManuallyDrop;
use std::ops::{Deref, DerefMut};
use std::slice;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::error::{Error, Result};
use crate::prelude::*;

const LINE: usize = 64;

#[derive(Clone, Copy)]
#[repr(C, align(64))]
struct Line([u8; LINE]);

#[repr(C, align(64))]
struct SharedLine([AtomicU64; LINE / 8]);

/// Bytes that begin at a cache line.
pub struct Bytes {
    lines: Vec<Line>,
    length: usize,
}

impl Bytes {
    /// So many bytes of 0.
    pub(crate) fn zeroed(length: u64) -> Result<Bytes> {
        let no_memory = || Error::no_memory(format_args!("a filter of {} bytes", length));
        let length = usize::try_from(length).map_err(|_| no_memory())?;
        let count = length / LINE + usize::from(length % LINE != 0);
        let mut lines = Vec::new();
        lines.try_reserve_exact(count).map_err(|_| no_memory())?;
        lines.resize(count, Line([0; LINE]));
        Ok(Bytes { lines, length })
    }

    /// A copy of these bytes.
    pub(crate) fn copy_of(source: &[u8]) -> Result<Bytes> {
        let mut bytes = Bytes::zeroed(source.len() as u64)?;
        bytes.copy_from_slice(source);
        Ok(bytes)
    }

    /// The same memory, to be shared.
    pub(crate) fn into_shared(self) -> SharedBytes {
        let mut lines = ManuallyDrop::new(self.lines);
        let (at, count, capacity) = (lines.as_mut_ptr(), lines.len(), lines.capacity());
        // SAFETY: the three parts are those of a vector that is not dropped, and both sorts of lines have the same
        // size, the same alignment and no byte that is not part of a number.
        let lines = unsafe { Vec::from_raw_parts(at.cast::<SharedLine>(), count, capacity) };
        SharedBytes {
            lines,
            length: self.length,
        }
    }
}

impl Deref for Bytes {
    type Target = [u8];

    #[inline(always)]
    fn deref(&self) -> &[u8] {
        // SAFETY: the lines are one stretch of initialized bytes, at least as long as `length`.
        unsafe { slice::from_raw_parts(self.lines.as_ptr().cast(), self.length) }
    }
}

impl DerefMut for Bytes {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut [u8] {
        // SAFETY: as above, and the borrow is the only one.
        unsafe { slice::from_raw_parts_mut(self.lines.as_mut_ptr().cast(), self.length) }
    }
}

impl Clone for Bytes {
    fn clone(&self) -> Bytes {
        Bytes {
            lines: self.lines.clone(),
            length: self.length,
        }
    }
}

impl PartialEq for Bytes {
    fn eq(&self, other: &Bytes) -> bool {
        self[..] == other[..]
    }
}

impl fmt::Debug for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} bytes", self.length)
    }
}

/// The bits of a filter as words that threads load and set, numbered from the least significant bit of byte 0 on.
pub trait Words {
    /// The word with this number.
    fn load(&self, number: usize) -> u64;
    /// Sets the bits of `mask` in the word with this number.
    fn set(&self, number: usize, mask: u64);
}

/// Bytes that threads share, as words.
pub struct SharedBytes {
    lines: Vec<SharedLine>,
    length: usize,
}

impl SharedBytes {
    /// The same memory, for one owner.
    pub(crate) fn into_bytes(self) -> Bytes {
        let mut lines = ManuallyDrop::new(self.lines);
        let (at, count, capacity) = (lines.as_mut_ptr(), lines.len(), lines.capacity());
        // SAFETY: as in `into_shared`; nobody else has the words any more.
        let lines = unsafe { Vec::from_raw_parts(at.cast::<Line>(), count, capacity) };
        Bytes {
            lines,
            length: self.length,
        }
    }

    /// A copy of what is there, word by word, while others may be setting bits.
    pub(crate) fn snapshot(&self) -> Result<Bytes> {
        let mut copy = Bytes::zeroed(self.length as u64)?;
        for (i, word) in copy.chunks_mut(8).enumerate() {
            let bytes = self.load(i).to_le_bytes();
            word.copy_from_slice(&bytes[..word.len()]);
        }
        Ok(copy)
    }

    #[inline(always)]
    fn word(&self, number: usize) -> &AtomicU64 {
        &self.lines[number / 8].0[number % 8]
    }
}

impl Words for SharedBytes {
    #[inline(always)]
    fn load(&self, number: usize) -> u64 {
        u64::from_le(self.word(number).load(Ordering::Relaxed))
    }

    #[inline(always)]
    fn set(&self, number: usize, mask: u64) {
        // The value before is not asked for: so it is one instruction, and no loop that others can prolong.
        self.word(number).fetch_or(mask.to_le(), Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_begin_at_a_line_and_survive_sharing() {
        for length in [0, 1, 63, 64, 65, 1000] {
            let mut bytes = Bytes::zeroed(length).unwrap();
            assert_eq!(bytes.as_ptr() as usize % LINE, 0);
            for (i, byte) in bytes.iter_mut().enumerate() {
                *byte = i as u8;
            }
            let before = bytes.to_vec();
            let shared = bytes.into_shared();
            assert_eq!(shared.snapshot().unwrap()[..], before[..]);
            assert_eq!(shared.into_bytes()[..], before[..]);
        }
        assert!(Bytes::zeroed(u64::MAX).is_err());
    }

    #[test]
    fn a_bit_of_a_word_is_that_bit_of_its_bytes() {
        let shared = Bytes::zeroed(100).unwrap().into_shared();
        for bit in [0, 7, 8, 63, 64, 700, 799] {
            shared.set(bit / 64, 1 << (bit % 64));
            assert_eq!(shared.load(bit / 64) >> (bit % 64) & 1, 1);
            assert_eq!(shared.snapshot().unwrap()[bit / 8] >> (bit % 8) & 1, 1);
        }
    }
}
