//! The command line: every verb and option with the words that help shows.

use std::path::PathBuf;

use clap::builder::styling::{AnsiColor, Styles};
use clap::{Args, Parser, Subcommand};
use knee_workload::Bind;

use crate::run_spec::PageCache;

const STYLES: Styles = Styles::styled()
    .header(AnsiColor::Green.on_default().bold())
    .usage(AnsiColor::Green.on_default().bold())
    .literal(AnsiColor::Cyan.on_default());

/// Find the knee of your speedup curve, know why it bends, move it.
#[derive(Debug, Parser)]
#[command(name = "knee", version, styles = STYLES, max_term_width = 80)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) verb: Verb,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Verb {
    /// Show this machine: sockets, nodes, caches, cores, hardware threads
    Machine(Machine),
    /// Show where the threads of a placement go
    Place(Place),
    /// Say what can be measured here, and what would help
    Doctor(Doctor),
    /// Run a program or a workload once, in its place, and measure it
    Run(Box<Run>),
    /// Probe this machine's memory: latency, bandwidth, who is near whom, what pages cost
    Memory(Memory),
    /// Count a small pattern in a graph
    Mine(Mine),
    /// List the built-in workloads and their arguments
    Workloads(Workloads),
    /// Measure a program over thread counts and placements, and say where it bends
    #[command(disable_help_flag = true)]
    Study(Python),
    /// Show the runs that a study would make, without making them
    #[command(disable_help_flag = true)]
    Plan(Python),
    /// Write the report of a study anew
    #[command(disable_help_flag = true)]
    Report(Python),
    /// Say what a response of a study depends on: effects, variation, contrasts
    #[command(disable_help_flag = true)]
    Analyze(Python),
    /// Compare two studies, or two levels of one: a gate with one verdict
    #[command(disable_help_flag = true)]
    Compare(Python),
    /// Try on this machine how often nothing is taken for a difference, and a difference is found
    #[command(disable_help_flag = true)]
    Selftest(Python),
    #[command(hide = true)]
    Launch(Launch),
    #[command(hide = true)]
    Child(Child),
    #[command(hide = true)]
    Copies(Copies),
    #[command(hide = true)]
    Generate(Generate),
}

#[derive(Debug, Args)]
pub(crate) struct Doctor {
    /// Test which cpus share a core, whatever /sys says: about 2 s for 2 cpus, 15 s for 16,
    /// half a minute for 256, up to three times that on a busy machine
    #[arg(long)]
    pub(crate) siblings: bool,
    /// Test whether hardware counters can be had and believed: with work of which the
    /// counts are known
    #[arg(long, conflicts_with = "siblings")]
    pub(crate) counters: bool,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "Probes: latency, bandwidth, loaded, core-to-core, smt, sequential, lockstep,\n\
                  random, allocate, ownership. knee memory PROBE --help says what one can be told.")]
pub(crate) struct Memory {
    /// One probe instead of all
    pub(crate) probe: Option<String>,
    /// What the probe is told
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "--NAME VALUE")]
    pub(crate) words: Vec<String>,
    /// Fewer and smaller measurements: under a minute on two cpus
    #[arg(long)]
    pub(crate) quick: bool,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
    /// Write what was found here; all probes together go to machine-memory.json
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
}

