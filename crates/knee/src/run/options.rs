//! The options of `knee run`.

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
pub(crate) struct Run {
    /// Threads the program uses; {threads} in its words and variables becomes this
    #[arg(long, short = 'n')]
    pub(super) threads: Option<usize>,
    /// Where the threads go; see `knee place`
    #[arg(long, short, default_value = "none")]
    pub(super) placement: String,
    /// How threads are tied: each to its cpu, or all to the set of cpus
    #[arg(long, value_parser = bind)]
    pub(super) bind: Option<Bind>,
    /// Threads that get no place of their own with --bind each: 0 is the main
    /// thread, 1 the first one it starts; or a mask like 0x3 over started threads
    #[arg(long, value_name = "LIST", value_parser = skip)]
    pub(super) skip: Option<Skipped>,
    /// Where pages go: local, bind:NODES, interleave:NODES,
    /// weighted-interleave:NODES, preferred:NODE
    #[arg(long, short)]
    pub(super) memory: Option<String>,
    #[arg(long = "for", value_name = "RUNTIME", help = runtimes::help())]
    pub(super) runtime: Option<String>,
    /// Shell command before everything else; what it leaves running is ended
    #[arg(long, value_name = "COMMAND")]
    pub(super) setup: Option<String>,
    /// Shell command before each run, warm-ups too; what it leaves running is
    /// ended
    #[arg(long, value_name = "COMMAND")]
    pub(super) prepare: Option<String>,
    /// Shell command after each run, warm-ups too
    #[arg(long, value_name = "COMMAND")]
    pub(super) conclude: Option<String>,
    /// Shell command after everything else, whatever happened
    #[arg(long, value_name = "COMMAND")]
    pub(super) cleanup: Option<String>,
    /// Runs before the measured one, not measured
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(super) warmup: u32,
    /// Page cache at the start: cold drops it (needs root), warm runs once before
    #[arg(long, value_enum)]
    pub(super) cache: Option<PageCache>,
    /// Set a variable of the program, as NAME=VALUE
    #[arg(long, value_name = "NAME=VALUE")]
    pub(super) env: Vec<String>,
    /// Stop the program, and all it started, after this many seconds
    #[arg(long, value_name = "SECONDS")]
    pub(super) timeout: Option<f64>,
    /// A regular expression that must match the standard output
    #[arg(long, value_name = "REGEX")]
    pub(super) check: Option<String>,
    /// Sample threads this often; 0 for never
    #[arg(long, value_name = "MS", default_value_t = 10)]
    pub(super) sample_ms: u64,
    /// Count pages by node this often; 0 for never. By default once a second on
    /// machines with several nodes
    #[arg(long, value_name = "MS")]
    pub(super) census_ms: Option<u64>,
    /// Count these, names with commas; see below for the names
    #[arg(long, value_name = "LIST")]
    pub(super) counters: Option<String>,
    /// Read the events of this part from a file; docs/reference/events.md has its form
    #[arg(long, value_name = "FILE", requires = "counters")]
    pub(super) events: Option<PathBuf>,
    /// Keep the samples in this folder
    #[arg(long, value_name = "FOLDER")]
    pub(super) samples: Option<PathBuf>,
    /// Print a batch script that makes this run on a node of its own
    #[arg(long)]
    pub(super) slurm: bool,
    /// Read one run spec per line, write one record per line
    #[arg(long, conflicts_with_all = ["threads", "placement", "bind", "skip", "runtime", "setup", "prepare", "conclude", "cleanup", "warmup", "cache", "slurm", "sample_ms", "census_ms", "counters", "events", "memory", "env", "timeout", "check", "json", "words"])]
    pub(super) stdin: bool,
    /// Print the record on standard output; the program's own output goes to standard error
    #[arg(long)]
    pub(super) json: bool,
    /// A built-in workload and its arguments (see `knee workloads`); after --, a program and its arguments
    #[arg(value_name = "WORKLOAD", trailing_var_arg = true)]
    pub(super) words: Vec<String>,
}

impl Run {
    /// Whether the words follow `--`, which makes them a command. clap drops the `--`, so this looks at the raw arguments.
    pub(super) fn is_command(&self) -> bool {
        let raw: Vec<String> = std::env::args().collect();
        let behind = raw.iter().position(|word| word == "--").map(|at| &raw[at + 1..]);
        behind == Some(&self.words)
    }
}

/// The counters that knee knows by name.
fn counters() -> String {
    let whole_tree = Request::names().collect::<Vec<_>>().join(", ");
    let others =
        "cache events as LLC-load-misses, rUUEE, pmu/event=0x..,umask=0x../, and those of docs/reference/events.md";
    let rows = [("of the program", format!("{whole_tree}; {others}")), ("of the machine", GAUGES.join(", "))];
    listed("Counters, as in perf", rows)
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

fn bind(text: &str) -> Result<Bind, String> {
    match text {
        "each" => Ok(Bind::Each),
        "set" => Ok(Bind::Set),
        _ => Err("it is each or set".into()),
    }
}
