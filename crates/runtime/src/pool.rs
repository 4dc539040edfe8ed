//! Pools of pinned workers.

use std::sync::Arc;

use knee_machine::Topology;

use crate::account::Usage;
use crate::build::Builder;
use crate::inbox::Inbox;
use crate::job::Header;
use crate::neighbours::Neighbours;
use crate::policy::Policy;
use crate::rehearsal::Clocks;
use crate::sleepers::Sleepers;
use crate::sync::{AtomicBool, Mutex, Ordering, thread};
use crate::tally::Tally;
use crate::worker::Worker;

/// What a worker may do while it waits for a job that a thief has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Wait {
    /// Only what descends from that job, and what is sent to this worker or to its node: by `spawn_at`, `broadcast` or
    /// `for_each_place`, or as a stolen job with a place. So hold no lock across a join that such a job may want; nothing
    /// else that runs meanwhile can want it, except the joined work itself.
    #[default]
    Leapfrog,
    /// Anything, as rayon does.
    Any,
}

/// How workers are pinned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Bind {
    /// Each worker to its cpu.
    #[default]
    Each,
    /// Each worker to those of the pool's cpus that are on its cpu's node.
    Node,
    /// Each worker to all of the pool's cpus; the runtime ignores nodes.
    Set,
    /// Unpinned: the kernel places workers, and the runtime ignores nodes.
    None,
}

/// Something went wrong while a pool was built.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A thread could not be started.
    #[error("cannot start worker {worker}: {reason}")]
    Start {
        /// The worker.
        worker: usize,
        /// The system's reason.
        reason: std::io::Error,
    },
    /// A thread could not be pinned.
    #[error("cannot pin worker {worker}: cpus {cpus:?}: {reason}")]
    Pin {
        /// The worker.
        worker: usize,
        /// The cpus to pin it to.
        cpus: Vec<u32>,
        /// The system's reason.
        reason: std::io::Error,
    },
    /// What was asked for cannot be.
    #[error("cannot build a pool: {0}")]
    Unfit(String),
}

/// The workers of a node.
pub(crate) struct Team {
    pub(crate) node: u32,
    pub(crate) index: usize,
    pub(crate) workers: Vec<usize>,
    /// Jobs for this node.
    pub(crate) inbox: Inbox,
}

/// What the threads of a pool share.
pub(crate) struct Shared {
    pub(crate) workers: Box<[Worker]>,
    pub(crate) sleepers: Sleepers,
    pub(crate) policy: Box<dyn Policy>,
    pub(crate) neighbours: Neighbours,
    pub(crate) teams: Vec<Team>,
    /// For each worker the position of its team; beyond the last one where its node is unknown.
    pub(crate) team_of: Vec<usize>,
    pub(crate) strict: bool,
    pub(crate) wait: Wait,
    /// More workers than cpus to run them.
    pub(crate) crowded: bool,
    /// Jobs from outside.
    pub(crate) inbox: Inbox,
    pub(crate) ending: AtomicBool,
    /// Places are ignored.
    pub(crate) ignore_places: bool,
    /// The node of the first worker of each domain, where thieves stay within theirs; otherwise none.
    pub(crate) domains: Vec<Option<u32>>,
    /// Whose bytes are counted.
    pub(crate) tally: Tally,
    pub(crate) seed: u64,
    /// Virtual time, if the pool is for rehearsals.
    pub(crate) clocks: Option<Clocks>,
}

impl Shared {
    /// Wakes a worker that sleeps because it found no work, the next one after `near` in the order of the placement,
    /// which may take what `near` has, or has come from outside.
    pub(crate) fn wake_one(&self, near: usize) -> bool {
        let suits = |index| self.may_rob(index, near) || !self.inbox.is_empty();
        self.sleepers.claim(near, suits).map(|index| self.unpark(index)).is_some()
    }

    /// Whether thieves stay within their domains.
    pub(crate) fn is_confined(&self) -> bool {
        !self.domains.is_empty()
    }

    /// Whether one worker may take another one's jobs.
    pub(crate) fn may_rob(&self, thief: usize, victim: usize) -> bool {
        !self.is_confined() || self.neighbours.share_domain(thief, victim)
    }

    pub(crate) fn unpark(&self, index: usize) {
        self.workers[index].parker.unpark();
    }

    /// The workers of a node, if there are any.
    pub(crate) fn team(&self, node: u32) -> Option<&Team> {
        self.teams.iter().find(|team| team.node == node)
    }

