//! Conditions under which runs disturb each other or are held back.

use knee_machine::{Fact, Topology};
use serde::Serialize;

use super::Watched;

/// One thing that was looked at.
#[derive(Serialize)]
pub(super) struct Finding {
    pub(super) name: &'static str,
    pub(super) good: bool,
    pub(super) found: String,
    /// What a study loses, and the one thing to try when it is not good.
    pub(super) advice: &'static str,
}

/// A fact, what it is good for, when it is good, and what to do when it is not.
type Rule = (&'static str, &'static str, fn(&str) -> bool, &'static str);

/// Looks at all of them.
pub(super) fn examine(machine: &Topology, load: &Watched) -> Vec<Finding> {
    let mut findings = vec![quiet(load), cpus(machine), quota(machine)];
    let rules: [Rule; 4] = [
        (
            "governor",
            "steady clock",
            |text| text == "performance",
            "The clock may change; the clock proxy in each record watches it.\n     Where the governor can be set: cpupower frequency-set -g performance",
        ),
        (
            "numa_balancing",
            "pages stay put",
            |text| text == "0",
            "The kernel moves pages while programs run, so times may have two modes.\n     sysctl kernel.numa_balancing=0 for the time of a study",
        ),
        (
            "autogroup",
            "nice works",
            |text| text == "0",
            "Sessions share the cpus evenly: `nice` does not protect a run from another\n     session. sysctl kernel.sched_autogroup_enabled=0, or look at validity.",
        ),
        (
            "hypervisor",
            "bare metal",
            |text| text == "no",
            "A hypervisor may take cpus away; steal is recorded with each run. It may\n     hide siblings: `knee doctor --siblings` tests for them.",
        ),
    ];
    findings.extend(rules.into_iter().map(|(fact, name, good, advice)| rule(machine, fact, name, good, advice)));
    findings
}

fn quiet(load: &Watched) -> Finding {
    let (good, found) = match load {
        Watched::Known(load) => {
            let waits = load.psi_cpu.filter(|share| *share >= 0.01);
            let waits = waits
                .map_or(String::new(), |share| format!("; tasks wait for a cpu {:.0} % of the time", 100.0 * share));
            (load.quiet, format!("{}{waits}", load.says))
        }
        Watched::Unavailable { unavailable } => (false, unavailable.clone()),
    };
    let advice = "Runs share the cpus with them, and a study may then have no verdict.\n     Wait until they are done, or stop them; `knee study --wait-quiet` waits.";
    Finding { name: "quiet now", good, found, advice }
}

fn cpus(machine: &Topology) -> Finding {
    let (allowed, online) = (machine.allowed.cpus.len(), machine.hardware_threads.len());
    Finding {
        name: "all cpus",
        good: allowed == online,
        found: format!("{allowed} of {online} online cpus may be used"),
        advice: "A cpuset or affinity mask holds this process back; thread counts end there.\n     Start knee outside of it to measure the whole machine.",
    }
}

fn quota(machine: &Topology) -> Finding {
    let quota = machine.allowed.quota_cpus;
    Finding {
        name: "no CPU quota",
        good: quota.is_none(),
        found: quota.map_or("none set".into(), |cpus| format!("CPU time of {cpus} cpus")),
        advice: "Threads are stopped when the quota of a period is used up; speedup ends there.\n     Raise cpu.max (or cpu.cfs_quota_us) of the control group.",
    }
}

fn rule(machine: &Topology, fact: &str, name: &'static str, good: fn(&str) -> bool, advice: &'static str) -> Finding {
    match machine.facts.get(fact) {
        Some(Fact::Known(text)) => Finding { name, good: good(text), found: format!("{fact}: {text}"), advice },
        Some(Fact::Unavailable { unavailable }) => {
            // Balancing or autogroup that the kernel was built without cannot disturb; the rest is missed.
            let harmless = matches!(fact, "numa_balancing" | "autogroup");
            Finding { name, good: harmless, found: unavailable.clone(), advice }
        }
        None => Finding { name, good: false, found: "not looked at".into(), advice },
    }
}
