//! Loom models of joins and frames between workers: results are seen, waiters are woken, no slot is reused too early.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use super::{Checked, as_worker, check, shared, spawn, steal_once};
use crate::place::{Place, Spot};
use crate::scope::Scope;
use crate::worker::Worker;

/// A join whose second half is stolen or not: `Latch::announce`, `set` and `is_set` (the result is seen, the sleeper
/// woken), `Header::holder`, `Deque::reset`, and what the second half wrote.
#[test]
fn a_join_and_a_thief() {
    check(3, || {
        let shared = shared(&[0, 0]);
        let thief = spawn(&shared, 1, |worker| _ = steal_once(worker, 0));
        let written = Arc::new(Checked::new());
        as_worker(&shared, 0, |worker| {
            worker.deque.ask();
            let there = Arc::clone(&written);
            let result = worker.in_frame(|| worker.join(|| 1, || (there.set(3), 2).1));
            assert_eq!((result, written.get()), ((1, 2), 3));
        });
        thief.join().unwrap();
    });
}

/// A second half that was bare when it was pushed is completed for the thief, with the place that its worker had then; one
/// that is pushed at another place has that.
#[test]
fn a_bare_job_is_completed() {
    check(2, || {
        let shared = shared(&[0, 0]);
        let thief = spawn(&shared, 1, |worker| (0..2).for_each(|_| _ = steal_once(worker, 0)));
        let place = || Worker::current().unwrap().spot.get();
        as_worker(&shared, 0, |worker| {
            let first = || {
                let _back = worker.stand_at(Spot::of(Place::Node(0)));
                worker.deque.ask();
                worker.join(place, place)
            };
            let (inner, outer) = worker.in_frame(|| worker.join(first, place));
            assert_eq!((inner, outer), ((Spot::of(Place::Node(0)), Spot::of(Place::Node(0))), Spot::ANY));
        });
        thief.join().unwrap();
    });
}

/// Two joins, one after the other in the same slot, and a thief that is slow.
#[test]
fn the_next_join_uses_the_slot_again() {
    check(2, || {
        let shared = shared(&[0, 0]);
        let thief = spawn(&shared, 1, |worker| (0..2).for_each(|_| _ = steal_once(worker, 0)));
        as_worker(&shared, 0, |worker| {
            worker.in_frame(|| {
                for round in 0..2 {
                    worker.deque.ask();
                    assert_eq!(worker.join(|| 1, || round), (1, round));
                }
            });
        });
        thief.join().unwrap();
    });
}

/// The thief forks, and the worker that waits for it takes that job: leapfrogging, with the thief's own wait.
#[test]
fn who_waits_leapfrogs() {
    check(2, || {
        let shared = shared(&[0, 0]);
        let written = Checked::new();
        let thief = spawn(&shared, 1, |worker| _ = steal_once(worker, 0));
        as_worker(&shared, 0, |worker| {
            worker.deque.ask();
            let there = || {
                let here = Worker::current().unwrap();
                here.deque.ask();
                here.join(|| 2, || (written.set(1), 3).1)
            };
            let result = worker.in_frame(|| worker.join(|| 1, there));
            assert_eq!((result, written.get()), ((1, (2, 3)), 1));
        });
        thief.join().unwrap();
    });
}

/// The thief has public jobs of its own when it takes the second half of a join. The worker that waits for it never
/// takes those older jobs, whichever holder it sees: `Header::holder` with `Deque::cover`.
#[test]
fn who_waits_takes_only_what_descends() {
    check(3, || {
        let shared = shared(&[0, 0]);
        let thief = spawn(&shared, 1, |worker| {
            worker.deque.ask();
            let own = || assert_eq!(Worker::current().unwrap().index, 1);
            worker.in_frame(|| worker.join(|| _ = steal_once(worker, 0), own));
        });
        as_worker(&shared, 0, |worker| {
            worker.deque.ask();
            worker.in_frame(|| assert_eq!(worker.join(|| 1, || 2), (1, 2)));
        });
        thief.join().unwrap();
    });
}

/// A spawned job that a thief runs: `Frame::count` against the owner that counts and sleeps, and what the job wrote.
#[test]
fn a_frame_awaits_a_thief() {
    check(3, || {
        let shared = shared(&[0, 0]);
        let thief = spawn(&shared, 1, |worker| _ = steal_once(worker, 0));
        let written = Arc::new(Checked::new());
        as_worker(&shared, 0, |worker| {
            worker.deque.ask();
            let there = Arc::clone(&written);
            worker.scope(|_: &Scope<'_>| worker.push(Spot::ANY, move |_| there.set(3)));
            assert_eq!(written.get(), 3);
        });
        thief.join().unwrap();
    });
}

/// Two jobs and two thieves: the last one to count wakes, and only that one.
#[test]
fn a_frame_awaits_two_thieves() {
    check(1, || {
        let shared = shared(&[0, 0, 0]);
        let thieves = [1, 2].map(|index| spawn(&shared, index, |worker| _ = steal_once(worker, 0)));
        let written = Arc::new([Checked::new(), Checked::new()]);
        as_worker(&shared, 0, |worker| {
            let there = [Arc::clone(&written), Arc::clone(&written)];
            worker.scope(|_: &Scope<'_>| {
                for (job, there) in there.into_iter().enumerate() {
                    worker.deque.ask();
                    worker.push(Spot::ANY, move |_| there[job].set(3));
                }
            });
            assert_eq!(written[0].get() + written[1].get(), 6);
        });
        thieves.into_iter().for_each(|thief| thief.join().unwrap());
    });
}

/// The payload of a panic reaches the frame from a thief, with what it points to.
#[test]
fn a_panic_reaches_the_frame() {
    check(2, || {
        let shared = shared(&[0, 0]);
        let thief = spawn(&shared, 1, |worker| _ = steal_once(worker, 0));
        as_worker(&shared, 0, |worker| {
            worker.deque.ask();
            let (written, there) = {
                let one = Arc::new(Checked::new());
                (Arc::clone(&one), one)
            };
            let body = || {
                worker.scope(|_: &Scope<'_>| {
                    worker.push(Spot::ANY, move |_| {
                        there.set(4);
                        std::panic::resume_unwind(Box::new(there));
                    });
                });
            };
            let payload = catch_unwind(AssertUnwindSafe(|| worker.in_frame(body))).unwrap_err();
            assert_eq!(payload.downcast::<Arc<Checked>>().unwrap().get(), 4);
            assert_eq!(written.get(), 4);
        });
        thief.join().unwrap();
    });
}

/// The first half of a join spawns: its job lies above the second half, and either may be stolen. No slot is used again
/// while a spawned job may not have been read.
#[test]
fn the_first_half_spawns() {
    check(2, || {
        let shared = shared(&[0, 0]);
        let thief = spawn(&shared, 1, |worker| (0..2).for_each(|_| _ = steal_once(worker, 0)));
        as_worker(&shared, 0, |worker| {
            let written = Arc::new([Checked::new(), Checked::new()]);
            let there = Arc::clone(&written);
            worker.scope(|_: &Scope<'_>| {
                worker.deque.ask();
                let spawns = || {
                    worker.deque.ask();
                    worker.push(Spot::ANY, |_| there[0].set(1));
                };
                worker.join(spawns, || there[1].set(2));
                let both = || worker.join(|| 1, || 2);
                assert_eq!(worker.join(both, || 3), ((1, 2), 3));
            });
            assert_eq!(written[0].get() + written[1].get(), 3);
        });
        thief.join().unwrap();
    });
}
