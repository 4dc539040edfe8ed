//! Kinds of cores: performance and efficiency cores, big and little ones, according to the kernel.

use std::collections::BTreeMap;
use std::path::Path;

use super::CpuKind;
use crate::CpuSet;
use crate::kernel_files::text;

/// Folders of the cpus' own counters on Intel's hybrid machines, with the kind that each stands for.
const INTEL: [(&str, &str); 3] =
    [("cpu_lowpower", "low power"), ("cpu_atom", "efficiency"), ("cpu_core", "performance")];

/// Kinds under `root`, the fastest last; none if the kernel gives no number that could differ.
pub(super) fn kinds(root: &Path, online: &CpuSet) -> Vec<CpuKind> {
    let named = intel(root, online);
    if named.len() > 1 {
        return named;
    }
    let capacity = |cpu| cpu_number(root, cpu, "cpu_capacity");
    let base = |cpu| cpu_number(root, cpu, "cpufreq/base_frequency");
    by_number(root, online, capacity).or_else(|| by_number(root, online, base)).unwrap_or_default()
}

fn intel(root: &Path, online: &CpuSet) -> Vec<CpuKind> {
    let cpus = |folder: &str| -> Option<CpuSet> {
        let text = text(&root.join("sys/devices").join(folder).join("cpus"))?;
        text.parse::<CpuSet>().ok().map(|set| set.intersection(online)).filter(|set| !set.is_empty())
    };
    let found = INTEL.into_iter().filter_map(|(folder, name)| Some((name.to_owned(), cpus(folder)?)));
    (0..).zip(found).map(|(id, (name, cpus))| kind(root, id, name, cpus)).collect()
}

/// Cpus grouped by a number that every one of them must have.
fn by_number(root: &Path, online: &CpuSet, number: impl Fn(u32) -> Option<u64>) -> Option<Vec<CpuKind>> {
    let mut groups: BTreeMap<u64, Vec<u32>> = BTreeMap::new();
    for cpu in online.iter() {
        groups.entry(number(cpu)?).or_default().push(cpu);
    }
    let several = groups.len();
    if several < 2 {
        // Equal numbers distinguish nothing; another source may.
        return None;
    }
    let name = |id| name(several, id);
    Some(
        (0..)
            .zip(groups.into_values())
            .map(|(id, cpus)| kind(root, id, name(id), cpus.into_iter().collect()))
            .collect(),
    )
}

/// The name of the kind at `position` of `several`, ordered by speed, if the source has none.
pub(super) fn name(several: usize, position: u32) -> String {
    match (several, position) {
        (2, 0) => "efficiency".to_owned(),
        (2, _) => "performance".to_owned(),
        (1, _) => "uniform".to_owned(),
        _ => format!("kind {position}"),
    }
}

fn kind(root: &Path, id: u32, name: String, cpus: CpuSet) -> CpuKind {
    let highest = |file: &str| cpus.iter().filter_map(|cpu| cpu_number(root, cpu, file)).max();
    let (max_mhz, capacity) = (highest("cpufreq/cpuinfo_max_freq").map(|khz| khz / 1000), highest("cpu_capacity"));
    CpuKind { id, name, cpus, max_mhz, capacity }
}

fn cpu_number(root: &Path, cpu: u32, file: &str) -> Option<u64> {
    let path = root.join(format!("sys/devices/system/cpu/cpu{cpu}")).join(file);
    text(&path)?.parse().ok()
}
