//! Judges a finished run: its metric, its checks, and what could not be read.

use std::collections::BTreeMap;

use knee_meter::perf::Counter;
use knee_workload::Phase;
use regex::RegexBuilder;

use crate::record::{CheckResult, MetricValue, Pages};
use crate::run_spec::{Metric, OutputCheck, Program, RunSpec};

/// The value of the requested metric. `said` is standard output and standard error, as far as captured.
pub(super) fn metric(metric: &Metric, phases: &[Phase], said: [&str; 2]) -> MetricValue {
    match metric {
        Metric::Phase { phase } => phase_metric(phase, phases),
        Metric::Printed { regex, unit } => printed_metric(regex, unit, said),
    }
}

/// Whether the standard output passes the check.
pub(super) fn output(check: &OutputCheck, stdout: &str) -> CheckResult {
    let ok = pattern(&check.stdout).is_match(stdout);
    CheckResult { ok, reason: (!ok).then(|| format!("standard output does not match {}", check.stdout)) }
}

/// Two checks as one, with the reasons of both.
pub(super) fn both(one: CheckResult, other: CheckResult) -> CheckResult {
    let reasons: Vec<String> = [one.reason, other.reason].into_iter().flatten().collect();
    CheckResult { ok: one.ok && other.ok, reason: (!reasons.is_empty()).then(|| reasons.join("; ")) }
}

/// Patterns were compiled once when the run spec was read.
fn pattern(text: &str) -> regex::Regex {
    RegexBuilder::new(text).multi_line(true).build().expect("a run spec's patterns are checked when it is read")
}

fn phase_metric(phase: &str, phases: &[Phase]) -> MetricValue {
    let wall: Vec<u64> = phases.iter().filter(|p| p.name == phase).map(|p| p.wall_ns).collect();
    let name = phase.to_owned();
    if wall.is_empty() {
        return MetricValue::Unavailable { name, unavailable: "the program reported no such phase".into() };
    }
    MetricValue::Known { name, value: wall.iter().sum::<u64>() as f64 / 1e9, unit: "s".into() }
}

fn printed_metric(regex: &str, unit: &str, streams: [&str; 2]) -> MetricValue {
    let (pattern, name) = (pattern(regex), regex.to_owned());
    let Some(found) = streams.into_iter().find_map(|text| pattern.captures(text)) else {
        return MetricValue::Unavailable { name, unavailable: "nothing in the output matches".into() };
    };
    let text = found.get(1).unwrap_or_else(|| found.get_match()).as_str();
    match text.trim().parse::<f64>().ok().filter(|number| number.is_finite()) {
        Some(value) => MetricValue::Known { name, value, unit: unit.to_owned() },
        None => MetricValue::Unavailable { name, unavailable: format!("{text:?} is not a number") },
    }
}

/// The counters' reason until the program has run.
pub(super) fn counters_unknown(spec: &RunSpec) -> BTreeMap<String, Counter> {
    spec.counters.iter().map(|name| (name.clone(), Counter::unavailable("the program did not run"))).collect()
}

/// The pages' reason until they have been read.
pub(super) fn pages_unknown(program: &Program) -> Pages {
    let reason = match program {
        Program::Workload { .. } => "the workload ended before it reported them",
        Program::Command { .. } => {
            "pages were not counted: one node only, or the program ended before the first count (see --census-ms)"
        }
    };
    Pages::Unavailable { unavailable: reason.into() }
}
