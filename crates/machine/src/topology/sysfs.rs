//! Reads a [`Topology`] from `/sys` and `/proc` under any root.
//!
//! Rules for real machines: intersect every list with the online cpus (a node's `cpulist` may name absent ones); take a
//! core from its sibling list, never from `core_id` (unique only inside a socket, and not always there); where sockets
//! are not numbered (`physical_package_id` absent or -1) the kernel shows one, a fact says so, and placements over
//! sockets use the nodes instead.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use super::{
    Allowed, Cache, Core, Group, NamedGroup, Node, Topology, allowed, hardware_threads, kinds, memory, node_of,
};
use crate::kernel_files::{list, number, set, text};
use crate::{CpuSet, Error, Fact, facts, sys};

impl Topology {
    /// Reads this machine, with the affinity mask of this thread and the quota of this process. All but the mask is read
    /// once in a process: `/sys` has dozens of files for each cpu.
    ///
    /// # Errors
    /// When `/sys/devices/system/cpu` is not readable.
    pub fn this_machine() -> Result<Self, Error> {
        static READ: OnceLock<Topology> = OnceLock::new();
        let read = if let Some(read) = READ.get() {
            read
        } else {
            let read = Self::from_sysfs(Path::new("/"))?;
            READ.get_or_init(|| read)
        };
        let mut topology = read.clone();
        topology.allowed.cpus = sys::affinity().intersection(&topology.online());
        if let Some(nodes) = sys::memory_nodes() {
            topology.allowed.nodes = nodes;
        }
        Ok(topology)
    }

    /// Reads the machine whose `/sys` and `/proc` lie under `root`. Only cpus of the captured cpuset are allowed;
    /// without one, all online cpus.
    ///
    /// # Errors
    /// When `sys/devices/system/cpu` is missing under `root` or holds what no kernel writes.
    pub fn from_sysfs(root: &Path) -> Result<Self, Error> {
        let reader = Reader { root };
        let (online, offline) = reader.online_and_offline()?;
        let nodes = memory::nodes(root, &online)?;
        let socket_of = reader.sockets(&online);
        let of_cpu = |cpu: u32| socket_of.as_ref().map_or(0, |sockets| sockets[&cpu]);
        let cores = reader.cores(&online, &nodes, of_cpu)?;
        let mut facts = facts::read(root);
        if socket_of.is_none() {
            let unavailable = "the kernel numbers no socket (physical_package_id is -1 or absent)".into();
            facts.insert("socket_numbers".into(), Fact::Unavailable { unavailable });
        }
        let (cpuset, memory_set) = allowed::cpuset(root);
        let all_nodes: CpuSet = nodes.iter().map(|node| node.id).collect();
        let may = cpuset.as_ref().map_or_else(|| online.clone(), |set| set.intersection(&online));
        Ok(Self {
            schema: Self::SCHEMA,
            sockets: groups(&online.iter().map(|cpu| (cpu, of_cpu(cpu))).collect()),
            dies: reader.dies(&online, &cores),
            groups: reader.groups(&online, &cores, socket_of.is_some()),
            caches: reader.caches(&online, &cores)?,
            hardware_threads: hardware_threads(&cores),
            cpu_kinds: kinds::kinds(root, &online),
            allowed: Allowed {
                cpuset: cpuset.filter(|set| !online.difference(set).is_empty()),
                cpus: may,
                nodes: memory_set.map_or_else(|| all_nodes.clone(), |set| set.intersection(&all_nodes)),
                quota_cpus: facts::quota_cpus(root),
                memory_bytes: facts::memory_limit(root),
            },
            nodes,
            cores,
            offline,
            facts,
        })
    }
}

