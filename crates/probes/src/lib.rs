//! Probes of a machine's memory: latency, bandwidth, distances between cpus, page costs.
//!
//! Pinned threads (`PinnedTeam` of the crate `machine`) use memory that was mapped for the purpose ([`arena`]): of the page
//! size and on the node that were asked for, written before it is read, and counted afterwards. Loads come in an order that
//! no prefetcher guesses ([`chase`]), bulk goes through loops in assembly ([`isa`]). Each number says how it was found and
//! why it may not be trusted ([`Figure`]).
//!
//! To add a probe, write one file in `probe` and name it in [`PROBES`]; the workload of the same name, output and help come
//! from there (`docs/contributing/probe.md`).

#![allow(clippy::cast_ptr_alignment, reason = "arenas begin at 2 MiB, and what is laid in them is aligned")]

pub mod arena;
pub mod chase;
mod context;
mod figure;
pub mod isa;
pub mod knees;
mod pinned;
mod probe;
pub mod size;
mod workload;

pub use context::{Context, Monitor};
pub use figure::{Figure, ProbeValidity};
pub use probe::{Given, PROBES, Probe, Row, Step, Trial, measure};
pub use workload::WORKLOADS;
