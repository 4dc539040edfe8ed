//! The threads of a workload and their cpus. The workload chooses its scheduler.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use knee_machine::room;

use crate::{Count, Counter, Error, Progress, Publisher};

/// Most threads that a run can have. A larger number is taken for a typing mistake.
pub const MOST_THREADS: usize = 1 << 16;

/// How threads are pinned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Bind {
    /// Thread i only to the i-th cpu.
    Each,
    /// All threads to the set of cpus; the kernel moves them inside it.
    Set,
}

/// The number of workers, and the cpus of each.
#[derive(Debug, Clone)]
pub struct Team {
    threads: usize,
    cpus: Vec<u32>,
    bind: Bind,
    publisher: Option<Publisher>,
    progress: Progress,
}

impl Team {
    /// A team of `threads` workers. With [`Bind::Each`] worker i runs on `cpus[i]`; without cpus the kernel decides.
    #[must_use]
    pub fn new(threads: usize, cpus: &[u32], bind: Bind) -> Self {
        Self { threads, cpus: cpus.to_vec(), bind, publisher: None, progress: Progress::default() }
    }

    /// The same team if the system has room for that many threads. Otherwise starting them would fail half-way, which
    /// takes long and may end the process.
    ///
    /// # Errors
    /// When there are too many; the error names the limit.
    pub fn fitting(self) -> Result<Self, Error> {
        let threads = self.threads;
        let most = || format!("at most {MOST_THREADS} are possible");
        match (threads > MOST_THREADS).then(most).or_else(|| room::too_many(threads)) {
            Some(reason) => {
                Err(Error::new(format!("cannot start {threads} threads: {reason}")).hint("use fewer threads: -n 8"))
            }
            None => Ok(self),
        }
    }

    /// The same team with a publisher for its running counters.
    #[must_use]
    pub fn publishing(self, publisher: Publisher) -> Self {
        Self { publisher: Some(publisher), ..self }
    }

    /// The same team with somebody who wants to know how far its run is.
    #[must_use]
    pub fn telling(self, progress: Progress) -> Self {
        Self { progress, ..self }
    }

    /// What to tell about passes over tasks.
    #[must_use]
    pub fn progress(&self) -> Progress {
        self.progress
    }

    /// The running counter of this name, one of [`COUNTS`](crate::COUNTS).
    ///
    /// # Panics
    /// In a build with debug assertions, when the name is not in the list.
    #[must_use]
    pub fn counter(&self, name: &'static str) -> Counter {
        debug_assert!(Count::named(name).is_some(), "{name} is not in the list of counts");
        Counter::new(self.publisher.and_then(|publisher| publisher(name)))
    }

    /// How many workers there are.
    #[must_use]
    pub fn threads(&self) -> usize {
        self.threads
    }

    /// The cpus, in the order of the workers; none where the kernel decides.
    #[must_use]
    pub fn cpus(&self) -> &[u32] {
        &self.cpus
    }

    /// How workers are pinned to them.
    #[must_use]
    pub fn bind(&self) -> Bind {
        self.bind
    }

    /// The cpus of worker `index`; none where the kernel decides.
    #[must_use]
    pub fn cpus_of(&self, index: usize) -> &[u32] {
        match self.bind {
            _ if self.cpus.is_empty() => &[],
            Bind::Each => &self.cpus[index % self.cpus.len()..][..1],
            Bind::Set => &self.cpus,
        }
    }

    /// Pins the calling thread, worker `index`, to its cpus. A workload with its own threads calls this on each of them
    /// before they work.
    ///
    /// # Errors
    /// When the kernel refuses, with the worker and its cpus.
    pub fn pin(&self, index: usize) -> Result<(), Error> {
        let own = self.cpus_of(index);
        if own.is_empty() {
            return Ok(());
        }
        let refused = |error| Error::new(format!("cannot pin worker {index}: cpus {own:?}: {error}"));
        knee_machine::sys::pin(own).map_err(refused)
    }
}
