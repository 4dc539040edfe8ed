//! Affinity and memory policy of a run, and the cpu of the launcher itself.

use std::io;

use knee_machine::{CpuSet, sys};
use knee_meter::clock;

use crate::run_spec::RunSpec;

/// Refuses cpus and nodes that this process may not use.
pub(super) fn check(spec: &RunSpec, allowed: &CpuSet) -> io::Result<()> {
    let beside = spec.beside.iter().flat_map(|beside| &beside.cpus);
    let asked: CpuSet = spec.cpus.iter().chain(beside).copied().collect();
    let refused = asked.difference(allowed);
    if !refused.is_empty() {
        return Err(io::Error::other(format!("cpus {refused} are not allowed; this process may use {allowed}")));
    }
    let Some(memory) = &spec.memory else { return Ok(()) };
    // The kernel silently ignores missing nodes as long as one of them exists.
    let may = sys::memory_nodes().unwrap_or_else(|| memory.nodes.clone());
    let missing = memory.nodes.difference(&may);
    if !missing.is_empty() {
        let reason = format!("memory policy {memory}: no node {missing}; this process may use nodes {may}");
        return Err(io::Error::other(reason));
    }
    sys::try_memory_policy(memory).map_err(|error| io::Error::other(format!("memory policy {memory}: {error}")))
}

/// The cpus the run may use, and how many of them at once.
pub(super) fn cpus_of(spec: &RunSpec, allowed: &CpuSet) -> (CpuSet, usize) {
    let cpus = if spec.cpus.is_empty() { allowed.clone() } else { spec.cpus.iter().copied().collect() };
    let at_once = spec.threads.min(cpus.len());
    (cpus, at_once)
}

/// The clock proxy on the first cpu of the run.
pub(super) fn clock_on(cpus: &CpuSet, allowed: &CpuSet) -> f64 {
    let pinned = cpus.first().is_some_and(|cpu| sys::pin(&[cpu]).is_ok());
    let nanoseconds = clock::nanoseconds_per_link();
    if pinned {
        pin_back(allowed);
    }
    nanoseconds
}

pub(super) fn pin_back(allowed: &CpuSet) {
    let _ = sys::pin(&allowed.iter().collect::<Vec<_>>());
}
