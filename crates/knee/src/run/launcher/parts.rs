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
    unaccounted_ns: Option<u64>,
}

/// Clock ticks by which samples and the kernel's own accounting may differ.
const TICKS: u32 = 5;
/// The same, as a part of the CPU time.
const PART: u32 = 20;

impl Times {
    /// Those of a run whose threads used so much CPU time, `sampled`, until samples saw them last.
    pub(super) fn new(wall: Duration, user: Duration, system: Duration, sampled: Duration) -> Self {
        let unaccounted_ns = unaccounted(user + system, sampled).map(nanoseconds);
        let [wall_ns, user_ns, system_ns] = [wall, user, system].map(nanoseconds);
        Self { wall_ns, user_ns, system_ns, unaccounted_ns }
    }
}

/// CPU time that samples saw beyond what the kernel told, if that is more than can be rounding.
fn unaccounted(told: Duration, sampled: Duration) -> Option<Duration> {
    let ticks = u32::try_from(rustix::param::clock_ticks_per_second()).unwrap_or(100).max(1);
    let rounding = Duration::from_secs(TICKS.into()) / ticks;
    let more = sampled.saturating_sub(told);
    (more > rounding && more > told / PART).then_some(more)
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
        let computing = computing.map(|sampling| Observed { threads: &observed, ready: &sampling.own_ready, cpu_ns });
        Record {
            schema: SCHEMA,
            id: spec.id.clone(),
            block: spec.block,
            launch: 1,
            start,
            wall_ns: times.wall_ns,
            user_ns: times.user_ns,
            system_ns: times.system_ns,
            unaccounted_cpu_ns: times.unaccounted_ns,
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_that_saw_more_than_rounding_are_told() {
        let millis = Duration::from_millis;
        for (told, sampled, more) in [
            (0, 0, None),
            (1000, 900, None),
            // A few ticks of 10 ms.
            (10, 60, None),
            (10, 61, Some(51)),
            // One in twenty.
            (4000, 4200, None),
            (4000, 4201, Some(201)),
            (0, 8000, Some(8000)),
        ] {
            assert_eq!(unaccounted(millis(told), millis(sampled)), more.map(millis), "{told} {sampled}");
        }
    }
}
