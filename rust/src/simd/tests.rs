//! Vectors against the scalar code, which is the definition.

use super::{Avx2, AHEAD, NEAR};
use crate::filter::{BasicFilter, BasicView};
use crate::hash::{splitmix64, Hash, Hasher};
use crate::layout::{Growing, KindGeometry, Layout};
use crate::{block, split};

/// Random bits, dense enough that answers differ.
fn payload(bytes: u64, seed: u64) -> Vec<u8> {
    let word =
        |i: u64| splitmix64(seed + i) | splitmix64(seed + i + (1 << 32)) | splitmix64(!(seed + i));
    (0..bytes / 8).flat_map(|i| word(i).to_le_bytes()).collect()
}

fn hashes() -> Vec<Hash> {
    let edges = [0, 1, u64::MAX, u64::from(u32::MAX), u64::MAX << 32];
    let random = (0..3000).map(splitmix64);
    edges.into_iter().chain(random).map(Hash::new).collect()
}

#[test]
fn vectors_answer_and_add_as_the_scalar_code_does() {
    let avx2 = match Avx2::here() {
        Some(avx2) => avx2,
        None => return, // the scalar code is all that runs here
    };
    let (mut yes, mut no) = (0, 0);
    for (i, blocks) in [1, 2, 3, 1000].into_iter().enumerate() {
        let bits = payload(64 * blocks, 1 << i);
        let split = split::Split::new(split::Geometry::new(2 * blocks).unwrap());
        let (mut by_vectors, mut by_definition) = (bits.clone(), bits.clone());
        for hash in hashes() {
            let found = split.contains_scalar(&bits, hash);
            assert_eq!(avx2.split_contains(&bits, 2 * blocks, hash), found);
            let changed = split.add_scalar(&mut by_definition, hash);
            assert_eq!(avx2.split_add(&mut by_vectors, 2 * blocks, hash), changed);
        }
        assert_eq!(by_vectors, by_definition);
        for k in 1..=block::MAX_K {
            let block = block::Block::new(block::Geometry::new(blocks, k).unwrap());
            for hash in hashes() {
                let found = block.contains_scalar(&bits, hash);
                assert_eq!(avx2.block_contains(&bits, (blocks, k), hash), found);
                yes += u32::from(found);
                no += u32::from(!found);
            }
        }
    }
    // Both answers were seen often, or the comparison would say little.
    assert!(yes > no / 9 && no > yes / 9, "{} and {}", yes, no);
}

fn batches_do_as_single_calls<L: Growing>(geometry: L::Geometry, bits: &[u8]) {
    let view = BasicView::<L>::new(geometry, bits, Hasher::xxh3(0)).unwrap();
    let (hashes, mut answers) = (hashes(), Vec::new());
    for length in [0, 1, AHEAD - 1, AHEAD, AHEAD + 1, 33, hashes.len()] {
        let some = &hashes[..length];
        view.contains_many_hashes(some, &mut answers);
        let one_by_one = some.iter().map(|hash| view.contains_hash(*hash));
        assert_eq!(answers, one_by_one.collect::<Vec<_>>(), "{:?}", geometry);
        let mut many = BasicFilter::<L>::new(geometry, Hasher::xxh3(0)).unwrap();
        let mut single = many.clone();
        many.add_hashes(some);
        for hash in some {
            single.add_hash(*hash);
        }
        assert_eq!(many, single);
    }
}

#[test]
fn batches_of_small_and_large_filters_do_as_single_calls_do() {
    for (i, bytes) in [64, 192, 64_064, NEAR as u64, NEAR as u64 + 64]
        .into_iter()
        .enumerate()
    {
        let bits = payload(bytes, 1 << i);
        let split = split::Geometry::new(bytes / 32).unwrap();
        batches_do_as_single_calls::<split::Split>(split, &bits);
        for k in [1, 6, 8, 9, 16] {
            let block = block::Geometry::new(bytes / 64, k).unwrap();
            assert_eq!(block.payload_bytes(), bytes);
            batches_do_as_single_calls::<block::Block>(block, &bits);
        }
    }
}