/// Which machine a verb looks at.
#[derive(Debug, Args)]
pub(crate) struct Input {
    /// Read another machine: a folder with its /sys and /proc, hwloc's XML, or a
    /// description like "pack:2 core:4 pu:2"
    #[arg(long, short, value_name = "FOLDER|XML|TEXT")]
    pub(crate) input: Option<String>,
    /// Read /sys and /proc under this folder
    #[arg(long, value_name = "FOLDER", conflicts_with = "input")]
    pub(crate) root: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct Machine {
    #[command(flatten)]
    pub(crate) input: Input,
    /// Add the clock proxy to the facts: nanoseconds of a fixed dependent chain
    #[arg(long, conflicts_with_all = ["input", "root"])]
    pub(crate) clock: bool,
    /// Print hwloc's XML, for lstopo and every tool on hwloc
    #[arg(long, conflicts_with = "json")]
    pub(crate) xml: bool,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Place {
    #[arg(
        help = "PLACES-close or PLACES-spread, where PLACES is threads, cores, ll_caches, numa_domains or sockets; none; \
                  or cpus like 0,2,4-7"
    )]
    pub(crate) placement: String,
    /// How many threads; the whole order without it
    #[arg(long, short = 'n')]
    pub(crate) threads: Option<usize>,
    /// Exactly this many hardware threads of each core that is used
    #[arg(long, value_name = "K")]
    pub(crate) per_core: Option<usize>,
    /// Keep to a part: socket:0, node:1, die:0, core:3, kind:NAME, first-threads
    #[arg(long, value_name = "PART")]
    pub(crate) within: Vec<String>,
    /// Leave the farthest core free, siblings and all
    #[arg(long)]
    pub(crate) leave_one: bool,
    /// Use as few sockets as hold all threads
    #[arg(long)]
    pub(crate) compact: bool,
    /// Print what another tool reads
    #[arg(long, value_enum)]
    pub(crate) format: Option<PlaceFormat>,
    #[command(flatten)]
    pub(crate) input: Input,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
#[command(
    override_usage = "knee run [OPTIONS] -- COMMAND...\n       knee run [OPTIONS] WORKLOAD [ARGUMENTS]\n       knee \
                            run --stdin [--samples FOLDER] < plan.jsonl > records.jsonl"
)]
#[expect(clippy::struct_excessive_bools, reason = "a switch of the command line each")]
pub(crate) struct Run {
    /// Threads the program uses; {threads} in its words and variables becomes this
    #[arg(long, short = 'n')]
    pub(crate) threads: Option<usize>,
    /// Where the threads go; see `knee place`
    #[arg(long, short, default_value = "none")]
    pub(crate) placement: String,
    /// How threads are tied: each to its cpu, or all to the set of cpus
    #[arg(long, value_parser = bind)]
    pub(crate) bind: Option<Bind>,
    /// Threads that get no place of their own with --bind each: 0 is the main
    /// thread, 1 the first one it starts; or a mask like 0x3 over started threads
    #[arg(long, value_name = "LIST", value_parser = skip)]
    pub(crate) skip: Option<Skipped>,
    /// Where pages go: local, bind:NODES, interleave:NODES,
    /// weighted-interleave:NODES, preferred:NODE
    #[arg(long, short)]
    pub(crate) memory: Option<String>,
    /// Tell the program's runtime about threads and cpus: openmp, rayon, go, ghc,
    /// tbb, julia, java, duckdb, polars, blas
    #[arg(long = "for", value_name = "RUNTIME")]
    pub(crate) runtime: Option<String>,
    /// Shell command before everything else; what it leaves running is ended
    #[arg(long, value_name = "COMMAND")]
    pub(crate) setup: Option<String>,
    /// Shell command before each run, warm-ups too; what it leaves running is
    /// ended
    #[arg(long, value_name = "COMMAND")]
    pub(crate) prepare: Option<String>,
    /// Shell command after each run, warm-ups too
    #[arg(long, value_name = "COMMAND")]
    pub(crate) conclude: Option<String>,
    /// Shell command after everything else, whatever happened
    #[arg(long, value_name = "COMMAND")]
    pub(crate) cleanup: Option<String>,
    /// Runs before the measured one, not measured
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) warmup: u32,
    /// Page cache at the start: cold drops it (needs root), warm runs once before
    #[arg(long, value_enum)]
    pub(crate) cache: Option<PageCache>,
    /// Set a variable of the program, as NAME=VALUE
    #[arg(long, value_name = "NAME=VALUE")]
    pub(crate) env: Vec<String>,
    /// Stop the program, and all it started, after this many seconds
    #[arg(long, value_name = "SECONDS")]
    pub(crate) timeout: Option<f64>,
    /// A regular expression that must match the standard output
    #[arg(long, value_name = "REGEX")]
    pub(crate) check: Option<String>,
    /// Sample threads this often; 0 for never
    #[arg(long, value_name = "MS", default_value_t = 10)]
    pub(crate) sample_ms: u64,
    /// Count pages by node this often; 0 for never. By default once a second on
    /// machines with several nodes
    #[arg(long, value_name = "MS")]
    pub(crate) census_ms: Option<u64>,
    #[arg(
        long,
        value_name = "LIST",
        help = "Count these over the whole process tree, as in perf: instructions, cycles, cache-misses, \
                LLC-load-misses, task-clock, page-faults, minor-faults, rUUEE, pmu/event=0x..,umask=0x../ and over \
                the machine: mbm_total_bytes, mbm_local_bytes, llc_occupancy, energy-package, energy-dram, numa_hit"
    )]
    pub(crate) counters: Option<String>,
    /// Read the events of this part from a file; docs/reference/events.md has its form
    #[arg(long, value_name = "FILE", requires = "counters")]
    pub(crate) events: Option<PathBuf>,
    /// Keep the samples in this folder
    #[arg(long, value_name = "FOLDER")]
    pub(crate) samples: Option<PathBuf>,
    /// Print a batch script that makes this run on a node of its own
    #[arg(long)]
    pub(crate) slurm: bool,
    /// Read one run spec per line, write one record per line
    #[arg(long, conflicts_with_all = ["threads", "placement", "bind", "skip", "runtime", "setup", "prepare", "conclude", "cleanup", "warmup", "cache", "slurm", "sample_ms", "census_ms", "counters", "events", "memory", "env", "timeout", "check", "json", "words"])]
    pub(crate) stdin: bool,
    /// Read run specs and say whether they can be run
    #[arg(long, hide = true)]
    pub(crate) validate: bool,
    /// Print the record on standard output; the program's own output goes to standard error
    #[arg(long)]
    pub(crate) json: bool,
    /// A built-in workload and its arguments (see `knee workloads`); after --, a program and its arguments
    #[arg(value_name = "WORKLOAD", trailing_var_arg = true)]
    pub(crate) words: Vec<String>,
}

