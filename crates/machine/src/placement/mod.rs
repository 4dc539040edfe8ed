//! Placements: a name becomes an ordered list of cpus, and place n+1 extends place n.
//!
//! # The words
//!
//! The vocabulary is OpenMP's: *places* (`threads cores ll_caches numa_domains sockets`) and *bind* (`close spread`),
//! written `cores-close`. What a name means here, for every machine:
//!
//! - The machine is a tree of sockets, dies, nodes, clusters, caches (L2 and up), cores and hardware threads, as far as
//!   the machine names them, restricted to the cpus that the placement may use. Groups that the source does not name
//!   (hwloc's distance groups) are no branches; of two sets that cross, the larger one counts.
//! - *close* walks the tree depth first. Branches are sorted by the distance (SLIT) of their nearest node from the node
//!   of the lowest cpu that the placement may use, then by their lowest cpu. A branch of unknown node comes after those
//!   with a known one, and for `numa_domains` all such cpus are one place.
//! - *spread* takes one from each child of every branch in turn, children sorted as for close.
//! - Places are filled in rounds: every place gets one thread before any gets a second. Inside a place cores come
//!   before siblings, and all second threads before any third. So `cores-*` puts one thread on each core before it uses
//!   siblings, `sockets-close` one on each socket, and `threads-close` fills a core before it goes on.
//!
//! Unlike OpenMP's `cores`, a thread gets one hardware thread, never a whole core, so that two runs of one cell use the
//! same cpus. On AMD's modules of two integer cores (family 15h) the kernel calls the module a core: there `cores-*`
//! means one thread a module and `threads-*` one an integer core.
//!
//! # Qualifiers
//!
//! Joined with `+`: `cores-close+per-core:2+within:socket:0`.
//!
//! - `within:SET` restricts it to sockets, nodes, dies, cores, a kind of cores, or the first online hardware thread of
//!   each core.
//! - `leave-one` keeps the farthest core free with all its siblings: the last one of the close walk, for every name,
//!   chosen before `per-core` skips cores.
//! - `per-core:K` uses exactly K hardware threads of each core that it uses: the lowest K, together, as one turn. A
//!   core with fewer is skipped. Where K does not divide the number of threads, the last core gets fewer.
//! - `compact` uses as few sockets as hold all threads, in the order of the placement inside them: the nearest ones if
//!   they hold all, else the largest. It gives up that place n+1 extends place n.

mod kinds;
mod order;
mod text;
mod tree;

pub use kinds::{PLACE_KINDS, PlaceKind};
pub use text::Format;

use crate::{CpuSet, Error, Topology, cpuset};

/// How places follow each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Spacing {
    /// Nearest first.
    Close,
    /// As evenly over the machine as possible.
    Spread,
}

/// A part of the machine to which a placement is restricted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Within {
    /// Sockets by number.
    Sockets(CpuSet),
    /// Nodes by number.
    Nodes(CpuSet),
    /// Dies by number.
    Dies(CpuSet),
    /// Cores by number.
    Cores(CpuSet),
    /// A kind of cores by name.
    Kind(String),
    /// The first hardware thread of each core.
    FirstThreads,
}

/// Where threads go.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Placement {
    /// By name.
    Named(Named),
    /// These cpus in this order.
    Explicit(Vec<u32>),
    /// The kernel decides.
    None,
}

/// A named placement with its qualifiers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Named {
    /// What a place is.
    pub places: PlaceKind,
    /// How places follow each other.
    pub spacing: Spacing,
    /// Exactly so many hardware threads of each core that is used.
    pub per_core: Option<usize>,
    /// Parts of the machine; cpus have to be in all of them.
    pub within: Vec<Within>,
    /// Whether the farthest core stays free.
    pub leave_one: bool,
    /// Whether to use as few sockets as hold all threads.
    pub compact: bool,
}

/// A placement resolved on one machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Order {
    /// Thread i goes to the i-th cpu.
    Cpus(Vec<u32>),
    /// The kernel decides among the cpus that are allowed.
    Kernel,
}

impl Placement {
    /// The names with a line each, in the order in which they are listed: those of [`PLACE_KINDS`], then `none`.
    pub const NAMED: [(&'static str, &'static str); 2 * PLACE_KINDS.len() + 1] = {
        let mut names = [("none", "the kernel decides"); 2 * PLACE_KINDS.len() + 1];
        let mut at = 0;
        while at < PLACE_KINDS.len() {
            names[2 * at] = PLACE_KINDS[at].close;
            names[2 * at + 1] = PLACE_KINDS[at].spread;
            at += 1;
        }
        names
    };

    /// The whole order on this machine, restricted to what is allowed.
    ///
    /// # Errors
    /// [`Error::NotAllowed`] when an explicit list names a cpu that is offline or not allowed; [`Error::NoSuchPart`]
    /// and [`Error::NothingLeft`] when qualifiers leave nothing.
    pub fn order(&self, machine: &Topology) -> Result<Order, Error> {
        Ok(Order::Cpus(match self {
            Self::Named(named) => order::of(machine, named, &order::available(machine, named)?),
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
        let order = match self {
            Self::Named(named) if named.compact => Order::Cpus(order::compact(machine, named, threads)?),
            _ => self.order(machine)?,
        };
        match order {
            Order::Kernel => Ok(Vec::new()),
            Order::Cpus(order) if order.len() < threads => {
                Err(Error::TooFewPlaces { threads, places: order.len(), placement: self.to_string() })
            }
            Order::Cpus(order) => Ok(order[..threads].to_vec()),
        }
    }
}

impl Named {
    /// A placement without qualifiers.
    #[must_use]
    pub fn plain(places: PlaceKind, spacing: Spacing) -> Self {
        Self { places, spacing, per_core: None, within: vec![], leave_one: false, compact: false }
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
