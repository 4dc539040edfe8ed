//! Hooks: held facts, warm-ups, preparation and the page cache, before and after a measured run.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;
use std::time::Instant;

use knee_machine::{CpuSet, Fact, facts, sys};

use super::counting::Counting;
use super::launch::{Launch, Streams};
use super::running::Running;
use super::tree;
use crate::error::{Failure, say};
use crate::record::{Changed, Record};
use crate::run_spec::{Cache, Program, RunSpec};

/// The clock proxy may differ by this much from when the study was planned: less is noise of a shared machine.
const CLOCK_TOLERANCE: f64 = 0.1;

/// Why a run was not made.
pub(super) enum HookError {
    /// A step before it failed: why.
    Failed(String, io::ErrorKind),
    /// We were told to stop.
    Abandoned,
}

/// Everything before the measured run, in hyperfine's order: each warm-up prepared as the run itself is.
pub(super) fn before(spec: &RunSpec, how: &Launch<'_>) -> Result<(), HookError> {
    let warmups = if spec.cache == Some(Cache::Warm) { spec.warmup.max(1) } else { spec.warmup };
    for _ in 0..warmups {
        shell("prepare", spec.prepare.as_deref(), spec, how)?;
        once(spec.clone(), "warm-up", how)?;
        shell("conclude", spec.conclude.as_deref(), spec, how)?;
    }
    shell("prepare", spec.prepare.as_deref(), spec, how)?;
    if spec.cache == Some(Cache::Cold) {
        drop_page_cache().map_err(|error| {
            let reason = format!("cannot drop the page cache: /proc/sys/vm/drop_caches: {error} (it takes root)");
            HookError::Failed(reason, io::ErrorKind::Other)
        })?;
    }
    Ok(())
}

/// The shell command after the run, warm-ups too.
pub(super) fn after(spec: &RunSpec, how: &Launch<'_>) -> Result<(), HookError> {
    shell("conclude", spec.conclude.as_deref(), spec, how)
}

/// Dirty pages cannot be dropped, so they are written first.
fn drop_page_cache() -> io::Result<()> {
    rustix::fs::sync();
    std::fs::write("/proc/sys/vm/drop_caches", "3\n")
}

impl From<HookError> for Failure {
    fn from(error: HookError) -> Self {
        match error {
            HookError::Failed(reason, _) => Self::new(reason),
            HookError::Abandoned => Self::new("stopped"),
        }
    }
}

/// The shell command of a hook, if there is one.
pub(super) fn shell(step: &str, text: Option<&str>, spec: &RunSpec, how: &Launch<'_>) -> Result<(), HookError> {
    let Some(text) = text else { return Ok(()) };
    let (Program::Command { directory, .. } | Program::Workload { directory, .. }) = &spec.program;
    let command = vec!["sh".into(), "-c".into(), spec.fill_in(text)];
    let program = Program::Command { command, env: BTreeMap::new(), runtime: None, directory: directory.clone() };
    // Not in the run's place: preparing may take all that we may use.
    // Nor under its time limit: that is the program's.
    once(RunSpec { program, cpus: Vec::new(), memory: None, timeout_s: None, ..spec.clone() }, step, how)
}

/// Runs something that is not measured, and that has to go well.
fn once(spec: RunSpec, step: &str, how: &Launch<'_>) -> Result<(), HookError> {
    let spec = RunSpec { sample_ms: None, census_ms: Some(0), counters: Vec::new(), ..spec };
    let fail = |reason: String, kind| HookError::Failed(format!("{step} failed: {reason}"), kind);
    let started = Running::start(&spec, Streams::Captured, Instant::now(), Counting::default());
    let mut running = started.map_err(|error| fail(error.to_string(), error.kind()))?;
    let end = running.watch(&spec, how);
    let left = tree::end_all();
    if left.living > 0 {
        say(format_args!("knee: {step} left {} processes behind; they were ended", left.living));
    }
    let Some(end) = end else { return Err(HookError::Abandoned) };
    running.drain_rest(&left);
    if end.status.is_some_and(|status| status.success()) {
        return Ok(());
    }
    let said = running.last_words();
    let how = end.status.filter(|_| !running.timed_out).map_or("its time was up".into(), |status| status.to_string());
    Err(fail(if said.is_empty() { how } else { format!("{how}: {said}") }, io::ErrorKind::Other))
}

/// Whether the run kept its cpus: a hot-plugged machine or a control group may have taken some while it ran.
pub(super) fn compare_cpus(cpus: &CpuSet, record: &mut Record) {
    let lost = cpus.difference(&sys::affinity());
    if !lost.is_empty() {
        let found = cpus.difference(&lost).to_string();
        record.changed.push(Changed { fact: "cpus".into(), held: cpus.to_string(), found });
    }
}

/// Compares held facts with what they are now.
pub(super) fn compare_facts(spec: &RunSpec, clock_ns: f64, record: &mut Record) {
    if spec.hold.is_empty() {
        return;
    }
    let now = facts::read(Path::new("/"));
    for (fact, held) in &spec.hold {
        let found = if fact == "clock_ns" {
            let then = held.parse::<f64>().unwrap_or(clock_ns);
            if (clock_ns / then - 1.0).abs() <= CLOCK_TOLERANCE { held.clone() } else { format!("{clock_ns:.3}") }
        } else {
            match now.get(fact) {
                Some(Fact::Known(text)) => text.clone(),
                Some(Fact::Unavailable { unavailable }) => unavailable.clone(),
                None => "no such fact".into(),
            }
        };
        if found != *held {
            record.changed.push(Changed { fact: fact.clone(), held: held.clone(), found });
        }
    }
}
