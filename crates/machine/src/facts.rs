//! Facts that may explain a number: kernel, governor, SMT, huge pages, balancing, quota. What cannot be read is said
//! with its reason, never left out and never 0.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One fact: its text, or why there is none.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Fact {
    /// What was read.
    Known(String),
    /// Why nothing was read.
    Unavailable {
        /// The reason, in words.
        unavailable: String,
    },
}

/// Facts by name.
pub type Facts = BTreeMap<String, Fact>;

/// Files that hold one fact each: name, path, and what their absence means.
const FILES: [(&str, &str, &str); 10] = [
    ("kernel", "proc/sys/kernel/osrelease", "the kernel does not say"),
    ("governor", "sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "no frequency control here (no cpufreq)"),
    ("turbo_off", "sys/devices/system/cpu/intel_pstate/no_turbo", "no intel_pstate driver"),
    ("boost", "sys/devices/system/cpu/cpufreq/boost", "no cpufreq boost switch"),
    ("smt", "sys/devices/system/cpu/smt/control", "the kernel does not say"),
    ("transparent_huge_pages", "sys/kernel/mm/transparent_hugepage/enabled", "kernel built without them"),
    ("numa_balancing", "proc/sys/kernel/numa_balancing", "kernel built without NUMA balancing"),
    ("autogroup", "proc/sys/kernel/sched_autogroup_enabled", "kernel built without autogroup"),
    ("clocksource", "sys/devices/system/clocksource/clocksource0/current_clocksource", "the kernel does not say"),
    ("perf_event_paranoid", "proc/sys/kernel/perf_event_paranoid", "kernel built without perf events"),
];

/// Reads every fact under `root`.
#[must_use]
pub fn read(root: &Path) -> Facts {
    let mut facts: Facts =
        FILES.iter().map(|(name, file, absent)| ((*name).into(), file_fact(root, file, absent))).collect();
    facts.entry("transparent_huge_pages".into()).and_modify(chosen);
    let cpuinfo = fs::read_to_string(root.join("proc/cpuinfo")).unwrap_or_default();
    facts.insert("model".into(), known_or(field(&cpuinfo, "model name"), "/proc/cpuinfo names none"));
    let hypervisor = field(&cpuinfo, "flags").map(|flags| flags.split(' ').any(|flag| flag == "hypervisor"));
    let hypervisor = hypervisor.map(|guest| if guest { "yes" } else { "no" }.to_owned());
    facts.insert("hypervisor".into(), known_or(hypervisor, "/proc/cpuinfo lists no flags"));
    let memory = total_memory_bytes(root).map(|bytes| bytes.to_string());
    facts.insert("memory_bytes".into(), known_or(memory, "no /proc/meminfo"));
    facts.insert("hardware_counters".into(), hardware_counters(root));
    facts
}

/// Memory of the whole machine in bytes.
#[must_use]
pub fn total_memory_bytes(root: &Path) -> Option<u64> {
    let text = fs::read_to_string(root.join("proc/meminfo")).ok()?;
    let line = text.lines().find(|line| line.starts_with("MemTotal:"))?;
    line.split_whitespace().nth(1)?.parse::<u64>().ok().map(|kib| kib * 1024)
}

/// CPU time limit of the control group this process is in, in cpus; none where there is no limit.
#[must_use]
pub fn quota_cpus(root: &Path) -> Option<f64> {
    let groups = fs::read_to_string(root.join("proc/self/cgroup")).ok()?;
    let limits = groups.lines().filter_map(|line| {
        let mut parts = line.splitn(3, ':').skip(1);
        let (controllers, path) = (parts.next()?, parts.next()?);
        quota_of(root, controllers, path.trim_start_matches('/'))
    });
    limits.reduce(f64::min)
}

/// The tightest limit from a group up to the root of its hierarchy: a parent's quota binds its children.
fn quota_of(root: &Path, controllers: &str, path: &str) -> Option<f64> {
    let base = root.join("sys/fs/cgroup");
    let read = |dir: &Path| -> Option<f64> {
        if controllers.is_empty() {
            let text = fs::read_to_string(dir.join("cpu.max")).ok()?;
            let (quota, period) = text.trim().split_once(' ')?;
            return Some(quota.parse::<f64>().ok()? / period.parse::<f64>().ok()?);
        }
        let number = |file: &str| fs::read_to_string(dir.join(file)).ok()?.trim().parse::<f64>().ok();
        let (quota, period) = (number("cpu.cfs_quota_us")?, number("cpu.cfs_period_us")?);
        (quota > 0.0).then_some(quota / period)
    };
    let top = match controllers {
        "" => base,
        list if list.split(',').any(|name| name == "cpu") => base.join("cpu"),
        _ => return None,
    };
    let group = top.join(path);
    let chain = group.ancestors().take_while(|dir| dir.starts_with(&top));
    chain.filter_map(read).reduce(f64::min)
}

fn file_fact(root: &Path, file: &str, absent: &str) -> Fact {
    match fs::read_to_string(root.join(file)) {
        Ok(text) if !text.trim().is_empty() => Fact::Known(text.trim().into()),
        Ok(_) => unavailable(&format!("/{file} is empty")),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => unavailable(absent),
        Err(error) => unavailable(&format!("/{file}: {error}")),
    }
}

/// `always [madvise] never` becomes `madvise`.
fn chosen(fact: &mut Fact) {
    if let Fact::Known(text) = fact
        && let Some((_, rest)) = text.split_once('[')
        && let Some((choice, _)) = rest.split_once(']')
    {
        *fact = Fact::Known(choice.into());
    }
}

fn hardware_counters(root: &Path) -> Fact {
    let devices = root.join("sys/bus/event_source/devices");
    let cpu = ["cpu", "cpu_core", "armv8_pmuv3_0"].iter().find(|name| devices.join(name).exists());
    known_or(cpu.map(|name| (*name).into()), "no hardware PMU: the kernel lists no cpu events")
}

fn field(cpuinfo: &str, name: &str) -> Option<String> {
    let line = cpuinfo.lines().find(|line| line.split(':').next().is_some_and(|key| key.trim() == name))?;
    line.split_once(':').map(|(_, value)| value.trim().to_owned())
}

fn known_or(text: Option<String>, reason: &str) -> Fact {
    text.map_or_else(|| unavailable(reason), Fact::Known)
}

fn unavailable(reason: &str) -> Fact {
    Fact::Unavailable { unavailable: reason.into() }
}
