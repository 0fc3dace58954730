//! Vectors against the scalar code, which is the definition.

use crate::hash::{splitmix64, Hash, Hasher};
use crate::layout::Layout;
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

fn check<L: Layout>(geometry: L::Geometry, payload: &[u8]) -> (usize, usize) {
    let view = crate::BasicView::<L>::new(geometry, payload, Hasher::xxh3(0)).unwrap();
    let (hashes, mut answers) = (hashes(), Vec::new());
    for length in [0, 1, 2, 31, 32, 33, hashes.len()] {
        view.contains_many_hashes(&hashes[..length], &mut answers);
        let one_by_one = hashes[..length]
            .iter()
            .map(|hash| view.contains_hash(*hash));
        assert_eq!(answers, one_by_one.collect::<Vec<_>>(), "{:?}", geometry);
    }
    let found = answers.iter().filter(|answer| **answer).count();
    (found, answers.len())
}

#[test]
fn vectors_answer_as_the_scalar_code_does() {
    let mut all = (0, 0);
    for (i, blocks) in [1, 2, 3, 1000, 4099].into_iter().enumerate() {
        let bits = payload(32 * blocks, 1 << i);
        let split = check::<split::Split>(split::Geometry::new(blocks).unwrap(), &bits);
        all = (all.0 + split.0, all.1 + split.1);
        let bits = payload(64 * blocks, 2 << i);
        for k in 1..=block::MAX_K {
            let geometry = block::Geometry::new(blocks, k).unwrap();
            let block = check::<block::Block>(geometry, &bits);
            all = (all.0 + block.0, all.1 + block.1);
        }
    }
    // Both answers were seen often, or the comparison would say little.
    assert!(all.0 > all.1 / 10 && all.0 < all.1 / 10 * 9, "{:?}", all);
}
