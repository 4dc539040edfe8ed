//! The machine as a tree of sockets, nodes, caches, cores and hardware threads.

mod sysfs;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{CpuSet, Facts};

/// A group of cpus with the number the kernel gives it: a socket or a die.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Group {
    /// The kernel's number, unique among its kind.
    pub id: u32,
    /// Its online cpus.
    pub cpus: CpuSet,
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
}

/// One cache and who shares it.
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
    /// Socket it sits in.
    pub socket: u32,
    /// Node it belongs to.
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
    /// Node it belongs to.
    pub node: u32,
}

/// What this process may use.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Allowed {
    /// Online cpus inside the affinity mask.
    pub cpus: CpuSet,
    /// CPU time limit of the control group in cpus (quota / period); none means unlimited.
    pub quota_cpus: Option<f64>,
}

/// A machine. Made by [`Topology::this_machine`] or [`Topology::from_sysfs`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Topology {
    /// Version of this description.
    pub schema: u32,
    /// Sockets (packages).
    pub sockets: Vec<Group>,
    /// Dies; empty where the kernel does not tell them apart from sockets.
    pub dies: Vec<Group>,
    /// NUMA nodes, CPU-less ones too.
    pub nodes: Vec<Node>,
    /// Caches by level, then by first cpu.
    pub caches: Vec<Cache>,
    /// Cores by first cpu.
    pub cores: Vec<Core>,
    /// Online hardware threads by number.
    pub hardware_threads: Vec<HardwareThread>,
    /// Cpus that are present and switched off.
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
}
