//! Small parts of the protocol under loom, which tries every interleaving (up to a number of preemptions where it says
//! so) and every value that the orderings allow a load to see. `ci/loom.sh` runs them, `ci/mutants.py` shows that they
//! notice wrong orderings.

mod deque;
mod fork;
mod mail;
mod sleep;
mod whole;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use loom::cell::UnsafeCell;

use crate::job::{By, Header};
use crate::neighbours::Neighbours;
use crate::place::Spot;
use crate::pool::{Pool, Shared};
use crate::worker::Worker;

/// Runs a model with at most this many preemptions in an execution, and says how many executions that were.
fn check(preemptions: usize, model: impl Fn() + Sync + Send + 'static) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(preemptions);
    builder.max_branches = 20_000;
    let executions = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&executions);
    builder.check(move || {
        count.fetch_add(1, Ordering::Relaxed);
        model();
    });
    // Seen with `--nocapture`.
    eprintln!("{} executions", executions.load(Ordering::Relaxed));
}

/// What workers share, without threads: worker i stands on node `nodes[i]`.
fn shared(nodes: &[u32]) -> Arc<Shared> {
    let mut builder = Pool::builder().workers(nodes.len()).neighbours(Neighbours::of_nodes(nodes));
    Arc::new(builder.shared().expect("this many workers are allowed"))
}

/// Makes the calling thread worker `index` for as long as `body` runs, which it does as a job would.
fn as_worker<R>(shared: &Arc<Shared>, index: usize, body: impl FnOnce(&Worker) -> R) -> R {
    let worker = &shared.workers[index];
    worker.set_pool(Arc::as_ptr(shared));
    Worker::set_current(worker);
    let result = body(worker);
    Worker::set_current(std::ptr::null());
    result
}

/// A thread that is worker `index`.
fn spawn<R: 'static>(
    shared: &Arc<Shared>,
    index: usize,
    body: impl FnOnce(&Worker) -> R + 'static,
) -> loom::thread::JoinHandle<R> {
    let shared = Arc::clone(shared);
    loom::thread::spawn(move || as_worker(&shared, index, body))
}

/// Takes one job of worker `victim` and runs it, if it finds one.
fn steal_once(worker: &Worker, victim: usize) -> bool {
    let job = worker.steal_from(victim, || true).and_then(|job| worker.accept(job));
    job.map(|job| worker.execute(job)).is_some()
}

/// The second half of a join that is never run.
fn watched(spot: Spot) -> Header {
    /// # Safety
    /// None: it does not look at the job.
    unsafe fn never(_: *const Header, _: &Worker, _: By) {
        panic!("it is never run");
    }
    let job = Header::unwatched(never, spot);
    // SAFETY: no other thread knows of it.
    unsafe { Header::complete(&raw const job, spot) };
    job
}

/// A number whose every access loom checks for races.
struct Checked(UnsafeCell<u32>);

// SAFETY: loom panics where two threads touch it without being in order.
unsafe impl Sync for Checked {}
// SAFETY: it is a number.
unsafe impl Send for Checked {}

impl Checked {
    fn new() -> Self {
        Self(UnsafeCell::new(0))
    }

    fn set(&self, value: u32) {
        // SAFETY: see the type.
        self.0.with_mut(|cell| unsafe { *cell = value });
    }

    fn get(&self) -> u32 {
        // SAFETY: see the type.
        self.0.with(|cell| unsafe { *cell })
    }
}

/// A job that is only a number: its pointer is never followed.
fn token(number: usize) -> *const Header {
    std::ptr::without_provenance((number + 1) * 16)
}

fn number(token: *const Header) -> usize {
    token.addr() / 16 - 1
}
