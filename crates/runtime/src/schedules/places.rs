//! Two nodes: mailboxes, inboxes, strict pools.

use std::sync::atomic::{AtomicUsize, Ordering};

use shuttle::sync::{Mutex, mpsc};

use super::{explore, fib, on};
use crate::worker::Worker;
use crate::{Builder, Place, Steal, Wait, join, join_at, join_over_sockets, scope};

fn here() -> usize {
    Worker::current().unwrap().index
}

fn placed(n: u32, pool_nodes: u32) -> u32 {
    if n < 2 {
        return n;
    }
    let (one, other) = (Place::Node(n % pool_nodes), Place::Node((n + 1) % pool_nodes));
    let (a, b) = join_at(one, || placed(n - 1, pool_nodes), other, || placed(n - 2, pool_nodes));
    a + b
}

fn joins_go_to_their_places(build: impl Fn() -> Builder + Send + Sync + 'static) {
    explore(move || assert_eq!(build().build().unwrap().install(|| placed(5, 2)), 5));
}

#[test]
fn joins_by_mail() {
    joins_go_to_their_places(|| on(&[0, 0, 1]));
}

#[test]
fn joins_by_mail_with_single_workers() {
    joins_go_to_their_places(|| on(&[0, 1]));
}

#[test]
fn joins_by_mail_that_wait_for_anything() {
    joins_go_to_their_places(|| on(&[0, 1, 1]).wait(Wait::Any));
}

#[test]
fn strict_joins() {
    joins_go_to_their_places(|| on(&[0, 1, 1]).strict(true));
}

#[test]
fn strict_joins_with_single_workers() {
    joins_go_to_their_places(|| on(&[0, 1]).strict(true));
}

#[test]
fn plain_joins_inherit_a_strict_place() {
    explore(|| {
        let pool = on(&[0, 1]).strict(true).build().unwrap();
        let sums = pool.for_each_place(|node| {
            let (a, b) = join(|| fib(3), || (fib(3), here()));
            assert_eq!(Some(u32::try_from(b.1).unwrap()), node);
            a + b.0
        });
        assert_eq!(sums, [4, 4]);
    });
}

#[test]
fn spawned_jobs_go_to_their_places() {
    for strict in [false, true] {
        explore(move || {
            let count = AtomicUsize::new(0);
            on(&[0, 1, 1]).strict(strict).build().unwrap().install(|| {
                scope(|s| {
                    for node in [1, 0, 1, 1, 0] {
                        s.spawn_at(Place::Node(node), |s| {
                            s.spawn_at(Place::Node(0), |_| _ = count.fetch_add(1, Ordering::Relaxed));
                            s.spawn(|_| _ = count.fetch_add(1, Ordering::Relaxed));
                        });
                    }
                });
            });
            assert_eq!(count.into_inner(), 10);
        });
    }
}

#[test]
fn places_from_inside() {
    explore(|| {
        let pool = on(&[0, 1, 1]).build().unwrap();
        let inside = pool.install(|| join(|| pool.for_each_place(|node| node), || fib(4)));
        assert_eq!(inside, (vec![Some(0), Some(1)], 3));
    });
}

/// The waiter's own work lies below what it runs for others: none of it is taken twice.
#[test]
fn who_waits_for_a_place_has_more() {
    explore(|| {
        let runs = AtomicUsize::new(0);
        on(&[0, 1, 0]).build().unwrap().install(|| {
            let waits = || scope(|s| (0..3).for_each(|_| s.spawn_at(Place::Node(1), |_| _ = fib(3))));
            let outer = || join(waits, || _ = runs.fetch_add(1, Ordering::Relaxed));
            join(outer, || runs.fetch_add(1, Ordering::Relaxed));
        });
        assert_eq!(runs.into_inner(), 2);
    });
}

/// A lock is held across a join on the other node. The worker that waits for that join's second half does not run an
/// older job of its thief, which wants the lock.
#[test]
fn a_lock_is_held_across_a_join_elsewhere() {
    explore(|| {
        let lock = Mutex::new(0);
        on(&[0, 1]).build().unwrap().install(|| {
            let locks = || {
                let mut held = lock.lock().unwrap();
                *held += fib(4);
            };
            let waits = || scope(|s| s.spawn_at(Place::Node(1), |_| locks()));
            join(waits, || *lock.lock().unwrap() += 1);
        });
        assert_eq!(lock.into_inner().unwrap(), 4);
    });
}

/// A waiting worker has published its own jobs before, since it does not look for requests: the job that it waits for
/// waits for them.
#[test]
fn who_waits_offers_what_it_has() {
    explore(|| {
        let (pool, other) = (on(&[0, 1, 0]).build().unwrap(), on(&[0]).build().unwrap());
        for at_gate in [false, true] {
            let (send, receive) = mpsc::channel();
            let receive = Mutex::new(receive);
            let waits = || receive.lock().unwrap().recv().unwrap();
            pool.install(|| {
                // On that node it would run the job itself.
                if here() == 1 {
                    return;
                }
                let first = || {
                    if at_gate {
                        other.install(waits);
                    } else {
                        scope(|s| s.spawn_at(Place::Node(1), |_| waits()));
                    }
                };
                join(first, || send.send(()).unwrap());
            });
        }
    });
}

#[test]
fn thieves_on_their_sockets_are_woken_for_their_own_work_alone() {
    explore(|| {
        let pool = on(&[0, 0, 1, 1]).steal(Steal::Within).build().unwrap();
        for _ in 0..2 {
            assert_eq!(pool.install(|| join_over_sockets(|| fib(4), || fib(5))), (3, 5));
        }
        assert_eq!(pool.usage().steals[3], 0);
    });
}
