//! Generated machines of any shape and numbering, parts of them allowed, and qualifiers.

mod asked;

use std::fmt;

pub(crate) use asked::{Asked, counts, holder, in_rounds, names, nearest_first, one_after_the_other};
use knee_machine::placement::{PlaceKind, Within};
use knee_machine::{CpuSet, Topology};
use proptest::prelude::*;

/// A machine from synthetic text.
pub(crate) struct Made {
    text: String,
    pub(crate) machine: Topology,
}

impl fmt::Debug for Made {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let distances: Vec<_> = self.machine.nodes.iter().map(|node| &node.distances).collect();
        write!(f, "{} allowed {} distances {distances:?}", self.text, self.machine.allowed.cpus)
    }
}

/// Levels between sockets and cores, G of them in a socket.
const LEVELS: [&str; 4] = ["group:G [numa] l3:1", "die:G [numa] l3:1", "[numa] die:G l2:1", "group:G [numa]"];

/// A machine with numbers in any order, distances that follow no rule, and cpus that may not be used.
pub(crate) fn machine() -> impl Strategy<Value = Made> {
    let shape = [1..4_usize, 1..4_usize, 1..5_usize, 1..5_usize];
    (shape, prop::sample::select(&LEVELS[..]), any::<bool>()).prop_flat_map(|(shape, levels, shuffled)| {
        let [packs, groups, cores, threads] = shape;
        let total = shape.iter().product();
        let plain: Vec<usize> = (0..total).collect();
        let numbers = if shuffled { Just(plain).prop_shuffle().boxed() } else { Just(plain).boxed() };
        let distances = prop::collection::vec(prop::sample::select(vec![12, 16, 22, 40]), 81);
        let luck = prop::collection::vec(0..10_u8, total);
        let allowed = (luck, prop::sample::select(vec![4, 8, 10])).prop_map(|(luck, most)| {
            let kept = (0..).zip(luck).filter(|(_, luck)| *luck < most).map(|(cpu, _)| cpu);
            kept.collect::<CpuSet>()
        });
        let levels = levels.replace('G', &groups.to_string());
        (numbers, distances, allowed).prop_map(move |(numbers, distances, allowed)| {
            let numbers: Vec<String> = numbers.iter().map(ToString::to_string).collect();
            let numbers = numbers.join(",");
            let text = format!("pack:{packs} {levels} core:{cores} pu:{threads}(indexes={numbers})");
            let mut machine = Topology::from_synthetic(&text).unwrap();
            measure(&mut machine, &distances);
            if !allowed.is_empty() {
                machine.allowed.cpus = allowed;
            }
            Made { text, machine }
        })
    })
}

/// Gives every pair of nodes a distance, the same in both directions.
fn measure(machine: &mut Topology, distances: &[u32]) {
    let nodes = machine.nodes.len();
    for (from, node) in machine.nodes.iter_mut().enumerate() {
        let distance = |to: usize| if from == to { 10 } else { distances[from.min(to) * 9 + from.max(to)] };
        node.distances = (0..nodes).map(distance).collect();
    }
}

/// Numbers that pick parts: those whose position is in the mask, or all.
fn picked(ids: Vec<u32>, mask: u16) -> CpuSet {
    let in_mask = |at: usize| mask >> (at % 16) & 1 == 1;
    let some: CpuSet = ids.iter().enumerate().filter(|(at, _)| in_mask(*at)).map(|(_, id)| *id).collect();
    if some.is_empty() { ids.into_iter().collect() } else { some }
}

/// A machine with a few parts to keep to.
pub(crate) fn machine_and_parts() -> impl Strategy<Value = (Made, Vec<Within>)> {
    (machine(), prop::collection::vec((0..5_u8, any::<u16>()), 0..3)).prop_map(|(made, picks)| {
        let machine = &made.machine;
        let part = |&(what, mask): &(u8, u16)| match what {
            0 => Within::Sockets(picked(machine.sockets.iter().map(|socket| socket.id).collect(), mask)),
            1 => Within::Nodes(picked(machine.nodes.iter().map(|node| node.id).collect(), mask)),
            2 => Within::Cores(picked(machine.cores.iter().map(|core| core.id).collect(), mask)),
            3 if !machine.dies.is_empty() => {
                Within::Dies(picked(machine.dies.iter().map(|die| die.id).collect(), mask))
            }
            _ => Within::FirstThreads,
        };
        let parts = picks.iter().map(part).collect();
        (made, parts)
    })
}

/// The cpus of the machine that a part holds.
fn of_part(machine: &Topology, part: &Within) -> CpuSet {
    let chosen = |ids: &CpuSet, sets: Vec<(u32, &CpuSet)>| -> CpuSet {
        sets.into_iter().filter(|(id, _)| ids.contains(*id)).flat_map(|(_, cpus)| cpus.iter()).collect()
    };
    match part {
        Within::Sockets(ids) => chosen(ids, machine.sockets.iter().map(|s| (s.id, &s.cpus)).collect()),
        Within::Nodes(ids) => chosen(ids, machine.nodes.iter().map(|n| (n.id, &n.cpus)).collect()),
        Within::Dies(ids) => chosen(ids, machine.dies.iter().map(|d| (d.id, &d.cpus)).collect()),
        Within::Cores(ids) => chosen(ids, machine.cores.iter().map(|c| (c.id, &c.cpus)).collect()),
        Within::FirstThreads => machine.cores.iter().filter_map(|core| core.cpus.first()).collect(),
        Within::Kind(_) => panic!("made machines tell no kinds apart"),
    }
}

/// What is allowed and inside all parts.
pub(crate) fn usable(machine: &Topology, parts: &[Within]) -> CpuSet {
    parts.iter().fold(machine.allowed.cpus.clone(), |usable, part| usable.intersection(&of_part(machine, part)))
}

/// The places of a name, by the definition; those of a kind that is not defined there by the list itself.
pub(crate) fn places(machine: &Topology, kind: PlaceKind) -> Vec<CpuSet> {
    let cores = || machine.cores.iter().map(|core| core.cpus.clone()).collect();
    match kind.name() {
        "threads" => machine.hardware_threads.iter().map(|thread| thread.cpus.clone()).collect(),
        "cores" => cores(),
        "ll_caches" => match machine.caches.iter().map(|cache| cache.level).max() {
            Some(last) => machine.caches.iter().filter(|c| c.level == last).map(|cache| cache.cpus.clone()).collect(),
            None => cores(),
        },
        "numa_domains" => machine.nodes.iter().map(|node| node.cpus.clone()).collect(),
        "sockets" => machine.sockets.iter().map(|socket| socket.cpus.clone()).collect(),
        _ => (kind.places)(machine),
    }
}
