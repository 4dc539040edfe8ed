//! The run spec: describes one run, one JSON line each. Its JSON Schema is generated from here.

mod beside;

use std::collections::BTreeMap;
use std::path::PathBuf;

use knee_machine::MemoryPolicy;
use knee_meter::perf::Request;
use knee_workload::{Bind, MOST_THREADS};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::error::Failure;

pub(crate) use self::beside::{Beside, BesideWorkload};

/// Version of run spec and record.
pub(crate) const SCHEMA: u32 = 1;
/// Bytes of the longest text that names a test.
const LONGEST_TEST: usize = 200;

/// One run to make.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RunSpec {
    /// Version of this form.
    pub(crate) schema: u32,
    /// Names the run inside its study.
    pub(crate) id: String,
    /// Purpose of the run; absent for a run of the design itself.
    #[serde(default, skip_serializing_if = "Role::is_measure")]
    pub(crate) role: Role,
    /// Level of every factor, for the analysis; the run itself does not use it.
    #[serde(default)]
    pub(crate) cell: BTreeMap<String, Level>,
    /// Block the run belongs to.
    #[serde(default)]
    pub(crate) block: u32,
    /// Block of the design that this run's block repeats, because other programs disturbed it. Once all runs of this one
    /// are made, those of the other are excluded from results.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) repeats: Option<u32>,
    /// What runs.
    pub(crate) program: Program,
    /// Number of threads to use.
    pub(crate) threads: usize,
    /// Cpus it may use, in placement order; empty leaves the choice to the kernel.
    #[serde(default)]
    pub(crate) cpus: Vec<u32>,
    /// How threads are pinned; absent for the default: threads of a workload each to a cpu of its own if there are
    /// enough, those of a command to the whole set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) bind: Option<Bind>,
    /// Threads of a command that stay unpinned with `bind` each: their numbers in order of appearance, the program's
    /// main thread being 0.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) skip: Vec<usize>,
    /// Memory policy; absent for the inherited one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) memory: Option<MemoryPolicy>,
    /// Counters to read, by name: events of the kernel and of the hardware, raw ones, and quantities of the machine
    /// like memory traffic or energy (`knee run --help` lists them).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) counters: Vec<String>,
    /// File with the events of this part, instead of knee's own table.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) events: Option<PathBuf>,
    /// Period of the sampler; absent or 0 for none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) sample_ms: Option<u64>,
    /// Cpu the sampler stays on; absent leaves it to the kernel.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) sampler_cpu: Option<u32>,
    /// Period at which pages are counted by node; absent or 0 for never.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) census_ms: Option<u64>,
    /// Runs of the program before the measured one, not measured.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub(crate) warmup: u32,
    /// Shell command before each run, warm-ups too; `{threads}` and `{cpus}` are replaced.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) prepare: Option<String>,
    /// Shell command after each run, warm-ups too; `{threads}` and `{cpus}` are replaced.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) conclude: Option<String>,
    /// State of the page cache at the start; absent leaves it as it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) cache: Option<PageCache>,
    /// Facts that must not have changed since the study was planned, by name; a change marks the run. `clock_ns` is the
    /// clock proxy, which may change by a tenth.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) hold: BTreeMap<String, String>,
    /// Time limit in seconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) timeout_s: Option<f64>,
    /// What is measured; absent for the wall time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) metric: Option<Metric>,
    /// A check of the output.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) check: Option<OutputCheck>,
    /// Question of the explanation that this run serves; the run itself does not use it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) test: Option<String>,
    /// Programs that run beside the measured one: from before it starts until after it has ended.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) beside: Vec<Beside>,
    /// Whether to record context switches, which costs time: 0.5 µs each, and several µs for each new thread.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) switches: bool,
    /// Whether to sample where the program computes, a thousand times in each second of a thread's CPU time.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) hotspots: bool,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands a reference")]
fn is_zero(number: &u32) -> bool {
    *number == 0
}

/// A level of a factor.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub(crate) enum Level {
    /// A number.
    Number(serde_json::Number),
    /// A word.
    Text(String),
}

/// Purpose of a run. All but `measure` are controls: runs outside the design, which explain it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Role {
    /// A run of the design: the study measures its time.
    #[default]
    Measure,
    /// The best serial version of the same work.
    Baseline,
    /// As many copies of the one-thread program as the run has threads: how much the machine slows independent threads
    /// down.
    Copies,
    /// A run of the design repeated with counters that would disturb the timed run.
    Counting,
    /// All threads on one cpu: their cost when none runs in parallel.
    OneCpu,
    /// More threads on the same cpus: whether smaller pieces of work help.
    MoreThreads,
    /// One setting of the program's runtime changed, to test a cause.
    Intervention,
    /// The run while every other cpu computes in registers: how much the clock drops.
    BusyCores,
    /// The run beside another program.
    CoRunner,
    /// The run with threads or pages elsewhere on the machine.
    Placement,
    /// The run with a remedy that should move its knee.
    Remedy,
    /// The run with a profiler on it.
    Profile,
}

impl Role {
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands a reference")]
    fn is_measure(&self) -> bool {
        *self == Self::Measure
    }
}

/// State of the page cache when a run starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema, clap::ValueEnum)]
#[serde(rename_all = "lowercase")]
pub(crate) enum PageCache {
    /// Drop clean pages (`/proc/sys/vm/drop_caches`), so files come from the disk.
    Cold,
    /// Make at least one warm-up run right before.
    Warm,
}

