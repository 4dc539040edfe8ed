//! Rehearsals: simulated runs of P workers on a synthetic machine, in virtual time.
//!
//! Each worker is a thread with a clock of its own. Only the one whose clock is furthest behind runs; it moves its
//! clock on where it forks, looks for work, or touches data, and then hands over. Everything else is the real runtime:
//! the same deques, policies, mailboxes and waits. Nothing depends on the machine or on real time, so that the same
//! seed gives the same steals. No worker sleeps: one that finds nothing looks again.
//!
//! Its times are as good as its [`Costs`]; its steals are those of the real protocol.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use crate::job::Header;
use crate::neighbours::Distance;
use crate::pool::Pool;
use crate::spin::Spin;
use crate::worker::Worker;

/// What steps cost in a rehearsal.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Costs {
    /// A fork.
    pub fork_ns: f64,
    /// An attempt to steal; one from another node costs as many times more as SLIT says.
    pub attempt_ns: f64,
    /// A byte of memory on the own node; one on another node costs as many times more as SLIT says.
    pub byte_ns: f64,
}

impl Default for Costs {
    /// Round numbers of a server: 5 ns a fork, 100 ns an attempt, 10 GB/s a worker.
    fn default() -> Self {
        Self { fork_ns: 5.0, attempt_ns: 100.0, byte_ns: 0.1 }
    }
}

/// A job that changed hands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Moved {
    /// Virtual time of the thief.
    pub time_ns: u64,
    /// The worker that took it.
    pub thief: usize,
    /// The worker from whose deque it came.
    pub victim: usize,
    /// How far they are from each other.
    pub distance: Distance,
}

/// What a rehearsal found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Rehearsal {
    /// Virtual time from begin to end.
    pub span_ns: u64,
    /// Virtual time that workers spent on forks and on memory, in sum.
    pub busy_ns: u64,
    /// Bytes that workers touched on their own node.
    pub local_bytes: u64,
    /// Bytes that workers touched on other nodes.
    pub remote_bytes: u64,
    /// Bytes on an unknown node.
    pub homeless_bytes: u64,
    /// Every steal, in the order in which they happened.
    pub steals: Vec<Moved>,
}

/// The clocks of all workers.
pub(crate) struct Clocks {
    costs: Costs,
    state: Mutex<State>,
    /// One for each worker, and one for the thread that starts a rehearsal.
    turns: Box<[Condvar]>,
    all_wait: Condvar,
    /// Held from the beginning of a rehearsal until what happened in it has been read.
    only_one: Mutex<()>,
}

#[derive(Default)]
struct State {
    running: bool,
    ending: bool,
    /// Rehearsals begun so far.
    round: u64,
    waiting: usize,
    turn: usize,
    clocks: Vec<u64>,
    found: Rehearsal,
}

impl Clocks {
    pub(crate) fn new(workers: usize, costs: Costs) -> Self {
        let state = State { clocks: vec![0; workers], ..State::default() };
        let turns = (0..workers).map(|_| Condvar::new()).collect();
        Self { costs, state: Mutex::new(state), turns, all_wait: Condvar::new(), only_one: Mutex::new(()) }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().expect("no holder panics")
    }

    /// Waits for the next rehearsal to begin and for the worker's turn in it.
    fn enter(&self, index: usize) {
        let mut state = self.lock();
        let round = state.round;
        state.waiting += 1;
        self.all_wait.notify_one();
        while !state.ending && (state.round == round || state.running && state.turn != index) {
            state = self.turns[index].wait(state).expect("no holder panics");
        }
    }

    /// As [`Self::pass`], for work.
    fn work(&self, index: usize, cost_ns: f64) {
        self.lock().found.busy_ns += whole(cost_ns);
        self.pass(index, cost_ns);
    }

    /// Moves the worker's clock on. Returns when it is its turn again, or the rehearsal is over.
    fn pass(&self, index: usize, cost_ns: f64) {
        let mut state = self.lock();
        state.clocks[index] += whole(cost_ns);
        let next = (0..state.clocks.len()).min_by_key(|&other| state.clocks[other]).unwrap_or(index);
        if next == index {
            return;
        }
        state.turn = next;
        self.turns[next].notify_one();
        let round = state.round;
        while state.running && state.round == round && state.turn != index {
            state = self.turns[index].wait(state).expect("no holder panics");
        }
    }

    /// Starts all workers at time zero, with the work that `bring` adds, after all have finished the rehearsal before.
    fn begin(&self, bring: impl FnOnce()) {
        let mut state = self.lock();
        while state.waiting < self.turns.len() {
            state = self.all_wait.wait(state).expect("no holder panics");
        }
        bring();
        state.waiting = 0;
        state.clocks.fill(0);
        state.found = Rehearsal::default();
        (state.running, state.turn) = (true, 0);
        state.round += 1;
        self.turns[0].notify_one();
    }

