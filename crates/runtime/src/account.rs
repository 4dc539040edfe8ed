//! Per-worker accounting: time busy, searching and asleep; steals by distance.

use std::cell::Cell;
use std::sync::OnceLock;
use std::time::Instant;

use crate::neighbours::Distance;
use crate::sync::MODEL;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

/// What a worker does: run jobs, search, or sleep.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mode {
    Busy,
    Searching,
    Idle,
}

/// One worker's account. Only its thread writes; any thread may read, and may see values that are slightly old.
#[derive(Debug)]
pub(crate) struct Account {
    on: bool,
    mode: AtomicUsize,
    since: AtomicU64,
    times: [AtomicU64; 3],
    stolen: [AtomicU64; Distance::ALL.len()],
    missed: Cell<u64>,
    missed_seen: AtomicU64,
    pushed: AtomicU64,
    away: AtomicU64,
    home_bytes: AtomicU64,
    away_bytes: AtomicU64,
}

// SAFETY: `missed` is touched by the owner's thread only.
unsafe impl Sync for Account {}

/// What a pool, or one of its workers, has done: counters that only grow. Subtract an earlier one to get a phase.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Usage {
    /// Time in jobs.
    pub busy_ns: u64,
    /// Time spent looking for something to steal.
    pub searching_ns: u64,
    /// Time asleep.
    pub idle_ns: u64,
    /// Jobs stolen, by how far the victim is: same core, same last-level cache, same node, another node.
    pub steals: [u64; 4],
    /// Attempts to steal that got nothing. 0 unless the pool was built with [`crate::Builder::account`].
    pub missed_steals: u64,
    /// Stolen jobs that were put into the mailbox of a worker nearer to their place.
    pub pushes: u64,
    /// Jobs that have a place and were run by a worker of another node.
    pub run_away_from_home: u64,
    /// Bytes that tasks named with [`crate::touch`], on the worker's own node. 0 unless [`crate::Pool::counts_bytes`].
    pub home_bytes: u64,
    /// The same on other nodes.
    pub away_bytes: u64,
}

impl Usage {
    /// What was added since `earlier`.
    #[must_use]
    pub fn since(&self, earlier: &Self) -> Self {
        self.combine(earlier, u64::saturating_sub)
    }

    /// The sum of both.
    #[must_use]
    pub fn plus(&self, other: &Self) -> Self {
        self.combine(other, u64::wrapping_add)
    }

    fn combine(&self, other: &Self, with: impl Fn(u64, u64) -> u64) -> Self {
        Self {
            busy_ns: with(self.busy_ns, other.busy_ns),
            searching_ns: with(self.searching_ns, other.searching_ns),
            idle_ns: with(self.idle_ns, other.idle_ns),
            steals: std::array::from_fn(|class| with(self.steals[class], other.steals[class])),
            missed_steals: with(self.missed_steals, other.missed_steals),
            pushes: with(self.pushes, other.pushes),
            run_away_from_home: with(self.run_away_from_home, other.run_away_from_home),
            home_bytes: with(self.home_bytes, other.home_bytes),
            away_bytes: with(self.away_bytes, other.away_bytes),
        }
    }
}

impl Account {
    pub(crate) fn new(on: bool) -> Self {
        let zero = || AtomicU64::new(0);
        Self {
            on,
            mode: AtomicUsize::new(Mode::Idle as usize),
            since: AtomicU64::new(if on { now() } else { 0 }),
            times: [zero(), zero(), zero()],
            stolen: [zero(), zero(), zero(), zero()],
            missed: Cell::new(0),
            missed_seen: zero(),
            pushed: zero(),
            away: zero(),
            home_bytes: zero(),
            away_bytes: zero(),
        }
    }

    /// Changes the worker's mode; returns the previous one.
    pub(crate) fn switch(&self, mode: Mode) -> Mode {
        if !self.on {
            return mode;
        }
        let before = match self.mode.load(Ordering::Relaxed) {
            0 => Mode::Busy,
            1 => Mode::Searching,
            _ => Mode::Idle,
        };
        if before != mode {
            let now = now();
            add(&self.times[before as usize], now.saturating_sub(self.since.load(Ordering::Relaxed)));
            self.since.store(now, Ordering::Relaxed);
            self.mode.store(mode as usize, Ordering::Relaxed);
            self.missed_seen.store(self.missed.get(), Ordering::Relaxed);
        }
        before
    }

    pub(crate) fn stole(&self, from: Distance) {
        add(&self.stolen[from as usize], 1);
    }

    pub(crate) fn missed(&self) {
        self.missed.set(self.missed.get() + 1);
    }

    pub(crate) fn pushed(&self) {
        add(&self.pushed, 1);
    }

    pub(crate) fn went_away(&self) {
        add(&self.away, 1);
    }

    pub(crate) fn worked_on(&self, home: u64, away: u64) {
        add(&self.home_bytes, home);
        add(&self.away_bytes, away);
    }

    pub(crate) fn read(&self) -> Usage {
        let get = |number: &AtomicU64| number.load(Ordering::Relaxed);
        let mut times = self.times.each_ref().map(get);
        if self.on {
            times[self.mode.load(Ordering::Relaxed).min(2)] += now().saturating_sub(get(&self.since));
        }
        Usage {
            busy_ns: times[0],
            searching_ns: times[1],
            idle_ns: times[2],
            steals: self.stolen.each_ref().map(get),
            missed_steals: get(&self.missed_seen),
            pushes: get(&self.pushed),
            run_away_from_home: get(&self.away),
            home_bytes: get(&self.home_bytes),
            away_bytes: get(&self.away_bytes),
        }
    }
}

/// Only the owner writes, so that a load and a store are enough.
fn add(number: &AtomicU64, more: u64) {
    number.store(number.load(Ordering::Relaxed) + more, Ordering::Relaxed);
}

/// Nanoseconds since the first call.
fn now() -> u64 {
    static BEGIN: OnceLock<Instant> = OnceLock::new();
    if MODEL {
        return 0;
    }
    u64::try_from(BEGIN.get_or_init(Instant::now).elapsed().as_nanos()).unwrap_or(u64::MAX)
}
