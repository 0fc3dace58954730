//! Building a fuse filter: the slots are equations, one a key, and peeling finds an order in which each has a slot of its
//! own left. The bytes are fixed by the set of hashes, so every step here is the specification's.

use super::places::Places;
use super::size::{parts_for, window_and_slots};
use super::{Fuse, Geometry};
use crate::error::{Error, ErrorKind, Result};
use crate::filter::BasicFilter;
use crate::hash::Hash;

/// Seeds that are tried before the filter grows.
const SEEDS: u8 = 64;

/// The geometry and payload of hashes that are sorted and differ; arity and bits are those of `wish`.
pub(super) fn build(hashes: &[Hash], wish: Geometry) -> Result<(Geometry, Vec<u8>)> {
    let parts = even_parts(hashes);
    build_in_parts(hashes, wish, parts)
}

/// The same in so many parts.
pub(super) fn build_in_parts(
    hashes: &[Hash],
    wish: Geometry,
    parts: u64,
) -> Result<(Geometry, Vec<u8>)> {
    let (window, slots) = window_and_slots(largest_part(hashes, parts), wish.arity);
    let mut geometry = Geometry {
        parts,
        window,
        slots,
        keys: hashes.len() as u64,
        ..wish
    };
    loop {
        geometry = geometry.checked()?;
        let solved = match geometry.arity {
            3 => solve_all::<3>(hashes, geometry)?,
            _ => solve_all::<4>(hashes, geometry)?,
        };
        if let Some(payload) = solved {
            return Ok((geometry, payload));
        }
        geometry.slots += geometry.slots / 8 + 1;
    }
}

/// The parts that random hashes get; 1 when these are not random.
fn even_parts(hashes: &[Hash]) -> u64 {
    let n = hashes.len() as u64;
    let parts = parts_for(n);
    let mean = n / parts;
    if largest_part(hashes, parts) > mean + mean / 64 {
        1
    } else {
        parts
    }
}

/// Sorted hashes are those of part 0, then those of part 1, and so on.
fn each_part(hashes: &[Hash], parts: u64) -> impl Iterator<Item = &[Hash]> {
    let mut rest = hashes;
    (0..parts).map(move |part| {
        let in_part =
            |hash: &Hash| (u128::from(hash.bits()) * u128::from(parts)) >> 64 == u128::from(part);
        let (these, others) = rest.split_at(rest.partition_point(in_part));
        rest = others;
        these
    })
}

fn largest_part(hashes: &[Hash], parts: u64) -> u64 {
    let lengths = each_part(hashes, parts).map(<[Hash]>::len);
    lengths.max().unwrap_or(0) as u64
}

/// The payload, or nothing when some part has no good seed.
fn solve_all<const K: usize>(hashes: &[Hash], geometry: Geometry) -> Result<Option<Vec<u8>>> {
    let mut payload = BasicFilter::<Fuse>::zeros(geometry)?;
    let (values, seeds) = payload.split_at_mut(geometry.seeds_at());
    let mut peeler = Peeler::<K>::new(geometry)?;
    let values = values.chunks_exact_mut(geometry.seeds_at() / geometry.parts as usize);
    for ((hashes, values), seed) in each_part(hashes, geometry.parts).zip(values).zip(seeds) {
        match (0..SEEDS).find(|seed| peeler.peel(hashes, *seed)) {
            Some(good) => *seed = good,
            None => return Ok(None),
        }
        peeler.fill(values, geometry.fingerprint_bits);
    }
    Ok(Some(payload))
}

/// What is known of a slot: the keys it still has, by number and as the xor of their mixed hashes.
#[derive(Clone, Copy, Default)]
struct Held {
    mixed: u64,
    count: u32,
}

/// The memory of peeling, which parts use one after the other: about 40 bytes a key.
struct Peeler<const K: usize> {
    places: Places,
    held: Vec<Held>,
    queue: Vec<usize>,
    /// The mixed hashes in the order of their removal, each with the slot it had for itself.
    order: Vec<(u64, usize)>,
}

impl<const K: usize> Peeler<K> {
    fn new(geometry: Geometry) -> Result<Peeler<K>> {
        let slots = usize::try_from(geometry.slots).unwrap_or(usize::MAX);
        let mut peeler = Peeler {
            places: Places::new(geometry),
            held: Vec::new(),
            queue: Vec::new(),
            order: Vec::new(),
        };
        let no_memory = |_| Error::new(ErrorKind::OutOfMemory, "no memory to build a fuse filter");
        peeler.held.try_reserve_exact(slots).map_err(no_memory)?;
        peeler.queue.try_reserve_exact(slots).map_err(no_memory)?;
        peeler.order.try_reserve_exact(slots).map_err(no_memory)?;
        peeler.held.resize(slots, Held::default());
        Ok(peeler)
    }

    /// Whether all keys come away with this seed.
    fn peel(&mut self, hashes: &[Hash], seed: u8) -> bool {
        self.held.fill(Held::default());
        for hash in hashes {
            let mixed = self.places.mixed(*hash, seed);
            for slot in self.places.slots::<K>(mixed) {
                let held = &mut self.held[slot];
                held.mixed ^= mixed;
                held.count += 1;
            }
        }
        self.queue.clear();
        let held = self.held.iter().enumerate();
        self.queue.extend(
            held.filter(|(_, held)| held.count == 1)
                .map(|(slot, _)| slot),
        );
        self.order.clear();
        let mut next = 0;
        while let Some(&slot) = self.queue.get(next) {
            next += 1;
            if self.held[slot].count != 0 {
                self.take(slot);
            }
        }
        self.order.len() == hashes.len()
    }

    /// Takes the one key of a slot away from all its slots.
    fn take(&mut self, slot: usize) {
        let mixed = self.held[slot].mixed;
        self.order.push((mixed, slot));
        for slot in self.places.slots::<K>(mixed) {
            let held = &mut self.held[slot];
            held.mixed ^= mixed;
            held.count -= 1;
            if held.count == 1 {
                self.queue.push(slot);
            }
        }
    }

    /// The values of the slots, from the last key taken to the first; `values` are 0 before.
    fn fill(&self, values: &mut [u8], bits: u32) {
        for (mixed, own) in self.order.iter().rev() {
            let mut value = self.places.fingerprint(*mixed);
            for slot in self.places.slots::<K>(*mixed) {
                value ^= read(values, slot, bits);
            }
            if bits == 8 {
                values[*own] = value as u8;
            } else {
                values[2 * own..2 * own + 2].copy_from_slice(&value.to_le_bytes());
            }
        }
    }
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
