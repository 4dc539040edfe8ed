//! Conditions that disturb or limit runs: governor, NUMA balancing, quota, other load.

use knee_machine::{Fact, Topology};
use serde::Serialize;

use super::Watched;

/// One condition that was checked.
#[derive(Serialize)]
pub(super) struct Finding {
    pub(super) name: &'static str,
    pub(super) good: bool,
    pub(super) found: String,
    /// The effect on a study, and the one thing to try.
    pub(super) advice: &'static str,
}

/// A fact, its purpose, when it is good, and what to do otherwise.
type Rule = (&'static str, &'static str, fn(&str) -> bool, &'static str);

/// Checks all conditions.
pub(super) fn examine(machine: &Topology, load: &Watched) -> Vec<Finding> {
    let mut findings = vec![quiet(load), cpus(machine), quota(machine)];
    let rules: [Rule; 4] = [
        (
            "governor",
            "steady clock",
            |text| text == "performance",
            "The clock frequency may change during a study; each record has a clock proxy.\n     If the governor can be set: cpupower frequency-set -g performance",
        ),
        (
            "numa_balancing",
            "no page migration",
            |text| text == "0",
            "The kernel may move pages during a run, which can give two groups of times.\n     During a study: sysctl kernel.numa_balancing=0",
        ),
        (
            "autogroup",
            "nice effective",
            |text| text == "0",
            "Sessions share the cpus evenly: `nice` does not protect a run from another\n     session. Turn it off with sysctl kernel.sched_autogroup_enabled=0.",
        ),
        (
            "hypervisor",
            "bare metal",
            |text| text == "no",
            "A hypervisor may run other guests on these cpus (each record has the steal time)\n     and may hide siblings: `knee doctor --siblings` finds them.",
        ),
    ];
    findings.extend(rules.into_iter().map(|(fact, name, good, advice)| rule(machine, fact, name, good, advice)));
    findings
}

fn quiet(load: &Watched) -> Finding {
    let (good, found) = match load {
        Watched::Known(load) => {
            let waits = load.psi_cpu.filter(|share| *share >= 0.01);
            let waits = waits.map_or(String::new(), |share| {
                format!("; some task waits for a cpu {:.0} % of the time", 100.0 * share)
            });
            (load.quiet, format!("{}{waits}", load.says))
        }
        Watched::Unavailable { unavailable } => (false, unavailable.clone()),
    };
    let advice = "Other programs take cpu time from the runs; a study may end without a verdict.\n     Stop them, or let `knee study --wait-quiet` wait until they are done.";
    Finding { name: "quiet now", good, found, advice }
}

fn cpus(machine: &Topology) -> Finding {
    let (allowed, online) = (machine.allowed.cpus.len(), machine.hardware_threads.len());
    Finding {
        name: "all cpus",
        good: allowed == online,
        found: format!("{allowed} of {online} online cpus allowed"),
        advice: "A cpuset or affinity mask limits this process, and so the number of threads.\n     Start knee without it to measure the whole machine.",
    }
}

fn quota(machine: &Topology) -> Finding {
    let quota = machine.allowed.quota_cpus;
    Finding {
        name: "no CPU quota",
        good: quota.is_none(),
        found: quota.map_or("none set".into(), |cpus| format!("CPU time of {cpus} cpus")),
        advice: "The kernel stops threads that used up the quota, which limits the speedup.\n     Raise cpu.max (or cpu.cfs_quota_us) of the control group.",
    }
}

fn rule(machine: &Topology, fact: &str, name: &'static str, good: fn(&str) -> bool, advice: &'static str) -> Finding {
    match machine.facts.get(fact) {
        Some(Fact::Known(text)) => Finding { name, good: good(text), found: format!("{fact}: {text}"), advice },
        Some(Fact::Unavailable { unavailable }) => {
            // Balancing or autogroup cannot disturb if the kernel was built without them; other facts matter.
            let harmless = matches!(fact, "numa_balancing" | "autogroup");
            Finding { name, good: harmless, found: unavailable.clone(), advice }
        }
        None => Finding { name, good: false, found: "not checked".into(), advice },
    }
}
