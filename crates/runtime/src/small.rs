//! All parts of the runtime, small enough for Miri, which `ci/miri.sh` runs with many schedules.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::neighbours::Neighbours;
use crate::place::Spot;
use crate::worker::Worker;
use crate::{Builder, Place, Pool, Wait, join, join_at, parallel_for, scope};

fn on(nodes: &[u32]) -> Builder {
    Pool::builder().workers(nodes.len()).neighbours(Neighbours::of_nodes(nodes))
}

fn fib(n: u32) -> u32 {
    if n < 2 {
        return n;
    }
    let (a, b) = join(|| fib(n - 1), || fib(n - 2));
    a + b
}

fn placed(n: u32) -> u32 {
    if n < 2 {
        return n;
    }
    let (one, other) = (Place::Node(n % 2), Place::Node((n + 1) % 2));
    let (a, b) = join_at(one, || placed(n - 1), other, || placed(n - 2));
    a + b
}

#[test]
fn joins() {
    for wait in [Wait::Leapfrog, Wait::Any] {
        assert_eq!(on(&[0, 0]).wait(wait).build().unwrap().install(|| fib(7)), 13);
    }
}

#[test]
fn places() {
    for strict in [false, true] {
        let pool = on(&[0, 1, 1]).strict(strict).build().unwrap();
        assert_eq!(pool.install(|| placed(6)), 8);
        assert_eq!(pool.for_each_place(|node| node), [Some(0), Some(1)]);
    }
}

#[test]
fn scopes() {
    let count = AtomicUsize::new(0);
    let add = || _ = count.fetch_add(1, Ordering::Relaxed);
    on(&[0, 1, 0]).build().unwrap().install(|| {
        scope(|s| {
            // More than a deque holds.
            (0..12).for_each(|_| s.spawn(|_| add()));
            join(|| s.spawn(|_| add()), || s.spawn_at(Place::Node(1), |s| s.spawn(|_| add())));
            s.spawn(|_| parallel_for(0..20, |_| add()));
        });
    });
    assert_eq!(count.into_inner(), 34);
}

#[test]
fn panics() {
    let pool = on(&[0, 0]).build().unwrap();
    let panics = |payload: &'static str| move || resume_unwind(Box::new(payload));
    let run = || pool.install(|| join(|| _ = fib(3), panics("second")));
    assert_eq!(*catch_unwind(AssertUnwindSafe(run)).unwrap_err().downcast::<&str>().unwrap(), "second");
    let kept = Box::new(5);
    let run = || pool.install(|| join(panics("first"), move || *kept + 1));
    assert_eq!(*catch_unwind(AssertUnwindSafe(run)).unwrap_err().downcast::<&str>().unwrap(), "first");
    let run = || pool.install(|| scope(|s| (0..6).for_each(|_| s.spawn(move |_| panics("spawned")()))));
    assert_eq!(*catch_unwind(AssertUnwindSafe(run)).unwrap_err().downcast::<&str>().unwrap(), "spawned");
}

#[test]
fn pools() {
    let (one, other) = (on(&[0]).build().unwrap(), on(&[0, 0]).build().unwrap());
    assert_eq!(one.install(|| other.install(|| one.install(|| fib(4)))), 3);
    assert_eq!(other.install(|| join(|| other.broadcast(|worker| worker), || fib(4))), (vec![0, 1], 3));
    one.install(move || drop(other));
}

#[test]
fn a_spawned_job_that_its_own_worker_runs_has_its_place() {
    let pool = on(&[3]).build().unwrap();
    let here = || Worker::current().unwrap().spot.get();
    pool.install(|| {
        scope(|s| s.spawn_at(Place::Node(3), |_| assert_eq!(here(), Spot::of(Place::Node(3)))));
        assert_eq!(here(), Spot::ANY);
    });
}
