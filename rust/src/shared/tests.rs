//! Threads at once; and, under `--cfg loom`, every order in which a few of them can meet.

#[cfg(not(loom))]
mod threads {
    use super::super::*;
    use crate::error::ErrorKind;
    use crate::hash::splitmix64;
    use crate::{block, classic, split};

    fn fill<L: Sharing + Send + Sync>(geometry: L::Geometry) {
        let hash = |i| Hash::new(splitmix64(i));
        let mut plain = BasicFilter::<L>::new(geometry, L::default_hasher()).unwrap();
        (0..4000).for_each(|i| {
            plain.add_hash(hash(i));
        });
        let shared = Shared::<L>::new(geometry, L::default_hasher()).unwrap();
        std::thread::scope(|scope| {
            for thread in 0..4 {
                let shared = &shared;
                scope.spawn(move || {
                    // Each thread adds half of the keys, so that each key is added by two of them.
                    for i in (0..4000).filter(|i| i % 4 == thread || i % 4 == (thread + 1) % 4) {
                        shared.add_hash(hash(i));
                        assert!(shared.contains_hash(hash(i)));
                    }
                });
            }
        });
        for i in 0..8000 {
            assert_eq!(shared.contains_hash(hash(i)), plain.contains_hash(hash(i)));
            assert!(i >= 4000 || !shared.add_hash(hash(i)));
        }
        let copy = shared.snapshot().unwrap();
        assert_eq!(copy.view().payload(), plain.view().payload());
        let filter = shared.into_filter();
        assert_eq!(filter.view().payload(), plain.view().payload());
        assert_eq!(filter.key_count(), None);
    }

    #[test]
    fn the_bytes_are_those_of_the_plain_filter() {
        for m in [1, 63, 64, 65, 40_009] {
            fill::<classic::Classic>(classic::Geometry::new(m, 7).unwrap());
        }
        for blocks in [1, 7, 160] {
            fill::<split::Split>(split::Geometry::new(blocks).unwrap());
            fill::<block::Block>(block::Geometry::new(blocks, 6).unwrap());
            fill::<block::Block>(block::Geometry::new(blocks, 16).unwrap());
        }
    }

    #[test]
    fn keys_are_taken_over_and_batches_answer() {
        let mut filter = block::Filter::with_capacity(100, 0.01).unwrap();
        filter.add("before");
        let shared = Shared::from(filter);
        shared.add_many(&["a", "b"]);
        let mut answers = Vec::new();
        shared.contains_many(&["before", "a", "b", "c"], &mut answers);
        assert_eq!(answers, [true, true, true, false]);
        assert!(format!("{:?}", shared).starts_with("Shared(block, "));
    }

    #[test]
    fn a_new_key_is_new_to_exactly_one_thread() {
        use std::sync::atomic::{AtomicU64, Ordering};
        let shared = Shared::<block::Block>::with_capacity(4_000, 1e-7).unwrap();
        let new_keys = AtomicU64::new(0);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    let new = (0..4_000u64).filter(|key| shared.add_once(*key)).count();
                    new_keys.fetch_add(new as u64, Ordering::Relaxed);
                });
            }
        });
        assert_eq!(new_keys.load(Ordering::Relaxed), 4_000);
        assert!((0..4_000u64).all(|key| shared.contains(key)));
    }

    #[test]
    fn filters_are_merged_and_cleared_while_they_are_shared() {
        let mut plain = classic::Filter::with_capacity(100, 0.001).unwrap();
        plain.add("plain");
        let make = || Shared::<classic::Classic>::with_capacity(100, 0.001).unwrap();
        let (one, two) = (make(), make());
        two.add("shared");
        one.merge(&plain).unwrap();
        one.merge_shared(&two).unwrap();
        assert!(one.contains("plain") && one.contains("shared"));
        plain.add("shared");
        assert_eq!(
            one.snapshot().unwrap().view().payload(),
            plain.view().payload()
        );
        let other = Shared::<classic::Classic>::with_capacity(200, 0.001).unwrap();
        assert_eq!(
            one.merge_shared(&other).unwrap_err().kind(),
            ErrorKind::Incompatible
        );
        one.clear();
        assert!(one.snapshot().unwrap().view().cells_set() == 0 && !one.contains("plain"));
    }

    #[test]
    fn records_that_stay_true_are_kept() {
        let of = |keys: &str| {
            let mut filter = block::Filter::with_capacity(100, 0.01).unwrap();
            filter.records_mut().set_keys(Some(keys)).unwrap();
            filter.records_mut().set_label(Some("mine")).unwrap();
            filter
        };
        let shared = Shared::from(of("int"));
        shared.add(1u64);
        assert_eq!(shared.snapshot().unwrap().records().label(), Some("mine"));
        assert!(shared.merge(&of("text")).is_err());
        shared.merge(&of("int")).unwrap();
        let filter = shared.into_filter();
        assert_eq!(filter.records().keys(), Some("int"));
        assert_eq!(filter.records().label(), None);
    }
}

/// Run with `RUSTFLAGS="--cfg loom" cargo test --release --lib shared::`. The code under the checker is that of
/// `SharedBytes`, with loom's words in the place of atomic ones.
#[cfg(loom)]
mod model {
    use super::super::places::Sharing;
    use crate::hash::{splitmix64, Hash};
    use crate::layout::Layout;
    use crate::mem::{SharedWord, Words};
    use crate::{block, classic, split};
    use loom::sync::atomic::{AtomicBool, AtomicU64, Ordering};
    use loom::sync::Arc;

