//! The measured process of a built-in workload: `knee` itself in a fresh process, with its task in one argument. It
//! reports through a pipe of its own, so that standard output has the answer and nothing else.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::os::fd::{AsRawFd, BorrowedFd, OwnedFd, RawFd};
use std::process::{Command, ExitCode};
use std::time::Duration;

use knee_machine::clock::nanoseconds;
use knee_meter::perf::{Lent, read_lent};
use knee_workload::{Args, Bind, Check, Phase, Phases, Publish, Readings, Team};
use rustix::io::{FdFlags, fcntl_setfd};
use rustix::pipe::{PipeFlags, pipe_with};
use serde::{Deserialize, Serialize};

use super::runtimes;
use crate::error::{Failure, print_out, status};
use crate::measures;
use crate::record::{CheckResult, Pages};
use crate::registry;
use crate::run_spec::{Program, Role, RunSpec};
use crate::this;
use crate::verb::Native;

/// Options of `knee child`.
#[derive(Debug, clap::Args)]
pub(crate) struct Child {
    #[arg(long)]
    report: Option<i32>,
    task: String,
}

impl Native for Child {
    fn run(self) -> Result<ExitCode, Failure> {
        act(&self)
    }
}

/// The child's task.
#[derive(Debug, Serialize, Deserialize)]
struct Task {
    workload: String,
    args: BTreeMap<String, String>,
    threads: usize,
    cpus: Vec<u32>,
    bind: Bind,
    /// The launch on the kernel's monotonic clock: phases and samples count from there.
    launch_ns: u64,
    /// Descriptors of counters to read where phases begin and end.
    counters: Vec<RawFd>,
}

/// The child's report.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct Report {
    pub(crate) phases: Vec<Phase>,
    /// What those counters had counted at the begin and the end of each phase.
    pub(crate) readings: Vec<[Readings; 2]>,
    pub(crate) facts: BTreeMap<String, String>,
    pages: Option<BTreeMap<u32, u64>>,
    pub(crate) check: Option<CheckResult>,
    /// Whether its output is a measurement, which no other run repeats.
    pub(crate) measured: bool,
}

/// A pipe for the report; the writing end survives exec.
pub(crate) fn report_pipe() -> io::Result<(OwnedFd, OwnedFd)> {
    let (read, write) = pipe_with(PipeFlags::CLOEXEC)?;
    fcntl_setfd(&write, FdFlags::empty())?;
    Ok((read, write))
}

/// The command that runs the run spec's workload, launched at this moment of the monotonic clock.
pub(crate) fn command(
    spec: &RunSpec,
    launch: Duration,
    report: Option<BorrowedFd<'_>>,
    lent: &Lent,
) -> io::Result<Command> {
    let Program::Workload { workload, args, params, .. } = &spec.program else {
        return Err(io::Error::other("the program is not a workload"));
    };
    let args = args.iter().chain(params).map(|(name, value)| (name.clone(), value.clone())).collect();
    let copied = spec.role == Role::Copies;
    // Copies have one thread each, which may move among the cpus of all.
    let (threads, bind) = if copied { (1, Bind::Set) } else { (spec.threads, spec.bind()) };
    let (workload, cpus, launch_ns) = (workload.clone(), spec.cpus.clone(), nanoseconds(launch));
    // What copies count is of all of them, so it has no phases.
    let counters = if copied { Vec::new() } else { lent.files() };
    let task = serde_json::to_string(&Task { workload, args, threads, cpus, bind, launch_ns, counters })?;
    let program = this::program()?;
    let report = report.map(|fd| format!("--report={}", fd.as_raw_fd()));
    let mut command = Command::new(&program);
    if copied {
        let number = spec.threads.to_string();
        command.args(["copies", &number]).args(report).arg("--").arg(program).args(["child", &task]);
    } else {
        command.arg("child").args(report).arg(task);
    }
    Ok(command)
}

