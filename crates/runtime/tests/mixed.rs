//! Scopes and joins inside each other.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};

use knee_runtime::{Pool, join, scope};

fn pool(workers: usize) -> Pool {
    Pool::builder().workers(workers).build().unwrap()
}

#[test]
fn the_first_half_of_a_join_may_spawn() {
    for workers in [1, 2, 4] {
        for _ in 0..200 {
            let count = AtomicUsize::new(0);
            let add = || _ = count.fetch_add(1, Ordering::Relaxed);
            pool(workers).install(|| {
                scope(|s| {
                    for _ in 0..10 {
                        s.spawn(|_| add());
                        join(|| (0..10).for_each(|_| s.spawn(|_| add())), || s.spawn(|_| add()));
                    }
                });
                assert_eq!(count.load(Ordering::Relaxed), 120);
            });
        }
    }
}

#[test]
fn the_second_half_is_dropped_where_the_first_one_panics_in_a_full_deque() {
    struct Counted<'a>(&'a AtomicUsize);
    impl Drop for Counted<'_> {
        fn drop(&mut self) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }
    let dropped = AtomicUsize::new(0);
    let run = || {
        pool(1).install(|| {
            scope(|s| {
                (0..20_000).for_each(|_| s.spawn(|_| ()));
                let second = Counted(&dropped);
                join(|| panic!("first"), move || drop(second));
            });
        });
    };
    assert!(catch_unwind(AssertUnwindSafe(run)).is_err());
    assert_eq!(dropped.into_inner(), 1);
}
