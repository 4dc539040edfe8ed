//! Reads a [`Topology`] from `/sys` and `/proc` under any root.
//!
//! Rules that real machines forced: intersect every list with the online cpus (a node's `cpulist` may name absent
//! ones); take a core from its sibling list, never from `core_id` (unique only inside a socket, and not always
//! there); where sockets are not numbered (`physical_package_id` absent or -1) use the nodes instead.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use super::{Allowed, Cache, Core, Group, HardwareThread, Node, Topology};
use crate::{CpuSet, Error, facts, sys};

impl Topology {
    /// Reads this machine, with the affinity mask and the quota of this very process.
    ///
    /// # Errors
    /// When `/sys/devices/system/cpu` is not readable.
    pub fn this_machine() -> Result<Self, Error> {
        let mut topology = Self::from_sysfs(Path::new("/"))?;
        topology.allowed.cpus = sys::affinity().intersection(&topology.online());
        Ok(topology)
    }

    /// Reads the machine whose `/sys` and `/proc` lie under `root`. Every online cpu counts as allowed.
    ///
    /// # Errors
    /// When `sys/devices/system/cpu` is missing under `root` or holds what no kernel writes.
    pub fn from_sysfs(root: &Path) -> Result<Self, Error> {
        let reader = Reader { root };
        let (online, offline) = reader.online_and_offline()?;
        let nodes = reader.nodes(&online)?;
        let socket_of = reader.sockets(&online, &nodes);
        let cores = reader.cores(&online, &nodes, &socket_of)?;
        Ok(Self {
            schema: Self::SCHEMA,
            sockets: groups(&socket_of),
            dies: reader.dies(&online),
            caches: reader.caches(&online)?,
            hardware_threads: hardware_threads(&cores),
            nodes,
            cores,
            offline,
            allowed: Allowed { cpus: online, quota_cpus: facts::quota_cpus(root) },
            facts: facts::read(root),
        })
    }
}

fn groups(of: &BTreeMap<u32, u32>) -> Vec<Group> {
    let ids: BTreeSet<u32> = of.values().copied().collect();
    let members = |id| of.iter().filter(move |(_, group)| **group == id).map(|(cpu, _)| *cpu).collect();
    ids.into_iter().map(|id| Group { id, cpus: members(id) }).collect()
}

fn hardware_threads(cores: &[Core]) -> Vec<HardwareThread> {
    let of_core = |core: &Core| {
        let (id, socket, node) = (core.id, core.socket, core.node);
        let thread = move |cpu| HardwareThread { id: cpu, cpus: [cpu].into_iter().collect(), core: id, socket, node };
        core.cpus.iter().map(thread).collect::<Vec<_>>()
    };
    let mut threads: Vec<_> = cores.iter().flat_map(of_core).collect();
    threads.sort_by_key(|thread| thread.id);
    threads
}

struct Reader<'a> {
    root: &'a Path,
}

