//! Assembles a record from its parts.

use std::collections::BTreeMap;
use std::time::Duration;

use knee_machine::clock::nanoseconds;
use knee_meter::{Observed, Pressure, Throttling, Validity};

use super::super::program::child::Report;
use super::super::running::{Samples, Seen, Threads};
use super::judge;
use crate::record::{BesideUse, Changed, CheckResult, Exit, Record, Resources};
use crate::run_spec::{Program, RunSpec, SCHEMA};

/// The parts of a run's record, empty by default.
#[derive(Default)]
pub(super) struct Parts {
    pub(super) exit: Exit,
    pub(super) changed: Vec<Changed>,
    /// How many cpus the run could use.
    pub(super) cpus: usize,
    pub(super) times: Times,
    pub(super) rusage: Resources,
    pub(super) validity: Option<Validity>,
    pub(super) around: Option<Around>,
    /// None when the program did not run.
    pub(super) seen: Option<Seen>,
    /// The failure of the hook after the run, if it failed.
    pub(super) concluded: Option<CheckResult>,
}

/// What was around a run.
pub(super) struct Around {
    pub(super) cgroup: Throttling,
    pub(super) psi: Pressure,
    pub(super) beside: Vec<BesideUse>,
}

/// Times of a run.
#[derive(Default)]
#[expect(clippy::struct_field_names, reason = "names end in their unit")]
pub(super) struct Times {
    wall_ns: u64,
    user_ns: u64,
    system_ns: u64,
}

impl Times {
    pub(super) fn new(wall: Duration, user: Duration, system: Duration) -> Self {
        let [wall_ns, user_ns, system_ns] = [wall, user, system].map(nanoseconds);
        Self { wall_ns, user_ns, system_ns }
    }
}

/// The time now as records write it.
pub(crate) fn now() -> String {
    jiff::Timestamp::now().strftime("%Y-%m-%dT%H:%M:%S%.3fZ").to_string()
}

/// The record of a run whose program did not run, or is unknown, with the reason.
pub(crate) fn never_ran(spec: &RunSpec, start: String, changed: Vec<Changed>, reason: String) -> Record {
    let exit = Exit { error: Some(reason), ..Exit::default() };
    Parts { exit, changed, ..Parts::default() }.record(spec, start)
}

impl Parts {
    /// Puts the record together.
    pub(super) fn record(self, spec: &RunSpec, start: String) -> Record {
        let Self { exit, changed, cpus, times, rusage, validity, around, seen, concluded } = self;
        let (cgroup, psi, beside) =
            around.map_or_else(Default::default, |around| (Some(around.cgroup), Some(around.psi), around.beside));
        let ran = seen.is_some();
        let Seen {
            counters,
            threads,
            pages,
            mapped,
            samples,
            switches,
            hotspots,
            marked,
            report,
            stdout,
            stderr,
            output,
        } = seen.unwrap_or_default();
        let said = [stdout.as_deref().unwrap_or_default(), stderr.as_deref().unwrap_or_default()];
        let reported_pages = report.as_ref().map(Report::pages);
        let (phases, facts, answer) = match report {
            Some(report) => (report.phases, report.facts, report.check),
            None => (marked.phases, BTreeMap::new(), None),
        };
        let printed = spec.check.as_ref().zip(stdout.as_ref()).map(|(check, text)| judge::output(check, text));
        let Threads { observed, pinning, unseen } = threads;
        let Samples { sampling, futex, goroutines, file, lost } = samples;
        let computing = sampling.as_ref().filter(|_| matches!(spec.program, Program::Command { .. }));
        let cpu_ns = times.user_ns + times.system_ns;
        let computing = computing.map(|sampling| Observed { threads: &observed, ready: &sampling.ready, cpu_ns });
        Record {
            schema: SCHEMA,
            id: spec.id.clone(),
            block: spec.block,
            launch: 1,
            start,
            wall_ns: times.wall_ns,
            user_ns: times.user_ns,
            system_ns: times.system_ns,
            metric: spec.metric.as_ref().filter(|_| ran).map(|metric| judge::metric(metric, &phases, said)),
            phases,
            region_faults: marked.faults,
            exit,
            check: [answer, printed, concluded].into_iter().flatten().reduce(judge::both),
            rusage,
            counters: if ran { counters } else { judge::counters_unknown(spec) },
            pages: reported_pages.or(pages).unwrap_or_else(|| judge::pages_unknown(&spec.program)),
            mapped,
            bind: spec.bind(),
            pinning,
            changed,
            computing_threads: computing.and_then(|seen| seen.computing(spec.threads, cpus)),
            observed_threads: observed,
            unseen,
            sampling,
            futex,
            goroutines,
            switches,
            hotspots,
            cgroup,
            psi,
            beside,
            validity,
            samples: file,
            samples_lost: lost,
            facts,
            output,
            simulated: false,
        }
    }
}
