//! Facts that may explain a number: kernel, governor, SMT, huge pages, balancing, quota, and the variables of runtimes
//! that programs get from knee. What cannot be read has a reason instead, and is never left out or 0.

pub mod cpuid;
mod limits;
mod variables;

pub use limits::{CpuGroup, cpu_groups, cpu_groups_of, memory_kills, quota_cpus};
pub(crate) use limits::{memory_left, memory_limit, threads_left};

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::files;
use crate::kernel_files::text;

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
const FILES: [(&str, &str, &str); 9] = [
    ("kernel", "proc/sys/kernel/osrelease", "the kernel does not say"),
    ("governor", "sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "no frequency control here (no cpufreq)"),
    ("isolated_cpus", "sys/devices/system/cpu/isolated", "the kernel does not say"),
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
    let cpuinfo = files::text(&root.join("proc/cpuinfo")).unwrap_or_default();
    facts.insert("model".into(), known_or(field(&cpuinfo, "model name"), "/proc/cpuinfo names none"));
    let flags = field(&cpuinfo, "flags");
    let hypervisor = flags.as_ref().map(|flags| flags.split(' ').any(|flag| flag == "hypervisor"));
    let hypervisor = hypervisor.map(|guest| if guest { "yes" } else { "no" }.to_owned());
    facts.insert("hypervisor".into(), known_or(hypervisor, "/proc/cpuinfo lists no flags"));
    let judged = cpuid::judge(&cpuinfo, cpuid::Caches::read(root));
    facts.insert("cpuid".into(), known_or(judged.map(|verdict| verdict.to_string()), "/proc/cpuinfo lists no flags"));
    facts.insert("turbo".into(), turbo(root));
    let microcode = text(&root.join("sys/devices/system/cpu/cpu0/microcode/version"));
    let microcode = microcode.or_else(|| field(&cpuinfo, "microcode"));
    facts.insert("microcode".into(), known_or(microcode, "the kernel does not say"));
    facts.insert("mitigations".into(), known_or(mitigations(root), "the kernel lists no vulnerabilities"));
    facts.insert("huge_pages".into(), known_or(huge_pages(root), "kernel built without them"));
    let variables = (root == Path::new("/")).then(|| variables::runtime_variables(std::env::vars_os()));
    facts.insert("runtime_variables".into(), known_or(variables, "not in captured files"));
    let page_size = (root == Path::new("/")).then(|| rustix::param::page_size().to_string());
    facts.insert("page_bytes".into(), known_or(page_size, "not in captured files"));
    let memory = total_memory_bytes(root).map(|bytes| bytes.to_string());
    facts.insert("memory_bytes".into(), known_or(memory, "no /proc/meminfo"));
    facts.insert("hardware_counters".into(), hardware_counters(root));
    facts
}

/// Memory of the whole machine in bytes.
#[must_use]
pub fn total_memory_bytes(root: &Path) -> Option<u64> {
    let text = files::text(&root.join("proc/meminfo")).ok()?;
    let line = text.lines().find(|line| line.starts_with("MemTotal:"))?;
    line.split_whitespace().nth(1)?.parse::<u64>().ok().map(|kib| kib * 1024)
}

/// Whether cores may run faster than their base clock, from any driver that says so.
fn turbo(root: &Path) -> Fact {
    let cpu = root.join("sys/devices/system/cpu");
    let named =
        |file: &str, on: &str| text(&cpu.join(file)).map(|text| if text == on { "on" } else { "off" }.to_owned());
    let found = named("intel_pstate/no_turbo", "0").or_else(|| named("cpufreq/boost", "1"));
    known_or(found, "no driver says (neither intel_pstate nor cpufreq's boost)")
}

/// The kernel's mitigations of hardware vulnerabilities; some cost time at every system call.
fn mitigations(root: &Path) -> Option<String> {
    let entries = fs::read_dir(root.join("sys/devices/system/cpu/vulnerabilities")).ok()?.flatten();
    let mut found: Vec<(String, String)> =
        entries.filter_map(|e| Some((e.file_name().to_str()?.to_owned(), text(&e.path())?))).collect();
    found.sort();
    let starting = |word: &str| -> String {
        let names = found.iter().filter(|(_, state)| state.starts_with(word)).map(|(name, _)| name.as_str());
        names.collect::<Vec<_>>().join(" ")
    };
    let parts = [("mitigated", starting("Mitigation")), ("vulnerable", starting("Vulnerable"))];
    let parts: Vec<String> = parts
        .into_iter()
        .filter(|(_, names)| !names.is_empty())
        .map(|(word, names)| format!("{word}: {names}"))
        .collect();
    Some(if parts.is_empty() { "none needed".into() } else { parts.join("; ") })
}

/// Reserved huge pages of each size, `0 x 2048 kB`.
fn huge_pages(root: &Path) -> Option<String> {
    let entries = fs::read_dir(root.join("sys/kernel/mm/hugepages")).ok()?.flatten();
    let mut sizes: Vec<(u64, String)> = entries
        .filter_map(|entry| {
            let name = entry.file_name().into_string().ok()?;
            let size: u64 = name.strip_prefix("hugepages-")?.strip_suffix("kB")?.parse().ok()?;
            Some((size, text(&entry.path().join("nr_hugepages"))?))
        })
        .collect();
    sizes.sort();
    Some(sizes.into_iter().map(|(size, count)| format!("{count} x {size} kB")).collect::<Vec<_>>().join(", "))
}

fn file_fact(root: &Path, file: &str, absent: &str) -> Fact {
    match files::text(&root.join(file)) {
        Ok(text) if !text.trim().is_empty() => Fact::Known(text.trim().into()),
        Ok(_) if file.ends_with("isolated") => Fact::Known("none".into()),
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

/// A PMU of cores: `cpu` or `cpum_cf`, or one that says for which cpus it is, as on Arm and on hybrid machines (of
/// which that of the fast cores is named).
fn hardware_counters(root: &Path) -> Fact {
    let devices = root.join("sys/bus/event_source/devices");
    let entries = fs::read_dir(&devices).into_iter().flatten().flatten();
    let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
    let core = |name: &String| matches!(name.as_str(), "cpu" | "cpum_cf") || devices.join(name).join("cpus").exists();
    let first = names.filter(core).min_by_key(|name| (name != "cpu_core", name.clone()));
    known_or(first, "no hardware PMU: the kernel lists no cpu events")
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
