//! The record of one run, one JSON line each. Raw numbers only; a missing capability is a fact with its reason, never
//! 0. Its JSON Schema is generated from here.

use std::collections::BTreeMap;

use knee_machine::sys::Usage;
use knee_meter::hotspots::Hotspots;
use knee_meter::perf::Counter;
use knee_meter::switches::Switches;
use knee_meter::{FutexWaits, Goroutines, Mapped, Pressure, Sampling, ThreadUse, Throttling, Validity};
use knee_workload::{Bind, Phase};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::run_spec::BesideWorkload;

/// One run, also a failed one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct Record {
    /// Version of this form.
    pub(crate) schema: u32,
    /// The run spec's id.
    pub(crate) id: String,
    /// The run spec's block.
    pub(crate) block: u32,
    /// Which launch of its runner this was, from 1.
    pub(crate) launch: u64,
    /// When it began, UTC.
    pub(crate) start: String,
    /// From just before the process was made until it ended.
    pub(crate) wall_ns: u64,
    /// CPU time outside the kernel of the whole process tree, but for children whose parent ignores their end.
    pub(crate) user_ns: u64,
    /// CPU time inside the kernel, of the same processes.
    pub(crate) system_ns: u64,
    /// CPU time that samples saw beyond those two, at least: of children whose parent ignores their end (SIGCHLD), of
    /// which the kernel tells nobody. Absent where there is none, or too little to tell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) unaccounted_cpu_ns: Option<u64>,
    /// Phases that the workload marked, or regions that the command marked.
    pub(crate) phases: Vec<Phase>,
    /// Mistakes in the regions that a command marked, or why they could not be recorded.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) region_faults: Vec<String>,
    /// How it ended.
    pub(crate) exit: Exit,
    /// The metric that the run spec asked for; absent when it asked for none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) metric: Option<MetricValue>,
    /// Result of the checks; absent when there were none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) check: Option<CheckResult>,
    /// What the process tree used.
    pub(crate) rusage: Resources,
    /// Counters that the run spec asked for, by the names it asked with; quantities of parts of the machine as
    /// `name@part` too.
    pub(crate) counters: BTreeMap<String, Counter>,
    /// Resident base pages by node: of a built-in workload when the work was done, of a command's whole tree at the
    /// census that found most. Pages that processes of the tree share are counted once: those of a mapping are divided
    /// by the most processes that the kernel says have one of them, and at most by those of the tree.
    pub(crate) pages: Pages,
    /// Programs and shared libraries of the process tree; absent where no sample shows any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) mapped: Option<Mapped>,
    /// How threads were pinned to the cpus of the run spec.
    pub(crate) bind: Bind,
    /// How threads of a command were pinned one by one; absent when they were not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) pinning: Option<Pinning>,
    /// Held facts that had changed, and cpus that the run lost while it ran.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) changed: Vec<Changed>,
    /// What each thread did, according to samples.
    pub(crate) observed_threads: Vec<ThreadUse>,
    /// Why no thread was found to sample or pin.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) unseen: Option<String>,
    /// How the sampling went; absent when there was none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) sampling: Option<Sampling>,
    /// What sleeping threads waited for; absent when no sample was taken.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) futex: Option<FutexWaits>,
    /// What the goroutines of a Go program did; absent of other programs, and when no sample was taken.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) goroutines: Option<Goroutines>,
    /// Context switches of the whole tree, and how they were noticed; absent when they were not asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) switches: Option<Switches>,
    /// Where it computed outside of the kernel; absent when that was not asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) hotspots: Option<Hotspots>,
    /// What CPU quotas of control groups did; absent when it never ran.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) cgroup: Option<Throttling>,
    /// For how long tasks waited for cpus, disks and memory (pressure stall information); absent when it never ran.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) psi: Option<Pressure>,
    /// What the programs did that ran beside it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) beside: Vec<BesideUse>,
    /// How many threads of a command computed: as many as it was asked to use where no sign tells of others; absent where it
    /// cannot be told, and of built-in workloads.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) computing_threads: Option<usize>,
    /// Whether the run can be trusted; absent when it never ran.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) validity: Option<Validity>,
    /// File of the samples; absent when none were kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) samples: Option<String>,
    /// Why samples were lost.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) samples_lost: Option<String>,
    /// Facts that the workload reported about its input.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) facts: BTreeMap<String, String>,
    /// What it printed.
    pub(crate) output: Output,
    /// Whether a simulator wrote this record.
    pub(crate) simulated: bool,
}

/// How a run ended: exactly one of the first four fields is there.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct Exit {
    /// It returned this status.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) code: Option<i32>,
    /// This signal ended it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) signal: Option<i32>,
    /// It was stopped after this many seconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) timeout_s: Option<f64>,
    /// It never ran, or its launcher was lost: why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) error: Option<String>,
    /// Processes that the kernel killed for lack of memory while it ran, in its control group.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) memory_kills: Option<u64>,
    /// It had stopped (SIGSTOP or its like) when its time was up.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) was_stopped: bool,
    /// Processes it had started that were still running a fifth of a second after its end; they were ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) left_behind: Option<usize>,
    /// Processes that could not be ended and are still running, and why; their resources are not counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) not_ended: Option<String>,
}

