//! The memory of filters: bytes that begin at a cache line, so that a block of 64 bytes is one line and not two; and the
//! same memory as words that threads share. One of the places with `unsafe` code.

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
    /// That many bytes of 0.
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

/// The block of N bytes with this number. `None` never happens in a payload of its geometry's length.
#[inline(always)]
pub(crate) fn block<const N: usize>(payload: &[u8], number: u64) -> Option<&[u8; N]> {
    let at = number as usize * N;
    if at > payload.len().checked_sub(N)? {
        return None;
    }
    // SAFETY: N bytes from `at` on are inside of the payload. Slices that say so cost a comparison more, at each key.
    Some(unsafe { &*payload.as_ptr().add(at).cast() })
}

/// That block, to change it.
#[inline(always)]
pub(crate) fn block_mut<const N: usize>(payload: &mut [u8], number: u64) -> Option<&mut [u8; N]> {
    let at = number as usize * N;
    if at > payload.len().checked_sub(N)? {
        return None;
    }
    // SAFETY: as above, and the borrow is the only one.
    Some(unsafe { &mut *payload.as_mut_ptr().add(at).cast() })
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

/// A word that threads share: an atomic one, or a model of it that a checker runs.
pub trait SharedWord {
    /// Its value.
    fn load(&self, order: Ordering) -> u64;
    /// Replaces its value.
    fn store(&self, value: u64, order: Ordering);
    /// Sets the bits of `mask`, in one step.
    fn fetch_or(&self, mask: u64, order: Ordering) -> u64;
}

impl SharedWord for AtomicU64 {
    #[inline(always)]
    fn load(&self, order: Ordering) -> u64 {
        AtomicU64::load(self, order)
    }

    #[inline(always)]
    fn store(&self, value: u64, order: Ordering) {
        AtomicU64::store(self, value, order);
    }

    #[inline(always)]
    fn fetch_or(&self, mask: u64, order: Ordering) -> u64 {
        AtomicU64::fetch_or(self, mask, order)
    }
}

/// The bits of a filter as words that threads load and set, numbered from the least significant bit of byte 0 on.
///
/// Every access is relaxed: bits are only ever set, and a thread that knows of an `add` knows it by something that
/// synchronizes.
pub trait Words {
    /// What a word is.
    type Word: SharedWord;

    /// The word with this number.
    fn word(&self, number: usize) -> &Self::Word;

    /// The value of the word with this number.
    #[inline(always)]
    fn load(&self, number: usize) -> u64 {
        u64::from_le(self.word(number).load(Ordering::Relaxed))
    }

    /// Sets the bits of `mask` in the word with this number.
    #[inline(always)]
    fn set(&self, number: usize, mask: u64) {
        // The value before is not asked for: so it is one instruction, and no loop that others can prolong.
        self.word(number).fetch_or(mask.to_le(), Ordering::Relaxed);
    }

    /// Sets what is missing of `mask`, and tells whether something was. A word that has it all is not written: its line
    /// stays with everybody who reads it.
    #[inline(always)]
    fn set_missing(&self, number: usize, mask: u64) -> bool {
        if self.load(number) & mask == mask {
            return false;
        }
        self.set(number, mask);
        true
    }

    /// Unsets all bits of the word with this number.
    fn clear(&self, number: usize) {
        self.word(number).store(0, Ordering::Relaxed);
    }
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

    /// How many words there are; the last may be longer than what is left of the bytes.
    pub(crate) fn count(&self) -> usize {
        self.length / 8 + usize::from(self.length % 8 != 0)
    }
}

impl Words for SharedBytes {
    type Word = AtomicU64;

    #[inline(always)]
    fn word(&self, number: usize) -> &AtomicU64 {
        &self.lines[number / 8].0[number % 8]
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
    fn a_block_is_inside_of_its_payload_or_none() {
        let mut payload: Vec<u8> = (0..100).collect();
        for (number, first) in [(0, Some(0)), (1, Some(32)), (2, Some(64)), (3, None)] {
            let found = block::<32>(&payload, number).map(|block| block[0]);
            assert_eq!(found, first);
            let found = block_mut::<32>(&mut payload, number).map(|block| block[31]);
            assert_eq!(found, first.map(|first| first + 31));
        }
        let (no, short) = (block::<32>(&payload[..31], 0), block::<32>(&[], 0));
        assert!(no.is_none() && short.is_none());
        assert!(block::<32>(&payload[..32], 0).is_some());
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