impl Reader<'_> {
    fn cpu_dir(&self) -> PathBuf {
        self.root.join("sys/devices/system/cpu")
    }

    fn cpu_file(&self, cpu: u32, file: &str) -> PathBuf {
        self.cpu_dir().join(format!("cpu{cpu}")).join(file)
    }

    fn text(path: &Path) -> Option<String> {
        fs::read_to_string(path).ok().map(|text| text.trim().to_owned())
    }

    fn list(path: &Path) -> Result<Option<CpuSet>, Error> {
        Self::text(path).map(|text| text.parse()).transpose()
    }

    /// A set that the kernel writes twice, as a list and as a mask; old kernels and some captures have one of them.
    fn set(dir: &Path, list: &str, mask: &str) -> Result<Option<CpuSet>, Error> {
        match Self::list(&dir.join(list))? {
            Some(found) => Ok(Some(found)),
            None => Self::text(&dir.join(mask)).map(|text| CpuSet::from_mask(&text)).transpose(),
        }
    }

    fn number<T: std::str::FromStr>(path: &Path) -> Option<T> {
        Self::text(path)?.parse().ok()
    }

    fn online_and_offline(&self) -> Result<(CpuSet, CpuSet), Error> {
        let dir = self.cpu_dir();
        let entries = fs::read_dir(&dir)
            .map_err(|error| Error::Unreadable { path: dir.display().to_string(), reason: error.to_string() })?;
        let number = |name: &str| name.strip_prefix("cpu").and_then(|digits| digits.parse().ok());
        let present: CpuSet = entries.flatten().filter_map(|e| number(e.file_name().to_str()?)).collect();
        let listed = Self::list(&dir.join("online"))?;
        // A cpu without a topology folder is switched off, whatever the list says: captures may lack the list.
        let described = |cpu: &u32| self.cpu_file(*cpu, "topology").exists();
        let online: CpuSet = match listed {
            Some(list) => list.intersection(&present),
            None => present.iter().filter(described).collect(),
        };
        if online.is_empty() {
            let expected = "a folder with at least one online cpu";
            return Err(Error::Malformed { path: dir.display().to_string(), text: String::new(), expected });
        }
        Ok((online.clone(), present.difference(&online)))
    }

    fn nodes(&self, online: &CpuSet) -> Result<Vec<Node>, Error> {
        let dir = self.root.join("sys/devices/system/node");
        let number = |name: &str| name.strip_prefix("node").and_then(|digits| digits.parse().ok());
        let entries = fs::read_dir(&dir).into_iter().flatten().flatten();
        let ids: BTreeSet<u32> = entries.filter_map(|e| number(e.file_name().to_str()?)).collect();
        let node = |id: u32| -> Result<Node, Error> {
            let dir = dir.join(format!("node{id}"));
            let cpus = Self::set(&dir, "cpulist", "cpumap")?.unwrap_or_default().intersection(online);
            let distances = Self::text(&dir.join("distance")).unwrap_or_default();
            let distances = distances.split_whitespace().filter_map(|word| word.parse().ok()).collect();
            Ok(Node { id, cpus, memory_bytes: node_memory(&dir), distances })
        };
        let mut nodes = ids.into_iter().map(node).collect::<Result<Vec<_>, _>>()?;
        if let ([only], Some(total)) = (&mut nodes[..], facts::total_memory_bytes(self.root)) {
            // A node's own count lags behind while a guest's pages are set up lazily; a lone node has all there is.
            only.memory_bytes = total;
        }
        if nodes.iter().any(|node| !node.cpus.is_empty()) {
            return Ok(nodes);
        }
        // A kernel without NUMA support shows no node: the whole machine is one.
        let memory_bytes = facts::total_memory_bytes(self.root).unwrap_or(0);
        Ok(vec![Node { id: 0, cpus: online.clone(), memory_bytes, distances: vec![] }])
    }

    fn sockets(&self, online: &CpuSet, nodes: &[Node]) -> BTreeMap<u32, u32> {
        let id = |cpu| Self::number::<u32>(&self.cpu_file(cpu, "topology/physical_package_id"));
        let numbered: Option<BTreeMap<u32, u32>> = online.iter().map(|cpu| Some((cpu, id(cpu)?))).collect();
        numbered.unwrap_or_else(|| online.iter().map(|cpu| (cpu, node_of(nodes, cpu))).collect())
    }

    fn dies(&self, online: &CpuSet) -> Vec<Group> {
        let list = |cpu| Self::list(&self.cpu_file(cpu, "topology/die_cpus_list")).ok().flatten();
        let sets: BTreeSet<CpuSet> = online.iter().filter_map(list).map(|set| set.intersection(online)).collect();
        (0..).zip(sets).map(|(id, cpus)| Group { id, cpus }).collect()
    }

    fn cores(&self, online: &CpuSet, nodes: &[Node], sockets: &BTreeMap<u32, u32>) -> Result<Vec<Core>, Error> {
        let mut seen = BTreeSet::new();
        let mut cores = Vec::new();
        for cpu in online.iter() {
            if seen.contains(&cpu) {
                continue;
            }
            let siblings = self.siblings(cpu)?.intersection(online);
            let cpus: CpuSet = siblings.iter().chain([cpu]).filter(|sibling| !seen.contains(sibling)).collect();
            seen.extend(cpus.iter());
            let id = u32::try_from(cores.len()).expect("fewer cores than 2^32");
            cores.push(Core { id, socket: sockets[&cpu], node: node_of(nodes, cpu), cpus });
        }
        Ok(cores)
    }

    fn siblings(&self, cpu: u32) -> Result<CpuSet, Error> {
        let dir = self.cpu_file(cpu, "topology");
        for (list, mask) in [("core_cpus_list", "core_cpus"), ("thread_siblings_list", "thread_siblings")] {
            if let Some(set) = Self::set(&dir, list, mask)? {
                return Ok(set);
            }
        }
        Ok([cpu].into_iter().collect())
    }

    fn caches(&self, online: &CpuSet) -> Result<Vec<Cache>, Error> {
        let mut found = BTreeMap::new();
        for cpu in online.iter() {
            for index in 0.. {
                let dir = self.cpu_file(cpu, &format!("cache/index{index}"));
                let Some(level) = Self::number::<u32>(&dir.join("level")) else { break };
                let kind = Self::text(&dir.join("type")).unwrap_or_default().to_lowercase();
                let shared = Self::set(&dir, "shared_cpu_list", "shared_cpu_map")?.unwrap_or_default();
                let cpus: CpuSet = shared.intersection(online).iter().chain([cpu]).collect();
                let size_bytes = Self::text(&dir.join("size")).and_then(|size| parse_size(&size)).unwrap_or(0);
                found.entry((level, cpus.first(), kind)).or_insert((size_bytes, cpus));
            }
        }
        let cache = |(id, ((level, _, kind), (size_bytes, cpus)))| Cache { id, level, kind, size_bytes, cpus };
        Ok((0..).zip(found).map(cache).collect())
    }
}

fn node_of(nodes: &[Node], cpu: u32) -> u32 {
    nodes.iter().find(|node| node.cpus.contains(cpu)).map_or(0, |node| node.id)
}

fn node_memory(dir: &Path) -> u64 {
    let text = fs::read_to_string(dir.join("meminfo")).unwrap_or_default();
    let line = text.lines().find(|line| line.contains("MemTotal:"));
    let kib = line.and_then(|line| line.split_whitespace().rev().nth(1)?.parse::<u64>().ok());
    kib.unwrap_or(0) * 1024
}

/// `48K`, `2M` as the kernel writes a cache's size.
fn parse_size(text: &str) -> Option<u64> {
    let unit = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let factor = match &text[unit..] {
        "" => 1,
        "K" => 1 << 10,
        "M" => 1 << 20,
        "G" => 1 << 30,
        _ => return None,
    };
    text[..unit].parse::<u64>().ok().map(|number| number * factor)
}
