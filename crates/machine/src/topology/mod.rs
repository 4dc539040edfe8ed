//! The machine as lists of sockets, nodes, caches, cores and hardware threads.
//!
//! Three readers fill them: the kernel's files under any root (`sysfs`), hwloc's XML (`hwloc`) and hwloc's synthetic
//! text (`synthetic`). `export` writes hwloc's XML. [`Topology::from_input`] recognises the form, as `lstopo -i` does.

mod allowed;
mod export;
mod hwloc;
mod input;
mod kinds;
mod memory;
mod synthetic;
mod sysfs;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{CpuSet, Fact, Facts};

/// A group of cpus with the number the kernel gives it: a socket or a die.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Group {
    /// The kernel's number, unique among its kind.
    pub id: u32,
    /// Its online cpus.
    pub cpus: CpuSet,
}

/// A group of cpus between the usual levels: a cluster that shares an L2 or an interconnect stop, a blade, a row.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct NamedGroup {
    /// Position among the groups of this machine.
    pub id: u32,
    /// `cluster`, `book`, `drawer`, `socket` (without a number), or `group` where the source does not say.
    pub kind: String,
    /// Its online cpus.
    pub cpus: CpuSet,
}

/// Cores of one kind on a machine that has several: performance and efficiency cores, big and little ones.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CpuKind {
    /// Position, the fastest kind last.
    pub id: u32,
    /// `performance`, `efficiency`, or `kind N` where the source does not say.
    pub name: String,
    /// Its online cpus.
    pub cpus: CpuSet,
    /// Highest clock in MHz as the machine claims it; absent if it does not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_mhz: Option<u64>,
    /// The kernel's relative capacity, 1024 for the fastest; absent where it gives none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub capacity: Option<u64>,
}

/// The firmware's claims of latency and bandwidth from a node's nearest cpus to its memory (HMAT).
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Access {
    /// Read latency.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub read_latency_ns: Option<u64>,
    /// Write latency.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub write_latency_ns: Option<u64>,
    /// Read bandwidth in MiB/s.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub read_bandwidth_mib_s: Option<u64>,
    /// Write bandwidth in MiB/s.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub write_bandwidth_mib_s: Option<u64>,
}

/// A NUMA node. A node without cpus is a memory target only.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Node {
    /// The kernel's number; numbers may have holes.
    pub id: u32,
    /// Its online cpus.
    pub cpus: CpuSet,
    /// Memory it holds in bytes, 0 where the kernel does not say. It may move while a guest's pages are set up.
    pub memory_bytes: u64,
    /// The firmware's distances (SLIT) to the nodes in ascending order of id; empty where there are none.
    pub distances: Vec<u32>,
    /// Kind of memory, if the source says so: `DRAM`, `HBM`, `NVM`, `CXL`, `SPM` (special purpose).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// The kernel's memory tier, lower is faster.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tier: Option<u32>,
    /// The firmware's claim of its latency and bandwidth.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub access: Option<Access>,
    /// Size of the cache in front of its memory, 0 if there is none.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub side_cache_bytes: u64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands a reference")]
fn is_zero(number: &u64) -> bool {
    *number == 0
}

impl Node {
    /// A node of which only the number, the cpus and the size are known.
    #[must_use]
    pub fn plain(id: u32, cpus: CpuSet, memory_bytes: u64) -> Self {
        Self { id, cpus, memory_bytes, distances: vec![], kind: None, tier: None, access: None, side_cache_bytes: 0 }
    }
}

/// One cache with its cpus.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Cache {
    /// Position among the caches of this machine.
    pub id: u32,
    /// 1 to 4.
    pub level: u32,
    /// `data`, `instruction` or `unified`.
    pub kind: String,
    /// Size in bytes as the machine claims it.
    pub size_bytes: u64,
    /// The online cpus that share it.
    pub cpus: CpuSet,
}

/// A core with its hardware threads.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Core {
    /// Position in ascending order of first cpu (the kernel's `core_id` is unique only inside a socket).
    pub id: u32,
    /// Its socket.
    pub socket: u32,
    /// Its node; 0 if unknown.
    pub node: u32,
    /// Its online hardware threads.
    pub cpus: CpuSet,
}

/// A hardware thread: what the kernel calls a cpu.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct HardwareThread {
    /// The cpu number.
    pub id: u32,
    /// The same as a set, so that every list of the topology has `cpus`.
    pub cpus: CpuSet,
    /// Position of its core.
    pub core: u32,
    /// Socket it sits in.
    pub socket: u32,
    /// Its node.
    pub node: u32,
}

/// What this process may use.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Allowed {
    /// Online cpus inside the affinity mask and the cpuset.
    pub cpus: CpuSet,
    /// Nodes whose memory may be used.
    pub nodes: CpuSet,
    /// Cpus of the control group's cpuset, if it is smaller than the machine.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpuset: Option<CpuSet>,
    /// CPU time limit of the control group in cpus (quota / period); none means unlimited.
    pub quota_cpus: Option<f64>,
    /// Bytes of memory that the control group may use; none means unlimited.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory_bytes: Option<u64>,
}

