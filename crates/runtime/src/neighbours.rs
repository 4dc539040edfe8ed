//! Distances between workers: same core, cache, node, or far.

use knee_machine::{CpuSet, Topology};

/// How far a victim is from its thief.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Distance {
    /// A hardware thread of the same core.
    Core,
    /// Another core that shares the last-level cache.
    Cache,
    /// The same NUMA node.
    Node,
    /// Another node.
    Far,
}

impl Distance {
    /// All of them, the nearest first.
    pub const ALL: [Self; 4] = [Self::Core, Self::Cache, Self::Node, Self::Far];
}

/// Distances between the workers of a pool, as far as the machine says.
#[derive(Debug, Clone, Default)]
pub struct Neighbours {
    nodes: Vec<Option<u32>>,
    /// Of each worker, the number of its domain: see [`Self::share_domain`].
    domains: Vec<usize>,
    distances: Vec<Distance>,
    slit: Vec<u32>,
}

impl Neighbours {
    /// Workers at unknown places: all count as on one node.
    #[must_use]
    pub fn unknown(workers: usize) -> Self {
        let pairs = workers * workers;
        let (distances, slit) = (vec![Distance::Node; pairs], vec![10; pairs]);
        Self { nodes: vec![None; workers], domains: vec![0; workers], distances, slit }
    }

    /// Worker i stands on node `nodes[i]`.
    #[cfg(test)]
    #[allow(dead_code, reason = "only model checkers use it")]
    pub(crate) fn of_nodes(nodes: &[u32]) -> Self {
        let pairs = || nodes.iter().flat_map(|a| nodes.iter().map(move |b| a == b));
        let distances = pairs().map(|same| if same { Distance::Node } else { Distance::Far }).collect();
        let slit = pairs().map(|same| if same { 10 } else { 20 }).collect();
        let domains = numbered(nodes.iter());
        Self { nodes: nodes.iter().copied().map(Some).collect(), domains, distances, slit }
    }

    /// Worker i stands on `cpus[i]` of `machine`.
    #[must_use]
    pub fn on(machine: &Topology, cpus: &[u32]) -> Self {
        let nodes: Vec<_> = cpus.iter().map(|&cpu| machine.node_of(cpu)).collect();
        let pairs = || (0..cpus.len()).flat_map(|a| (0..cpus.len()).map(move |b| (a, b)));
        let distances = pairs().map(|(a, b)| distance(machine, cpus[a], cpus[b])).collect();
        let slit = pairs().map(|(a, b)| match (nodes[a], nodes[b]) {
            (Some(from), Some(to)) => machine.distance(from, to).max(1),
            _ => 10,
        });
        let domains = numbered(cpus.iter().map(|&cpu| domain(machine, cpu)));
        Self { slit: slit.collect(), distances, domains, nodes }
    }

    /// The same for workers that move within their nodes: the node is the smallest distance.
    pub(crate) fn floating(mut self) -> Self {
        self.distances.iter_mut().for_each(|distance| *distance = (*distance).max(Distance::Node));
        self
    }

    /// How many workers there are.
    #[must_use]
    pub fn workers(&self) -> usize {
        self.nodes.len()
    }

    /// The node of a worker; none where that is not known.
    #[must_use]
    pub fn node(&self, worker: usize) -> Option<u32> {
        self.nodes[worker]
    }

    /// Whether two workers are on one socket; where a node has several sockets, on one node.
    #[must_use]
    pub fn share_domain(&self, one: usize, other: usize) -> bool {
        self.domains[one] == self.domains[other]
    }

    /// The domain of a worker: they are numbered in the order of their first workers.
    pub(crate) fn domain(&self, worker: usize) -> usize {
        self.domains[worker]
    }

    /// The node of the first worker of each domain.
    pub(crate) fn nodes_of_domains(&self) -> Vec<Option<u32>> {
        let domains = 0..self.domains.iter().max().map_or(0, |last| last + 1);
        let first = |domain| self.domains.iter().position(|&own| own == domain);
        domains.map(|domain| first(domain).and_then(|worker| self.nodes[worker])).collect()
    }

    /// How far two workers are from each other.
    #[must_use]
    pub fn distance(&self, from: usize, to: usize) -> Distance {
        self.distances[from * self.workers() + to]
    }

    /// The firmware's distance (SLIT) between the nodes of two workers; 10 is the same node.
    #[must_use]
    pub fn slit(&self, from: usize, to: usize) -> u32 {
        self.slit[from * self.workers() + to]
    }
}

/// The cpus of the socket of a cpu, or of its node where that has several sockets.
fn domain(machine: &Topology, cpu: u32) -> Option<&CpuSet> {
    let socket = machine.sockets.iter().map(|socket| &socket.cpus).find(|cpus| cpus.contains(cpu));
    let node = machine.nodes.iter().map(|node| &node.cpus).find(|cpus| cpus.contains(cpu));
    match (socket, node) {
        (Some(socket), Some(node)) if socket.difference(node).is_empty() => Some(node),
        (socket, node) => socket.or(node),
    }
}

/// Equal things get equal numbers, from 0 in the order in which they come.
fn numbered<T: PartialEq>(things: impl Iterator<Item = T>) -> Vec<usize> {
    let mut known = Vec::new();
    let number = |thing: T| {
        let found = known.iter().position(|other| *other == thing);
        found.unwrap_or_else(|| {
            known.push(thing);
            known.len() - 1
        })
    };
    things.map(number).collect()
}

fn distance(machine: &Topology, from: u32, to: u32) -> Distance {
    let together = |cpus: &CpuSet| cpus.contains(from) && cpus.contains(to);
    if from == to || machine.cores.iter().any(|core| together(&core.cpus)) {
        Distance::Core
    } else if machine.last_level_cache(from).is_some_and(|cache| together(&cache.cpus)) {
        Distance::Cache
    } else if machine.node_of(from) == machine.node_of(to) {
        Distance::Node
    } else {
        Distance::Far
    }
}
