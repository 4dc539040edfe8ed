//! The launcher: makes one run (pin, start, watch, stop, record).

pub(super) mod facts;
pub(super) mod hooks;
mod judge;
mod parts;
mod place;

use std::io;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::time::{Duration, Instant};

use knee_machine::{CpuSet, sys};
use knee_meter::{Baseline, PressureBefore, ThrottlingBefore};

use self::hooks::HookError;
use self::parts::{Around, Parts, Times};
use super::beside::Beside;
use super::running::{Counting, End, Running, SamplesFolder, Streams};
use super::signals::StopRequests;
use super::tree;
use crate::error::Failure;
use crate::record::{Changed, CheckResult, Exit, Record, Resources};
use crate::run_spec::{Program, RunSpec};

pub(super) use self::parts::{never_ran, now};

/// How to launch.
pub(super) struct Launch<'a> {
    /// Where the streams go.
    pub(super) streams: Streams,
    /// Folder for the samples.
    pub(super) samples: Option<SamplesFolder<'a>>,
    /// What can ask us to stop.
    pub(super) stop: StopRequests<'a>,
}

/// The result of a launch.
pub(super) enum Outcome {
    /// It ran, successfully or not.
    Ran(Box<Record>),
    /// It could not start, and perhaps there is something to try.
    Refused(Box<Record>, io::ErrorKind, Option<String>),
    /// A signal asked us to stop; everything was ended and there is no record.
    Abandoned,
}

/// Makes one run. The calling process must have no other children.
pub(super) fn launch(spec: &RunSpec, how: &Launch<'_>) -> Outcome {
    tree::adopt_orphans();
    let start = now();
    let allowed = sys::affinity();
    if let Err(failure) = place::check(spec, &allowed) {
        return misplaced(spec, start, Vec::new(), &failure);
    }
    match hooks::before(spec, &how.stop) {
        Ok(()) => match measure(spec, how, &allowed, start) {
            Outcome::Refused(..) if hooks::conclude_failed(spec, &how.stop).is_err() => Outcome::Abandoned,
            outcome => outcome,
        },
        Err(HookError::Abandoned) => Outcome::Abandoned,
        Err(HookError::Failed(reason, kind)) => refused(spec, start, Vec::new(), reason, kind),
    }
}

fn refused(spec: &RunSpec, start: String, changed: Vec<Changed>, reason: String, kind: io::ErrorKind) -> Outcome {
    Outcome::Refused(Box::new(never_ran(spec, start, changed, reason)), kind, None)
}

fn misplaced(spec: &RunSpec, start: String, changed: Vec<Changed>, failure: &Failure) -> Outcome {
    let hint = failure.hinted().map(ToOwned::to_owned);
    let record = never_ran(spec, start, changed, failure.to_string());
    Outcome::Refused(Box::new(record), io::ErrorKind::Other, hint)
}

