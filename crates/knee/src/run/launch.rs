//! One launch: place, start, watch, end, account.

use std::io;
use std::os::fd::BorrowedFd;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::ExitStatus;
use std::time::{Duration, Instant};

use knee_machine::{CpuSet, sys};
use knee_meter::{Baseline, clock};

use super::capture::Echo;
use super::counting::Counting;
use super::hooks::{self, HookError};
use super::running::Running;
use super::signals::Signals;
use super::tree;
use crate::record::{CheckResult, Exit, Output, Record, Resources};
use crate::run_spec::{Program, RunSpec, SCHEMA};

/// Where the program's standard streams go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Streams {
    /// Into the record; standard input is empty.
    Captured,
    /// To ours.
    Inherited,
    /// Ours too, but standard output goes to standard error.
    ToStandardError,
    /// Into the record and to ours, standard output to this one; standard input is ours.
    Shown(Echo),
}

/// How to launch.
pub(crate) struct Launch<'a> {
    /// Where the streams go.
    pub(crate) streams: Streams,
    /// Folder for the samples.
    pub(crate) samples: Option<&'a Path>,
    /// When this closes, whoever asked for the run is gone.
    pub(crate) lifeline: Option<BorrowedFd<'a>>,
    /// Signals that ask us to stop.
    pub(crate) signals: &'a Signals,
}

/// What became of a launch.
pub(crate) enum Outcome {
    /// It ran, well or badly.
    Ran(Box<Record>),
    /// It could not start.
    Refused(Box<Record>, io::ErrorKind),
    /// We were told to stop; everything was ended and there is no record.
    Abandoned,
}

/// Makes one run. The calling process must have no other children.
pub(crate) fn launch(spec: &RunSpec, how: &Launch<'_>) -> Outcome {
    tree::adopt_orphans();
    let allowed = sys::affinity();
    let mut record = blank(spec);
    if let Err(error) = check_place(spec, &allowed) {
        record.exit.error = Some(error.to_string());
        return Outcome::Refused(Box::new(record), io::ErrorKind::Other);
    }
    if let Err(error) = hooks::before(spec, how) {
        return refused(record, error);
    }
    measure(spec, how, &allowed, record)
}

fn refused(mut record: Record, error: HookError) -> Outcome {
    match error {
        HookError::Abandoned => Outcome::Abandoned,
        HookError::Failed(reason, kind) => {
            record.exit = Exit { error: Some(reason), ..Exit::default() };
            Outcome::Refused(Box::new(record), kind)
        }
    }
}

fn measure(spec: &RunSpec, how: &Launch<'_>, allowed: &CpuSet, mut record: Record) -> Outcome {
    let (cpus, at_once) = cpus_of(spec, allowed);
    let clock_ns = clock_on(&cpus, allowed);
    hooks::compare_facts(spec, clock_ns, &mut record);
    let baseline = Baseline::take(cpus.clone(), clock_ns);
    let usage = sys::children_usage();
    // Before the time begins: opening counters is none of the program's.
    let counting = Counting::open(&spec.counters, spec.events.as_deref());
    let begin = Instant::now();
    let mut running = match Running::start(spec, how.streams, begin, counting) {
        Ok(running) => running,
        Err(error) => {
            tree::end_all();
            pin_back(allowed);
            // Its cpus may have gone since they were checked, while it was prepared.
            if let Err(error) = check_place(spec, &sys::affinity()) {
                record.exit.error = Some(error.to_string());
                return Outcome::Refused(Box::new(record), io::ErrorKind::Other);
            }
            record.exit.error = Some(format!("cannot run {}: {error}", described(&spec.program)));
            return Outcome::Refused(Box::new(record), error.kind());
        }
    };
    if let Some(cpu) = spec.sampler_cpu {
        // Only now, or the program would inherit it. A cpu that went away since the plan costs the sampler its place, not
        // the study its run.
        let _ = sys::pin(&[cpu]);
    }
    let Some(end) = running.watch(spec, how) else {
        tree::end_all();
        return Outcome::Abandoned;
    };
    let left = tree::end_all();
    let used = difference(sys::children_usage(), usage);
    running.drain_rest(&left);
    pin_back(allowed);
    hooks::compare_cpus(&cpus, &mut record);
    record.wall_ns = nanoseconds(end.wall);
    record.user_ns = nanoseconds(used.user);
    record.system_ns = nanoseconds(used.system);
    record.rusage = Resources::new(used, end.max_rss_bytes.max(left.max_rss_bytes));
    record.exit = exit(end.status, running.timed_out.then_some(spec.timeout_s).flatten());
    record.exit.was_stopped = running.was_stopped;
    record.exit.left_behind = Some(left.living).filter(|&n| n > 0);
    record.exit.not_ended = left.not_ended;
    record.validity = Some(baseline.compare(end.wall, used.user + used.system, at_once, clock_on(&cpus, allowed)));
    running.finish(spec, how.samples, &mut record);
    match hooks::after(spec, how) {
        Ok(()) => Outcome::Ran(Box::new(record)),
        Err(HookError::Abandoned) => Outcome::Abandoned,
        Err(HookError::Failed(reason, _)) => {
            // What was measured is kept; that it may have left something behind is a failed check.
            let before = record.check.take().and_then(|check| check.reason);
            let reason = before.map_or(reason.clone(), |before| format!("{before}; {reason}"));
            record.check = Some(CheckResult { ok: false, reason: Some(reason) });
            Outcome::Ran(Box::new(record))
        }
    }
}

