//! Named placements on generated machines, and the properties that the rules check.

use std::collections::BTreeSet;

use knee_machine::placement::{Named, Within};
use knee_machine::{CpuSet, Order, Placement, Topology};
use proptest::prelude::*;

use super::{places, usable};

/// The names that stand for a list of cpus.
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    Placement::NAMED.into_iter().map(|(name, _)| name).filter(|name| *name != "none")
}

/// One named placement on a generated machine, with its parts by the definition.
pub(crate) struct Asked<'a> {
    pub(crate) machine: &'a Topology,
    pub(crate) named: Named,
    /// Cpus that are allowed and inside all parts.
    pub(crate) usable: CpuSet,
    /// The usable cpus of each core that has any.
    pub(crate) cores: Vec<CpuSet>,
}

impl<'a> Asked<'a> {
    /// Every name with the same qualifiers.
    pub(crate) fn all(machine: &'a Topology, within: &[Within], per_core: Option<usize>, leave_one: bool) -> Vec<Self> {
        let usable = usable(machine, within);
        let cores = parts(machine.cores.iter().map(|core| &core.cpus), &usable);
        let named = |name: &str| match name.parse() {
            Ok(Placement::Named(named)) => Named { per_core, within: within.to_vec(), leave_one, ..named },
            _ => panic!("{name} is a named placement"),
        };
        names().map(|name| Self { machine, named: named(name), usable: usable.clone(), cores: cores.clone() }).collect()
    }

    pub(crate) fn placement(&self) -> Placement {
        Placement::Named(self.named.clone())
    }

    /// The whole order; none if it is rightly refused.
    pub(crate) fn order(&self) -> Result<Option<Vec<u32>>, TestCaseError> {
        let enough = self.cores.iter().filter(|core| core.len() >= self.unit()).count();
        match self.placement().order(self.machine) {
            Ok(Order::Cpus(order)) => Ok(Some(order)),
            Ok(Order::Kernel) => Err(TestCaseError::fail("a named placement leaves nothing to the kernel")),
            Err(error) => {
                prop_assert!(enough <= usize::from(self.named.leave_one), "{}: {error}", self.placement());
                Ok(None)
            }
        }
    }

    /// Threads that go to a core together.
    pub(crate) fn unit(&self) -> usize {
        self.named.per_core.unwrap_or(1)
    }

    pub(crate) fn sockets(&self) -> Vec<CpuSet> {
        parts(self.machine.sockets.iter().map(|socket| &socket.cpus), &self.usable)
    }

    pub(crate) fn nodes(&self) -> Vec<CpuSet> {
        parts(self.machine.nodes.iter().map(|node| &node.cpus), &self.usable)
    }

    /// Dies, or groups where there are none.
    pub(crate) fn dies(&self) -> Vec<CpuSet> {
        let dies = parts(self.machine.dies.iter().map(|die| &die.cpus), &self.usable);
        let groups = parts(self.machine.groups.iter().map(|group| &group.cpus), &self.usable);
        if dies.is_empty() { groups } else { dies }
    }

    /// The first cpu of every place, in order.
    pub(crate) fn first_of_places(&self, order: &[u32]) -> Vec<u32> {
        let places = places(self.machine, self.named.places);
        let mut seen = BTreeSet::new();
        order.iter().copied().filter(|&cpu| seen.insert(holder(&places, cpu))).collect()
    }
}

/// What is left of each set inside another, without empty ones.
fn parts<'a>(sets: impl Iterator<Item = &'a CpuSet>, inside: &CpuSet) -> Vec<CpuSet> {
    sets.map(|set| set.intersection(inside)).filter(|set| !set.is_empty()).collect()
}

pub(crate) fn holder(sets: &[CpuSet], cpu: u32) -> usize {
    sets.iter().position(|set| set.contains(cpu)).expect("every cpu is in one of the sets")
}

/// How many of the cpus each set holds.
pub(crate) fn counts(cpus: &[u32], sets: &[CpuSet]) -> Vec<usize> {
    let mut counts = vec![0; sets.len()];
    for &cpu in cpus {
        counts[holder(sets, cpu)] += 1;
    }
    counts
}

/// Every set gets one unit of threads before any gets its next, as long as it has cpus left.
pub(crate) fn in_rounds(order: &[u32], sets: &[CpuSet], unit: usize) -> bool {
    let totals = counts(order, sets);
    let mut so_far = vec![0; sets.len()];
    order.chunks(unit).all(|chunk| {
        so_far.iter_mut().zip(counts(chunk, sets)).for_each(|(count, more)| *count += more);
        let most = so_far.iter().max().copied().unwrap_or(0);
        so_far.iter().zip(&totals).all(|(count, total)| count == total || most <= count + unit)
    })
}

/// No set is left before it is done.
pub(crate) fn one_after_the_other(order: &[u32], sets: &[CpuSet]) -> bool {
    let mut visits: Vec<usize> = order.iter().map(|&cpu| holder(sets, cpu)).collect();
    visits.dedup();
    visits.iter().collect::<BTreeSet<_>>().len() == visits.len()
}

/// Sockets, and nodes inside a socket, come by the distance of their nearest node from home, then by their lowest cpu.
pub(crate) fn nearest_first(asked: &Asked<'_>, firsts: &[u32]) -> Result<(), TestCaseError> {
    let machine = asked.machine;
    let position = |cpu| machine.nodes.iter().position(|node| node.cpus.contains(cpu)).expect("every cpu has its node");
    let home = &machine.nodes[position(asked.usable.first().expect("an order has cpus"))];
    let key = |set: &CpuSet| {
        let inside = set.intersection(&asked.usable);
        let nearest = inside.iter().map(|cpu| home.distances[position(cpu)]).min();
        (nearest, inside.first())
    };
    let mut levels = vec![(firsts.to_vec(), asked.sockets())];
    for socket in asked.sockets() {
        levels.push((firsts.iter().copied().filter(|&cpu| socket.contains(cpu)).collect(), asked.nodes()));
    }
    for (cpus, sets) in levels {
        let visits: Vec<_> = cpus.iter().map(|&cpu| key(&sets[holder(&sets, cpu)])).collect();
        prop_assert!(visits.is_sorted(), "{}: {cpus:?} {visits:?}", asked.placement());
    }
    Ok(())
}