fn measure(spec: &RunSpec, how: &Launch<'_>, allowed: &CpuSet, start: String) -> Outcome {
    let (cpus, at_once) = place::cpus_of(spec, allowed);
    let clock_ns = place::clock_on(&cpus, allowed);
    let mut changed = facts::changed(&spec.hold, clock_ns);
    let beside = match Beside::start(&spec.beside) {
        Ok(beside) => beside,
        Err(error) => return refused(spec, start, changed, error.to_string(), error.kind()),
    };
    let clock_beside_ns = (!spec.beside.is_empty()).then(|| place::clock_on(&cpus, allowed));
    let baseline = Baseline::take(cpus.clone(), clock_ns);
    let before = (ThrottlingBefore::take(Path::new("/")), PressureBefore::take(Path::new("/")));
    let usage = sys::children_usage();
    let kills = facts::memory_kills();
    // Before the clock starts: opening counters is not the program's time.
    let mut counting = Counting::open(&spec.counters, spec.events.as_deref());
    if spec.switches {
        counting = counting.and_switches(&cpus);
    }
    if spec.hotspots {
        counting = counting.and_hotspots(&cpus);
    }
    // Already now: the program may stop us as soon as it has begun.
    how.stop.signals.limit(spec.timeout_s.map(|seconds| Instant::now() + Duration::from_secs_f64(seconds)));
    let mut running = match Running::start(spec, how.streams, counting) {
        Ok(running) => running,
        Err(error) => {
            how.stop.signals.limit(None);
            return not_started(spec, allowed, start, changed, &error);
        }
    };
    if how.samples.is_none() {
        running.forget_series();
    }
    if let Some(cpu) = spec.sampler_cpu {
        // Only now, since the program would inherit it. If this cpu has gone since the plan, the sampler is unpinned,
        // and the run is still made.
        let _ = sys::pin(&[cpu]);
    }
    let paused = how.stop.signals.paused();
    let Some(end) = running.watch(spec, &how.stop) else {
        tree::end_all();
        return Outcome::Abandoned;
    };
    // What the program made of a signal is in its exit status, and what follows is done as for any other.
    let asked = how.stop.signals.have_come();
    let left = running.end_rest(&how.stop, asked);
    let cgroup = before.0.since().and_program(running.throttled_program());
    let psi = before.1.since();
    let (beside, others) = beside.end(&cpus, clock_beside_ns);
    let used = difference(sys::children_usage(), usage);
    place::pin_back(allowed);
    changed.extend(facts::lost_cpus(&cpus));
    changed.extend(facts::paused(how.stop.signals.paused().saturating_sub(paused)));
    let clock_ns = place::clock_on(&cpus, allowed);
    // Nobody is told the times of children whose parent ignores their end; samples saw most of them.
    let sampled = running.sampled_cpu();
    let cpu = (used.user + used.system).max(sampled);
    let validity = baseline.known(others).compare(end.wall, cpu, at_once, clock_ns);
    // Last: it waits for whoever reads the output.
    running.drain_rest(&left, how.stop.signals, asked);
    // Nor are those of processes that are still there, as the record says.
    let sampled = if left.not_ended.is_none() { sampled } else { Duration::ZERO };
    let times = Times::new(end.wall, used.user, used.system, sampled);
    let rusage = Resources::new(used, end.max_rss_bytes.max(left.max_rss_bytes));
    let exit = Exit { memory_kills: facts::kills_since(kills), ..exit(&end, &running, left, spec.timeout_s) };
    let seen = Some(running.finish(spec, how.samples, end.wall));
    let concluded = match hooks::after(spec, &how.stop) {
        Ok(()) => None,
        // The measurement is kept; a failed cleanup, which may leave something behind, is a failed check.
        Err(HookError::Failed(reason, _)) => Some(CheckResult { ok: false, reason: Some(reason) }),
        Err(HookError::Abandoned) if how.stop.lifeline.is_none() => {
            Some(CheckResult { ok: false, reason: Some("conclude failed: it was interrupted".into()) })
        }
        Err(HookError::Abandoned) => return Outcome::Abandoned,
    };
    let (cpus, validity, around) = (cpus.len(), Some(validity), Some(Around { cgroup, psi, beside }));
    let parts = Parts { exit, changed, cpus, times, rusage, validity, around, seen, concluded };
    Outcome::Ran(Box::new(parts.record(spec, start)))
}

fn not_started(spec: &RunSpec, allowed: &CpuSet, start: String, changed: Vec<Changed>, error: &io::Error) -> Outcome {
    tree::end_all();
    place::pin_back(allowed);
    // Its cpus may have gone since they were checked, during preparation.
    if let Err(failure) = place::check(spec, &sys::affinity()) {
        return misplaced(spec, start, changed, &failure);
    }
    let reason = format!("cannot run {}: {error}", described(&spec.program));
    refused(spec, start, changed, reason, error.kind())
}

fn described(program: &Program) -> &str {
    match program {
        Program::Command { command, .. } => command.first().map_or("nothing", String::as_str),
        Program::Workload { workload, .. } => workload,
    }
}

fn exit(end: &End, running: &Running, left: tree::Left, timeout_s: Option<f64>) -> Exit {
    let timeout_s = timeout_s.filter(|_| running.timed_out);
    let status = end.status.filter(|_| timeout_s.is_none());
    Exit {
        code: status.and_then(|status| status.code()),
        signal: status.and_then(|status| status.signal()),
        timeout_s,
        error: None,
        memory_kills: None,
        was_stopped: running.was_stopped,
        left_behind: Some(left.living).filter(|&n| n > 0),
        not_ended: left.not_ended,
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
