//! One part of a fuse filter: takes keys away one by one, each from a slot that is its own, and then sets the slots in
//! reverse. Slots wait in queues, one for each group of slots, so that the work stays within a few windows.

use super::places::Places;
use super::Geometry;
use crate::error::{Error, ErrorKind, Result};
use crate::hash::Hash;
use crate::prelude::*;

/// Slots that share a queue.
const GROUP: usize = 1 << 14;

/// What is known of a slot: how many keys it still has, in the highest 8 bits, and below them the xor of the numbers of
/// these keys. With one key left that is its number.
pub(super) trait Word: Copy + Default + Into<u64> {
    const KEY_BITS: u32;
    const ONE: u64 = 1 << Self::KEY_BITS;

    /// A number that fits.
    fn of(value: u64) -> Self;

    #[inline(always)]
    fn index(self) -> usize {
        self.into() as usize
    }

    #[inline(always)]
    fn is_full(self) -> bool {
        self.into() >> Self::KEY_BITS == 255
    }

    #[inline(always)]
    fn is_alone(self) -> bool {
        self.into() >> Self::KEY_BITS == 1
    }

    /// The number of the only key.
    #[inline(always)]
    fn key(self) -> usize {
        (self.into() & (Self::ONE - 1)) as usize
    }

    #[inline(always)]
    fn with(self, key: usize) -> Self {
        Self::of((self.into() + Self::ONE) ^ key as u64)
    }

    #[inline(always)]
    fn without(self, key: usize) -> Self {
        Self::of((self.into() - Self::ONE) ^ key as u64)
    }
}

/// Half the memory, for parts of less than 2^24 slots.
impl Word for u32 {
    const KEY_BITS: u32 = 24;

    #[inline(always)]
    fn of(value: u64) -> u32 {
        value as u32
    }
}

impl Word for u64 {
    const KEY_BITS: u32 = 56;

    #[inline(always)]
    fn of(value: u64) -> u64 {
        value
    }
}

/// The keys of a part with a factor, by their numbers.
#[derive(Clone, Copy)]
struct Keys<'a, const K: usize> {
    hashes: &'a [Hash],
    factor: u64,
    places: Places,
}

impl<const K: usize> Keys<'_, K> {
    #[inline(always)]
    fn slots(&self, key: usize) -> [usize; K] {
        self.places.slots(self.hashes[key], self.factor)
    }
}

/// Where the slots of a group that wait are.
#[derive(Clone, Copy, Default)]
struct Queue {
    next: usize,
    end: usize,
}

/// The memory of peeling, which parts use one after the other: three words a slot.
pub(super) struct Peeler<const K: usize, W> {
    places: Places,
    words: Vec<W>,
    queues: Vec<Queue>,
    /// The slots of all queues. A slot waits at most once, so a queue has as many places as its group has slots, and one
    /// more, which is written in vain.
    waiting: Vec<W>,
    /// The slots that gave their key away, in this order. The word of each is then the number of the key.
    taken: Vec<W>,
}

impl<const K: usize, W: Word> Peeler<K, W> {
    pub(super) fn new(geometry: Geometry) -> Result<Peeler<K, W>> {
        let slots = usize::try_from(geometry.slots).unwrap_or(usize::MAX);
        let groups = slots / GROUP + 1;
        Ok(Peeler {
            places: Places::new(geometry),
            words: zeros(slots)?,
            queues: zeros(groups)?,
            waiting: zeros(slots.saturating_add(groups))?,
            taken: zeros(slots)?,
        })
    }

    /// Whether this factor does; then the values of the slots, which are 0, are set.
    pub(super) fn solve(
        &mut self,
        hashes: &[Hash],
        factor: u64,
        values: &mut [u8],
        bits: u32,
    ) -> bool {
        let keys = Keys::<K> {
            hashes,
            factor,
            places: self.places,
        };
        let good = self.count(keys) && self.peel(keys);
        if good {
            self.fill(keys, values, bits);
        }
        good
    }

    /// Gives the slots their keys; false when one has too many.
    fn count(&mut self, keys: Keys<K>) -> bool {
        self.words.fill(W::default());
        for key in 0..keys.hashes.len() {
            for slot in keys.slots(key) {
                let word = &mut self.words[slot];
                if word.is_full() {
                    return false;
                }
                *word = word.with(key);
            }
        }
        true
    }

    /// Whether all keys come away.
    fn peel(&mut self, keys: Keys<K>) -> bool {
        self.queue_first();
        self.taken.clear();
        let mut group = 0;
        while group < self.queues.len() {
            group = self.work_on(group, keys);
        }
        self.taken.len() == keys.hashes.len()
    }

    /// Slots of one key wait in their groups.
    fn queue_first(&mut self) {
        let groups = self.words.chunks(GROUP).zip(&mut self.queues);
        for (group, (words, queue)) in groups.enumerate() {
            let start = group * (GROUP + 1);
            let mut end = start;
            for (slot, word) in (group * GROUP..).zip(words) {
                self.waiting[end] = W::of(slot as u64);
                end += usize::from(word.is_alone());
            }
            *queue = Queue { next: start, end };
        }
    }

    /// Takes keys away until no slot of this group waits; the lowest group where one may wait now.
    fn work_on(&mut self, group: usize, keys: Keys<K>) -> usize {
        let mut lowest = group + 1;
        let mut next = self.queues[group].next;
        while next < self.queues[group].end {
            let slot = self.waiting[next].index();
            next += 1;
            if self.words[slot].is_alone() {
                lowest = lowest.min(self.take(slot, keys));
            }
        }
        self.queues[group].next = next;
        lowest
    }

    /// Takes the one key of a slot away from all its slots; the lowest group where one of them waits now.
    #[inline(always)]
    fn take(&mut self, own: usize, keys: Keys<K>) -> usize {
        let key = self.words[own].key();
        let mut lowest = usize::MAX;
        for slot in keys.slots(key) {
            let word = self.words[slot].without(key);
            self.words[slot] = word;
            // Numbers: a branch would be wrong too often.
            let alone = usize::from(word.is_alone());
            let queue = &mut self.queues[slot / GROUP];
            self.waiting[queue.end] = W::of(slot as u64);
            queue.end += alone;
            lowest = lowest.min((slot / GROUP) | alone.wrapping_sub(1));
        }
        self.words[own] = W::of(key as u64);
        self.taken.push(W::of(own as u64));
        lowest
    }

    /// The values of the slots, from the last key taken to the first.
    fn fill(&self, keys: Keys<K>, values: &mut [u8], bits: u32) {
        for own in self.taken.iter().rev().map(|slot| slot.index()) {
            let key = self.words[own].index();
            let mut value = self.places.fingerprint(keys.hashes[key]);
            for slot in keys.slots(key) {
                value ^= read(values, slot, bits);
            }
            if bits == 8 {
                values[own] = value as u8;
            } else {
                values[2 * own..2 * own + 2].copy_from_slice(&value.to_le_bytes());
            }
        }
    }
}

fn zeros<T: Clone + Default>(length: usize) -> Result<Vec<T>> {
    let mut of = Vec::new();
    of.try_reserve_exact(length)
        .map_err(|_| Error::new(ErrorKind::OutOfMemory, "no memory to build a fuse filter"))?;
    of.resize(length, T::default());
    Ok(of)
}

/// The value of a slot.
#[inline(always)]
pub(super) fn read(values: &[u8], slot: usize, bits: u32) -> u16 {
    if bits == 8 {
        u16::from(values[slot])
    } else {
        u16::from_le_bytes([values[2 * slot], values[2 * slot + 1]])
    }
}