    /// Stops all clocks: worker `index` has finished the job.
    pub(crate) fn end(&self, index: usize) {
        let mut state = self.lock();
        state.running = false;
        state.found.span_ns = state.clocks[index];
        self.turns.iter().for_each(Condvar::notify_one);
    }

    /// Ends threads that wait for a rehearsal.
    pub(crate) fn close(&self) {
        let mut state = self.lock();
        state.ending = true;
        self.turns.iter().for_each(Condvar::notify_one);
    }

    fn is_running(&self) -> bool {
        self.lock().running
    }
}

/// A cost in whole nanoseconds, at least one: a clock that stands still would keep its worker running for ever.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "costs are small and positive")]
fn whole(cost_ns: f64) -> u64 {
    (cost_ns.round() as u64).max(1)
}

impl Worker {
    /// Waits a moment for something to change; false when it is time to sleep.
    pub(crate) fn linger(&self, spin: &mut Spin) -> bool {
        let pool = self.pool();
        let Some(clocks) = &pool.clocks else { return spin.again(pool.crowded) };
        if clocks.is_running() {
            clocks.pass(self.index, clocks.costs.attempt_ns);
        } else {
            clocks.enter(self.index);
            self.reseed(pool.seed);
        }
        true
    }

    /// In a rehearsal, adds the cost of a fork.
    pub(crate) fn spend_fork(&self) {
        if let Some(clocks) = &self.pool().clocks {
            clocks.work(self.index, clocks.costs.fork_ns);
        }
    }

    /// In a rehearsal, records a steal.
    pub(crate) fn write_down(&self, victim: usize) {
        let pool = self.pool();
        let Some(clocks) = &pool.clocks else { return };
        let (mut state, distance) = (clocks.lock(), pool.neighbours.distance(self.index, victim));
        let moved = Moved { time_ns: state.clocks[self.index], thief: self.index, victim, distance };
        state.found.steals.push(moved);
        drop(state);
        let farther = f64::from(pool.neighbours.slit(self.index, victim)) / 10.0;
        clocks.pass(self.index, clocks.costs.attempt_ns * farther);
    }

    /// In a rehearsal, counts bytes of a node and returns what working on them costs; 0 elsewhere.
    pub(crate) fn note_bytes(&self, node: Option<u32>, bytes: usize) -> f64 {
        let pool = self.pool();
        let Some(clocks) = &pool.clocks else { return 0.0 };
        let found = &mut clocks.lock().found;
        let farther = match (node, self.node()) {
            (Some(home), Some(own)) if home != own => {
                found.remote_bytes += bytes as u64;
                pool.team(home).map_or(2.0, |team| f64::from(pool.neighbours.slit(self.index, team.workers[0])) / 10.0)
            }
            (Some(_), Some(_)) => {
                found.local_bytes += bytes as u64;
                1.0
            }
            _ => {
                found.homeless_bytes += bytes as u64;
                1.0
            }
        };
        bytes as f64 * clocks.costs.byte_ns * farther
    }

    /// In a rehearsal, moves the clock on by work.
    pub(crate) fn spend_work(&self, cost_ns: f64) {
        if let Some(clocks) = &self.pool().clocks {
            clocks.work(self.index, cost_ns);
        }
    }
}

impl Pool {
    /// Runs `work` in virtual time, and returns what happened. The pool has to be built with
    /// [`crate::Builder::rehearse`]. Rehearsals run one after the other, each from the pool's seed.
    ///
    /// # Panics
    /// If the pool was not built for it, or this is called on one of its workers.
    pub fn rehearse<R: Send>(&self, work: impl FnOnce() -> R + Send) -> (R, Rehearsal) {
        assert!(!self.is_own_worker(), "a rehearsal is begun from outside");
        let clocks = self.shared.clocks.as_ref();
        // What panics in a rehearsal breaks nothing here.
        let _only_one = clocks.map(|clocks| clocks.only_one.lock().unwrap_or_else(PoisonError::into_inner));
        let result = self.install(work);
        (result, self.last_rehearsal().expect("the pool is built to rehearse"))
    }

    /// What happened in the last rehearsal; none if the pool was not built for them.
    #[must_use]
    pub fn last_rehearsal(&self) -> Option<Rehearsal> {
        self.shared.clocks.as_ref().map(|clocks| clocks.lock().found.clone())
    }

    /// Hands a job to the workers; in a rehearsal, to all of them at time zero.
    pub(crate) fn hand_over(&self, job: *const Header) {
        match &self.shared.clocks {
            Some(clocks) => clocks.begin(|| self.shared.inject(job)),
            None => self.shared.inject(job),
        }
    }
}
