//! Phases: named stretches of a run, measured on the serial side where they begin and end.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use rustix::time::{ClockId, clock_gettime};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One phase as it goes into the record.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Phase {
    /// Its name.
    pub name: String,
    /// Time from begin to end. Of a region: the largest that any thread has spent in it, all calls together.
    pub wall_ns: u64,
    /// CPU time of the whole process in between. Of a region that several threads of a process mark: the CPU time of
    /// those threads in it.
    pub cpu_ns: u64,
    /// When a region was entered first by any thread, since the launch; absent for a phase of a workload.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub begin_ns: Option<u64>,
    /// When a region was left last by any thread.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub end_ns: Option<u64>,
    /// What the workload or its scheduler counted in between, by name. Of a region: `calls`, `threads` that made them, and
    /// the wall and CPU time that these threads spent in it together.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub counters: BTreeMap<String, u64>,
}

/// The phases of one run, in order.
#[derive(Debug, Default)]
pub struct Phases(Vec<Phase>);

impl Phases {
    /// Measures `work` as the phase `name`.
    pub fn measure<T>(&mut self, name: &str, work: impl FnOnce() -> T) -> T {
        let (begin, cpu) = (Instant::now(), process_cpu());
        let result = work();
        let (wall_ns, cpu_ns) = (nanoseconds(begin.elapsed()), nanoseconds(process_cpu().saturating_sub(cpu)));
        let (name, counters) = (name.to_owned(), BTreeMap::new());
        self.0.push(Phase { name, wall_ns, cpu_ns, begin_ns: None, end_ns: None, counters });
        result
    }

    /// Puts a number that was counted into the phase that ended last.
    pub fn count(&mut self, name: &str, value: u64) {
        if let Some(phase) = self.0.last_mut() {
            *phase.counters.entry(name.to_owned()).or_default() += value;
        }
    }

    /// What was measured.
    #[must_use]
    pub fn done(self) -> Vec<Phase> {
        self.0
    }
}

fn process_cpu() -> Duration {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    Duration::new(u64::try_from(time.tv_sec).unwrap_or(0), u32::try_from(time.tv_nsec).unwrap_or(0))
}

fn nanoseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}
