//! The options of `knee run`.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::Args;
use knee_meter::GAUGES;
use knee_meter::perf::Request;
use knee_workload::Bind;

use super::program::runtimes;
use crate::listing::listed;
use crate::run_spec::PageCache;

/// Options of `knee run`.
#[derive(Debug, Args)]
#[command(
    override_usage = "knee run [OPTIONS] -- COMMAND...\n       knee run [OPTIONS] WORKLOAD [ARGUMENTS]\n       knee \
                            run --stdin [--samples FOLDER] < plan.jsonl > records.jsonl",
    after_help = counters()
)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of the command line")]
pub(crate) struct Run {
    /// Number of threads, which also replaces {threads} in arguments and variables
    /// [default: one per cpu of the placement; without one, all allowed cpus]
    #[arg(long, short = 'n', value_name = "N", value_parser = threads, help_heading = "Placement")]
    pub(super) threads: Option<usize>,
    /// Where the threads go; see `knee place`
    #[arg(long, short, default_value = "none", help_heading = "Placement")]
    pub(super) placement: String,
    /// Pin each thread to its own cpu (each), or all threads to the whole set (set)
    /// [default: each for workloads, set for commands]
    #[arg(long, value_parser = bind, help_heading = "Placement")]
    pub(super) bind: Option<Bind>,
    /// Threads to leave unpinned with --bind each: 0 is the main thread, 1 the first
    /// one it starts; or a mask like 0x3 of the started threads [default: none]
    #[arg(long, value_name = "LIST", value_parser = skip, help_heading = "Placement")]
    pub(super) skip: Option<Skipped>,
    /// Memory policy: local, bind:NODES, interleave:NODES,
    /// weighted-interleave:NODES, preferred:NODE [default: the inherited policy]
    #[arg(long, short, help_heading = "Placement")]
    pub(super) memory: Option<String>,
    #[arg(long = "for", value_name = "RUNTIME", help = runtimes::help(), help_heading = "Program")]
    pub(super) runtime: Option<String>,
    /// Shell command to run first; processes it leaves running are terminated
    #[arg(long, value_name = "COMMAND", help_heading = "Program")]
    pub(super) setup: Option<String>,
    /// Shell command to run before each run, warm-ups included; processes it leaves
    /// running are terminated
    #[arg(long, value_name = "COMMAND", help_heading = "Program")]
    pub(super) prepare: Option<String>,
    /// Shell command to run after each run, warm-ups included
    #[arg(long, value_name = "COMMAND", help_heading = "Program")]
    pub(super) conclude: Option<String>,
    /// Shell command to run last, even after an error
    #[arg(long, value_name = "COMMAND", help_heading = "Program")]
    pub(super) cleanup: Option<String>,
    /// Number of unmeasured runs before the measured one
    #[arg(long, value_name = "N", default_value_t = 0, help_heading = "Program")]
    pub(super) warmup: u32,
    /// Page cache before the run: cold drops it (needs root), warm fills it with one
    /// unmeasured run [default: left as it is]
    #[arg(long, value_enum, help_heading = "Program")]
    pub(super) cache: Option<PageCache>,
    /// Set an environment variable for the program
    #[arg(long, value_name = "NAME=VALUE", help_heading = "Program")]
    pub(super) env: Vec<String>,
    /// Stop the program and all its processes after this many seconds
    /// [default: no limit]
    #[arg(long, value_name = "SECONDS", value_parser = seconds, help_heading = "Program")]
    pub(super) timeout: Option<f64>,
    /// Regular expression that the standard output must match
    #[arg(long, value_name = "REGEX", help_heading = "Program")]
    pub(super) check: Option<String>,
    /// Interval between samples of threads; 0 turns sampling off
    #[arg(long, value_name = "MS", default_value_t = 10, help_heading = "Measuring")]
    pub(super) sample_ms: u64,
    /// Record context switches: what threads did off the cpus, exactly. Slows down programs that switch often or start
    /// thousands of threads
    #[arg(long, help_heading = "Measuring")]
    pub(super) switches: bool,
    /// Sample where the program computes, a thousand times in each second of a thread's CPU time
    #[arg(long, help_heading = "Measuring")]
    pub(super) hotspots: bool,
    /// Interval between counts of pages by node; 0 turns them off
    /// [default: 1000 on machines with several nodes, otherwise 0]
    #[arg(long, value_name = "MS", help_heading = "Measuring")]
    pub(super) census_ms: Option<u64>,
    /// Counters to read, separated by commas; their names are listed below
    #[arg(long, value_name = "LIST", help_heading = "Measuring")]
    pub(super) counters: Option<String>,
    /// Read event definitions for this cpu model from a file; the format is in
    /// docs/reference/events.md
    #[arg(long, value_name = "FILE", requires = "counters", help_heading = "Measuring")]
    pub(super) events: Option<PathBuf>,
    /// Write the samples to this folder
    #[arg(long, value_name = "FOLDER", help_heading = "Output")]
    pub(super) samples: Option<PathBuf>,
    /// Print a Slurm batch script that makes this run on an exclusive node
    #[arg(long, help_heading = "Output")]
    pub(super) slurm: bool,
    /// Read run specs from standard input and print records, one JSON object per line
    #[arg(long, conflicts_with_all = ["threads", "placement", "bind", "skip", "runtime", "setup", "prepare", "conclude", "cleanup", "warmup", "cache", "slurm", "sample_ms", "switches", "hotspots", "census_ms", "counters", "events", "memory", "env", "timeout", "check", "json", "words"], help_heading = "Output")]
    pub(super) stdin: bool,
    /// Process id of knee's Python process, the parent of this one; it is continued when a program stops it
    #[arg(long, value_name = "PID", requires = "stdin", hide = true)]
    pub(super) parent: Option<i32>,
    /// Print the record as JSON; the program's own output goes to standard error
    #[arg(long, help_heading = "Output")]
    pub(super) json: bool,
    /// A built-in workload and its arguments (see `knee workloads`); put a program after --
    #[arg(value_name = "WORKLOAD", trailing_var_arg = true)]
    pub(super) words: Vec<String>,
}

