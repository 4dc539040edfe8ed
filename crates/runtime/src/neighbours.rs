//! Distances between workers: same core, cache, node, or far.

use std::collections::{BTreeSet, HashMap};

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

/// Where a worker stands, as far as that is known. Workers of one seat are equally far from all others.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
struct Seat {
    core: Option<usize>,
    /// Its last-level cache.
    cache: Option<u32>,
    node: Option<u32>,
}

/// Distances between the workers of a pool, as far as the machine says.
#[derive(Debug, Clone, Default)]
pub struct Neighbours {
    seats: Vec<Seat>,
    /// Of each worker, the number of its domain: see [`Self::share_domain`].
    domains: Vec<usize>,
    /// The nodes that have workers, in ascending order.
    nodes: Vec<u32>,
    /// The firmware's distances between them, row by row.
    slit: Vec<u32>,
}

impl Neighbours {
    /// Workers at unknown places: all count as on one node.
    #[must_use]
    pub fn unknown(workers: usize) -> Self {
        Self { seats: vec![Seat::default(); workers], domains: vec![0; workers], ..Self::default() }
    }

    /// Worker i stands on node `nodes[i]`.
    #[cfg(test)]
    #[allow(dead_code, reason = "only model checkers use it")]
    pub(crate) fn of_nodes(nodes: &[u32]) -> Self {
        let seats = nodes.iter().map(|&node| Seat { node: Some(node), ..Seat::default() }).collect();
        Self::seated(seats, numbered(nodes.iter(), |node| **node), |from, to| if from == to { 10 } else { 20 })
    }

    /// Worker i stands on `cpus[i]` of `machine`.
    #[must_use]
    pub fn on(machine: &Topology, cpus: &[u32]) -> Self {
        let seats = cpus.iter().map(|&cpu| seat(machine, cpu)).collect();
        let domains = numbered(cpus.iter().map(|&cpu| domain(machine, cpu)), |domain| {
            let first = domain.and_then(CpuSet::first);
            (first.and_then(|cpu| machine.node_of(cpu)), first)
        });
        Self::seated(seats, domains, |from, to| machine.distance(from, to).max(1))
    }

    fn seated(seats: Vec<Seat>, domains: Vec<usize>, slit: impl Fn(u32, u32) -> u32) -> Self {
        let nodes: BTreeSet<u32> = seats.iter().filter_map(|seat| seat.node).collect();
        let pairs = nodes.iter().flat_map(|&from| nodes.iter().map(move |&to| (from, to)));
        let slit = pairs.map(|(from, to)| slit(from, to));
        Self { slit: slit.collect(), seats, domains, nodes: nodes.into_iter().collect() }
    }

    /// The same for workers that move within their nodes: the node is the smallest distance.
    pub(crate) fn floating(mut self) -> Self {
        self.seats.iter_mut().for_each(|seat| (seat.core, seat.cache) = (None, None));
        self
    }

    /// How many workers there are.
    #[must_use]
    pub fn workers(&self) -> usize {
        self.seats.len()
    }

    /// Whether it is known where workers stand. Where it is not, all distances are [`Distance::Node`], and mean nothing.
    #[must_use]
    pub fn are_known(&self) -> bool {
        self.seats.iter().all(|seat| *seat != Seat::default())
    }

    /// The node of a worker; none where that is not known.
    #[must_use]
    pub fn node(&self, worker: usize) -> Option<u32> {
        self.seats[worker].node
    }

    /// Whether two workers are on one socket; where a node has several sockets, on one node.
    #[must_use]
    pub fn share_domain(&self, one: usize, other: usize) -> bool {
        self.domains[one] == self.domains[other]
    }

    /// The domain of a worker: they are numbered as blocks of arrays are dealt, by ascending node, whatever the order of the
    /// workers; on one node by ascending cpu.
    pub(crate) fn domain(&self, worker: usize) -> usize {
        self.domains[worker]
    }

    /// The node of the first worker of each domain.
    pub(crate) fn nodes_of_domains(&self) -> Vec<Option<u32>> {
        let domains = 0..self.domains.iter().max().map_or(0, |last| last + 1);
        let first = |domain| self.domains.iter().position(|&own| own == domain);
        domains.map(|domain| first(domain).and_then(|worker| self.node(worker))).collect()
    }

    /// The workers of each seat, in the order of their first ones.
    pub(crate) fn by_seat(&self) -> Vec<Vec<usize>> {
        let (mut numbers, mut workers) = (HashMap::new(), Vec::<Vec<usize>>::new());
        for (worker, seat) in self.seats.iter().enumerate() {
            let number = *numbers.entry(seat).or_insert(workers.len());
            if number == workers.len() {
                workers.push(Vec::new());
            }
            workers[number].push(worker);
        }
        workers
    }

