//! Workers that go to sleep while others bring work. In each model a lost wake is a deadlock, which loom reports: the
//! thief ends only when it has a job.

use std::sync::Arc;

use loom::thread;

use super::{Checked, as_worker, check, number, shared, spawn, token, watched};
use crate::job::Header;
use crate::place::Spot;
use crate::split::Theft;
use crate::sync::{AtomicUsize, Ordering, Parker};
use crate::worker::Worker;

/// A wake that comes before, during or after falling asleep, and what was written before it: Release in `unpark` with
/// Acquire in `park`, when it slept and when it did not.
#[test]
fn a_parker_loses_nothing() {
    check(4, || {
        let parker = Arc::new((Parker::new(), Checked::new()));
        let waker = {
            let parker = Arc::clone(&parker);
            thread::spawn(move || {
                parker.1.set(5);
                parker.0.unpark();
            })
        };
        parker.0.park();
        assert_eq!(parker.1.get(), 5);
        waker.join().unwrap();
    });
}

/// The second of two wakes that count as one: what was done before either is seen by the end of the sleep, or there is
/// another wake to come.
#[test]
fn a_wake_that_finds_another_is_seen() {
    check(4, || {
        let parker = Arc::new((Parker::new(), AtomicUsize::new(0)));
        let wakers = [1, 2].map(|work| {
            let parker = Arc::clone(&parker);
            thread::spawn(move || {
                parker.1.fetch_add(work, Ordering::Relaxed);
                parker.0.unpark();
            })
        });
        while parker.1.load(Ordering::Relaxed) != 3 {
            parker.0.park();
        }
        wakers.into_iter().for_each(|waker| waker.join().unwrap());
    });
}

fn push(worker: &Worker, job: *const Header) {
    worker.deque.push(worker.deque.head(), job);
}

fn take_when_woken(worker: &Worker, victim: usize) -> usize {
    loop {
        if let Theft::Job(job, _) = worker.pool().workers[victim].deque.steal(|| true) {
            return number(job);
        }
        worker.sleep();
    }
}

/// A publication against a thief that falls asleep: `Deque::ask` and `answer`, and the sleepers' word
/// (`enter`, `claim`, `leave`).
#[test]
fn what_is_published_wakes_a_thief() {
    check(4, || {
        let shared = shared(&[0, 0]);
        let thief = spawn(&shared, 1, |worker| take_when_woken(worker, 0));
        as_worker(&shared, 0, |worker| {
            push(worker, token(0));
            worker.offer();
        });
        assert_eq!(thief.join().unwrap(), 0);
    });
}

/// The same by `feed`, which the owner calls only when it sees a request.
#[test]
fn a_wish_is_granted() {
    check(4, || {
        let shared = shared(&[0, 0]);
        let thief = spawn(&shared, 1, |worker| take_when_woken(worker, 0));
        as_worker(&shared, 0, |worker| {
            push(worker, token(0));
            while !worker.deque.is_asked() {
                thread::yield_now();
            }
            worker.feed();
        });
        assert_eq!(thief.join().unwrap(), 0);
    });
}

/// A worker that dozes until its thief shares something is woken by a publication, although no other worker sleeps:
/// `follower`, which is Relaxed, before the request.
#[test]
fn a_follower_is_woken() {
    check(4, || {
        let shared = shared(&[0, 0]);
        let waiter = spawn(&shared, 1, |worker| {
            let job = watched(Spot::ANY);
            job.begin(0);
            loop {
                if let Theft::Job(job, _) = worker.pool().workers[0].deque.steal(|| true) {
                    return number(job);
                }
                worker.doze(&job);
            }
        });
        as_worker(&shared, 0, |worker| {
            push(worker, token(0));
            worker.offer();
        });
        assert_eq!(waiter.join().unwrap(), 0);
    });
}

/// Two thieves and two jobs that become public at once: one wake, and the first thief passes it on.
#[test]
fn a_thief_passes_the_wake_on() {
    check(2, || {
        let shared = shared(&[0, 0, 0]);
        let thieves = [1, 2].map(|index| {
            spawn(&shared, index, |worker| {
                loop {
                    if let Some(job) = worker.steal_from(0, || true) {
                        return number(job);
                    }
                    worker.sleep();
                }
            })
        });
        as_worker(&shared, 0, |worker| {
            push(worker, token(0));
            push(worker, token(1));
            worker.offer();
        });
        let taken = thieves.map(|thief| thief.join().unwrap());
        assert_eq!(taken[0] + taken[1], 1);
    });
}

/// A job from outside against a worker that falls asleep; and two of them against two.
fn what_is_injected_wakes(workers: &'static [u32], preemptions: usize) {
    check(preemptions, move || {
        let shared = shared(workers);
        let take = |worker: &Worker| {
            loop {
                if let Some(job) = worker.pool().inbox.take() {
                    return number(job);
                }
                worker.sleep();
            }
        };
        let workers: Vec<_> = (0..workers.len()).map(|index| spawn(&shared, index, take)).collect();
        (0..workers.len()).for_each(|job| shared.inject(token(job)));
        let taken: usize = workers.into_iter().map(|worker| worker.join().unwrap()).sum();
        assert!(taken < 2);
    });
}

#[test]
fn one_job_from_outside() {
    what_is_injected_wakes(&[0], 4);
}

#[test]
fn two_jobs_from_outside() {
    what_is_injected_wakes(&[0, 0], 2);
}

/// An order against a worker that falls asleep because it finds no work: the token of its parker, and the look after
/// `enter`.
#[test]
fn an_order_wakes() {
    check(4, || {
        let shared = shared(&[0]);
        let worker = spawn(&shared, 0, |worker| {
            loop {
                if let Some(job) = worker.ordered() {
                    return number(job);
                }
                worker.sleep();
            }
        });
        shared.send(&shared.teams[0], token(0));
        assert_eq!(worker.join().unwrap(), 0);
    });
}