impl Run {
    /// Whether the words follow `--`, which makes them a command. clap drops the `--`, so this checks the raw
    /// arguments.
    pub(super) fn is_command(&self) -> bool {
        let mut raw = std::env::args_os().skip_while(|word| word != "--");
        raw.next().is_some() && raw.eq(self.words.iter().map(OsString::from))
    }
}

/// The counters that knee knows by name.
fn counters() -> String {
    let whole_tree = Request::names().collect::<Vec<_>>().join(", ");
    let others = "cache events such as LLC-load-misses, rUUEE, pmu/event=0x..,umask=0x../, and the measures in docs/reference/events.md";
    let rows = [("program", format!("{whole_tree}; {others}")), ("whole machine", GAUGES.join(", "))];
    listed("Counters (names as in perf)", rows)
}

/// Numbers of threads in order of appearance.
pub(crate) type Skipped = Vec<usize>;

/// A list of numbers, or likwid's mask of up to 64 bits: bit 0 is the first thread that the program starts.
pub(crate) fn skip(text: &str) -> Result<Skipped, String> {
    const NEITHER: &str = "neither a list like 0,2-3 nor a mask like 0x3";
    if let Some(digits) = text.strip_prefix("0x") {
        let mask = u64::from_str_radix(digits, 16).map_err(|_| NEITHER)?;
        return Ok((0..64).filter(|bit| mask >> bit & 1 == 1).map(|bit| bit + 1).collect());
    }
    let list = knee_machine::cpuset::parse_ordered(text).map_err(|_| NEITHER)?;
    Ok(list.into_iter().map(|number| number as usize).collect())
}

fn threads(text: &str) -> Result<usize, String> {
    text.parse().map_err(|_| "expected a whole number; `knee study` takes several thread counts".into())
}

fn seconds(text: &str) -> Result<f64, String> {
    let seconds = text.parse().ok().filter(|seconds: &f64| *seconds > 0.0 && *seconds < 1e9);
    seconds.ok_or_else(|| "expected a number of seconds above 0 and below 1e9".into())
}

fn bind(text: &str) -> Result<Bind, String> {
    match text {
        "each" => Ok(Bind::Each),
        "set" => Ok(Bind::Set),
        _ => Err("expected each or set".into()),
    }
}
