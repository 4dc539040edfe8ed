//! Rehearsals: simulated runs of P workers on a synthetic machine, in virtual time.
//!
//! Each worker is a thread with a clock of its own. Only the one whose clock is furthest behind runs; it moves its
//! clock on where it forks, looks for work, or touches data, and then hands over. Everything else is the real runtime:
//! the same deques, policies, mailboxes and waits. Nothing depends on the machine or on real time, so that the same
//! seed gives the same steals. No worker sleeps: one that finds nothing looks again.
//!
//! Its times are as good as its [`Costs`]; its steals are those of the real protocol.

use std::sync::{Condvar, Mutex, MutexGuard};

use crate::homes;
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
        Self { costs, state: Mutex::new(state), turns, all_wait: Condvar::new() }
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

    /// Moves the worker's clock on. Returns when it is its turn again, or the rehearsal is over.
    fn pass(&self, index: usize, cost_ns: f64) {
        let mut state = self.lock();
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "costs are small and positive")]
        let cost = cost_ns.round() as u64;
        state.clocks[index] += cost.max(1);
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
            clocks.pass(self.index, clocks.costs.fork_ns);
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

    fn touch(&self, start: usize, bytes: usize) {
        let pool = self.pool();
        let Some(clocks) = &pool.clocks else { return };
        let page = rustix::param::page_size();
        let mut cost = 0.0;
        let mut found = Rehearsal::default();
        let mut at = start;
        while at < start + bytes {
            let end = ((at / page + 1) * page).min(start + bytes);
            let size = (end - at) as u64;
            let farther = match (homes::node_of(at), self.node()) {
                (Some(home), Some(own)) if home != own => {
                    found.remote_bytes += size;
                    pool.team(home)
                        .map_or(2.0, |team| f64::from(pool.neighbours.slit(self.index, team.workers[0])) / 10.0)
                }
                (Some(_), Some(_)) => {
                    found.local_bytes += size;
                    1.0
                }
                _ => {
                    found.homeless_bytes += size;
                    1.0
                }
            };
            cost += size as f64 * clocks.costs.byte_ns * farther;
            at = end;
        }
        let mut state = clocks.lock();
        state.found.local_bytes += found.local_bytes;
        state.found.remote_bytes += found.remote_bytes;
        state.found.homeless_bytes += found.homeless_bytes;
        drop(state);
        clocks.pass(self.index, cost);
    }
}

/// Says that the calling task works on `data`. In a rehearsal that takes time and is counted; anywhere else it does
/// nothing.
pub fn touch<T>(data: &[T]) {
    if let Some(worker) = Worker::current() {
        worker.touch(data.as_ptr() as usize, size_of_val(data));
    }
}

impl Pool {
    /// Runs `work` in virtual time, and returns what happened. The pool has to be built with
    /// [`crate::Builder::rehearse`]. Rehearsals run one after the other, each from the pool's seed.
    ///
    /// # Panics
    /// If the pool was not built for it, or this is called on one of its workers.
    pub fn rehearse<R: Send>(&self, work: impl FnOnce() -> R + Send) -> (R, Rehearsal) {
        let clocks = self.shared.clocks.as_ref().expect("the pool is built to rehearse");
        assert!(!self.is_own_worker(), "a rehearsal is begun from outside");
        let result = self.install(work);
        let found = clocks.lock().found.clone();
        (result, found)
    }

    /// Hands a job to the workers; in a rehearsal, to all of them at time zero.
    pub(crate) fn hand_over(&self, job: *const Header) {
        match &self.shared.clocks {
            Some(clocks) => clocks.begin(|| self.shared.inject(job)),
            None => self.shared.inject(job),
        }
    }
}
