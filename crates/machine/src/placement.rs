//! Named placements: a name becomes an ordered list of cpus, and place n+1 extends place n.
//!
//! The vocabulary is OpenMP's (places × bind). The tree socket > node > last-level cache > core > hardware thread is
//! walked depth first for *close* and breadth first (round robin at every level) for *spread*; siblings of a core
//! come last in `cores-*` and right after each other in `threads-close`. Unlike OpenMP's `cores`, a thread gets one
//! hardware thread, never a whole core, so that two runs of one cell stand on the same ground.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use crate::topology::Core;
use crate::{CpuSet, Error, Topology, cpuset};

/// Where threads go, by name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Placement {
    /// One thread per core, nearest first; siblings only when all cores are taken.
    CoresClose,
    /// One thread per core, as far apart as possible; siblings only when all cores are taken.
    CoresSpread,
    /// Fill the siblings of a core before the next core.
    ThreadsClose,
    /// These cpus in this order.
    Explicit(Vec<u32>),
    /// The kernel decides.
    None,
}

/// A placement made concrete on one machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Order {
    /// Thread i goes to the i-th cpu.
    Cpus(Vec<u32>),
    /// The kernel decides among the cpus that are allowed.
    Kernel,
}

impl Placement {
    /// The named ones with a line each, in the order in which they are listed.
    pub const NAMED: [(&'static str, &'static str); 4] = [
        ("cores-close", "one thread per core, nearest first"),
        ("cores-spread", "one thread per core, as far apart as possible"),
        ("threads-close", "fill the hardware threads of a core, then the next core"),
        ("none", "the kernel decides"),
    ];

    /// The whole order on this machine, restricted to what is allowed.
    ///
    /// # Errors
    /// [`Error::NotAllowed`] when an explicit list names a cpu that is offline or not allowed.
    pub fn order(&self, machine: &Topology) -> Result<Order, Error> {
        let cores = machine.allowed_cores();
        Ok(Order::Cpus(match self {
            Self::CoresClose => by_core(&close(machine, &cores)),
            Self::CoresSpread => by_core(&spread(machine, &cores)),
            Self::ThreadsClose => close(machine, &cores).iter().flat_map(|core| core.cpus.iter()).collect(),
            Self::Explicit(cpus) => explicit(machine, cpus)?,
            Self::None => return Ok(Order::Kernel),
        }))
    }

    /// The cpus of the first `threads` threads; empty when the kernel decides.
    ///
    /// # Errors
    /// [`Error::NoThreads`], [`Error::TooFewPlaces`], and those of [`Placement::order`].
    pub fn cpus(&self, machine: &Topology, threads: usize) -> Result<Vec<u32>, Error> {
        if threads == 0 {
            return Err(Error::NoThreads);
        }
        match self.order(machine)? {
            Order::Kernel => Ok(Vec::new()),
            Order::Cpus(order) if order.len() < threads => {
                Err(Error::TooFewPlaces { threads, places: order.len(), placement: self.to_string() })
            }
            Order::Cpus(order) => Ok(order[..threads].to_vec()),
        }
    }
}

impl fmt::Display for Placement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::CoresClose => f.write_str("cores-close"),
            Self::CoresSpread => f.write_str("cores-spread"),
            Self::ThreadsClose => f.write_str("threads-close"),
            Self::Explicit(cpus) => f.write_str(&cpus.iter().map(ToString::to_string).collect::<Vec<_>>().join(",")),
            Self::None => f.write_str("none"),
        }
    }
}

impl FromStr for Placement {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        match text {
            "cores-close" => Ok(Self::CoresClose),
            "cores-spread" => Ok(Self::CoresSpread),
            "threads-close" => Ok(Self::ThreadsClose),
            "none" => Ok(Self::None),
            list if list.starts_with(|c: char| c.is_ascii_digit()) => cpuset::parse_ordered(list).map(Self::Explicit),
            _ => Err(Error::UnknownPlacement(text.into())),
        }
    }
}

fn explicit(machine: &Topology, cpus: &[u32]) -> Result<Vec<u32>, Error> {
    let allowed = &machine.allowed.cpus;
    let refused = cpus.iter().copied().collect::<CpuSet>().difference(allowed);
    if refused.is_empty() {
        Ok(cpus.to_vec())
    } else {
        Err(Error::NotAllowed { cpus: refused, allowed: allowed.clone() })
    }
}

/// First hardware threads of all cores, then the second ones, and so on.
fn by_core(cores: &[Core]) -> Vec<u32> {
    let deepest = cores.iter().map(|core| core.cpus.len()).max().unwrap_or(0);
    (0..deepest).flat_map(|rank| cores.iter().filter_map(move |core| core.cpus.iter().nth(rank))).collect()
}

/// Where a core stands in the tree, outermost level first: socket, node, last-level cache.
fn path(machine: &Topology, core: &Core) -> [u32; 3] {
    let first = core.cpus.first().expect("a core keeps at least one cpu");
    let cache = machine.last_level_cache(first).and_then(|cache| cache.cpus.first());
    [core.socket, core.node, cache.unwrap_or(first)]
}

/// Depth first, starting with the core of the lowest cpu; sockets and nodes nearer to it come earlier.
fn close(machine: &Topology, cores: &[Core]) -> Vec<Core> {
    let Some(first) = cores.iter().min_by_key(|core| core.cpus.first()) else { return Vec::new() };
    let first = first.clone();
    let mut sorted = cores.to_vec();
    let lowest =
        |wanted: &dyn Fn(&Core) -> bool| cores.iter().filter(|c| wanted(c)).filter_map(|c| c.cpus.first()).min();
    let nearest_of_socket = |socket: u32| {
        let distances =
            cores.iter().filter(|core| core.socket == socket).map(|core| machine.distance(first.node, core.node));
        distances.min().unwrap_or(u32::MAX)
    };
    sorted.sort_by_key(|core| {
        let [socket, node, cache] = path(machine, core);
        (
            (socket != first.socket, nearest_of_socket(socket), lowest(&|c| c.socket == socket)),
            (machine.distance(first.node, node), lowest(&|c| c.socket == socket && c.node == node), cache),
            core.cpus.first(),
        )
    });
    sorted
}

/// Round robin over sockets, inside each over its nodes, inside each over its caches.
fn spread(machine: &Topology, cores: &[Core]) -> Vec<Core> {
    deal(machine, &close(machine, cores), 0)
}

fn deal(machine: &Topology, cores: &[Core], level: usize) -> Vec<Core> {
    if level == 3 {
        return cores.to_vec();
    }
    let mut order = Vec::new();
    let mut hands: BTreeMap<u32, Vec<Core>> = BTreeMap::new();
    for core in cores {
        let key = path(machine, core)[level];
        if !hands.contains_key(&key) {
            order.push(key);
        }
        hands.entry(key).or_default().push(core.clone());
    }
    let dealt: Vec<Vec<Core>> = order.iter().map(|key| deal(machine, &hands[key], level + 1)).collect();
    let longest = dealt.iter().map(Vec::len).max().unwrap_or(0);
    (0..longest).flat_map(|turn| dealt.iter().filter_map(move |hand| hand.get(turn).cloned())).collect()
}