    /// A word whose every meeting loom tries.
    struct Tried(AtomicU64);

    impl SharedWord for Tried {
        fn load(&self, order: Ordering) -> u64 {
            self.0.load(order)
        }

        fn store(&self, value: u64, order: Ordering) {
            self.0.store(value, order);
        }

        fn fetch_or(&self, mask: u64, order: Ordering) -> u64 {
            self.0.fetch_or(mask, order)
        }
    }

    /// The same with a read and a write for each change: loses what another sets between them.
    struct Losing(Tried);

    impl SharedWord for Losing {
        fn load(&self, order: Ordering) -> u64 {
            self.0.load(order)
        }

        fn store(&self, value: u64, order: Ordering) {
            self.0.store(value, order);
        }

        fn fetch_or(&self, mask: u64, order: Ordering) -> u64 {
            let old = self.0.load(order);
            self.0.store(old | mask, order);
            old
        }
    }

    /// A block of words.
    struct Model<W>([W; 8]);

    impl<W: SharedWord> Words for Model<W> {
        type Word = W;

        fn word(&self, number: usize) -> &W {
            &self.0[number]
        }
    }

    fn tried() -> Model<Tried> {
        Model([0; 8].map(|zero| Tried(AtomicU64::new(zero))))
    }

    fn losing() -> Model<Losing> {
        Model([0; 8].map(|zero| Losing(Tried(AtomicU64::new(zero)))))
    }

    const ONE: u64 = 1;
    const TWO: u64 = 2;

    fn hash(key: u64) -> Hash {
        Hash::new(splitmix64(key))
    }

    /// Two threads add; a third, which sees the flag of the first, finds its key; both are there after the join.
    fn no_add_is_lost<L, W>(layout: L, words: fn() -> Model<W>, flag: (Ordering, Ordering))
    where
        L: Layout + Sharing + Send + Sync + 'static,
        W: SharedWord + Send + Sync + 'static,
    {
        loom::model(move || {
            let shared = Arc::new((words(), AtomicBool::new(false)));
            let first = shared.clone();
            let adding = loom::thread::spawn(move || {
                layout.add_shared(&first.0, hash(ONE));
                first.1.store(true, flag.0);
            });
            let second = shared.clone();
            let other = loom::thread::spawn(move || {
                layout.add_shared(&second.0, hash(TWO));
            });
            if shared.1.load(flag.1) {
                assert!(layout.contains_shared(&shared.0, hash(ONE)));
            }
            adding.join().unwrap();
            other.join().unwrap();
            assert!(layout.contains_shared(&shared.0, hash(ONE)));
            assert!(layout.contains_shared(&shared.0, hash(TWO)));
        });
    }

    const SYNCHRONIZED: (Ordering, Ordering) = (Ordering::Release, Ordering::Acquire);
    const UNSYNCHRONIZED: (Ordering, Ordering) = (Ordering::Relaxed, Ordering::Relaxed);

    fn small_block() -> block::Block {
        block::Block::new(block::Geometry::new(1, 2).unwrap())
    }

    fn small_classic() -> classic::Classic {
        classic::Classic::new(classic::Geometry::new(7, 2).unwrap())
    }

    #[test]
    fn no_add_is_lost_in_any_order() {
        no_add_is_lost(small_classic(), tried, SYNCHRONIZED);
        no_add_is_lost(small_block(), tried, SYNCHRONIZED);
    }

    #[test]
    fn no_add_is_lost_in_a_split_block() {
        let mut model = loom::model::Builder::new();
        model.preemption_bound = Some(3);
        let layout = split::Split::new(split::Geometry::new(1).unwrap());
        model.check(move || {
            let shared = Arc::new(tried());
            let first = shared.clone();
            let adding = loom::thread::spawn(move || layout.add_shared(&*first, hash(ONE)));
            layout.add_shared(&*shared, hash(TWO));
            adding.join().unwrap();
            assert!(layout.contains_shared(&*shared, hash(ONE)));
            assert!(layout.contains_shared(&*shared, hash(TWO)));
        });
    }

    /// The words of one filter are merged into those of another while a key is added to each.
    #[test]
    fn a_merge_loses_no_add() {
        let layout = small_classic();
        loom::model(move || {
            let (into, from) = (Arc::new(tried()), Arc::new(tried()));
            layout.add_shared(&*from, hash(ONE));
            let adding = loom::thread::spawn({
                let (into, from) = (into.clone(), from.clone());
                move || {
                    layout.add_shared(&*into, hash(TWO));
                    layout.add_shared(&*from, hash(TWO + 1));
                }
            });
            into.set_missing(0, from.load(0));
            adding.join().unwrap();
            assert!(layout.contains_shared(&*into, hash(ONE)));
            assert!(layout.contains_shared(&*into, hash(TWO)));
        });
    }

    #[test]
    #[should_panic]
    fn the_checker_sees_a_lost_add() {
        no_add_is_lost(small_classic(), losing, SYNCHRONIZED);
    }

    #[test]
    #[should_panic]
    fn the_checker_sees_a_flag_that_synchronizes_nothing() {
        no_add_is_lost(small_classic(), tried, UNSYNCHRONIZED);
    }
}
