//! Judges what came out of a run: the metric it was to give, the checks it was to pass, what could not be read.

use std::collections::BTreeMap;

use knee_meter::perf::Counter;
use regex::RegexBuilder;

use crate::record::{CheckResult, MetricValue, Pages, Record};
use crate::run_spec::{Metric, Program, RunSpec};

/// Fills in the metric, and adds the check of the output to what the workload itself found.
pub(crate) fn judge(spec: &RunSpec, stdout: &str, stderr: &str, captured: bool, record: &mut Record) {
    record.metric = spec.metric.as_ref().map(|metric| match metric {
        Metric::Phase { phase } => phase_metric(phase, record),
        Metric::Printed { regex, unit } => printed_metric(regex, unit, [stdout, stderr]),
    });
    let Some(check) = spec.check.as_ref().filter(|_| captured) else { return };
    let found = pattern(&check.stdout).is_match(stdout);
    let wrong = || format!("standard output does not match {}", check.stdout);
    let before = record.check.take().unwrap_or(CheckResult { ok: true, reason: None });
    let reason = before.reason.or_else(|| (!found).then(wrong));
    record.check = Some(CheckResult { ok: before.ok && found, reason });
}

/// Patterns were compiled once when the run spec was read.
fn pattern(text: &str) -> regex::Regex {
    RegexBuilder::new(text).multi_line(true).build().expect("a run spec's patterns are checked when it is read")
}

fn phase_metric(phase: &str, record: &Record) -> MetricValue {
    let wall: Vec<u64> = record.phases.iter().filter(|p| p.name == phase).map(|p| p.wall_ns).collect();
    let name = phase.to_owned();
    if wall.is_empty() {
        return MetricValue::Unavailable { name, unavailable: "the program marked no such phase".into() };
    }
    MetricValue::Known { name, value: wall.iter().sum::<u64>() as f64 / 1e9, unit: "s".into() }
}

fn printed_metric(regex: &str, unit: &str, streams: [&str; 2]) -> MetricValue {
    let (pattern, name) = (pattern(regex), regex.to_owned());
    let Some(found) = streams.into_iter().find_map(|text| pattern.captures(text)) else {
        return MetricValue::Unavailable { name, unavailable: "nothing that was printed matches".into() };
    };
    let text = found.get(1).unwrap_or_else(|| found.get_match()).as_str();
    match text.trim().parse::<f64>().ok().filter(|number| number.is_finite()) {
        Some(value) => MetricValue::Known { name, value, unit: unit.to_owned() },
        None => MetricValue::Unavailable { name, unavailable: format!("{text:?} is not a number") },
    }
}

/// What is said of counters until the program has run.
pub(crate) fn counters_unknown(spec: &RunSpec) -> BTreeMap<String, Counter> {
    spec.counters.iter().map(|name| (name.clone(), Counter::unavailable("the program did not run"))).collect()
}

/// What is said of pages until somebody has read them.
pub(crate) fn pages_unknown(program: &Program) -> Pages {
    let reason = match program {
        Program::Workload { .. } => "the workload did not get as far as to report them",
        Program::Command { .. } => {
            "they were not counted: one node, or the program ended before the first count (--census-ms asks for it)"
        }
    };
    Pages::Unavailable { unavailable: reason.into() }
}
