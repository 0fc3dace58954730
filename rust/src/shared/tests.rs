//! Threads at once; and, under `--cfg loom`, every order in which a few of them can meet.

#[cfg(not(loom))]
mod threads {
    use super::super::*;
    use crate::hash::splitmix64;
    use crate::{block, classic, split};

    fn fill<L: Sharing>(geometry: L::Geometry)
    where
        L: Send + Sync,
    {
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
}

/// Run with `RUSTFLAGS="--cfg loom" cargo test --release --lib shared::`.
#[cfg(loom)]
mod model {
    use super::super::places::Sharing;
    use crate::hash::{splitmix64, Hash};
    use crate::layout::Layout;
    use crate::mem::Words;
    use crate::{block, classic, split};
    use loom::sync::atomic::{AtomicBool, AtomicU64, Ordering};
    use loom::sync::Arc;

    /// One block of words whose every meeting loom tries.
    struct Model([AtomicU64; 8]);

    impl Words for Model {
        fn load(&self, number: usize) -> u64 {
            self.0[number].load(Ordering::Relaxed)
        }

        fn set(&self, number: usize, mask: u64) {
            self.0[number].fetch_or(mask, Ordering::Relaxed);
        }
    }

    /// The same with a read and a write for each change: loses what another sets between them.
    struct Losing(Model);

    impl Words for Losing {
        fn load(&self, number: usize) -> u64 {
            self.0.load(number)
        }

        fn set(&self, number: usize, mask: u64) {
            let old = self.0.load(number);
            self.0 .0[number].store(old | mask, Ordering::Relaxed);
        }
    }

    fn words() -> Model {
        Model([0; 8].map(AtomicU64::new))
    }

    /// Two threads add; a third, which sees the flag of the first, finds its key; both are there after the join.
    fn no_add_is_lost<
        L: Layout + Sharing + Send + Sync + 'static,
        W: Words + Send + Sync + 'static,
    >(
        layout: L,
        words: fn() -> W,
    ) {
        loom::model(move || {
            let (one, two) = (Hash::new(splitmix64(1)), Hash::new(splitmix64(2)));
            let shared = Arc::new((words(), AtomicBool::new(false)));
            let first = shared.clone();
            let adding = loom::thread::spawn(move || {
                layout.add_shared(&first.0, one);
                first.1.store(true, Ordering::Release);
            });
            let second = shared.clone();
            let other = loom::thread::spawn(move || {
                layout.add_shared(&second.0, two);
            });
            if shared.1.load(Ordering::Acquire) {
                assert!(layout.contains_shared(&shared.0, one));
            }
            adding.join().unwrap();
            other.join().unwrap();
            assert!(layout.contains_shared(&shared.0, one));
            assert!(layout.contains_shared(&shared.0, two));
        });
    }

    fn small_block() -> block::Block {
        block::Block::new(block::Geometry::new(1, 2).unwrap())
    }

    fn small_classic() -> classic::Classic {
        classic::Classic::new(classic::Geometry::new(7, 2).unwrap())
    }

    #[test]
    fn no_add_is_lost_in_any_order() {
        no_add_is_lost(small_classic(), words);
        no_add_is_lost(small_block(), words);
    }

    #[test]
    fn no_add_is_lost_in_a_split_block() {
        let mut model = loom::model::Builder::new();
        model.preemption_bound = Some(3);
        let layout = split::Split::new(split::Geometry::new(1).unwrap());
        model.check(move || {
            let (one, two) = (Hash::new(splitmix64(1)), Hash::new(splitmix64(2)));
            let shared = Arc::new(words());
            let first = shared.clone();
            let adding = loom::thread::spawn(move || layout.add_shared(&*first, one));
            layout.add_shared(&*shared, two);
            adding.join().unwrap();
            assert!(layout.contains_shared(&*shared, one));
            assert!(layout.contains_shared(&*shared, two));
        });
    }

    #[test]
    #[should_panic]
    fn the_checker_sees_a_lost_add() {
        no_add_is_lost(small_classic(), || Losing(words()));
    }
}
