//! Probes of a machine's memory: latency, bandwidth, distances between cpus, page costs.
//!
//! Pinned threads (`PinnedTeam` of the crate `machine`) use newly mapped memory ([`arena`]): with the requested page
//! size and node, written before it is read, and checked afterwards. Dependent loads come in an order that no
//! prefetcher guesses ([`chase`]), bulk accesses use loops in assembly ([`isa`]). Each number has its conditions and
//! reasons for doubt ([`Figure`]).
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
