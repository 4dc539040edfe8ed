//! The context of a probe: the machine, the allowed cpus and nodes, and the observer.

use std::str::FromStr;

use knee_machine::{CpuSet, Order, Placement, Topology, room};

use crate::figure::ProbeValidity;

/// Watches whether other programs used a probe's cpus while it measured.
pub trait Monitor: Sync {
    /// Runs the work on these cpus, and returns what else happened there.
    fn watch(&self, cpus: &[u32], work: &mut dyn FnMut()) -> ProbeValidity;
}

/// The input of a probe.
pub struct Context<'a> {
    /// The machine.
    pub machine: &'a Topology,
    /// The monitor, if there is one.
    pub monitor: Option<&'a dyn Monitor>,
    /// Fewer and smaller measurements.
    pub quick: bool,
}

/// Memory of a DRAM probe, as a multiple of all last-level caches together,
const CACHES: usize = 4;
/// and at least so much,
const LEAST: usize = 1 << 30;
/// or this much in a quick sweep.
const QUICK: usize = 256 << 20;

impl<'a> Context<'a> {
    /// Fewer and smaller measurements of a machine, without a monitor: for a probe that is one of a study's runs, and for
    /// tests.
    #[must_use]
    pub fn quick(machine: &'a Topology) -> Self {
        Self { machine, monitor: None, quick: true }
    }

    /// Does work on some cpus while the monitor watches.
    pub fn watched<R>(&self, cpus: &[u32], work: impl FnOnce() -> R) -> (R, Option<ProbeValidity>) {
        let (mut work, mut result) = (Some(work), None);
        let mut once = || result = work.take().map(|work| work());
        let validity = self.monitor.map(|monitor| monitor.watch(cpus, &mut once));
        if validity.is_none() {
            once();
        }
        (result.expect("a monitor does the work"), validity)
    }

    /// The allowed cpus, by node if known, cores before their siblings.
    #[must_use]
    pub fn cpus(&self) -> Vec<u32> {
        let order = Placement::from_str("cores-close").and_then(|placement| placement.order(self.machine));
        match order {
            Ok(Order::Cpus(cpus)) => cpus,
            _ => self.machine.allowed.cpus.iter().collect(),
        }
    }

    /// The nodes with allowed cpus, and those cpus.
    #[must_use]
    pub fn readers(&self) -> Vec<(u32, Vec<u32>)> {
        let all = self.cpus();
        let of = |cpus: &CpuSet| all.iter().copied().filter(|cpu| cpus.contains(*cpu)).collect::<Vec<_>>();
        let nodes = self.machine.nodes.iter().map(|node| (node.id, of(&node.cpus)));
        nodes.filter(|(_, cpus)| !cpus.is_empty()).collect()
    }

    /// The nodes with allowed memory.
    #[must_use]
    pub fn memories(&self) -> Vec<u32> {
        let allowed = &self.machine.allowed.nodes;
        let may = |id: u32| allowed.is_empty() || allowed.contains(id);
        self.machine.nodes.iter().filter(|node| node.memory_bytes > 0 && may(node.id)).map(|node| node.id).collect()
    }

    /// The node of a cpu, where the machine tells.
    #[must_use]
    pub fn node_of(&self, cpu: u32) -> Option<u32> {
        self.machine.nodes.iter().find(|node| node.cpus.contains(cpu)).map(|node| node.id)
    }

    /// All last-level caches together, as the machine claims.
    #[must_use]
    pub fn caches(&self) -> usize {
        let caches = self.machine.caches.iter().filter(|cache| cache.kind != "instruction");
        let last = caches.clone().map(|cache| cache.level).max().unwrap_or(0);
        caches.filter(|cache| cache.level == last).map(|cache| usize::try_from(cache.size_bytes).unwrap_or(0)).sum()
    }

    /// Memory for a probe of DRAM, all its threads together: a multiple of all caches, as far as available; and the
    /// reason if it is less.
    #[must_use]
    pub fn beyond_caches(&self) -> (usize, Option<String>) {
        let wanted = (CACHES * self.caches()).max(LEAST).next_multiple_of(1 << 20);
        let free = room::memory().map_or(LEAST, |bytes| usize::try_from(bytes / 4).unwrap_or(usize::MAX)) >> 20 << 20;
        let free = free.max(1 << 20);
        let bytes = wanted.min(if self.quick { QUICK.max(2 * self.caches()) } else { usize::MAX }).min(free);
        let why = (bytes < CACHES * self.caches())
            .then(|| format!("{} MiB are less than four times the caches of {} MiB", bytes >> 20, self.caches() >> 20));
        (bytes, why)
    }
}
