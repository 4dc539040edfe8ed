//! What is seen of a tree.

use std::collections::BTreeMap;
use std::io;
use std::time::Instant;

use knee_machine::CpuSet;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::asleep::FutexWaits;
use crate::goroutines::Goroutines;
use crate::mapped::Mapped;
use crate::states::{OffCpu, StateCounts};
use crate::switches::SwitchSums;

/// What one thread did, according to samples.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ThreadUse {
    /// Its id.
    pub tid: i32,
    /// The process it belongs to.
    pub pid: i32,
    /// Cpu it was seen on last.
    pub cpu: u32,
    /// Cpus it was allowed to run on when it was last looked for; absent when it ended before.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub affinity: Option<CpuSet>,
    /// When that was.
    #[serde(skip)]
    pub looked: Option<Instant>,
    /// Its name when it was last looked for.
    #[serde(skip_serializing_if = "String::is_empty", default)]
    pub name: String,
    /// Whether that is the name of a helper of its runtime: it collects garbage, compiles or keeps time.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub helper: bool,
    /// CPU time until it was seen last.
    pub cpu_ns: u64,
    /// Time it was ready and waited for a cpu; absent where the kernel keeps no schedstat.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub run_delay_ns: Option<u64>,
    /// Time on no cpu, by what it did meanwhile.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub off_ns: Option<OffCpu>,
    /// What records of context switches say of it; absent where there are none of the whole run.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub switches: Option<SwitchSums>,
    /// In how many samples it was seen in each state.
    pub states: StateCounts,
    /// Times it was seen on another cpu than in the sample before.
    pub migrations: u32,
    /// When it was first and last seen, since the launch.
    pub first_seen_ns: u64,
    /// See `first_seen_ns`.
    pub last_seen_ns: u64,
}

/// How the sampling itself went.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Sampling {
    /// Period asked for.
    pub period_ms: u64,
    /// Samples taken.
    pub count: u64,
    /// CPU time spent taking them.
    pub cost_ns: u64,
    /// In how many samples no thread computed or waited for a cpu, in how many one did, two did, and so on.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub ready: Vec<u32>,
    /// The same without helpers of runtimes.
    #[serde(skip)]
    pub own_ready: Vec<u32>,
    /// Largest number of threads alive at once but not sampled, because the limit of sampled threads, or of open
    /// files, was reached.
    #[serde(skip_serializing_if = "is_zero", default)]
    pub left_out: u64,
    /// How many threads it samples at once, at most.
    #[serde(skip)]
    pub most: usize,
    /// Whether the limit of open files allowed fewer.
    #[serde(skip)]
    pub out_of_files: bool,
    /// Threads that were sampled and are not in the record, which tells only of the 2048 with the most CPU time.
    #[serde(skip_serializing_if = "is_zero", default)]
    pub untold: u64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_zero(number: &u64) -> bool {
    *number == 0
}

impl Sampling {
    /// Counts a sample in which so many threads were ready, and so many of the program's own.
    pub(super) fn note_ready(&mut self, threads: usize, own: usize) {
        for (counts, threads) in [(&mut self.ready, threads), (&mut self.own_ready, own)] {
            if counts.len() <= threads {
                counts.resize(threads + 1, 0);
            }
            counts[threads] += 1;
        }
    }
}

/// What was seen of a tree.
#[derive(Debug)]
pub struct Watched {
    /// What each thread did.
    pub threads: Vec<ThreadUse>,
    /// How the sampling went.
    pub sampling: Sampling,
    /// Pages of the whole tree by node at the census that found most, in base pages, shared ones counted once; none
    /// when there was no census.
    pub pages: Option<BTreeMap<u32, u64>>,
    /// Programs and libraries; none where no process could be read.
    pub mapped: Option<Mapped>,
    /// What sleeping threads waited for; none where no sample was taken.
    pub futex: Option<FutexWaits>,
    /// What the goroutines of a Go program did; none of other programs.
    pub goroutines: Option<Goroutines>,
    /// Whether the series could be written.
    pub written: io::Result<()>,
}