    /// How far two workers are from each other.
    #[must_use]
    pub fn distance(&self, from: usize, to: usize) -> Distance {
        let (from, to) = (self.seats[from], self.seats[to]);
        if from.core.is_some() && from.core == to.core {
            Distance::Core
        } else if from.cache.is_some() && from.cache == to.cache {
            Distance::Cache
        } else if from.node == to.node {
            Distance::Node
        } else {
            Distance::Far
        }
    }

    /// The firmware's distance (SLIT) between the nodes of two workers; 10 is the same node.
    #[must_use]
    pub fn slit(&self, from: usize, to: usize) -> u32 {
        let at = |worker| self.node(worker).and_then(|node| self.nodes.binary_search(&node).ok());
        at(from).zip(at(to)).map_or(10, |(from, to)| self.slit[from * self.nodes.len() + to])
    }
}

fn seat(machine: &Topology, cpu: u32) -> Seat {
    let core = machine.cores.iter().position(|core| core.cpus.contains(cpu));
    // A cpu that no core has is one by itself.
    let core = core.unwrap_or(machine.cores.len() + cpu as usize);
    Seat { core: Some(core), cache: machine.last_level_cache(cpu).map(|cache| cache.id), node: machine.node_of(cpu) }
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

/// Equal things get equal numbers, from 0 in the order of their keys.
fn numbered<T: PartialEq, K: Ord>(things: impl Iterator<Item = T>, key: impl Fn(&T) -> K) -> Vec<usize> {
    let (mut known, mut met) = (Vec::new(), Vec::new());
    for thing in things {
        let found = known.iter().position(|other| *other == thing);
        met.push(found.unwrap_or(known.len()));
        if found.is_none() {
            known.push(thing);
        }
    }
    let mut order: Vec<usize> = (0..known.len()).collect();
    order.sort_by_key(|&at| key(&known[at]));
    let mut numbers = vec![0; order.len()];
    for (number, at) in order.into_iter().enumerate() {
        numbers[at] = number;
    }
    met.into_iter().map(|at| numbers[at]).collect()
}

#[cfg(all(test, not(any(knee_loom, knee_shuttle))))]
mod tests {
    use Distance::{Cache, Core, Far, Node};

    use super::*;

    #[test]
    fn distances_are_those_of_the_machine() {
        let machine = Topology::from_synthetic("pack:2 [numa] l3:2 core:2 pu:2").unwrap();
        // Two workers on one cpu, its sibling, the other core of the cache, the other cache, the other socket.
        let neighbours = Neighbours::on(&machine, &[0, 0, 1, 2, 4, 8]);
        let from_first: Vec<_> = (0..6).map(|to| neighbours.distance(0, to)).collect();
        assert_eq!(from_first, [Core, Core, Core, Cache, Node, Far]);
        assert_eq!([neighbours.slit(0, 4), neighbours.slit(0, 5)], [10, 20]);
        assert_eq!(neighbours.by_seat(), [vec![0, 1, 2], vec![3], vec![4], vec![5]]);
        let floating = neighbours.floating();
        assert_eq!([1, 2, 3, 4, 5].map(|to| floating.distance(0, to)), [Node, Node, Node, Node, Far]);
        assert!(floating.are_known() && !Neighbours::unknown(2).are_known());
        assert_eq!(Neighbours::unknown(2).distance(0, 1), Node);
    }

    #[test]
    fn domains_are_numbered_by_node_whatever_the_order_of_workers() {
        let machine = Topology::from_synthetic("pack:4 [numa] core:2 pu:1").unwrap();
        let neighbours = Neighbours::on(&machine, &[7, 0, 2, 6, 4]);
        assert_eq!([0, 1, 2, 3, 4].map(|worker| neighbours.domain(worker)), [3, 0, 1, 3, 2]);
        assert_eq!(neighbours.nodes_of_domains(), [0, 1, 2, 3].map(Some));
        // Those without workers have no number.
        let some = Neighbours::on(&machine, &[6, 2]);
        assert_eq!(
            ([0, 1].map(|worker| some.domain(worker)), some.nodes_of_domains()),
            ([1, 0], vec![Some(1), Some(3)])
        );
    }

    #[test]
    fn the_largest_machine_is_described_in_time() {
        // A look at all cores and caches for each of its 67 million pairs would take many minutes.
        let (done, described) = std::sync::mpsc::channel();
        std::thread::spawn(move || {
            let machine = Topology::from_synthetic("pack:64 [numa] l3:1 core:64 pu:2").unwrap();
            let cpus: Vec<u32> = (0..8192).collect();
            let neighbours = Neighbours::on(&machine, &cpus);
            done.send([1, 2, 128].map(|to| neighbours.distance(0, to)))
        });
        let distances = described.recv_timeout(std::time::Duration::from_mins(1)).expect("it does not go by pairs");
        assert_eq!(distances, [Distance::Core, Distance::Cache, Distance::Far]);
    }
}
