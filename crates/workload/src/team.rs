//! The threads a workload runs on, and the cpus they stand on. Who schedules them is the workload's own choice.

use std::sync::{Arc, Mutex};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Count, Counter, Error, Publisher};

/// How threads are tied to cpus.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Bind {
    /// Thread i to the i-th cpu, and nowhere else.
    Each,
    /// All threads to the set of cpus; the kernel moves them inside it.
    Set,
}

/// How many workers there are to be, and where each of them stands.
#[derive(Debug, Clone)]
pub struct Team {
    threads: usize,
    cpus: Vec<u32>,
    bind: Bind,
    publisher: Option<Publisher>,
}

impl Team {
    /// A team of `threads` workers. With [`Bind::Each`] worker i stands on `cpus[i]`; with no cpus the kernel decides.
    #[must_use]
    pub fn new(threads: usize, cpus: &[u32], bind: Bind) -> Self {
        Self { threads, cpus: cpus.to_vec(), bind, publisher: None }
    }

    /// The same team, whose running counters are published so.
    #[must_use]
    pub fn publishing(self, publisher: Publisher) -> Self {
        Self { publisher: Some(publisher), ..self }
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

    /// How workers are tied to them.
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

    /// Starts a rayon pool of these workers, each in its place.
    ///
    /// # Errors
    /// When a worker cannot start or cannot be put on its cpu.
    pub fn rayon(&self) -> Result<rayon::ThreadPool, Error> {
        let failed = Arc::new(Mutex::new(None));
        let (team, report) = (self.clone(), failed.clone());
        let take_place = move |worker: usize| {
            let own = team.cpus_of(worker);
            if own.is_empty() {
                return;
            }
            if let Err(error) = knee_machine::sys::pin(own) {
                *report.lock().expect("no holder panics") =
                    Some(format!("cannot pin worker {worker}: cpus {own:?}: {error}"));
            }
        };
        let threads = self.threads;
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .thread_name(|worker| format!("worker {worker}"))
            .start_handler(take_place)
            .build()
            .map_err(|error| Error::new(format!("cannot start {threads} workers: {error}")))?;
        pool.broadcast(|_| ());
        let failure = failed.lock().expect("no holder panics").take();
        failure.map_or(Ok(pool), |message| Err(Error::new(message)))
    }
}
