//! Counting small patterns in graphs, exactly.
//!
//! A [`Graph`] is read from any edge list or generated; [`count`] counts a [`Pattern`] in it by one of two plans:
//! [`Plan::Explore`] matches vertex by vertex as a pattern-mining system does, [`Plan::Formula`] counts what can be
//! counted without matching it. Counts are of edge-induced sub-graphs, each counted once.
//!
//! A workload on graphs is a file that implements `Workload`, its `mod` line, and its place in [`WORKLOADS`]
//! (`docs/contributing/workload.md`).

pub mod graph;
mod matching;
mod mine;
pub mod oracle;

use knee_workload::Workload;

pub use graph::Graph;
pub use matching::{Pattern, Plan, count};

use matching::count_published;

/// Every workload of this crate.
pub const WORKLOADS: &[&dyn Workload] = &[&mine::Mine];
