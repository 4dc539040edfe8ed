//! The tree that placements walk, with branches sorted nearest first.

use crate::nest::Nested;
use crate::{CpuSet, Topology};

/// All named parts of the machine, down to hardware threads, restricted to `cpus`. Branches are sorted by distance from
/// the node of the lowest cpu, then by lowest cpu. hwloc's distance groups are left out: distance sorts already, and
/// the kernel's files do not have them.
pub(super) fn tree(machine: &Topology, cpus: &CpuSet) -> Nested<()> {
    let groups = machine.groups.iter().filter(|group| group.kind != "group").map(|group| &group.cpus);
    let caches = machine.caches.iter().filter(|cache| cache.level > 1 && cache.kind != "instruction");
    let sets = (machine.sockets.iter().map(|socket| &socket.cpus))
        .chain(machine.dies.iter().map(|die| &die.cpus))
        .chain(machine.nodes.iter().map(|node| &node.cpus))
        .chain(groups)
        .chain(caches.map(|cache| &cache.cpus))
        .chain(machine.cores.iter().map(|core| &core.cpus))
        .chain(machine.hardware_threads.iter().map(|thread| &thread.cpus));
    let sets = sets.map(|set| (set.intersection(cpus), ())).collect();
    let mut tree = Nested::new(cpus.clone(), (), sets);
    if let Some(first) = cpus.first() {
        sort(&mut tree, machine, machine.node_of(first));
    }
    tree
}

fn sort(branch: &mut Nested<()>, machine: &Topology, origin: Option<u32>) {
    // A branch without a node counts as farther than any with one; without a start all are equally near.
    let distance = |child: &Nested<()>| {
        let nodes: CpuSet = child.cpus.iter().filter_map(|cpu| machine.node_of(cpu)).collect();
        origin.map(|origin| nodes.iter().map(|node| machine.distance(origin, node)).min().unwrap_or(u32::MAX))
    };
    branch.children.sort_by_cached_key(|child| (distance(child), child.cpus.first()));
    for child in &mut branch.children {
        sort(child, machine, origin);
    }
}

/// The places below a branch, depth first: every set of `places` where the walk meets it.
pub(super) fn close(branch: &Nested<()>, places: &[CpuSet]) -> Vec<CpuSet> {
    if let Some(place) = place(branch, places) {
        return vec![place];
    }
    branch.children.iter().flat_map(|child| close(child, places)).collect()
}

/// The places below a branch, one from each child in turn, at every level.
pub(super) fn spread(branch: &Nested<()>, places: &[CpuSet]) -> Vec<CpuSet> {
    if let Some(place) = place(branch, places) {
        return vec![place];
    }
    let hands: Vec<Vec<CpuSet>> = branch.children.iter().map(|child| spread(child, places)).collect();
    in_rounds(&hands)
}

/// One of each list in turn until all are empty.
pub(super) fn in_rounds<T: Clone>(hands: &[Vec<T>]) -> Vec<T> {
    let longest = hands.iter().map(Vec::len).max().unwrap_or(0);
    (0..longest).flat_map(|turn| hands.iter().filter_map(move |hand| hand.get(turn).cloned())).collect()
}

/// The place that a branch is. A branch inside a place is that place too: the walk may meet a part of one first where
/// the tree is cut to what is allowed; parts met later are dropped by the caller.
fn place(branch: &Nested<()>, places: &[CpuSet]) -> Option<CpuSet> {
    places.iter().find(|place| branch.cpus.is_subset(place)).cloned()
}
