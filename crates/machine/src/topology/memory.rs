//! NUMA nodes from the kernel's files: cpus, size, distances, and the speed that the firmware claims.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use super::{Access, Node};
use crate::kernel_files::{set, text};
use crate::{CpuSet, Error, facts};

/// Every node under `root`, by number; the whole machine as one where the kernel shows none with cpus.
pub(super) fn nodes(root: &Path, online: &CpuSet) -> Result<Vec<Node>, Error> {
    let dir = root.join("sys/devices/system/node");
    let number = |name: &str| name.strip_prefix("node").and_then(|digits| digits.parse().ok());
    let entries = fs::read_dir(&dir).into_iter().flatten().flatten();
    let ids: BTreeSet<u32> = entries.filter_map(|e| number(e.file_name().to_str()?)).collect();
    let read = |id: u32| node(root, &dir.join(format!("node{id}")), id, online);
    let mut nodes = ids.into_iter().map(read).collect::<Result<Vec<_>, _>>()?;
    if let ([only], Some(total)) = (&mut nodes[..], facts::total_memory_bytes(root)) {
        // The node's own count is too small while a guest's pages are set up lazily; a single node has all memory.
        only.memory_bytes = total;
    }
    if nodes.iter().any(|node| !node.cpus.is_empty()) {
        return Ok(nodes);
    }
    // A kernel without NUMA support shows no node: the whole machine is one.
    Ok(vec![Node::plain(0, online.clone(), facts::total_memory_bytes(root).unwrap_or(0))])
}

fn node(root: &Path, dir: &Path, id: u32, online: &CpuSet) -> Result<Node, Error> {
    let cpus = set(dir, "cpulist", "cpumap")?.unwrap_or_default().intersection(online);
    let distances = text(&dir.join("distance")).unwrap_or_default();
    Ok(Node {
        distances: distances.split_whitespace().filter_map(|word| word.parse().ok()).collect(),
        kind: device_kind(root, id),
        tier: tier(root, id),
        access: access(dir),
        side_cache_bytes: side_cache(dir),
        ..Node::plain(id, cpus, size(dir))
    })
}

fn size(dir: &Path) -> u64 {
    let text = text(&dir.join("meminfo")).unwrap_or_default();
    let line = text.lines().find(|line| line.contains("MemTotal:"));
    let kib = line.and_then(|line| line.split_whitespace().rev().nth(1)?.parse::<u64>().ok());
    kib.unwrap_or(0) * 1024
}

fn number(path: &Path) -> Option<u64> {
    text(path)?.parse().ok()
}

/// The nearest cpus' way to this memory (`access1`), or the nearest initiator's of any kind (`access0`).
fn access(dir: &Path) -> Option<Access> {
    let of = |class: &str| {
        let value = |file: &str| number(&dir.join(class).join("initiators").join(file)).filter(|&n| n > 0);
        let found = Access {
            read_latency_ns: value("read_latency"),
            write_latency_ns: value("write_latency"),
            read_bandwidth_mib_s: value("read_bandwidth"),
            write_bandwidth_mib_s: value("write_bandwidth"),
        };
        (found != Access::default()).then_some(found)
    };
    of("access1").or_else(|| of("access0"))
}

fn side_cache(dir: &Path) -> u64 {
    let entries = fs::read_dir(dir.join("memory_side_cache")).into_iter().flatten().flatten();
    entries.filter_map(|entry| number(&entry.path().join("size"))).max().unwrap_or(0)
}

fn tier(root: &Path, id: u32) -> Option<u32> {
    let entries = fs::read_dir(root.join("sys/devices/virtual/memory_tiering")).into_iter().flatten().flatten();
    let holds = |dir: &Path| {
        let list = text(&dir.join("nodelist"))?;
        list.parse::<CpuSet>().ok().filter(|nodes| nodes.contains(id))
    };
    let number = |entry: fs::DirEntry| entry.file_name().to_str()?.strip_prefix("memory_tier")?.parse().ok();
    entries.filter(|entry| holds(&entry.path()).is_some()).find_map(number)
}

/// The kind of memory of a node that a driver added (DAX): persistent memory, a CXL expander, special purpose memory.
fn device_kind(root: &Path, id: u32) -> Option<String> {
    let entries = fs::read_dir(root.join("sys/bus/dax/devices")).into_iter().flatten().flatten();
    let mut ours = entries.filter(|entry| number(&entry.path().join("target_node")) == Some(id.into()));
    let target = fs::canonicalize(ours.next()?.path()).ok()?.display().to_string();
    let kinds = [("/ndbus", "NVM"), ("/cxl", "CXL"), ("/region", "CXL"), ("/hmem", "SPM")];
    kinds.into_iter().find(|(part, _)| target.contains(part)).map(|(_, kind)| kind.to_owned())
}
