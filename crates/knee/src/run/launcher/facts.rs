//! Held facts: machine settings that must not change during a study.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use knee_machine::{CpuSet, Fact, facts, sys};

use crate::record::Changed;

/// Tolerance of the clock proxy since the study was planned: less is noise of a shared machine.
const CLOCK_TOLERANCE: f64 = 0.1;

/// Held facts that have changed; `clock_ns` is the current clock proxy.
pub(super) fn changed(hold: &BTreeMap<String, String>, clock_ns: f64) -> Vec<Changed> {
    if hold.is_empty() {
        return Vec::new();
    }
    let now = facts::read(Path::new("/"));
    let present = |fact: &str, held: &str| match now.get(fact) {
        _ if fact == "clock_ns" => clock(clock_ns, held),
        Some(Fact::Known(text)) => text.clone(),
        Some(Fact::Unavailable { unavailable }) => unavailable.clone(),
        None => "no such fact".into(),
    };
    let compared = hold.iter().map(|(fact, held)| (fact, held, present(fact, held)));
    compared
        .filter(|(_, held, found)| found != *held)
        .map(|(fact, held, found)| Changed { fact: fact.clone(), held: held.clone(), found })
        .collect()
}

fn clock(clock_ns: f64, held: &str) -> String {
    let then = held.parse::<f64>().unwrap_or(clock_ns);
    if (clock_ns / then - 1.0).abs() <= CLOCK_TOLERANCE { held.to_owned() } else { format!("{clock_ns:.3}") }
}

/// Cpus that a run lost while it ran: by hot-plugging, or to a control group.
pub(super) fn lost_cpus(cpus: &CpuSet) -> Option<Changed> {
    let lost = cpus.difference(&sys::affinity());
    let found = cpus.difference(&lost).to_string();
    (!lost.is_empty()).then(|| Changed { fact: "cpus".into(), held: cpus.to_string(), found })
}

/// A pause of the program by Ctrl-Z, which its wall time includes.
pub(super) fn paused(pause: Duration) -> Option<Changed> {
    let found = format!("paused for {:.1} s", pause.as_secs_f64());
    (!pause.is_zero()).then(|| Changed { fact: "launcher".into(), held: "running".into(), found })
}

/// Processes that the kernel has killed for lack of memory so far.
pub(crate) fn memory_kills() -> Option<u64> {
    facts::memory_kills(Path::new("/"))
}

/// Processes that it has killed since then; none if it killed none, or does not say.
pub(crate) fn kills_since(then: Option<u64>) -> Option<u64> {
    memory_kills()?.checked_sub(then?).filter(|&kills| kills > 0)
}
