//! Affinity and memory policy of a run, and the cpu of the launcher itself.

use std::io;

use knee_machine::{CpuSet, MemoryPolicy, Policy, sys};
use knee_meter::clock;
use rustix::io::Errno;

use crate::error::Failure;
use crate::run_spec::RunSpec;

/// Refuses cpus and nodes that this process may not use.
pub(super) fn check(spec: &RunSpec, allowed: &CpuSet) -> Result<(), Failure> {
    let beside = spec.beside.iter().flat_map(|beside| &beside.cpus);
    let asked: CpuSet = spec.cpus.iter().chain(beside).copied().collect();
    let refused = asked.difference(allowed);
    if !refused.is_empty() {
        return Err(Failure::new(format!("cpus {refused} are not allowed; this process may use {allowed}")));
    }
    let Some(memory) = &spec.memory else { return Ok(()) };
    // The kernel silently ignores missing nodes as long as one of them exists.
    let may = sys::memory_nodes().unwrap_or_else(|| memory.nodes.clone());
    let missing = memory.nodes.difference(&may);
    if !missing.is_empty() {
        return Err(Failure::new(format!(
            "memory policy {memory}: no node {missing}; this process may use nodes {may}"
        )));
    }
    sys::try_memory_policy(memory).map_err(|error| refused_policy(memory, &error))
}

/// The kernel's refusal of a memory policy, with the one thing to try.
fn refused_policy(memory: &MemoryPolicy, error: &io::Error) -> Failure {
    let failure = Failure::new(format!("memory policy {memory}: {error}"));
    match (Errno::from_io_error(error), memory.policy) {
        (Some(Errno::PERM), _) => failure.hint("a container may forbid it; allow it: docker run --cap-add SYS_NICE"),
        (Some(Errno::NOSYS), _) => failure.hint("this kernel has no NUMA support: leave out --memory"),
        (Some(Errno::INVAL), Policy::WeightedInterleave) => {
            failure.hint("weighted-interleave needs Linux 6.9; interleave needs no weights")
        }
        _ => failure,
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refused_memory_policy_says_what_to_try() {
        for (policy, errno, hint) in [
            ("bind:0", Errno::PERM, "docker run --cap-add SYS_NICE"),
            ("local", Errno::NOSYS, "this kernel has no NUMA support: leave out --memory"),
            ("weighted-interleave:0", Errno::INVAL, "needs Linux 6.9"),
        ] {
            let failure = refused_policy(&policy.parse().unwrap(), &errno.into());
            assert!(failure.to_string().starts_with(&format!("memory policy {policy}: ")), "{failure}");
            assert!(failure.json().contains(hint), "{}", failure.json());
        }
        let other = refused_policy(&"bind:0".parse().unwrap(), &Errno::INVAL.into());
        assert!(other.json().contains("\"hint\":null"), "{}", other.json());
    }
}
