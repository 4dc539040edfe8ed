//! Reads hwloc's synthetic description: `pack:2 [numa(memory=64GB)] l3:1(size=16MB) core:8 pu:2(indexes=...)`.
//!
//! Levels from the outside in, each with the number of its objects inside one object of the level before. `indexes=`
//! renumbers a level: as a list (`0,2,1,3`), as steps (`2*8:8*2`, number of objects by distance), or by the levels to
//! interleave over (`node:core`). Levels without a type get hwloc's: the last one is the hardware thread, then core,
//! and so on outwards. Source: hwloc's manual, "Synthetic topologies".

mod indexes;
mod text;

use self::indexes::numbers;
use self::text::{Kind, Level, parse};
use super::{Allowed, Cache, Core, Group, NamedGroup, Node, Topology, hardware_threads, node_of};
use crate::{CpuSet, Error, Facts};

/// Linux runs on no larger machine (`CONFIG_NR_CPUS` is at most 8192).
const MOST_THREADS: usize = 1 << 13;
/// Linux has no more (`CONFIG_NODES_SHIFT` is at most 10).
const MOST_NODES: usize = 1 << 10;
const DEFAULT_NODE_BYTES: u64 = 1 << 30;

impl Topology {
    /// Reads a synthetic description.
    ///
    /// # Errors
    /// [`Error::Synthetic`] with the word that is not understood.
    pub fn from_synthetic(text: &str) -> Result<Self, Error> {
        let bad = |reason: String| Error::Synthetic { text: text.into(), reason };
        let levels = parse(text).map_err(bad)?;
        build(&levels).map_err(bad)
    }
}

/// A level with the number of its objects in the whole machine.
struct Counted<'a> {
    level: &'a Level,
    total: usize,
}

fn build(levels: &[Level]) -> Result<Topology, String> {
    let mut counted: Vec<Counted<'_>> = Vec::new();
    let mut total = 1_usize;
    for level in levels {
        let all = total.checked_mul(level.count).filter(|&all| all <= MOST_THREADS);
        let all = all.ok_or_else(|| format!("more than {MOST_THREADS} objects"))?;
        if !level.beside {
            total = all;
        }
        counted.push(Counted { level, total: all });
    }
    if counted.iter().filter(|one| one.level.kind == Kind::Node).map(|one| one.total).sum::<usize>() > MOST_NODES {
        return Err(format!("more than {MOST_NODES} nodes"));
    }
    let numbers: Vec<Vec<u32>> = counted.iter().map(|one| numbers(one, &counted)).collect::<Result<_, _>>()?;
    let threads = &numbers[counted.iter().rposition(|one| one.level.kind == Kind::Thread).unwrap_or(0)];
    let sets = |one: &Counted<'_>| -> Vec<CpuSet> {
        // Several nodes beside one object share its cpus.
        let share = if one.level.beside { one.level.count } else { 1 };
        let parents = (one.total / share).max(1);
        let span = (threads.len() / parents).max(1);
        (0..one.total).map(|at| threads[(at / share) * span..][..span].iter().copied().collect()).collect()
    };
    let mut machine = empty();
    for (one, numbers) in counted.iter().zip(&numbers) {
        place(&mut machine, one, numbers, sets(one));
    }
    finish(&mut machine, threads);
    Ok(machine)
}

fn place(machine: &mut Topology, one: &Counted<'_>, numbers: &[u32], sets: Vec<CpuSet>) {
    let objects = numbers.iter().copied().zip(sets);
    let bytes = one.level.bytes;
    match one.level.kind {
        Kind::Package => machine.sockets.extend(objects.map(|(id, cpus)| Group { id, cpus })),
        Kind::Die => machine.dies.extend(objects.map(|(id, cpus)| Group { id, cpus })),
        Kind::Group => {
            machine.groups.extend(objects.map(|(id, cpus)| NamedGroup { id, kind: "group".into(), cpus }));
        }
        Kind::Node => {
            let size = bytes.unwrap_or(DEFAULT_NODE_BYTES);
            let before = u32::try_from(machine.nodes.len()).unwrap_or(0);
            machine.nodes.extend(objects.map(|(id, cpus)| Node::plain(id + before, cpus, size)));
        }
        Kind::Cache(level, kind) => {
            let size_bytes = bytes.unwrap_or(if level == 1 { 32 << 10 } else { 1 << 20 << (2 * (level - 1)) });
            let cache = |(id, cpus)| Cache { id, level, kind: kind.into(), size_bytes, cpus };
            machine.caches.extend(objects.map(cache));
        }
        Kind::Core => {
            machine.cores.extend(objects.map(|(id, cpus)| Core { id, socket: 0, node: 0, cpus }));
        }
        Kind::Thread => {}
    }
}

/// Fills in what the description leaves out, as the other readers do.
fn finish(machine: &mut Topology, threads: &[u32]) {
    let all: CpuSet = threads.iter().copied().collect();
    if machine.nodes.is_empty() {
        machine.nodes.push(Node::plain(0, all.clone(), DEFAULT_NODE_BYTES));
    }
    if machine.sockets.is_empty() {
        machine.sockets.push(Group { id: 0, cpus: all.clone() });
    }
    if machine.cores.is_empty() {
        let lone = threads.iter().map(|&cpu| Core { id: 0, socket: 0, node: 0, cpus: [cpu].into_iter().collect() });
        machine.cores.extend(lone);
    }
    machine.nodes.sort_by_key(|node| node.id);
    machine.cores.sort_by_key(|core| core.cpus.first());
    machine.caches.sort_by_key(|cache| (cache.level, cache.cpus.first(), cache.kind.clone()));
    for (id, cache) in (0..).zip(&mut machine.caches) {
        cache.id = id;
    }
    for (id, core) in (0..).zip(&mut machine.cores) {
        let first = core.cpus.first().unwrap_or(0);
        core.id = id;
        core.node = node_of(&machine.nodes, first).unwrap_or(0);
        core.socket = machine.sockets.iter().find(|s| s.cpus.contains(first)).map_or(0, |s| s.id);
    }
    machine.hardware_threads = hardware_threads(&machine.cores);
    let nodes = machine.nodes.iter().map(|node| node.id).collect();
    machine.allowed = Allowed { cpus: all, nodes, cpuset: None, quota_cpus: None, memory_bytes: None };
}

/// An empty topology.
fn empty() -> Topology {
    let nothing = CpuSet::default();
    Topology {
        schema: Topology::SCHEMA,
        sockets: vec![],
        dies: vec![],
        groups: vec![],
        nodes: vec![],
        caches: vec![],
        cores: vec![],
        hardware_threads: vec![],
        cpu_kinds: vec![],
        offline: nothing.clone(),
        allowed: Allowed { cpus: nothing.clone(), nodes: nothing, cpuset: None, quota_cpus: None, memory_bytes: None },
        facts: Facts::new(),
    }
}