/// Checks that the run spec's workload exists and takes its arguments, or that its command's runtime is known.
pub(crate) fn validate(spec: &RunSpec) -> Result<(), Failure> {
    if let Program::Command { runtime: Some(runtime), .. } = &spec.program {
        runtimes::find(runtime)?;
    }
    if let Program::Workload { workload, args, params, .. } = &spec.program {
        let given = args.iter().chain(params).map(|(name, value)| (name.clone(), value.clone())).collect();
        Args::complete(registry::find(workload)?.params(), &given)?;
    }
    // A user's own table may have any name; the record says which of them had no value.
    if spec.events.is_none() {
        spec.counters.iter().try_for_each(|name| measures::recognize(name))?;
    }
    Ok(())
}

/// Makes the run and reports.
fn act(args: &Child) -> Result<ExitCode, Failure> {
    let task: Task = serde_json::from_str(&args.task).map_err(|error| Failure::new(format!("bad task: {error}")))?;
    let (answer, report) = perform(&task)?;
    print_out(&format!("{answer}\n"))?;
    if let Some(fd) = args.report {
        let text = serde_json::to_vec(&report).map_err(Failure::new)?;
        let sent = std::fs::OpenOptions::new().write(true).open(format!("/proc/self/fd/{fd}"));
        sent.and_then(|mut pipe| pipe.write_all(&text))
            .map_err(|error| Failure::new(format!("cannot report: {error}")))?;
    }
    Ok(match report.check {
        Some(CheckResult { ok: false, .. }) => ExitCode::from(status::GATE),
        _ => ExitCode::SUCCESS,
    })
}

/// A running counter in the file of regions.
struct Published(knee_region::Counter);

impl Publish for Published {
    fn add(&self, more: u64) {
        self.0.add(more);
    }
}

/// Where a workload publishes a running counter; none without sampling.
fn publisher(name: &'static str) -> Option<&'static dyn Publish> {
    let counter = knee_region::listening().then(|| Published(knee_region::Counter::new(name)))?;
    Some(Box::leak(Box::new(counter)))
}

fn perform(task: &Task) -> Result<(String, Report), Failure> {
    let workload = registry::find(&task.workload)?;
    let args = Args::complete(workload.params(), &task.args)?;
    let team = Team::new(task.threads, &task.cpus, task.bind).fitting()?.publishing(publisher);
    let mut phases = Phases::launched_at(Duration::from_nanos(task.launch_ns));
    if !task.counters.is_empty() {
        let counters = task.counters.clone();
        phases = phases.reading(move || read_lent(&counters));
    }
    let mut run = workload.prepare(&args, &team, &mut phases)?;
    let answer = run.run(&mut phases);
    run.failure().map_or(Ok(()), Err)?;
    let pages = knee_meter::pages_by_node("self");
    let check = match run.check(&answer) {
        Check::Right => Some(CheckResult { ok: true, reason: None }),
        Check::Wrong(expected) => {
            Some(CheckResult { ok: false, reason: Some(format!("wrong answer {answer}; expected {expected}")) })
        }
        Check::Unknown => None,
    };
    let facts = run.facts().into_iter().collect();
    let readings = phases.take_readings();
    let measured = workload.measures();
    Ok((answer, Report { phases: phases.done(), readings, facts, pages, check, measured }))
}

/// Reads a child's report; none if it ended before writing one.
pub(crate) fn read_report(text: &str) -> Option<Report> {
    serde_json::from_str(text).ok()
}

impl Report {
    /// Its phases, with what lent counters counted in each.
    pub(crate) fn counted(&mut self, lent: &Lent) {
        for (phase, [first, last]) in self.phases.iter_mut().zip(&self.readings) {
            let counted = lent.between(first, last);
            for (name, value) in counted {
                phase.counters.entry(name).or_insert(value);
            }
        }
    }

    /// Pages by node, or why they are not known.
    pub(crate) fn pages(&self) -> Pages {
        let unavailable = || "/proc/self/numa_maps cannot be read: a kernel without NUMA support".into();
        self.pages.clone().map_or_else(|| Pages::Unavailable { unavailable: unavailable() }, Pages::known)
    }
}