/// What runs: a built-in workload in a fresh process, or any command.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub(crate) enum Program {
    /// A built-in workload.
    Workload {
        /// Its name.
        workload: String,
        /// Its arguments.
        #[serde(default)]
        args: BTreeMap<String, String>,
        /// Arguments that are factors of the study; they override `args`.
        #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
        params: BTreeMap<String, String>,
        /// Variables to set; `{threads}` and `{cpus}` are replaced.
        #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
        env: BTreeMap<String, String>,
        /// Folder it runs in; absent for the current one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        directory: Option<String>,
    },
    /// Any program.
    Command {
        /// Program and arguments; `{threads}` and `{cpus}` are replaced.
        command: Vec<String>,
        /// Variables to set; `{threads}` and `{cpus}` are replaced.
        #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
        env: BTreeMap<String, String>,
        /// Its runtime, for which knee sets variables.
        #[serde(default, rename = "for", skip_serializing_if = "Option::is_none")]
        runtime: Option<String>,
        /// Folder it runs in; absent for the current one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        directory: Option<String>,
    },
}

impl Program {
    /// The default of how threads are pinned: those of a workload each to a cpu, those of a command to the set, since
    /// knee does not know which of them work.
    pub(crate) fn usual_bind(&self) -> Bind {
        match self {
            Self::Workload { .. } => Bind::Each,
            Self::Command { .. } => Bind::Set,
        }
    }

    /// Variables to set.
    pub(crate) fn env(&self) -> &BTreeMap<String, String> {
        match self {
            Self::Workload { env, .. } | Self::Command { env, .. } => env,
        }
    }
}

/// What is measured.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub(crate) enum Metric {
    /// Wall time of a phase of a built-in workload, or of a region that a command marks, in seconds.
    Phase {
        /// The phase's name.
        phase: String,
    },
    /// A number that the program prints: the first group of a regular expression.
    Printed {
        /// Searched in standard output, then in standard error.
        regex: String,
        /// Unit of the number.
        unit: String,
    },
}

/// What the output must look like.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct OutputCheck {
    /// A regular expression that must match the standard output; `^` and `$` match at lines.
    pub(crate) stdout: String,
}

impl RunSpec {
    /// Reads and checks one line.
    pub(crate) fn read(line: &str) -> Result<Self, Failure> {
        let bad = |reason: String| Failure::new(format!("bad run spec: {reason}"));
        let value: Value = serde_json::from_str(line).map_err(|error| bad(format!("not JSON: {error}")))?;
        let schema = value.get("schema").and_then(Value::as_u64);
        if schema != Some(SCHEMA.into()) {
            let found = schema.map_or("none".into(), |number| number.to_string());
            let hint = "plan the study again with this version of knee, or run it with the version that planned it";
            return Err(bad(format!("schema {found}: this version of knee reads schema {SCHEMA}")).hint(hint));
        }
        let spec: Self = serde_json::from_value(value).map_err(|error| bad(error.to_string()))?;
        spec.checked()
    }

    pub(crate) fn checked(self) -> Result<Self, Failure> {
        let bad = |reason: String| Failure::new(format!("bad run spec: run {}: {reason}", self.id));
        if self.threads == 0 {
            return Err(bad("0 threads requested; at least 1 is needed".into()));
        }
        if self.threads > MOST_THREADS {
            return Err(bad(format!("{} threads requested; at most {MOST_THREADS} are possible", self.threads)));
        }
        if self.id.is_empty() || !self.id.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.')) {
            return Err(
                bad("an id may only contain letters, digits, '-', '_' and '.', because it names a file".into()),
            );
        }
        if matches!(&self.program, Program::Command { command, .. } if command.is_empty()) {
            return Err(bad("the command is empty".into()));
        }
        let mut names = self.program.env().keys();
        if let Some(name) = names.find(|name| name.is_empty() || name.contains(['=', '\0'])) {
            return Err(bad(format!("{name:?} is not a variable name; it must not be empty or contain = or NUL")));
        }
        if self.timeout_s.is_some_and(|seconds| !(seconds > 0.0 && seconds < 1e9)) {
            return Err(bad("the time limit must be a positive number of seconds".into()));
        }
        if self.test.as_ref().is_some_and(|test| test.is_empty() || test.len() > LONGEST_TEST) {
            return Err(bad(format!("test must have between 1 and {LONGEST_TEST} bytes")));
        }
        self.beside.iter().try_for_each(|beside| beside.check().map_err(bad))?;
        for name in &self.counters {
            Request::parse(name).map_err(|reason| bad(format!("counter {reason}")))?;
        }
        for pattern in self.patterns() {
            regex::Regex::new(pattern).map_err(|error| bad(error.to_string()))?;
        }
        Ok(self)
    }

    fn patterns(&self) -> impl Iterator<Item = &str> {
        let printed = match &self.metric {
            Some(Metric::Printed { regex, .. }) => Some(regex.as_str()),
            _ => None,
        };
        printed.into_iter().chain(self.check.as_ref().map(|check| check.stdout.as_str()))
    }

    /// How its threads are pinned.
    pub(crate) fn bind(&self) -> Bind {
        let usual = || if self.threads <= self.cpus.len() { self.program.usual_bind() } else { Bind::Set };
        self.bind.unwrap_or_else(usual)
    }

    /// Replaces the placeholders for the thread count and the cpus.
    pub(crate) fn fill_in(&self, word: &str) -> String {
        let cpus: Vec<_> = self.cpus.iter().map(ToString::to_string).collect();
        word.replace("{threads}", &self.threads.to_string()).replace("{cpus}", &cpus.join(","))
    }
}
