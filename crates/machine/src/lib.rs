//! Machine topology and facts, thread placement, and memory policies.
//!
//! [`Topology`] is read from `/sys` under any root, so a captured machine reads like the current one. [`placement`]
//! turns it into ordered lists of cpus, [`MemoryPolicy`] says where pages go, and [`sys`] is the only room with
//! `unsafe` in it. Code that measures the machine uses [`pinned_team`] and [`clock`].
//!
//! To add a placement, write an entry of [`placement::PLACE_KINDS`] and its orders by hand in `tests/placements.txt`
//! (`docs/contributing/placement.md`).

pub mod clock;
pub mod cpuset;
pub mod facts;
pub mod files;
mod kernel_files;
pub mod memory;
mod nest;
pub mod pinned_team;
pub mod placement;
pub mod room;
pub mod sys;
pub mod topology;

pub use cpuset::CpuSet;
pub use facts::{Fact, Facts};
pub use memory::{MemoryPolicy, Policy};
pub use placement::{Order, Placement};
pub use topology::Topology;

/// Errors of reading a machine or resolving a placement.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A required file of `/sys` or `/proc` is missing or cannot be read.
    #[error("cannot read the machine: {path}: {reason}")]
    Unreadable {
        /// The file.
        path: String,
        /// The system's reason.
        reason: String,
    },
    /// A file does not have the content that the kernel documents.
    #[error("cannot read the machine: {path}: {text:?} is not {expected}")]
    Malformed {
        /// The file.
        path: String,
        /// Its content.
        text: String,
        /// The expected content.
        expected: &'static str,
    },
    /// A malformed synthetic description of a machine.
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
    /// A placement with a malformed qualifier.
    #[error("bad placement: '{text}': {reason}")]
    Placement {
        /// What was written.
        text: String,
        /// Why it was refused.
        reason: String,
    },
    /// A placement within a part that this machine does not have.
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
        /// The cpus that are not allowed.
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
