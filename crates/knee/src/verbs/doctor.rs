//! `knee doctor`: what can be measured here, and what would help where it cannot.

use std::process::ExitCode;

use knee_machine::{Fact, Topology};
use serde::Serialize;

use super::siblings;
use crate::cli;
use crate::error::{Failure, print_out};

/// One thing that was looked at.
#[derive(Serialize)]
struct Finding {
    name: &'static str,
    good: bool,
    found: String,
    /// What a study loses, and the one thing to try. Empty when all is well.
    advice: &'static str,
}

/// A fact, what it is good for, when it is good, and what to do when it is not.
type Rule = (&'static str, &'static str, fn(&str) -> bool, &'static str);

/// Prints the findings, or tests the cpus for siblings.
pub(crate) fn show(args: &cli::Doctor) -> Result<ExitCode, Failure> {
    if args.siblings {
        return siblings::show(args.json);
    }
    let findings = examine(&Topology::this_machine()?);
    if args.json {
        print_out(&format!("{}\n", serde_json::to_string_pretty(&findings).map_err(Failure::new)?))?;
        return Ok(ExitCode::SUCCESS);
    }
    for finding in findings {
        let sign = if finding.good { "yes" } else { "no " };
        print_out(&format!("{sign}  {:<22} {}\n", finding.name, finding.found))?;
        if !finding.good {
            print_out(&format!("     {}\n", finding.advice))?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn examine(machine: &Topology) -> Vec<Finding> {
    let mut findings = vec![cpus(machine), quota(machine)];
    let rules: [Rule; 5] = [
        (
            "hardware_counters",
            "hardware counters",
            |_| false,
            "This version of knee reads none, so growth of CPU time cannot be split into\n     instructions, IPC and clock.",
        ),
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
    findings.extend([
        readable("schedstat of threads", "/proc/self/schedstat", "CPU time of threads comes in ticks of 10 ms, and waiting time not at all.\n     It needs a kernel with CONFIG_SCHED_INFO."),
        readable("pressure (PSI)", "/proc/pressure/cpu", "Waiting of other tasks is not recorded. Boot with psi=1."),
        readable("pages by node", "/proc/self/numa_maps", "Where pages lie is not recorded. It needs a kernel with CONFIG_NUMA."),
    ]);
    findings
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

fn readable(name: &'static str, path: &str, advice: &'static str) -> Finding {
    match std::fs::read_to_string(path) {
        Ok(text) if !text.trim().is_empty() => {
            Finding { name, good: true, found: format!("{path} is readable"), advice }
        }
        Ok(_) => Finding { name, good: false, found: format!("{path} is empty"), advice },
        Err(error) => Finding { name, good: false, found: format!("{path}: {error}"), advice },
    }
}
