//! Loom models of mailboxes and inboxes: jobs sent to another node.

use std::sync::Arc;

use loom::thread;

use super::{Checked, as_worker, check, shared, spawn, steal_once, token, watched};
use crate::mailbox::Mailbox;
use crate::place::{Place, Spot};

/// One mailbox: what is put in comes out once, and is seen.
#[test]
fn a_mailbox_hands_over() {
    check(4, || {
        let table = Arc::new((Mailbox::new(), [Checked::new(), Checked::new()]));
        let put = {
            let table = Arc::clone(&table);
            thread::spawn(move || {
                (0..2).for_each(|job| table.1[job].set(6));
                let first = table.0.put(token(0));
                (first, table.0.put(token(1)))
            })
        };
        let taken: Vec<_> = (0..2).filter_map(|_| table.0.take()).map(super::number).collect();
        taken.iter().for_each(|&job| assert_eq!(table.1[job].get(), 6));
        let (first, second) = put.join().unwrap();
        let left = table.0.take().map(super::number);
        assert!(first);
        assert_eq!(taken.len() + usize::from(left.is_some()), 1 + usize::from(second));
    });
}

/// The second half of a join has a place on another node. A thief brings it to the only worker there, which is busy with
/// something else for ever. Only the owner can run it: it sees it in the mailbox before it sleeps, or it is woken
/// (`Latch::sleeper` against `announce`, `Mailbox::put` with `regain`), and may use the slot again.
#[test]
fn the_owner_regains_what_nobody_takes() {
    check(3, || {
        let shared = shared(&[0, 0, 1]);
        let thief = spawn(&shared, 1, |worker| _ = steal_once(worker, 0));
        as_worker(&shared, 0, |worker| {
            worker.deque.ask();
            let there = Spot::of(Place::Node(1));
            worker.in_frame(|| {
                assert_eq!(worker.join_to(|| 1, || 2, there), (1, 2));
                assert_eq!(worker.join(|| 1, || 2), (1, 2));
            });
        });
        thief.join().unwrap();
    });
}

/// Mail for a worker that falls asleep wakes it: here no other worker would run the job.
#[test]
fn mail_wakes_who_gets_it() {
    check(3, || {
        let shared = shared(&[0, 1]);
        let job = Arc::new(watched(Spot::of(Place::Node(1))));
        let receiver = spawn(&shared, 1, |worker| {
            while worker.mailbox.take().is_none() {
                worker.sleep();
            }
        });
        as_worker(&shared, 0, |worker| assert!(worker.accept(&raw const *job).is_none()));
        receiver.join().unwrap();
    });
}

/// Only the end of that, without earlier looks: under loom a thread that has yielded sees new values, so an owner that
/// has looked once would learn of the mail by any ordering. `Latch::sleeper` (Release) with `announce` (Acquire).
#[test]
fn an_owner_that_dozes_learns_of_mail() {
    check(4, || {
        let shared = shared(&[0, 0, 1]);
        let job = Arc::new(watched(Spot::of(Place::Node(1))));
        let sent = Arc::clone(&job);
        let thief = spawn(&shared, 1, move |worker| assert!(worker.accept(&raw const *sent).is_none()));
        as_worker(&shared, 0, |worker| {
            worker.doze(&job);
            while !worker.regain(&job) {
                thread::yield_now();
                worker.doze(&job);
            }
        });
        thief.join().unwrap();
    });
}

/// The same, and the worker there takes its mail: one of the two has it.
#[test]
fn the_owner_or_the_receiver_runs_it() {
    check(2, || {
        let shared = shared(&[0, 0, 1]);
        let thief = spawn(&shared, 1, |worker| _ = steal_once(worker, 0));
        let receiver = spawn(&shared, 2, |worker| {
            if let Some(job) = worker.mailbox.take() {
                worker.execute(job);
            }
        });
        as_worker(&shared, 0, |worker| {
            worker.deque.ask();
            let written = Checked::new();
            let there = Spot::of(Place::Node(1));
            worker.in_frame(|| assert_eq!(worker.join_to(|| 1, || written.set(2), there), (1, ())));
            assert_eq!(written.get(), 2);
        });
        thief.join().unwrap();
        receiver.join().unwrap();
    });
}

/// A spawned job with a place is sent to its node, whose worker sleeps: it wakes, and the frame counts the job.
#[test]
fn a_spawned_job_is_sent() {
    check(2, || {
        let shared = shared(&[0, 1]);
        let receiver = spawn(&shared, 1, |worker| {
            while !worker.serve() {
                worker.sleep();
            }
        });
        as_worker(&shared, 0, |worker| {
            let written = Arc::new(Checked::new());
            let there = Arc::clone(&written);
            worker.in_frame(|| worker.push_at(Spot::of(Place::Node(1)), move |_| there.set(8)));
            assert_eq!(written.get(), 8);
        });
        receiver.join().unwrap();
    });
}
