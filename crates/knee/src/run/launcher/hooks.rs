//! Hooks: warm-ups, shell commands and the page cache, before and after a measured run.

use std::collections::BTreeMap;
use std::io;

use super::super::running::{Counting, Running, Streams};
use super::super::signals::StopRequests;
use crate::error::{Failure, say};
use crate::run_spec::{PageCache, Program, RunSpec};

/// Why a run was not made.
pub(crate) enum HookError {
    /// A step before it failed: why.
    Failed(String, io::ErrorKind),
    /// A signal asked us to stop.
    Abandoned,
}

/// Everything before the measured run, in hyperfine's order: each warm-up is prepared like the run.
pub(crate) fn before(spec: &RunSpec, stop: &StopRequests<'_>) -> Result<(), HookError> {
    let warmups = if spec.cache == Some(PageCache::Warm) { spec.warmup.max(1) } else { spec.warmup };
    for _ in 0..warmups {
        prepare(spec, stop)
            .and_then(|()| once(spec.clone(), "warm-up", stop))
            .or_else(|failed| give_up(failed, spec, stop))?;
        after(spec, stop)?;
    }
    prepare(spec, stop).and_then(|()| empty_page_cache(spec)).or_else(|failed| give_up(failed, spec, stop))?;
    if stop.signals.have_come() { Err(HookError::Abandoned) } else { Ok(()) }
}

fn prepare(spec: &RunSpec, stop: &StopRequests<'_>) -> Result<(), HookError> {
    shell("prepare", spec.prepare.as_deref(), spec, stop)
}

/// The shell command after the run, warm-ups too.
pub(crate) fn after(spec: &RunSpec, stop: &StopRequests<'_>) -> Result<(), HookError> {
    shell("conclude", spec.conclude.as_deref(), spec, stop)
}

/// Concludes what failed before the run ended, since its preparation may have left something behind.
fn give_up(failed: HookError, spec: &RunSpec, stop: &StopRequests<'_>) -> Result<(), HookError> {
    Err(if matches!(failed, HookError::Failed(..)) {
        conclude_failed(spec, stop).err().unwrap_or(failed)
    } else {
        failed
    })
}

/// The shell command after a run that could not be made. The reason for that is recorded, so another one is only said.
pub(crate) fn conclude_failed(spec: &RunSpec, stop: &StopRequests<'_>) -> Result<(), HookError> {
    match after(spec, stop) {
        Err(HookError::Failed(reason, _)) => {
            say(format_args!("knee: {reason}"));
            Ok(())
        }
        other => other,
    }
}

/// Drops the page cache where the run asks for it. Dirty pages cannot be dropped, so they are written first.
fn empty_page_cache(spec: &RunSpec) -> Result<(), HookError> {
    if spec.cache != Some(PageCache::Cold) {
        return Ok(());
    }
    rustix::fs::sync();
    std::fs::write("/proc/sys/vm/drop_caches", "3\n").map_err(|error| {
        let reason = format!("cannot drop the page cache: /proc/sys/vm/drop_caches: {error} (needs root)");
        HookError::Failed(reason, io::ErrorKind::Other)
    })
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
pub(crate) fn shell(step: &str, text: Option<&str>, spec: &RunSpec, stop: &StopRequests<'_>) -> Result<(), HookError> {
    let Some(text) = text else { return Ok(()) };
    let (Program::Command { directory, .. } | Program::Workload { directory, .. }) = &spec.program;
    let command = vec!["sh".into(), "-c".into(), spec.fill_in(text)];
    let program = Program::Command { command, env: BTreeMap::new(), runtime: None, directory: directory.clone() };
    // Without the run's placement: preparing may use all allowed cpus. And without its time limit, which is for the
    // program.
    once(RunSpec { program, cpus: Vec::new(), memory: None, timeout_s: None, ..spec.clone() }, step, stop)
}

/// Runs something that is not measured and must succeed.
fn once(spec: RunSpec, step: &str, stop: &StopRequests<'_>) -> Result<(), HookError> {
    let spec = RunSpec { sample_ms: None, census_ms: Some(0), counters: Vec::new(), ..spec };
    let fail = |reason: String, kind| HookError::Failed(format!("{step} failed: {reason}"), kind);
    let started = Running::start(&spec, Streams::Captured, Counting::default());
    let mut running = started.map_err(|error| fail(error.to_string(), error.kind()))?;
    let end = running.watch(&spec, stop);
    let asked = stop.signals.have_come();
    let left = running.end_rest(stop, asked || end.is_none());
    if left.living > 0 {
        say(format_args!("knee: {step} left {} processes running; knee terminated them", left.living));
    }
    let Some(end) = end else { return Err(HookError::Abandoned) };
    running.drain_rest(&left, stop.signals, asked);
    // A step that heeds a signal may end as if it were done.
    if asked || stop.signals.have_come() {
        return Err(HookError::Abandoned);
    }
    if end.status.is_some_and(|status| status.success()) {
        return Ok(());
    }
    let said = running.last_words();
    let how =
        end.status.filter(|_| !running.timed_out).map_or("time limit reached".into(), |status| status.to_string());
    Err(fail(if said.is_empty() { how } else { format!("{how}: {said}") }, io::ErrorKind::Other))
}
