//! The threads a workload runs on, each put in its place before the work begins.

use std::sync::Mutex;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Error;

/// How threads are tied to cpus.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Bind {
    /// Thread i to the i-th cpu, and nowhere else.
    Each,
    /// All threads to the set of cpus; the kernel moves them inside it.
    Set,
}

/// A pool of workers. `runtime` says who schedules them; `serial` has no pool at all.
pub struct Team {
    threads: usize,
    pool: rayon::ThreadPool,
}

impl Team {
    /// Starts `threads` workers. With [`Bind::Each`] worker i stands on `cpus[i]`; with no cpus the kernel decides.
    ///
    /// # Errors
    /// When a worker cannot start or cannot be put on its cpu.
    pub fn start(threads: usize, cpus: &[u32], bind: Bind) -> Result<Self, Error> {
        let failed = std::sync::Arc::new(Mutex::new(None));
        let (places, report) = (cpus.to_vec(), failed.clone());
        let take_place = move |worker: usize| {
            let own = match bind {
                _ if places.is_empty() => return,
                Bind::Each => &places[worker % places.len()..][..1],
                Bind::Set => &places[..],
            };
            if let Err(error) = knee_machine::sys::pin(own) {
                *report.lock().expect("no holder panics") =
                    Some(format!("cannot pin worker {worker}: cpus {own:?}: {error}"));
            }
        };
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .thread_name(|worker| format!("worker {worker}"))
            .start_handler(take_place)
            .build()
            .map_err(|error| Error::new(format!("cannot start {threads} workers: {error}")))?;
        pool.broadcast(|_| ());
        let failure = failed.lock().expect("no holder panics").take();
        failure.map_or(Ok(Self { threads, pool }), |message| Err(Error::new(message)))
    }

    /// How many workers there are.
    #[must_use]
    pub fn threads(&self) -> usize {
        self.threads
    }

    /// Runs `work` on the workers; parallel iterators inside it use them and no others.
    pub fn install<T: Send>(&self, work: impl FnOnce() -> T + Send) -> T {
        self.pool.install(work)
    }
}
