//! Pins every thread of another program to its own cpu, from outside.
//!
//! # How
//!
//! The program starts on the full set of cpus. Then `/proc` is polled, and each new thread is pinned to the best place:
//! with `sched_setaffinity`, which any process may call for its own user's threads. Nothing is preloaded and nothing is
//! traced, so static programs and Go's, which never call into libc, are pinned, too, and a debugger can still be
//! attached.
//!
//! # Delay and cost
//!
//! The kernel shows the last number it gave to any thread or process: one read of two microseconds says whether there
//! can be a new thread. The read is made every half millisecond while threads appear, then less and less often down to
//! every eight milliseconds. Only after a new number are threads listed, and the tree of processes is walked, which
//! opens a file for each thread, for at most a fiftieth of the time. A thread runs unpinned until then, plus the time
//! until we get a cpu; the record has the CPU time that threads had used when they were pinned. The cost is bounded:
//! two percent of a cpu, and ten milliseconds and a tenth of one for each place, so that a team that appears at once is
//! pinned at once. The record has the cost, too.
//!
//! # Which threads are pinned
//!
//! Threads in order of appearance, over all processes of the tree; a place is free again when its thread ends, and with
//! more threads than places the least crowded one comes first. These stay on the full set:
//!
//! - Helpers of the JVM and of GHC, known by name, and threads skipped by number (`--skip`, `--for`). A thread sets its
//!   own name, so a young one that turns out to be a helper is unpinned again. (It may also set its own mask, as those
//!   of `libomp` do when they begin: one with more than one cpu is pinned again.)
//! - A thread that is alone in its process. Runtimes count the cpus of its mask when they start their threads, which
//!   may be late, and start too few under a narrow one. In programs that use parallel processes it is pinned when it
//!   has worked for a while, is busy, and is not the only one in the tree.
//! - A main thread whose process has started a thread in the last fifty milliseconds. Threads inherit the mask of the
//!   one that starts them, and many short ones that end before they are pinned would all run on the main thread's cpu.
//!   Its place is kept.
//!
//! Runtimes also keep idle threads (Go's and GHC's do), and order alone would give them places that busy ones need. So
//! if threads share a place, their demand for cpus is checked, and a busy thread moves from a place with two busy ones
//! to a place without. If every thread has a place of its own, none is ever moved.

mod look;
mod settle;
mod slots;
mod stand;
mod tasks;

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use knee_machine::clock::{nanoseconds, thread_cpu};
use knee_machine::{CpuSet, sys};

use self::slots::PinSlots;
use self::tasks::{Demand, News};
use crate::record::Pinning;

/// Period of polling while threads appear, and after a long time without new ones.
const SOONEST: Duration = Duration::from_micros(500);
const LATEST: Duration = Duration::from_millis(8);
/// Polls may take this fraction of the time, and this much more, and for each place.
const BUDGET: u32 = 50;
const ADVANCE: Duration = Duration::from_millis(10);
const ADVANCE_EACH: Duration = Duration::from_micros(100);
/// Walking the tree of processes may take this fraction of the time.
const WALKS: u32 = 50;
/// Period of looking without a new number: a thread may get its number long before it can be found.
const ANYWAY: Duration = Duration::from_millis(100);
/// A main thread is pinned when its process has started no thread for so long.
const QUIET: Duration = Duration::from_millis(50);
/// A thread's name and mask are checked again until it has existed, and been able to run, for this long.
const YOUNG: Duration = Duration::from_millis(100);
/// Period of checking each thread's demand and mask, which may take this fraction of the time.
const SETTLING: Duration = Duration::from_millis(16);
const SETTLES: u32 = 200;

/// Whether a thread is pinned.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Standing {
    Pinned(usize),
    /// On the set, while it is alone in its process, or idle.
    Alone,
    /// On the set, while its process starts threads; the place is kept.
    Waiting(usize),
    /// On the set, for good.
    Left,
}

impl Standing {
    fn place(self) -> Option<usize> {
        match self {
            Standing::Pinned(at) | Standing::Waiting(at) => Some(at),
            Standing::Alone | Standing::Left => None,
        }
    }
}

/// A known thread.
struct Held {
    standing: Standing,
    met: Instant,
    /// Its CPU use at the last check.
    demand: Demand,
    looked: Instant,
    /// Whether it wanted a cpu then. A new one is assumed to, unless it is alone.
    busy: bool,
    /// Whether it has had a cpu at all.
    begun: bool,
}

/// Process and thread.
type Id = (i32, i32);

/// The mask of each thread when it was last checked, and when that was.
pub(super) type Observed = BTreeMap<i32, (Instant, CpuSet)>;