/// A machine. Made by [`Topology::this_machine`] or [`Topology::from_sysfs`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Topology {
    /// Version of this description.
    pub schema: u32,
    /// Sockets (packages).
    pub sockets: Vec<Group>,
    /// Dies; empty if the kernel does not distinguish them from sockets.
    pub dies: Vec<Group>,
    /// Clusters and other groups of cpus; empty where there are none.
    #[serde(default)]
    pub groups: Vec<NamedGroup>,
    /// NUMA nodes, CPU-less ones too.
    pub nodes: Vec<Node>,
    /// Caches by level, then by first cpu.
    pub caches: Vec<Cache>,
    /// Cores by first cpu.
    pub cores: Vec<Core>,
    /// Online hardware threads by number.
    pub hardware_threads: Vec<HardwareThread>,
    /// Kinds of cores; empty if the machine does not distinguish kinds.
    #[serde(default)]
    pub cpu_kinds: Vec<CpuKind>,
    /// Cpus that are present but offline; in hwloc's XML also those that its writer was not allowed to use.
    pub offline: CpuSet,
    /// What this process may use.
    pub allowed: Allowed,
    /// Facts that may explain a number.
    pub facts: Facts,
}

impl Topology {
    /// Version of the JSON form.
    pub const SCHEMA: u32 = 1;

    /// Online cpus.
    #[must_use]
    pub fn online(&self) -> CpuSet {
        self.hardware_threads.iter().map(|thread| thread.id).collect()
    }

    /// Cores that keep at least one allowed cpu, with only their allowed cpus.
    #[must_use]
    pub fn allowed_cores(&self) -> Vec<Core> {
        let narrowed =
            self.cores.iter().map(|core| Core { cpus: core.cpus.intersection(&self.allowed.cpus), ..core.clone() });
        narrowed.filter(|core| !core.cpus.is_empty()).collect()
    }

    /// The last-level cache of a cpu: the largest level that holds data; none where the machine claims no cache.
    #[must_use]
    pub fn last_level_cache(&self, cpu: u32) -> Option<&Cache> {
        let holds = |cache: &&Cache| cache.kind != "instruction" && cache.cpus.contains(cpu);
        self.caches.iter().filter(holds).max_by_key(|cache| cache.level)
    }

    /// Distance between two nodes by SLIT, or 10 on the diagonal and 20 off it where the firmware gives none.
    #[must_use]
    pub fn distance(&self, from: u32, to: u32) -> u32 {
        let position = self.nodes.iter().position(|node| node.id == to);
        let row = self.nodes.iter().find(|node| node.id == from);
        let known = row.zip(position).and_then(|(node, at)| node.distances.get(at));
        known.copied().unwrap_or(if from == to { 10 } else { 20 })
    }

    /// The node of a cpu: the smallest one that has it, the first of equal ones. None if unknown, as for nodes that
    /// were not allowed when hwloc's XML was written.
    #[must_use]
    pub fn node_of(&self, cpu: u32) -> Option<u32> {
        node_of(&self.nodes, cpu)
    }

    /// The memory node of a core; none where it is unknown.
    #[must_use]
    pub fn home(&self, core: &Core) -> Option<u32> {
        core.cpus.first().and_then(|cpu| self.node_of(cpu))
    }

    /// Whether the source (the kernel, or a description) numbers the sockets.
    #[must_use]
    pub fn sockets_are_numbered(&self) -> bool {
        !matches!(self.facts.get("socket_numbers"), Some(Fact::Unavailable { .. }))
    }

    /// The sockets; if the kernel numbers none, the sets it names as siblings, or the nodes.
    #[must_use]
    pub fn socket_like(&self) -> Vec<CpuSet> {
        let sets: Vec<_> = if self.sockets_are_numbered() {
            self.sockets.iter().map(|socket| socket.cpus.clone()).collect()
        } else {
            let unnumbered = self.groups.iter().filter(|group| group.kind == "socket").map(|group| group.cpus.clone());
            let unnumbered: Vec<_> = unnumbered.collect();
            if unnumbered.len() > 1 { unnumbered } else { self.node_like() }
        };
        sets.into_iter().filter(|cpus| !cpus.is_empty()).collect()
    }

    /// Every cpu in its own node: where nodes overlap (memory that is attached to the nearest cpus) the smallest counts.
    /// Cpus of unknown node are one set together, so that none is lost; sets may be empty.
    #[must_use]
    pub fn node_like(&self) -> Vec<CpuSet> {
        let homes = self.nodes.iter().map(|node| Some(node.id)).chain([None]);
        let of = |home: Option<u32>| {
            let cpus = self.hardware_threads.iter().map(|thread| thread.id);
            cpus.filter(|cpu| self.node_of(*cpu) == home).collect()
        };
        homes.map(of).collect()
    }
}

fn node_of(nodes: &[Node], cpu: u32) -> Option<u32> {
    let holders = nodes.iter().filter(|node| node.cpus.contains(cpu));
    holders.min_by_key(|node| (node.cpus.len(), node.id)).map(|node| node.id)
}

/// Hardware threads by number, from cores.
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
