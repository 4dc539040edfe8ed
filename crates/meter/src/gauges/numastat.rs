//! Page traffic by node, as the kernel's allocator and its balancing count it.
//!
//! These are *allocation* events: a page is counted once, when it is allocated, whichever node accesses it later.
//! `numa_*` of vmstat counts what automatic balancing did, and only while that is on.

use std::fs;
use std::path::{Path, PathBuf};

use super::refuse;
use super::source::{MACHINE, Source};
use super::tally::Kind;
use crate::perf::CounterRefusal;

/// What a value covers.
pub(crate) const SCOPE: &str = "pages handed out or moved on the whole machine while the program ran, not accesses";

const BALANCING: [&str; 4] = ["numa_pages_migrated", "numa_hint_faults", "numa_hint_faults_local", "numa_pte_updates"];

/// Where a name is counted.
pub(crate) fn sources(root: &Path, name: &str) -> Result<Vec<Source>, CounterRefusal> {
    if BALANCING.contains(&name) {
        return balancing(root, name);
    }
    // Switched off, they do not change, and 0 would be wrong.
    if fs::read_to_string(root.join("proc/sys/vm/numa_stat")).is_ok_and(|state| state.trim() == "0") {
        return refuse("the kernel does not count them (vm.numa_stat = 0)", "sysctl vm.numa_stat=1");
    }
    let nodes = nodes(root)?;
    let source =
        |(node, file): (String, PathBuf)| Source::new(format!("numastat:{node}"), file, Some(name), Kind::Grows);
    Ok(nodes.into_iter().map(source).collect())
}

/// With balancing off the count is always 0, so there is no value.
fn balancing(root: &Path, name: &str) -> Result<Vec<Source>, CounterRefusal> {
    let state = fs::read_to_string(root.join("proc/sys/kernel/numa_balancing"));
    match state.as_deref().map(str::trim) {
        Ok("0") => refuse("automatic NUMA balancing is off (kernel.numa_balancing = 0): it moves no page", ""),
        Ok(_) => {
            let file = root.join("proc/vmstat");
            Ok(vec![Source::new(format!("vmstat:{MACHINE}"), file, Some(name), Kind::Grows)])
        }
        Err(_) => refuse("this kernel has no automatic NUMA balancing", ""),
    }
}

fn nodes(root: &Path) -> Result<Vec<(String, PathBuf)>, CounterRefusal> {
    let entries = fs::read_dir(root.join("sys/devices/system/node")).into_iter().flatten().flatten();
    let found = entries.filter_map(|entry| {
        let name = entry.file_name().into_string().ok()?;
        let number: u32 = name.strip_prefix("node")?.parse().ok()?;
        let file = entry.path().join("numastat");
        file.exists().then_some((number, name, file))
    });
    let mut found: Vec<_> = found.collect();
    found.sort();
    if found.is_empty() {
        return refuse("the kernel lists no nodes with numastat", "a kernel with CONFIG_NUMA");
    }
    Ok(found.into_iter().map(|(_, name, file)| (name, file)).collect())
}

/// Which nodes are counted.
pub(crate) fn examine(root: &Path) -> Result<String, CounterRefusal> {
    let nodes: Vec<String> = nodes(root)?.into_iter().map(|(name, _)| name).collect();
    Ok(format!("numastat of {}: allocations, not accesses", nodes.join(" ")))
}