/// The value of a metric, or why there is none.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub(crate) enum MetricValue {
    /// What was measured.
    Known {
        /// Its name.
        name: String,
        /// The number.
        value: f64,
        /// Its unit.
        unit: String,
    },
    /// Why nothing was measured.
    Unavailable {
        /// Its name.
        name: String,
        /// The reason.
        unavailable: String,
    },
}

/// Result of the checks.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct CheckResult {
    /// Whether all were passed.
    pub(crate) ok: bool,
    /// What was wrong.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) reason: Option<String>,
}

/// Pages by node, or why they are not known.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub(crate) enum Pages {
    /// Node to number of base pages.
    Known(BTreeMap<String, u64>),
    /// Why they are not known.
    Unavailable {
        /// The reason.
        unavailable: String,
    },
}

impl Pages {
    /// Pages that were counted.
    pub(crate) fn known(pages: BTreeMap<u32, u64>) -> Self {
        Self::Known(pages.into_iter().map(|(node, count)| (node.to_string(), count)).collect())
    }
}

/// How the threads of a command were pinned from outside.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct Pinning {
    /// How new threads were noticed.
    pub(crate) mechanism: String,
    /// Threads that were pinned to a cpu.
    pub(crate) pinned: usize,
    /// Threads that were left on the whole set: helpers of the runtime, skipped on request, alone in their process, or
    /// starting others.
    pub(crate) left_on_set: usize,
    /// Threads that ended, or refused, before they could be pinned.
    pub(crate) missed: usize,
    /// Times that a busy thread was moved from a place where another one was busy to a place where none was.
    #[serde(default)]
    pub(crate) moved: usize,
    /// Times that a thread had set itself a wider mask and was pinned again.
    #[serde(default)]
    pub(crate) retied: usize,
    /// Most threads that shared a place at one time.
    pub(crate) most_at_a_place: usize,
    /// CPU time that a thread had used unpinned, since it was no longer alone in its process: the largest of all
    /// threads. Main threads of several are left out, since they are pinned last on purpose.
    pub(crate) late_ns_max: u64,
    /// The same, all threads together.
    pub(crate) late_ns_sum: u64,
    /// CPU time spent on noticing and pinning.
    pub(crate) cost_ns: u64,
}

impl Pinning {
    /// Whether no thread was found at all.
    pub(crate) fn is_empty(&self) -> bool {
        self.pinned + self.left_on_set + self.missed == 0
    }
}

/// What a program did that ran beside the measured one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct BesideUse {
    /// Which one.
    pub(crate) workload: BesideWorkload,
    /// Its cpus, one thread on each.
    pub(crate) cpus: Vec<u32>,
    /// Memory that all its threads together went through, a part each; absent where it touched none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) bytes: Option<u64>,
    /// How long it ran.
    pub(crate) wall_ns: u64,
    /// CPU time of all its threads.
    pub(crate) cpu_ns: u64,
    /// What they did in a second of that wall time, all together: multiplications, or bytes that they read and wrote.
    #[schemars(range(min = 0.0))]
    pub(crate) rate: f64,
    /// Unit of the rate.
    pub(crate) unit: String,
    /// Nanoseconds for a step of a chain of dependent operations on the run's first cpu, after all of them had started
    /// and before the measured program did: what the clock does while other cores compute (`clock_before_ns` is that of
    /// idle ones).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0))]
    pub(crate) clock_ns: Option<f64>,
}

/// A held fact that had changed, or the cpus of a run that lost some.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct Changed {
    /// The fact's name.
    pub(crate) fact: String,
    /// Its value when the study was planned; the cpus that the run was given.
    pub(crate) held: String,
    /// Its value before this run; the cpus that were left.
    pub(crate) found: String,
}

/// What the process tree used, from the kernel's own accounting.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct Resources {
    /// Largest resident set of any one process.
    pub(crate) max_rss_bytes: u64,
    /// Page faults that needed no disk.
    pub(crate) minor_faults: u64,
    /// Page faults that did.
    pub(crate) major_faults: u64,
    /// Times a thread gave up its cpu.
    pub(crate) voluntary_switches: u64,
    /// Times a thread lost its cpu.
    pub(crate) involuntary_switches: u64,
}

impl Resources {
    pub(crate) fn new(usage: Usage, max_rss_bytes: u64) -> Self {
        Self {
            max_rss_bytes,
            minor_faults: usage.minor_faults,
            major_faults: usage.major_faults,
            voluntary_switches: usage.voluntary_switches,
            involuntary_switches: usage.involuntary_switches,
        }
    }
}

/// What a run printed: how much, a fingerprint, and the ends of it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct Output {
    /// Bytes on standard output.
    pub(crate) stdout_bytes: u64,
    /// XXH3 (64 bits) of standard output, to compare runs; absent when it went to the terminal, or is a measurement.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) stdout_xxh3: Option<String>,
    /// The last lines of standard output.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(crate) stdout_tail: String,
    /// The last lines of standard error.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(crate) stderr_tail: String,
}
