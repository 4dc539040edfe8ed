//! The threads of a workload and their cpus. Who schedules them is the workload's own choice.

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

    /// Puts the calling thread, which is worker `index`, on its cpus. Who schedules by threads of its own calls this on
    /// each of them before they work.
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
