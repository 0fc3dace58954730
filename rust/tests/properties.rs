//! What holds whatever the keys, the size and the order: every kind against a set, by random cases that shrink.
//! `BLOOMERY_SOAK` in the environment makes a hundred times as many.

mod common;

use std::collections::BTreeSet;

use bloomery::{
    block, classic, fuse, split, AnyFilter, AnyView, Format, Hasher, Kind, Parsed, Secret, Shared,
    Verify,
};
use common::json::Json;
use common::{from_hex, vectors};
use proptest::collection::{btree_set, vec};
use proptest::prelude::*;

type KeySet = BTreeSet<Vec<u8>>;

/// Keys of any bytes, many of them short, so that some are the empty key and prefixes of others.
fn keys(most: usize) -> impl Strategy<Value = KeySet> {
    btree_set(vec(any::<u8>(), 0..12), 0..most)
}

fn hashers() -> impl Strategy<Value = Hasher> {
    (0..5, any::<u64>(), any::<[u8; 16]>()).prop_map(|(which, seed, secret)| match which {
        0 => Hasher::fnv_splitmix(),
        1 => Hasher::xxh3(seed),
        2 => Hasher::xxh64(seed),
        3 => Hasher::siphash13(&Secret::new(secret)),
        _ => Hasher::siphash24(&Secret::new(secret)),
    })
}

/// An empty filter of a kind that takes keys one by one, from sizes that are much too small on.
fn growing() -> impl Strategy<Value = AnyFilter> {
    let kinds = prop_oneof![Just(Kind::Classic), Just(Kind::Split), Just(Kind::Block)];
    (kinds, 1u64..3000, 1u64..17, hashers()).prop_map(|(kind, size, k, hasher)| {
        let mut values = [0; 8];
        match kind {
            Kind::Classic => values[..2].copy_from_slice(&[size, k]),
            Kind::Split => values[0] = 1 + size / 256,
            _ => values[..2].copy_from_slice(&[1 + size / 512, k]),
        }
        let geometry = bloomery::AnyGeometry::from_values(kind, &values).unwrap();
        AnyFilter::new(geometry, hasher).unwrap()
    })
}