fn groups(of: &BTreeMap<u32, u32>) -> Vec<Group> {
    let mut members: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for (cpu, group) in of {
        members.entry(*group).or_default().push(*cpu);
    }
    members.into_iter().map(|(id, cpus)| Group { id, cpus: cpus.into_iter().collect() }).collect()
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

    fn online_and_offline(&self) -> Result<(CpuSet, CpuSet), Error> {
        let dir = self.cpu_dir();
        let entries = fs::read_dir(&dir)
            .map_err(|error| Error::Unreadable { path: dir.display().to_string(), reason: error.to_string() })?;
        let name = |name: &str| name.strip_prefix("cpu").and_then(|digits| digits.parse().ok());
        let present: CpuSet = entries.flatten().filter_map(|e| name(e.file_name().to_str()?)).collect();
        let online: CpuSet = match list(&dir.join("online"))? {
            Some(list) => list.intersection(&present),
            None => self.online_one_by_one(&present),
        };
        if online.is_empty() {
            let expected = "a folder with at least one online cpu";
            return Err(Error::Malformed { path: dir.display().to_string(), text: String::new(), expected });
        }
        Ok((online.clone(), present.difference(&online)))
    }

    /// The online cpus, without a list: a cpu is offline if its file says so, or if only others have a topology folder.
    /// Kernels before 2.6.16 have no such folder at all.
    fn online_one_by_one(&self, present: &CpuSet) -> CpuSet {
        let described = |cpu: &u32| self.cpu_file(*cpu, "topology").exists();
        let any = present.iter().any(|cpu| described(&cpu));
        let off = |cpu: &u32| number::<u32>(&self.cpu_file(*cpu, "online")) == Some(0);
        present.iter().filter(|cpu| !off(cpu) && (!any || described(cpu))).collect()
    }

    /// Socket of each cpu; none where the kernel does not number them all. A number that is repeated for cpus that are
    /// no siblings of the first ones (machines of many blades) is another socket, and gets its own number.
    fn sockets(&self, online: &CpuSet) -> Option<BTreeMap<u32, u32>> {
        let number = |cpu| number::<u32>(&self.cpu_file(cpu, "topology/physical_package_id"));
        let numbers: BTreeMap<u32, u32> = online.iter().map(|cpu| Some((cpu, number(cpu)?))).collect::<Option<_>>()?;
        let named = |cpu| self.named_set(cpu, "package_cpus").or_else(|| self.named_set(cpu, "core_siblings"));
        let siblings: BTreeMap<u32, CpuSet> =
            online.iter().filter_map(|cpu| Some((cpu, named(cpu)?.intersection(online)))).collect();
        let agreed =
            |(cpu, set): (&u32, &CpuSet)| set.contains(*cpu) && set.iter().all(|other| siblings[&other] == *set);
        if siblings.len() < online.len() || !siblings.iter().all(agreed) {
            return Some(numbers);
        }
        let key = |cpu: u32| (numbers[&cpu], siblings[&cpu].first());
        let keys: BTreeSet<_> = online.iter().map(key).collect();
        let distinct: BTreeSet<u32> = numbers.values().copied().collect();
        if distinct.len() == keys.len() {
            return Some(numbers);
        }
        let position = |cpu| keys.iter().position(|other| *other == key(cpu)).and_then(|at| u32::try_from(at).ok());
        online.iter().map(|cpu| Some((cpu, position(cpu)?))).collect()
    }

    fn named_set(&self, cpu: u32, name: &str) -> Option<CpuSet> {
        set(&self.cpu_file(cpu, "topology"), &format!("{name}_list"), name).ok().flatten()
    }

    /// Every distinct set that the cpus name with a topology file, its list or its mask.
    fn named_sets(&self, online: &CpuSet, name: &str) -> BTreeSet<CpuSet> {
        online.iter().filter_map(|cpu| self.named_set(cpu, name)).map(|set| set.intersection(online)).collect()
    }

    /// Dies, where some socket has more than one.
    fn dies(&self, online: &CpuSet, cores: &[Core]) -> Vec<Group> {
        let sets = self.named_sets(online, "die_cpus");
        let sockets: BTreeSet<u32> = cores.iter().map(|core| core.socket).collect();
        // One die per socket is not worth listing, and some firmware calls every core a die.
        let inside_cores = sets.iter().all(|die| cores.iter().any(|core| die.is_subset(&core.cpus)));
        if sets.len() <= sockets.len() || inside_cores {
            return Vec::new();
        }
        (0..).zip(sets).map(|(id, cpus)| Group { id, cpus }).collect()
    }

    /// Clusters that are more than a core, the books and drawers of mainframes, and sockets that have no number.
    fn groups(&self, online: &CpuSet, cores: &[Core], numbered: bool) -> Vec<NamedGroup> {
        let mut kinds = vec![("cluster", "cluster_cpus"), ("book", "book_siblings"), ("drawer", "drawer_siblings")];
        if !numbered {
            kinds.push(("socket", "core_siblings"));
        }
        let of_kind = |(kind, file): (&'static str, &str)| {
            let sets = self.named_sets(online, file);
            let is_core = |set: &CpuSet| cores.iter().any(|core| core.cpus == *set);
            // A cluster of one core is not worth listing; a socket of one core is, if others have more.
            let whole = kind == "socket" && !sets.iter().all(is_core);
            sets.into_iter().filter(move |set| whole || !is_core(set)).map(move |set| (kind, set)).collect::<Vec<_>>()
        };
        let found = kinds.into_iter().flat_map(of_kind);
        (0..).zip(found).map(|(id, (kind, cpus))| NamedGroup { id, kind: kind.into(), cpus }).collect()
    }

    fn cores(&self, online: &CpuSet, nodes: &[Node], socket: impl Fn(u32) -> u32) -> Result<Vec<Core>, Error> {
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
            cores.push(Core { id, socket: socket(cpu), node: node_of(nodes, cpu).unwrap_or(0), cpus });
        }
        Ok(cores)
    }

    fn siblings(&self, cpu: u32) -> Result<CpuSet, Error> {
        let dir = self.cpu_file(cpu, "topology");
        for (list, mask) in [("core_cpus_list", "core_cpus"), ("thread_siblings_list", "thread_siblings")] {
            if let Some(set) = set(&dir, list, mask)? {
                return Ok(set);
            }
        }
        Ok([cpu].into_iter().collect())
    }

    fn caches(&self, online: &CpuSet, cores: &[Core]) -> Result<Vec<Cache>, Error> {
        let mut found = BTreeMap::new();
        for core in cores {
            for cpu in core.cpus.iter() {
                for dir in self.cache_dirs(cpu) {
                    let Some(level) = number::<u32>(&dir.join("level")) else { continue };
                    let kind = text(&dir.join("type")).unwrap_or_default().to_lowercase();
                    // Some kernels leave the set empty: then the cache is the core's.
                    let shared = set(&dir, "shared_cpu_list", "shared_cpu_map")?.filter(|set| !set.is_empty());
                    let shared = shared.unwrap_or_else(|| core.cpus.clone());
                    let cpus: CpuSet = shared.intersection(online).iter().chain([cpu]).collect();
                    let size_bytes = text(&dir.join("size")).and_then(|size| parse_size(&size)).unwrap_or(0);
                    found.entry((level, cpus.first(), kind)).or_insert((size_bytes, cpus));
                }
            }
        }
        let cache = |(id, ((level, _, kind), (size_bytes, cpus)))| Cache { id, level, kind, size_bytes, cpus };
        Ok((0..).zip(found).map(cache).collect())
    }

    /// Numbers may have holes: `index2` without `index1`.
    fn cache_dirs(&self, cpu: u32) -> Vec<PathBuf> {
        let entries = fs::read_dir(self.cpu_file(cpu, "cache")).into_iter().flatten().flatten();
        let mut dirs: Vec<_> = entries.map(|entry| entry.path()).collect();
        dirs.sort();
        dirs
    }
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
    text[..unit].parse::<u64>().ok()?.checked_mul(factor)
}
