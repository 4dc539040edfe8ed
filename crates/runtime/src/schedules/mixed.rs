//! Joins, scopes, panics, calls from outside and between pools.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use shuttle::sync::mpsc;
use shuttle::thread;

use super::{explore, fib, on};
use crate::{Place, Wait, join, parallel_for, scope};

#[test]
fn joins_nest() {
    explore(|| assert_eq!(on(&[0, 0, 0]).build().unwrap().install(|| fib(5)), 5));
}

#[test]
fn joins_that_wait_for_anything() {
    explore(|| assert_eq!(on(&[0, 0, 0]).wait(Wait::Any).build().unwrap().install(|| fib(5)), 5));
}

/// A sum that panics at a given place, and counts its values as they are dropped.
struct Value<'a>(&'a AtomicUsize);

impl Drop for Value<'_> {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

fn tree(depth: u32, path: u32, panics: u32, made: &AtomicUsize, dropped: &AtomicUsize) {
    made.fetch_add(1, Ordering::Relaxed);
    let value = Value(dropped);
    if path == panics {
        resume_unwind(Box::new(path));
    }
    if depth > 0 {
        let left = || tree(depth - 1, path * 2, panics, made, dropped);
        let right = move || {
            tree(depth - 1, path * 2 + 1, panics, made, dropped);
            drop(value);
        };
        join(left, right);
    }
}

#[test]
fn panics_in_joins_lose_nothing() {
    explore(|| {
        let pool = on(&[0, 0]).build().unwrap();
        for panics in [2, 5, 11] {
            let (made, dropped) = (AtomicUsize::new(0), AtomicUsize::new(0));
            let run = || pool.install(|| tree(3, 1, panics, &made, &dropped));
            let payload = catch_unwind(AssertUnwindSafe(run)).unwrap_err();
            assert_eq!(*payload.downcast::<u32>().unwrap(), panics);
            assert_eq!(made.into_inner(), dropped.into_inner());
        }
    });
}

#[test]
fn scopes_nest_and_joins_spawn() {
    explore(|| {
        let count = AtomicUsize::new(0);
        let add = || _ = count.fetch_add(1, Ordering::Relaxed);
        on(&[0, 0, 0]).build().unwrap().install(|| {
            scope(|s| {
                for _ in 0..6 {
                    s.spawn(|s| (0..2).for_each(|_| s.spawn(|_| add())));
                    join(|| s.spawn(|_| add()), || s.spawn(|_| _ = join(add, add)));
                }
            });
            assert_eq!(count.load(Ordering::Relaxed), 30);
        });
    });
}

#[test]
fn panics_in_scopes_come_last() {
    explore(|| {
        let (pool, done) = (on(&[0, 0]).build().unwrap(), AtomicUsize::new(0));
        let run = || {
            pool.install(|| {
                scope(|s| {
                    for job in 0..12 {
                        let done = &done;
                        s.spawn(move |_| {
                            if job % 5 == 3 {
                                resume_unwind(Box::new(job));
                            }
                            done.fetch_add(1, Ordering::Relaxed);
                        });
                    }
                });
            });
        };
        let payload = catch_unwind(AssertUnwindSafe(run)).unwrap_err();
        assert_eq!((*payload.downcast::<i32>().unwrap() % 5, done.into_inner()), (3, 10));
    });
}

#[test]
fn loops() {
    explore(|| {
        let count = AtomicUsize::new(0);
        let body = |number: usize| _ = count.fetch_add(number, Ordering::Relaxed);
        on(&[0, 0, 0]).build().unwrap().install(|| parallel_for(0..12, body));
        assert_eq!(count.into_inner(), 66);
    });
}

#[test]
fn broadcasts_from_inside_and_outside() {
    explore(|| {
        let pool = Arc::new(on(&[0, 0]).build().unwrap());
        let outside = {
            let pool = Arc::clone(&pool);
            thread::spawn(move || pool.broadcast(|worker| worker + fib(3) as usize))
        };
        let inside = pool.install(|| join(|| pool.broadcast(|worker| worker), || fib(4)));
        assert_eq!((inside, outside.join().unwrap()), ((vec![0, 1], 3), vec![2, 3]));
    });
}

#[test]
fn several_threads_install() {
    explore(|| {
        let pool = Arc::new(on(&[0, 0]).build().unwrap());
        let install = |n| {
            let pool = Arc::clone(&pool);
            thread::spawn(move || pool.install(|| fib(n)))
        };
        let threads = [3, 4, 5].map(install);
        assert_eq!(threads.map(|thread| thread.join().unwrap()), [2, 3, 5]);
    });
}

#[test]
fn pools_call_each_other() {
    explore(|| {
        let (one, other) = (on(&[0, 0]).build().unwrap(), on(&[0]).build().unwrap());
        let there = || other.install(|| one.install(|| other.install(|| fib(3)) + fib(3)));
        let (a, b) = one.install(|| join(there, || other.install(|| one.install(|| fib(4)))));
        assert_eq!((a, b), (4, 3));
        drop(one);
        assert_eq!(other.broadcast(|_| ()), [()]);
    });
}

#[test]
fn a_pool_may_be_dropped_by_a_worker_of_another() {
    explore(|| {
        let (one, other) = (on(&[0]).build().unwrap(), on(&[0, 0]).build().unwrap());
        other.install(|| fib(3));
        one.install(move || drop(other));
    });
}

/// A worker is woken for a job from outside and finds an order that waits for that job: another worker has to run it.
#[test]
fn a_wake_is_passed_on() {
    explore(|| {
        let pool = Arc::new(on(&[0, 1, 0]).build().unwrap());
        let (send, receive) = mpsc::channel();
        let sender = {
            let pool = Arc::clone(&pool);
            thread::spawn(move || pool.install(move || send.send(()).unwrap()))
        };
        let receive = shuttle::sync::Mutex::new(receive);
        pool.install(|| {
            scope(|s| s.spawn_at(Place::Node(1), |_| receive.lock().unwrap().recv().unwrap()));
        });
        sender.join().unwrap();
    });
}
