//! Resolves a named placement to an ordered list of cpus.

use super::kinds::{CORES, SOCKETS, distinct};
use super::tree::{close, in_rounds, spread, tree};
use super::{Named, PlaceKind, Spacing, Within};
use crate::nest::Nested;
use crate::{CpuSet, Error, Topology};

/// The cpus that qualifiers leave.
pub(super) fn available(machine: &Topology, named: &Named) -> Result<CpuSet, Error> {
    let mut cpus = machine.allowed.cpus.clone();
    for part in &named.within {
        cpus = cpus.intersection(&part_of(machine, part)?);
    }
    if named.leave_one && !cpus.is_empty() {
        let farthest = close(&tree(machine, &cpus), &cores(machine, &cpus)).pop().unwrap_or_default();
        cpus = cpus.difference(&farthest);
    }
    if cpus.is_empty() {
        return Err(Error::NothingLeft { placement: named.to_string(), allowed: machine.allowed.cpus.clone() });
    }
    match named.per_core {
        None => Ok(cpus),
        Some(siblings) => with_siblings(named, siblings, &cores(machine, &cpus)),
    }
}

/// The first `siblings` hardware threads of each core that has as many. The others are removed first: an unused core
/// takes no turn.
fn with_siblings(named: &Named, siblings: usize, cores: &[CpuSet]) -> Result<CpuSet, Error> {
    let enough = cores.iter().filter(|core| core.len() >= siblings);
    let cpus: CpuSet = enough.flat_map(|core| core.iter().take(siblings)).collect();
    if cpus.is_empty() {
        let most = cores.iter().map(CpuSet::len).max().unwrap_or(0);
        return Err(Error::TooFewSiblings { placement: named.to_string(), siblings, most });
    }
    Ok(cpus)
}

/// The cpus in the order of the placement.
pub(super) fn of(machine: &Topology, named: &Named, cpus: &CpuSet) -> Vec<u32> {
    let tree = tree(machine, cpus);
    let walk = |branch: &Nested<()>, places: &[CpuSet]| match named.spacing {
        Spacing::Close => close(branch, places),
        Spacing::Spread => spread(branch, places),
    };
    let cores = cores(machine, cpus);
    let places = distinct(walk(&tree, &places(machine, named.places, cpus)));
    // Inside a place: its cores as the bind says, first hardware threads before siblings.
    let inner = walk(&tree, &cores);
    let inside = |place: &CpuSet| {
        let hands: Vec<Vec<u32>> = distinct(inner.iter().map(|core| core.intersection(place)).collect())
            .iter()
            .map(|core| core.iter().collect())
            .collect();
        in_rounds(&hands)
    };
    let order = in_rounds(&places.iter().map(inside).collect::<Vec<_>>());
    if named.per_core.is_none() {
        return order;
    }
    // Siblings go together, cores as the order first meets them.
    let core_of = |cpu: &u32| cores.iter().find(|core| core.contains(*cpu)).cloned();
    let met = distinct(order.iter().filter_map(core_of).collect());
    met.iter().flat_map(|core| core.iter().collect::<Vec<_>>()).collect()
}

/// The order for exactly `threads` threads on as few sockets as hold them.
pub(super) fn compact(machine: &Topology, named: &Named, threads: usize) -> Result<Vec<u32>, Error> {
    let cpus = available(machine, named)?;
    let whole = of(machine, named, &cpus);
    if whole.len() < threads {
        return Ok(whole);
    }
    let sockets = distinct(close(&tree(machine, &cpus), &places(machine, SOCKETS, &cpus)));
    let holds = |sockets: &[CpuSet]| -> Option<Vec<u32>> {
        let inside: CpuSet = sockets.iter().flat_map(CpuSet::iter).collect();
        Some(of(machine, named, &inside)).filter(|order| order.len() >= threads)
    };
    let mut largest = sockets.clone();
    largest.sort_by_key(|socket| std::cmp::Reverse(socket.len()));
    let fewest = (1..=sockets.len()).find_map(|n| holds(&sockets[..n]).or_else(|| holds(&largest[..n])));
    Ok(fewest.unwrap_or(whole))
}

/// The places of a kind, cut to `cpus`.
fn places(machine: &Topology, kind: PlaceKind, cpus: &CpuSet) -> Vec<CpuSet> {
    distinct((kind.places)(machine).into_iter().map(|set| set.intersection(cpus)).collect())
}

fn cores(machine: &Topology, cpus: &CpuSet) -> Vec<CpuSet> {
    places(machine, CORES, cpus)
}

fn part_of(machine: &Topology, part: &Within) -> Result<CpuSet, Error> {
    let chosen = |ids: &CpuSet, all: Vec<(u32, &CpuSet)>, what: &str| {
        let known: CpuSet = all.iter().map(|(id, _)| *id).collect();
        let missing = ids.difference(&known);
        if !missing.is_empty() {
            return Err(Error::NoSuchPart { part: format!("{what} {missing}"), known: format!("{what}s {known}") });
        }
        Ok(all.into_iter().filter(|(id, _)| ids.contains(*id)).flat_map(|(_, cpus)| cpus.iter()).collect())
    };
    match part {
        Within::Sockets(ids) if !machine.sockets_are_numbered() => Err(Error::NoSuchPart {
            part: format!("socket {ids}"),
            known: "sockets without numbers (use its nodes)".into(),
        }),
        Within::Sockets(ids) => chosen(ids, machine.sockets.iter().map(|s| (s.id, &s.cpus)).collect(), "socket"),
        Within::Nodes(ids) => chosen(ids, machine.nodes.iter().map(|n| (n.id, &n.cpus)).collect(), "node"),
        Within::Dies(ids) => chosen(ids, machine.dies.iter().map(|d| (d.id, &d.cpus)).collect(), "die"),
        Within::Cores(ids) => chosen(ids, machine.cores.iter().map(|c| (c.id, &c.cpus)).collect(), "core"),
        Within::Kind(name) => {
            // Cores of one name may differ, as in their clock.
            let those: Vec<_> = machine.cpu_kinds.iter().filter(|kind| kind.name == *name).collect();
            let mut known: Vec<_> = machine.cpu_kinds.iter().map(|kind| kind.name.as_str()).collect();
            known.dedup();
            let known = known.join(", ");
            let none = || Error::NoSuchPart {
                part: format!("kind '{name}' of cores"),
                known: if known.is_empty() { "no kinds".into() } else { known.clone() },
            };
            if those.is_empty() { Err(none()) } else { Ok(those.iter().flat_map(|kind| kind.cpus.iter()).collect()) }
        }
        Within::FirstThreads => Ok(machine.cores.iter().filter_map(|core| core.cpus.first()).collect()),
    }
}
