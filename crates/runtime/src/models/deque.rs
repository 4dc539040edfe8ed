//! Loom models of the deque alone; jobs are numbers. The content of job i is `contents[i]`, written before it is pushed.

use std::sync::Arc;

use loom::thread::{self, yield_now};

use super::{Checked, check, number, token};
use crate::deque::{Deque, Taken};
use crate::slots::Slot;
use crate::split::Theft;
use crate::sync::{AtomicUsize, Ordering};

struct Table {
    deque: Deque,
    contents: [Checked; 4],
    /// How often each job was run.
    runs: [AtomicUsize; 4],
    /// Says that a job is done, as a latch does.
    done: [AtomicUsize; 4],
    /// The stolen job that the owner runs, as `Header::holder` says it.
    held: AtomicUsize,
}

impl Table {
    fn new() -> Arc<Self> {
        Arc::new(Self {
            deque: Deque::new(),
            contents: [(); 4].map(|()| Checked::new()),
            runs: [(); 4].map(|()| AtomicUsize::new(0)),
            done: [(); 4].map(|()| AtomicUsize::new(0)),
            held: AtomicUsize::new(0),
        })
    }

    fn push(&self, job: usize) -> Slot {
        self.contents[job].set(7);
        let slot = self.deque.room_at_all().expect("there is room");
        self.deque.push(slot, token(job));
        slot
    }

    fn run(&self, job: usize) {
        assert_eq!(self.contents[job].get(), 7);
        // Relaxed: counts only, read when all threads have ended.
        assert_eq!(self.runs[job].fetch_add(1, Ordering::Relaxed), 0, "job {job} ran twice");
    }

    fn steal(&self) -> Option<usize> {
        let Theft::Job(job, _) = self.deque.steal(|| true) else { return None };
        let job = number(job);
        self.run(job);
        // Release: as `Latch::set`.
        self.done[job].store(1, Ordering::Release);
        Some(job)
    }

    fn await_done(&self, job: usize) {
        while self.done[job].load(Ordering::Acquire) == 0 {
            yield_now();
        }
    }

    /// Ends a join whose second half is `job`, at `slot`.
    fn end(&self, job: usize, slot: Slot) {
        if self.deque.take(slot) == Taken::Back {
            self.run(job);
        } else {
            self.await_done(job);
            self.deque.reset(slot);
        }
        // Now the owner may reuse it.
        self.contents[job].set(0);
    }
}

fn thieves(table: &Arc<Table>, count: usize, attempts: usize) -> Vec<thread::JoinHandle<()>> {
    let thief = |_| {
        let table = Arc::clone(table);
        thread::spawn(move || (0..attempts).for_each(|_| _ = table.steal()))
    };
    (0..count).map(thief).collect()
}

/// Publish, reclaim and steal at once: Release in `publish` with Acquire in `steal` (load and exchange), the single
/// word for who gets a job, and slots that are read only by the thief that won them.
fn each_job_runs_once(thief_count: usize, attempts: usize, preemptions: usize) {
    check(preemptions, move || {
        let table = Table::new();
        let thieves = thieves(&table, thief_count, attempts);
        let slots = [0, 1, 2].map(|job| table.push(job));
        assert!(table.deque.publish(|_| ()));
        for job in [2, 1, 0] {
            table.end(job, slots[job]);
        }
        thieves.into_iter().for_each(|thief| thief.join().unwrap());
        assert!(table.runs[..3].iter().all(|runs| runs.load(Ordering::Relaxed) == 1));
    });
}

#[test]
fn a_thief_and_the_owner() {
    each_job_runs_once(1, 3, 4);
}

#[test]
fn two_thieves_and_the_owner() {
    each_job_runs_once(2, 1, 3);
}

/// A slot is used again after `reset`: the owner's write comes after the read of the thief that had the job before, and
/// a thief that has read an old word takes what lies there now, or nothing.
#[test]
fn slots_are_used_again() {
    check(2, || {
        let table = Table::new();
        let thieves = thieves(&table, 2, 2);
        for job in 0..3 {
            let slot = table.push(job);
            assert!(table.deque.publish(|_| ()));
            table.end(job, slot);
        }
        thieves.into_iter().for_each(|thief| thief.join().unwrap());
        assert!(table.runs[..3].iter().all(|runs| runs.load(Ordering::Relaxed) == 1));
    });
}

/// The epoch guard and the cover. The owner has job 0 public when it runs a stolen job, in which it forks job 1;
/// afterwards it forks job 2. The worker that waits for the stolen job gets job 1 or nothing: Release and Acquire of
/// the holder (`held`), of the latch, and the epoch in the word.
#[test]
fn a_guarded_thief_takes_only_what_descends() {
    check(4, || {
        let table = Table::new();
        let ended = Arc::new(AtomicUsize::new(0));
        let waiter = {
            let (table, ended) = (Arc::clone(&table), Arc::clone(&ended));
            thread::spawn(move || {
                for _ in 0..2 {
                    if table.held.load(Ordering::Acquire) == 1
                        && let Theft::Job(job, _) = table.deque.steal(|| ended.load(Ordering::Acquire) == 0)
                    {
                        assert_eq!(number(job), 1);
                        table.run(1);
                        table.done[1].store(1, Ordering::Release);
                    }
                }
            })
        };
        let below = table.push(0);
        assert!(table.deque.publish(|_| ()));
        let covered = table.deque.cover();
        table.held.store(1, Ordering::Release);
        let slot = table.push(1);
        assert!(table.deque.publish(|_| ()));
        table.end(1, slot);
        ended.store(1, Ordering::Release);
        assert!(table.deque.uncover(covered));
        let slot = table.push(2);
        assert!(table.deque.publish_all(|_| ()));
        table.end(2, slot);
        table.end(0, below);
        waiter.join().unwrap();
        assert!(table.runs[..3].iter().all(|runs| runs.load(Ordering::Relaxed) == 1));
    });
}

/// The same with nothing below, by the epoch alone: the waiter learns nothing from the holder.
#[test]
fn the_epoch_alone_guards() {
    check(4, || {
        let table = Table::new();
        let ended = Arc::new(AtomicUsize::new(0));
        let waiter = {
            let (table, ended) = (Arc::clone(&table), Arc::clone(&ended));
            thread::spawn(move || {
                if let Theft::Job(job, _) = table.deque.steal(|| ended.load(Ordering::Acquire) == 0) {
                    assert_eq!(number(job), 1);
                    table.run(1);
                    table.done[1].store(1, Ordering::Release);
                }
            })
        };
        let covered = table.deque.cover();
        let slot = table.push(1);
        assert!(table.deque.publish(|_| ()));
        table.end(1, slot);
        ended.store(1, Ordering::Release);
        assert!(!table.deque.uncover(covered));
        let slot = table.push(2);
        assert!(table.deque.publish(|_| ()));
        table.end(2, slot);
        waiter.join().unwrap();
    });
}

/// A thief that looks while jobs are covered or uncovered gets each of them once, and sees its content.
#[test]
fn what_is_covered_is_not_lost() {
    check(4, || {
        let table = Table::new();
        let thieves = thieves(&table, 1, 2);
        let slots = [0, 1].map(|job| table.push(job));
        assert!(table.deque.publish(|_| ()));
        let covered = table.deque.cover();
        let slot = table.push(2);
        table.end(2, slot);
        table.deque.uncover(covered);
        table.end(1, slots[1]);
        table.end(0, slots[0]);
        thieves.into_iter().for_each(|thief| thief.join().unwrap());
        assert!(table.runs[..3].iter().all(|runs| runs.load(Ordering::Relaxed) == 1));
    });
}