fn check_place(spec: &RunSpec, allowed: &CpuSet) -> io::Result<()> {
    let asked: CpuSet = spec.cpus.iter().copied().collect();
    let refused = asked.difference(allowed);
    if !refused.is_empty() {
        return Err(io::Error::other(format!("cpus not allowed: {refused}: this process may use {allowed}")));
    }
    let Some(memory) = &spec.memory else { return Ok(()) };
    // The kernel drops nodes in silence as long as one of them is there.
    let may = sys::memory_nodes().unwrap_or_else(|| memory.nodes.clone());
    let missing = memory.nodes.difference(&may);
    if !missing.is_empty() {
        let reason = format!("memory policy refused: {memory}: no node {missing}: this process may use nodes {may}");
        return Err(io::Error::other(reason));
    }
    sys::try_memory_policy(memory)
        .map_err(|error| io::Error::other(format!("memory policy refused: {memory}: {error}")))
}

/// The cpus the run may use, and how many of them at once.
fn cpus_of(spec: &RunSpec, allowed: &CpuSet) -> (CpuSet, usize) {
    let cpus = if spec.cpus.is_empty() { allowed.clone() } else { spec.cpus.iter().copied().collect() };
    let at_once = spec.threads.min(cpus.len());
    (cpus, at_once)
}

/// The clock proxy on the first cpu of the run.
fn clock_on(cpus: &CpuSet, allowed: &CpuSet) -> f64 {
    let pinned = cpus.first().is_some_and(|cpu| sys::pin(&[cpu]).is_ok());
    let nanoseconds = clock::nanoseconds_per_link();
    if pinned {
        pin_back(allowed);
    }
    nanoseconds
}

fn pin_back(allowed: &CpuSet) {
    let _ = sys::pin(&allowed.iter().collect::<Vec<_>>());
}

fn described(program: &Program) -> &str {
    match program {
        Program::Command { command, .. } => command.first().map_or("nothing", String::as_str),
        Program::Workload { workload, .. } => workload,
    }
}

/// A record in which nothing has happened yet.
pub(crate) fn blank(spec: &RunSpec) -> Record {
    Record {
        schema: SCHEMA,
        id: spec.id.clone(),
        block: spec.block,
        launch: 1,
        start: jiff::Timestamp::now().strftime("%Y-%m-%dT%H:%M:%S%.3fZ").to_string(),
        wall_ns: 0,
        user_ns: 0,
        system_ns: 0,
        phases: Vec::new(),
        region_faults: Vec::new(),
        exit: Exit::default(),
        metric: None,
        check: None,
        rusage: Resources::default(),
        counters: super::outcome::counters_unknown(spec),
        pages: super::outcome::pages_unknown(&spec.program),
        pinning: None,
        changed: Vec::new(),
        observed_threads: Vec::new(),
        sampling: None,
        validity: None,
        samples: None,
        samples_lost: None,
        unseen: None,
        facts: std::collections::BTreeMap::new(),
        output: Output::default(),
        simulated: false,
    }
}

fn exit(status: Option<ExitStatus>, timeout_s: Option<f64>) -> Exit {
    match status {
        Some(status) if timeout_s.is_none() => Exit { code: status.code(), signal: status.signal(), ..Exit::default() },
        _ => Exit { timeout_s, ..Exit::default() },
    }
}

fn difference(now: sys::Usage, then: sys::Usage) -> sys::Usage {
    sys::Usage {
        user: now.user.saturating_sub(then.user),
        system: now.system.saturating_sub(then.system),
        minor_faults: now.minor_faults - then.minor_faults,
        major_faults: now.major_faults - then.major_faults,
        voluntary_switches: now.voluntary_switches - then.voluntary_switches,
        involuntary_switches: now.involuntary_switches - then.involuntary_switches,
    }
}

fn nanoseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}