/// Watches a process tree and pins its threads.
pub(super) struct Pinner {
    ancestor: i32,
    skip: Vec<usize>,
    slots: PinSlots,
    news: News,
    /// When each process last had a new thread.
    processes: BTreeMap<i32, Instant>,
    threads: BTreeMap<Id, Held>,
    met: usize,
    /// Whether there was a new number since the tree was walked.
    unwalked: bool,
    begin: Instant,
    period: Duration,
    due: Instant,
    walk_due: Instant,
    look_due: Instant,
    young_due: Instant,
    settle_due: Instant,
    observe_due: Instant,
    affinity: Observed,
    cost: Duration,
    advance: Duration,
    found: Pinning,
}

impl Pinner {
    pub(super) fn new(ancestor: i32, cpus: &[u32], skip: &[usize]) -> Self {
        let now = Instant::now();
        Self {
            ancestor,
            skip: skip.to_vec(),
            slots: PinSlots::new(cpus),
            news: News::new(),
            processes: BTreeMap::new(),
            threads: BTreeMap::new(),
            met: 0,
            unwalked: true,
            begin: now,
            period: SOONEST,
            due: now,
            walk_due: now,
            look_due: now,
            young_due: now,
            settle_due: now + SETTLING,
            observe_due: now,
            affinity: BTreeMap::new(),
            cost: Duration::ZERO,
            advance: ADVANCE + ADVANCE_EACH * u32::try_from(cpus.len()).unwrap_or(u32::MAX),
            found: Pinning { mechanism: "polling of /proc".into(), ..Pinning::default() },
        }
    }

    pub(super) fn pause(&self) -> Duration {
        self.due.saturating_duration_since(Instant::now())
    }

    /// Looks for new threads if it is time.
    pub(super) fn tick(&mut self) {
        let now = Instant::now();
        if now < self.due {
            return;
        }
        let before = thread_cpu();
        let anything = self.look(now);
        if now >= self.young_due {
            self.young_due = now + YOUNG / 8;
            self.look_after_young(now);
            self.pin_quiet(now);
        }
        if now >= self.settle_due {
            let before = thread_cpu();
            self.settle(now);
            self.settle_due = now + SETTLING.max(thread_cpu().saturating_sub(before) * SETTLES);
        }
        if now >= self.observe_due {
            let before = thread_cpu();
            self.observe(now);
            self.observe_due = now + SETTLING.max(thread_cpu().saturating_sub(before) * SETTLES);
        }
        let cost = thread_cpu().saturating_sub(before);
        self.cost += cost;
        self.period = if anything { SOONEST } else { (self.period * 5 / 4).min(LATEST) };
        let granted = self.advance + (now - self.begin) / BUDGET;
        self.due = now + if self.cost <= granted { self.period } else { self.period.max(cost * BUDGET) };
    }

    /// The result for the record, and the last mask of each thread.
    pub(super) fn finish(mut self) -> (Pinning, Observed) {
        self.found.cost_ns = nanoseconds(self.cost);
        self.found.most_at_a_place = self.slots.most();
        (self.found, self.affinity)
    }

    /// Reads every thread's mask, for the record: a program may have pinned its threads itself.
    fn observe(&mut self, now: Instant) {
        for (_, tid) in self.threads.keys() {
            if let Ok(affinity) = sys::affinity_of(*tid) {
                self.affinity.insert(*tid, (now, affinity));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_that_cannot_be_pinned_is_counted_and_takes_no_place() {
        let mut pinner = Pinner::new(0, &[0, 1], &[1]);
        for tid in [i32::MAX - 1, i32::MAX - 2, i32::MAX - 3] {
            pinner.meet((i32::MAX, tid), Instant::now());
        }
        assert!(!pinner.slots.shared());
        let (found, _) = pinner.finish();
        assert_eq!((found.missed, found.left_on_set, found.pinned, found.most_at_a_place), (2, 1, 0, 0));
    }

    #[test]
    fn a_main_thread_keeps_its_place_and_waits_until_no_more_threads_are_started() {
        let mut pinner = Pinner::new(0, &[0, 1], &[]);
        let (main, now) = ((i32::MAX, i32::MAX), Instant::now());
        pinner.meet(main, now);
        pinner.keep_place(main);
        pinner.processes.insert(main.0, now);
        assert_eq!(pinner.slots.best(), 1);
        pinner.pin_quiet(now + QUIET / 2);
        assert_eq!((pinner.found.left_on_set, pinner.found.missed), (1, 0));
        // No such thread exists.
        pinner.pin_quiet(now + QUIET);
        assert_eq!((pinner.found.left_on_set, pinner.found.missed, pinner.slots.best()), (0, 1, 0));
    }
}
