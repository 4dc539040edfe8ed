//! Runtimes of `--for`: the variables that set their number of threads and cpus.
//!
//! Variables are set before the program starts; one that the user sets with `--env` wins, but options are kept
//! beside ours, which come last. Some runtimes read no variable and count the cpus of their affinity mask instead:
//! those need a placement.

use knee_workload::Bind;

use crate::error::Failure;
use crate::run_spec::RunSpec;

/// One runtime.
pub(crate) struct Runtime {
    /// Its name for users.
    pub(crate) name: &'static str,
    /// Variables for the number of threads.
    count: &'static [(&'static str, &'static str)],
    /// Variables for pinning each thread to its cpu, if the runtime can do that itself.
    each: &'static [(&'static str, &'static str)],
    /// Threads that do no work of the program, by order of appearance, main thread 0.
    skip: &'static [usize],
    /// A note for the user.
    pub(crate) note: &'static str,
}

/// The thread that starts a parallel stream computes as well, so the common pool gets one worker fewer. By default it
/// has one worker even on one cpu, so one thread would be two.
const JAVA: &str =
    "-XX:ActiveProcessorCount={threads} -Djava.util.concurrent.ForkJoinPool.common.parallelism={threads-1}";

const JAVA_NOTE: &str = "the thread that starts a parallel stream computes too, so the common pool has one worker fewer; \
                         the launcher's thread only waits and stays unpinned";

/// All of them.
pub(crate) const RUNTIMES: [Runtime; 10] = [
    Runtime {
        name: "openmp",
        count: &[("OMP_NUM_THREADS", "{threads}"), ("OMP_DYNAMIC", "false")],
        each: &[("OMP_PROC_BIND", "true"), ("OMP_PLACES", "{places}")],
        skip: &[],
        note: "with --bind each the runtime pins its threads itself",
    },
    Runtime {
        name: "rayon",
        count: &[("RAYON_NUM_THREADS", "{threads}")],
        each: &[],
        skip: &[0],
        note: "the main thread only waits and stays unpinned",
    },
    Runtime {
        name: "go",
        count: &[("GOMAXPROCS", "{threads}")],
        each: &[],
        skip: &[1],
        note: "the second thread is the monitor and stays unpinned",
    },
    Runtime {
        name: "ghc",
        count: &[("GHCRTS", "-N{threads}")],
        each: &[],
        skip: &[],
        note: "the program must be linked with -threaded -rtsopts",
    },
    Runtime {
        name: "tbb",
        count: &[],
        each: &[],
        skip: &[],
        note: "has no variable; uses as many threads as its mask has cpus, so give a placement",
    },
    Runtime {
        name: "julia",
        count: &[("JULIA_NUM_THREADS", "{threads}")],
        each: &[],
        skip: &[],
        note: "garbage collection may have threads of its own",
    },
    Runtime { name: "java", count: &[("JAVA_TOOL_OPTIONS", JAVA)], each: &[], skip: &[0], note: JAVA_NOTE },
    Runtime {
        name: "duckdb",
        count: &[("SLURM_CPUS_ON_NODE", "{threads}")],
        each: &[],
        skip: &[],
        note: "reads Slurm's variable",
    },
    Runtime {
        name: "polars",
        count: &[("POLARS_MAX_THREADS", "{threads}")],
        each: &[],
        skip: &[0],
        note: "the main thread only waits and stays unpinned",
    },
    Runtime {
        name: "blas",
        count: &[
            ("OPENBLAS_NUM_THREADS", "{threads}"),
            ("MKL_NUM_THREADS", "{threads}"),
            ("BLIS_NUM_THREADS", "{threads}"),
            ("OMP_NUM_THREADS", "{threads}"),
        ],
        each: &[],
        skip: &[],
        note: "OpenBLAS, MKL and BLIS",
    },
];

/// The help of `--for`.
pub(crate) fn help() -> String {
    format!("Set the thread count (and cpus) of the program's runtime: {}", names())
}

fn names() -> String {
    RUNTIMES.iter().map(|runtime| runtime.name).collect::<Vec<_>>().join(", ")
}

/// The runtime of this name.
pub(crate) fn find(name: &str) -> Result<&'static Runtime, Failure> {
    RUNTIMES
        .iter()
        .find(|runtime| runtime.name == name)
        .ok_or_else(|| Failure::new(format!("unknown runtime '{name}'")).hint(format!("runtimes are {}", names())))
}

/// Whether a variable holds options, not a number.
pub(crate) fn holds_options(name: &str) -> bool {
    matches!(name, "GHCRTS" | "JAVA_TOOL_OPTIONS")
}

/// Variables that hold options: those of the study stay, or else the user's, and ours come last.
fn with_others(name: &str, ours: &str, spec: &RunSpec) -> String {
    let asked = spec.program.env().get(name).map(|text| spec.fill_in(text));
    let theirs = asked.or_else(|| std::env::var(name).ok()).filter(|text| holds_options(name) && !text.is_empty());
    theirs.map_or(ours.to_owned(), |theirs| format!("{theirs} {ours}"))
}

impl Runtime {
    /// The variables for this run.
    pub(crate) fn variables(&self, spec: &RunSpec) -> Vec<(&'static str, String)> {
        let pins = spec.bind() == Bind::Each && !spec.cpus.is_empty();
        let each = if pins { self.each } else { &[] };
        let places: Vec<_> = spec.cpus.iter().map(|cpu| format!("{{{cpu}}}")).collect();
        let workers = (spec.threads - 1).to_string();
        let filled = |text: &str| {
            let text = text.replace("{places}", &places.join(",")).replace("{threads-1}", &workers);
            spec.fill_in(&text)
        };
        let set = |(name, value): &(&'static str, &str)| (*name, with_others(name, &filled(value), spec));
        self.count.iter().chain(each).map(set).collect()
    }

    /// The variables with their values, for people.
    pub(crate) fn sets(&self) -> String {
        let each = self.each.iter().map(|(name, value)| format!("`{name}={value}` with `--bind each`"));
        let count = self.count.iter().map(|(name, value)| format!("`{name}={value}`"));
        let all: Vec<_> = count.chain(each).collect();
        if all.is_empty() { "nothing".into() } else { all.join(", ") }
    }

    /// Threads to leave unpinned.
    pub(crate) fn skip(&self) -> &'static [usize] {
        self.skip
    }
}