    /// Sends a job to a node. All its workers are woken: those that wait for something serve, too.
    pub(crate) fn send(&self, team: &Team, job: *const Header) {
        team.inbox.put(job);
        team.workers.iter().for_each(|&index| self.unpark(index));
    }

    /// Sends a job to the first worker that looks.
    pub(crate) fn inject(&self, job: *const Header) {
        self.inbox.put(job);
        if let Some(index) = self.sleepers.claim(0, |_| true) {
            self.unpark(index);
        }
    }
}

/// What is called when work from outside begins and ends; see [`Builder::on_install`].
pub(crate) type Observer = Box<dyn Fn(Install<'_>) + Send + Sync>;

/// An edge of [`Pool::install`], on the thread that called it.
#[derive(Debug, Clone, Copy)]
pub enum Install<'a> {
    /// Work is about to be handed to the workers.
    Begin,
    /// It is done; this is what the workers did meanwhile.
    End(&'a Usage),
}

/// A pool of workers. Dropping it ends them.
///
/// ```
/// let pool = knee_runtime::Pool::builder().workers(2).build()?;
/// let (a, b) = pool.install(|| knee_runtime::join(|| 1, || 2));
/// assert_eq!((a, b), (1, 2));
/// # Ok::<(), knee_runtime::Error>(())
/// ```
pub struct Pool {
    pub(crate) shared: Arc<Shared>,
    pub(crate) threads: Mutex<Vec<thread::JoinHandle<()>>>,
    pub(crate) observer: Option<Observer>,
}

impl Pool {
    /// The builder of a pool.
    #[must_use]
    pub fn builder() -> Builder {
        Builder::default()
    }

    /// A pool of one worker on each of these cpus of this machine.
    ///
    /// # Errors
    /// [`Error`] when a worker cannot start or cannot be pinned.
    pub fn on(machine: &Topology, cpus: &[u32]) -> Result<Self, Error> {
        Self::builder().machine(machine).cpus(cpus).build()
    }

    /// How many workers there are.
    #[must_use]
    pub fn workers(&self) -> usize {
        self.shared.workers.len()
    }

    /// The nodes that have workers.
    #[must_use]
    pub fn nodes(&self) -> Vec<u32> {
        self.shared.teams.iter().map(|team| team.node).collect()
    }

    /// Distances between the workers.
    #[must_use]
    pub fn neighbours(&self) -> &Neighbours {
        &self.shared.neighbours
    }

    /// What each worker has done so far. Times are 0 unless the pool was built with [`Builder::account`].
    #[must_use]
    pub fn usage_of_workers(&self) -> Vec<Usage> {
        self.shared.workers.iter().map(|worker| worker.account.read()).collect()
    }

    /// What all workers together have done so far.
    #[must_use]
    pub fn usage(&self) -> Usage {
        self.usage_of_workers().iter().fold(Usage::default(), |sum, one| sum.plus(one))
    }
}

/// The worker that a thread is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CurrentWorker {
    /// Its number in its pool, from 0.
    pub index: usize,
    /// The NUMA node of its cpus, if they have one.
    pub node: Option<u32>,
}

/// The worker that calls this; none on other threads.
#[must_use]
pub fn current_worker() -> Option<CurrentWorker> {
    Worker::current().map(|worker| CurrentWorker { index: worker.index, node: worker.node() })
}

impl std::fmt::Debug for Pool {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("Pool").field("workers", &self.workers()).field("nodes", &self.nodes()).finish_non_exhaustive()
    }
}

impl Drop for Pool {
    /// Ends the workers and waits for them; a worker that drops its own pool does not wait for itself.
    fn drop(&mut self) {
        // Relaxed: nothing is running, since a sender borrows the pool until its work is done; and the wakes order it
        // before the last looks of the sleepers.
        self.shared.ending.store(true, Ordering::Relaxed);
        (0..self.workers()).for_each(|index| self.shared.unpark(index));
        self.shared.clocks.iter().for_each(Clocks::close);
        let own = Worker::current().is_some_and(|worker| std::ptr::eq(worker.pool(), &raw const *self.shared));
        for thread in self.threads.lock().expect("no holder panics").drain(..) {
            if !own {
                // A worker catches what its jobs throw; if it panics all the same, the thread has said so.
                let _ = thread.join();
            }
        }
    }
}