fn cases() -> ProptestConfig {
    let soak = std::env::var_os("BLOOMERY_SOAK").is_some();
    ProptestConfig {
        cases: if soak { 50_000 } else { 500 },
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

/// The answers one by one and as a batch, which are the same.
fn answers(filter: &AnyFilter, keys: &[&Vec<u8>]) -> Vec<bool> {
    let alone: Vec<bool> = keys.iter().map(|key| filter.contains(key)).collect();
    let mut together = Vec::new();
    filter.contains_many(keys, &mut together);
    assert_eq!(alone, together);
    alone
}

/// A file made of the filter, of which a view and a filter answer alike.
fn comes_back(filter: &AnyFilter, secret: Option<&Secret>, keys: &[&Vec<u8>]) {
    let file = filter.encode(Format::Envelope).unwrap();
    let again = AnyFilter::decode(&file, secret).unwrap();
    assert_eq!(again.view().payload(), filter.view().payload());
    assert_eq!(again.key_count(), filter.key_count());
    assert_eq!(answers(&again, keys), answers(filter, keys));
    let view = Parsed::new(&file, Verify::All).unwrap();
    let view = view.view(secret).unwrap();
    let viewed: Vec<bool> = keys.iter().map(|key| view.contains(key)).collect();
    assert_eq!(viewed, answers(filter, keys));
    assert_eq!(again.encode(Format::Envelope).unwrap(), file);
}

proptest! {
    #![proptest_config(cases())]

    #[test]
    fn no_key_is_denied_and_files_come_back(empty in growing(), added in keys(200), asked in keys(50)) {
        let mut filter = empty;
        let mut model = KeySet::new();
        for key in &added {
            let may_be_there = filter.contains(key);
            let changed = filter.add(key).unwrap();
            // A bit changes exactly when the key was denied before.
            prop_assert_eq!(changed, !may_be_there);
            prop_assert!(changed || may_be_there);
            model.insert(key.clone());
            prop_assert!(filter.contains(key));
        }
        prop_assert_eq!(filter.key_count(), Some(added.len() as u64));
        let all: Vec<&Vec<u8>> = added.iter().chain(&asked).collect();
        for (key, answer) in all.iter().zip(answers(&filter, &all)) {
            prop_assert!(answer || !model.contains(*key));
        }
        if !filter.hash_spec().id.is_keyed() {
            comes_back(&filter, None, &all);
        }
    }

    #[test]
    fn the_order_of_keys_and_batches_change_no_bit(empty in growing(), added in keys(200), turn in any::<usize>()) {
        let mut keys: Vec<Vec<u8>> = added.into_iter().collect();
        let mut one = empty;
        let mut other = AnyFilter::from_payload(
            one.geometry(), one.view().payload(), Hasher::xxh3(7), Some(0)).unwrap();
        let mut hashed = AnyFilter::from_payload(
            one.geometry(), one.view().payload(), Hasher::xxh3(7), Some(0)).unwrap();
        one = AnyFilter::from_payload(one.geometry(), one.view().payload(), Hasher::xxh3(7), Some(0)).unwrap();
        one.add_many(&keys).unwrap();
        if !keys.is_empty() {
            let middle = turn % keys.len();
            keys.rotate_left(middle);
        }
        for key in &keys {
            other.add(key).unwrap();
            hashed.add_hash(Hasher::xxh3(7).hash(key)).unwrap();
        }
        prop_assert_eq!(one.view().payload(), other.view().payload());
        prop_assert_eq!(one.view().payload(), hashed.view().payload());
    }

    #[test]
    fn a_union_has_the_bits_of_both(a in keys(100), b in keys(100), blocks in 1u64..8, k in 1u32..17) {
        let make = || block::Filter::new(block::Geometry::new(blocks, k).unwrap(), Hasher::xxh3(0)).unwrap();
        let (mut one, mut two, mut both) = (make(), make(), make());
        for key in &a { one.add(key); both.add(key); }
        for key in &b { two.add(key); both.add(key); }
        let shared = Shared::from(one.clone());
        shared.merge(&two).unwrap();
        one.merge(&two).unwrap();
        prop_assert_eq!(one.view().payload(), both.view().payload());
        prop_assert_eq!(one.key_count(), both.key_count());
        let unshared = shared.into_filter();
        prop_assert_eq!(unshared.view().payload(), both.view().payload());
        one.intersect(&two).unwrap();
        prop_assert!(b.iter().all(|key| one.contains(key)));
    }

    #[test]
    fn a_filter_that_threads_share_has_the_same_bits(added in keys(100), size in 1u64..3000) {
        let mut classic = classic::Filter::new(classic::Geometry::new(size, 3).unwrap(), Hasher::xxh3(0)).unwrap();
        let mut split = split::Filter::new(split::Geometry::new(1 + size / 256).unwrap(), Hasher::xxh3(0)).unwrap();
        let (shared_classic, shared_split) = (Shared::from(classic.clone()), Shared::from(split.clone()));
        for key in &added {
            prop_assert_eq!(classic.add(key), shared_classic.add(key));
            prop_assert_eq!(split.add(key), shared_split.add_once(key));
            prop_assert!(shared_classic.contains(key) && shared_split.contains(key));
        }
        let (one, two) = (shared_classic.into_filter(), shared_split.into_filter());
        prop_assert_eq!(one.view().payload(), classic.view().payload());
        prop_assert_eq!(two.view().payload(), split.view().payload());
    }

    #[test]
    fn a_fuse_filter_has_all_its_keys(added in keys(300), asked in keys(50), fpr in prop_oneof![Just(0.01), Just(0.0001)]) {
        let list: Vec<&Vec<u8>> = added.iter().collect();
        let filter = fuse::Filter::build(&list, fpr).unwrap();
        prop_assert!(list.iter().all(|key| filter.contains(key)));
        prop_assert_eq!(filter.key_count(), Some(added.len() as u64));
        // Keys that come again and in another order make the same filter.
        let twice: Vec<&Vec<u8>> = list.iter().rev().chain(&list).copied().collect();
        let again = fuse::Filter::build(&twice, fpr).unwrap();
        prop_assert_eq!(again.view().payload(), filter.view().payload());
        let file = filter.encode(Format::Envelope).unwrap();
        let all: Vec<&Vec<u8>> = added.iter().chain(&asked).collect();
        comes_back(&AnyFilter::decode(&file, None).unwrap(), None, &all);
    }

    /// The golden files of every kind, those that only C++ makes included: keys asked in any order and in batches of
    /// any length are answered as one by one, by filter and by view.
    #[test]
    fn every_kind_answers_in_any_order(which in any::<usize>(), numbers in vec(0u64..400, 0..100)) {
        let golden = files();
        let (file, secret) = &golden[which % golden.len()];
        let filter = AnyFilter::decode(file, secret.as_ref()).unwrap();
        let keys: Vec<Vec<u8>> = numbers.iter().map(|i| format!("key{}", i).into_bytes()).collect();
        let keys: Vec<&Vec<u8>> = keys.iter().collect();
        let known = filter.key_count().unwrap_or(0);
        for (number, answer) in numbers.iter().zip(answers(&filter, &keys)) {
            prop_assert!(answer || *number >= known || filter.kind().forgets());
        }
        comes_back(&filter, secret.as_ref(), &keys);
        if !filter.hash_spec().id.is_keyed() {
            let view = AnyView::try_from(&file[..]).unwrap();
            prop_assert!(keys.iter().all(|key| view.contains(key) == filter.contains(key)));
        }
    }
}

/// Of every golden file its bytes and its secret.
fn files() -> Vec<(Vec<u8>, Option<Secret>)> {
    thread_local! {
        static FILES: Vec<(Vec<u8>, Option<Secret>)> = read_files();
    }
    FILES.with(|files| files.clone())
}

fn read_files() -> Vec<(Vec<u8>, Option<Secret>)> {
    let golden = vectors("kinds.json");
    let mut kinds = BTreeSet::new();
    let files = golden.rows("files").iter().map(|row| {
        kinds.insert(row.text("kind").to_string());
        let secret = match row.get("secret") {
            Some(Json::Text(text)) => Some(Secret::from_text(text.as_bytes()).unwrap()),
            _ => None,
        };
        (from_hex(row.text("hex")), secret)
    });
    let files = files.collect();
    assert_eq!(kinds.len(), Kind::ALL.len());
    files
}
