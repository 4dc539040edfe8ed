//! What users of the runtime may rely on.

mod fib;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use fib::fib;
use knee_runtime::{Pool, join, parallel_for, reduce, scope};

fn pool(workers: usize) -> Pool {
    Pool::builder().workers(workers).build().unwrap()
}

#[test]
fn join_gives_both_results_on_any_number_of_workers() {
    for workers in [1, 2, 3, 8] {
        assert_eq!(pool(workers).install(|| fib(22)), 17_711);
    }
}

#[test]
fn a_scope_ends_when_all_that_was_spawned_is_done() {
    for workers in [1, 2, 5] {
        let count = AtomicUsize::new(0);
        pool(workers).install(|| {
            scope(|s| {
                for _ in 0..100 {
                    s.spawn(|s| {
                        for _ in 0..100 {
                            s.spawn(|_| _ = count.fetch_add(1, Ordering::Relaxed));
                        }
                    });
                }
            });
            assert_eq!(count.load(Ordering::Relaxed), 10_000);
        });
    }
}

#[test]
fn more_jobs_than_the_deque_holds_are_kept() {
    for workers in [1, 2] {
        let count = AtomicUsize::new(0);
        pool(workers)
            .install(|| scope(|s| (0..100_000).for_each(|_| s.spawn(|_| _ = count.fetch_add(1, Ordering::Relaxed)))));
        assert_eq!(count.into_inner(), 100_000);
    }
}

#[test]
fn recursion_deeper_than_the_deque_works() {
    fn deep(n: u32) -> u32 {
        if n == 0 { 0 } else { join(|| deep(n - 1), || 1).0 + 1 }
    }
    let handle = std::thread::Builder::new().stack_size(1 << 20).spawn(|| pool(2).install(|| deep(3000))).unwrap();
    assert_eq!(handle.join().unwrap(), 3000);
}

#[test]
fn a_panic_keeps_its_payload_and_waits_for_the_other_half() {
    let pool = pool(2);
    for panics in [(true, false), (false, true), (true, true)] {
        for _ in 0..200 {
            let finished = AtomicUsize::new(0);
            let half = |name: &'static str, panics: bool| {
                let finished = &finished;
                move || {
                    fib(8);
                    finished.fetch_add(1, Ordering::Relaxed);
                    if panics {
                        std::panic::panic_any(name);
                    }
                }
            };
            let run = || pool.install(|| join(half("first", panics.0), half("second", panics.1)));
            let payload = *catch_unwind(AssertUnwindSafe(run)).unwrap_err().downcast::<&str>().unwrap();
            assert_eq!(payload, if panics.0 { "first" } else { "second" });
        }
    }
    assert_eq!(pool.install(|| fib(10)), 55);
}

#[test]
fn a_panic_in_a_scope_comes_after_all_jobs() {
    let (pool, done) = (pool(2), AtomicUsize::new(0));
    let run = || {
        pool.install(|| {
            scope(|s| {
                for job in 0..50 {
                    let done = &done;
                    s.spawn(move |_| {
                        assert!(job != 20, "job 20");
                        done.fetch_add(1, Ordering::Relaxed);
                    });
                }
            });
        });
    };
    let payload = *catch_unwind(AssertUnwindSafe(run)).unwrap_err().downcast::<&str>().unwrap();
    assert_eq!((payload, done.into_inner()), ("job 20", 49));
}

#[test]
fn a_lock_may_be_held_across_a_join() {
    // With a wait that runs anything, the second task would be run on top of the first, which holds the lock.
    let (pool, lock) = (pool(2), Mutex::new(0));
    for _ in 0..300 {
        pool.install(|| {
            scope(|s| {
                for _ in 0..4 {
                    s.spawn(|_| {
                        let mut count = lock.lock().unwrap();
                        join(|| fib(6), || fib(9));
                        *count += 1;
                    });
                }
            });
        });
    }
    assert_eq!(lock.into_inner().unwrap(), 1200);
}

#[test]
fn pools_nest_and_call_each_other() {
    let (one, other) = (pool(1), pool(1));
    let answer = one.install(|| other.install(|| one.install(|| other.install(|| fib(10)))));
    assert_eq!(answer, 55);
}

#[test]
fn broadcast_runs_once_on_every_worker_also_from_inside() {
    let pool = pool(3);
    assert_eq!(pool.broadcast(|worker| worker), [0, 1, 2]);
    let inside = pool.install(|| join(|| pool.broadcast(|worker| worker * 2), || fib(12)).0);
    assert_eq!(inside, [0, 2, 4]);
    assert_eq!(pool.for_each_place(|node| node), [None]);
}

#[test]
fn every_number_of_a_loop_comes_once() {
    for (workers, len) in [(1, 0), (1, 1), (2, 1000), (3, 12_345), (8, 7)] {
        let seen: Vec<_> = (0..len).map(|_| AtomicUsize::new(0)).collect();
        pool(workers).install(|| parallel_for(0..len, |number| _ = seen[number].fetch_add(1, Ordering::Relaxed)));
        assert!(seen.iter().all(|count| count.load(Ordering::Relaxed) == 1));
    }
}

#[test]
fn a_sum_of_floats_is_the_same_on_any_number_of_workers() {
    let data: Vec<f64> = (0..100_000).map(|number| 1.0 / f64::from(number + 1)).collect();
    let sum = |workers| pool(workers).install(|| reduce(&data, |part| part.iter().sum::<f64>(), |a, b| a + b));
    let alone = sum(1);
    assert!([2, 3, 7].into_iter().all(|workers| sum(workers).to_bits() == alone.to_bits()));
    assert!((alone - data.iter().sum::<f64>()).abs() < 1e-9);
}
