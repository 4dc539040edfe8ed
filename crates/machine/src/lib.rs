//! Machine topology and facts, thread placement, and memory policies.
//!
//! [`Topology`] is read from `/sys` under any root, so that a captured machine reads like the one at hand.
//! [`placement`] turns it into ordered lists of cpus, [`MemoryPolicy`] says where pages go, and [`sys`] is the
//! only room with `unsafe` in it. Who measures the machine by using it has [`pinned_team`] and [`clock`].
//!
//! To add a placement, write an entry of [`placement::PLACE_KINDS`] and its orders by hand in `tests/placements.txt`
//! (`docs/contributing/placement.md`).

pub mod clock;
pub mod cpuset;
pub mod facts;
mod kernel_files;
pub mod memory;
mod nest;
pub mod pinned_team;
pub mod placement;
pub mod sys;
pub mod topology;

pub use cpuset::CpuSet;
pub use facts::{Fact, Facts};
pub use memory::{MemoryPolicy, Policy};
pub use placement::{Order, Placement};
pub use topology::Topology;

/// What can go wrong when a machine is read or a place is asked for.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A file of `/sys` or `/proc` that has to be there is not, or cannot be read.
    #[error("cannot read the machine: {path}: {reason}")]
    Unreadable {
        /// The file.
        path: String,
        /// The system's reason.
        reason: String,
    },
    /// A file was read and does not hold what the kernel documents.
    #[error("cannot read the machine: {path}: {text:?} is not {expected}")]
    Malformed {
        /// The file.
        path: String,
        /// What it held.
        text: String,
        /// What it should hold.
        expected: &'static str,
    },
    /// A synthetic description of a machine that is not understood.
    #[error("bad description of a machine: '{text}': {reason}")]
    Synthetic {
        /// The description.
        text: String,
        /// Why it was refused.
        reason: String,
    },
    /// A cpu list like `0-3,8` does not parse.
    #[error("bad cpu list: '{text}': {reason}")]
    CpuList {
        /// The list.
        text: String,
        /// Why it was refused.
        reason: String,
    },
    /// An unknown placement.
    #[error("unknown placement '{0}'")]
    UnknownPlacement(String),
    /// A placement with a qualifier that is not understood.
    #[error("bad placement: '{text}': {reason}")]
    Placement {
        /// What was written.
        text: String,
        /// Why it was refused.
        reason: String,
    },
    /// A placement that keeps to a part which this machine does not have.
    #[error("no {part} on this machine; it has {known}")]
    NoSuchPart {
        /// What was asked for.
        part: String,
        /// What there is.
        known: String,
    },
    /// Qualifiers that together leave no cpu.
    #[error("no cpu left for {placement}; this process may use {allowed}")]
    NothingLeft {
        /// The placement.
        placement: String,
        /// What the process may use.
        allowed: CpuSet,
    },
    /// More siblings than any core has.
    #[error("too few siblings: {placement}: no core has {siblings} allowed hardware threads; the most is {most}")]
    TooFewSiblings {
        /// The placement.
        placement: String,
        /// Hardware threads asked for.
        siblings: usize,
        /// The most that one core has.
        most: usize,
    },
    /// An unknown memory policy.
    #[error(
        "unknown memory policy '{0}'; expected local, bind:NODES, interleave:NODES, weighted-interleave:NODES or preferred:NODE"
    )]
    UnknownMemory(String),
    /// A placement that names cpus this process may not use.
    #[error("cpus {cpus} are not allowed; this process may use {allowed}")]
    NotAllowed {
        /// The cpus asked for in vain.
        cpus: CpuSet,
        /// What the process may use.
        allowed: CpuSet,
    },
    /// More threads than a placement has places.
    #[error("not enough places: {threads} threads requested, {places} in {placement}")]
    TooFewPlaces {
        /// Threads asked for.
        threads: usize,
        /// Places there are.
        places: usize,
        /// The placement's name.
        placement: String,
    },
    /// Nothing can run on no threads.
    #[error("0 threads requested; at least 1 is needed")]
    NoThreads,
}