impl Run {
    /// Whether the words stand behind `--` and so are a program. clap drops the mark, so the raw arguments are asked.
    pub(crate) fn is_command(&self) -> bool {
        let raw: Vec<String> = std::env::args().collect();
        let behind = raw.iter().position(|word| word == "--").map(|at| &raw[at + 1..]);
        behind == Some(&self.words)
    }
}

/// Tools that read placements.
#[derive(Debug, Clone, Copy, clap::ValueEnum)]
pub(crate) enum PlaceFormat {
    List,
    Omp,
    Taskset,
    Numactl,
    Slurm,
}

/// Numbers of threads in order of appearance.
pub(crate) type Skipped = Vec<usize>;

/// A list of numbers, or likwid's mask: bit 0 is the first thread that the program starts.
fn skip(text: &str) -> Result<Skipped, String> {
    if let Some(digits) = text.strip_prefix("0x") {
        let mask = u64::from_str_radix(digits, 16).map_err(|_| "it is no mask of at most 64 bits")?;
        return Ok((0..64).filter(|bit| mask >> bit & 1 == 1).map(|bit| bit + 1).collect());
    }
    let list =
        knee_machine::cpuset::parse_ordered(text).map_err(|_| "it is no list like 0,2-3 and no mask like 0x3")?;
    Ok(list.into_iter().map(|number| number as usize).collect())
}

fn bind(text: &str) -> Result<Bind, String> {
    match text {
        "each" => Ok(Bind::Each),
        "set" => Ok(Bind::Set),
        _ => Err("it is each or set".into()),
    }
}

#[derive(Debug, Args)]
#[command(override_usage = "knee mine count [OPTIONS] GRAPH\n       knee mine edges GRAPH")]
pub(crate) struct Mine {
    /// count: count a pattern; edges: print the graph as a plain edge list
    #[arg(value_parser = ["count", "edges"])]
    pub(crate) action: String,
    #[arg(help = "An edge list (plain, gz, zst) or rmat:SCALE[:EDGE_FACTOR[:SEED]]")]
    pub(crate) graph: String,
    /// triangle, diamond or 4-clique
    #[arg(long, default_value = "diamond")]
    pub(crate) pattern: String,
    /// explore: match vertex by vertex; formula: count in closed form
    #[arg(long, default_value = "explore")]
    pub(crate) plan: String,
    /// Threads; all that this process may use without it
    #[arg(long, short = 'n')]
    pub(crate) threads: Option<usize>,
    /// Where the threads go; see `knee place`
    #[arg(long, short, default_value = "none")]
    pub(crate) placement: String,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Workloads {
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
    /// Read a workload and its arguments as `knee run` would, and print them as a run spec's program
    #[arg(long, num_args = 1.., allow_hyphen_values = true, hide = true)]
    pub(crate) resolve: Vec<String>,
}

/// Whatever follows is for the Python part to read.
#[derive(Debug, Args)]
pub(crate) struct Python {
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    _words: Vec<std::ffi::OsString>,
}

#[derive(Debug, Args)]
pub(crate) struct Launch {
    #[arg(long)]
    pub(crate) samples: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct Child {
    #[arg(long)]
    pub(crate) report: Option<i32>,
    pub(crate) task: String,
}

#[derive(Debug, Args)]
pub(crate) struct Copies {
    pub(crate) number: usize,
    #[arg(last = true)]
    pub(crate) command: Vec<String>,
}

#[derive(Debug, Args)]
pub(crate) struct Generate {
    /// Fail when a file differs instead of writing it
    #[arg(long)]
    pub(crate) check: bool,
    /// The project's folder
    pub(crate) root: PathBuf,
}
