//! Building a fuse filter: its parts and their seeds. The slots are equations, one a key, and peeling finds an order in
//! which each has a slot of its own left. The bytes are fixed by the set of hashes, so every step here is the specification's.

use super::factor::factor_of;
use super::geometry::FACTOR;
use super::peel::{Peeler, Word};
use super::size::{parts_for, window_and_slots};
use super::Geometry;
use crate::error::Result;
use crate::hash::Hash;
use crate::layout::KindGeometry;
use crate::mem::Bytes;

/// Seeds that are tried before the filter grows.
const SEEDS: u8 = 64;

/// The geometry and payload of hashes that are sorted and differ; arity and bits are those of `target`.
pub(super) fn build(hashes: &[Hash], target: Geometry) -> Result<(Geometry, Bytes)> {
    let parts = even_parts(hashes);
    build_in_parts(hashes, target, parts)
}

/// Builds in a given number of parts.
pub(super) fn build_in_parts(
    hashes: &[Hash],
    target: Geometry,
    parts: u64,
) -> Result<(Geometry, Bytes)> {
    let (window, slots) = window_and_slots(largest_part(hashes, parts), target.arity);
    let mut geometry = Geometry {
        parts,
        window,
        slots,
        keys: hashes.len() as u64,
        ..target
    };
    loop {
        geometry = geometry.checked()?;
        if let Some(payload) = solve_all(hashes, geometry)? {
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
fn solve_all(hashes: &[Hash], geometry: Geometry) -> Result<Option<Bytes>> {
    let small = geometry.slots < <u32 as Word>::ONE;
    match (geometry.arity, small) {
        (3, true) => solve_by::<3, u32>(hashes, geometry),
        (3, false) => solve_by::<3, u64>(hashes, geometry),
        (_, true) => solve_by::<4, u32>(hashes, geometry),
        (_, false) => solve_by::<4, u64>(hashes, geometry),
    }
}

/// Solves by words of this width.
pub(super) fn solve_by<const K: usize, W: Word>(
    hashes: &[Hash],
    geometry: Geometry,
) -> Result<Option<Bytes>> {
    let mut payload = Bytes::zeroed(geometry.payload_bytes())?;
    if hashes.is_empty() {
        return Ok(Some(payload));
    }
    let parts = geometry.parts;
    let (values, factors) = payload.split_at_mut(geometry.factors_at());
    let mut peeler = Peeler::<K, W>::new(geometry)?;
    let values = values.chunks_exact_mut(geometry.factors_at() / parts as usize);
    let factors = factors.chunks_exact_mut(FACTOR);
    for ((hashes, values), factor) in each_part(hashes, parts).zip(values).zip(factors) {
        let bits = geometry.fingerprint_bits;
        let mut tried = (0..SEEDS).map(|seed| factor_of(parts, seed));
        match tried.find(|factor| peeler.solve(hashes, *factor, values, bits)) {
            Some(good) => factor.copy_from_slice(&good.to_le_bytes()),
            None => return Ok(None),
        }
    }
    Ok(Some(payload))
}
