//! Counting small patterns in graphs, exactly.
//!
//! A [`Graph`] is read from any edge list or generated; a [`Question`] counts the copies of a [`Pattern`] in it, of
//! sub-graphs that have its edges or that have exactly those, [`Method::Explore`] matches vertex by vertex as a
//! pattern-mining system does, [`Method::Formula`] counts what can be counted without matching it, [`Method::Auto`] chooses.
//!
//! A workload on graphs is a file that implements `Workload`, its `mod` line, and its place in [`WORKLOADS`]
//! (`docs/contributing/workload.md`).

#[cfg(any(test, fuzzing))]
#[doc(hidden)]
pub mod fuzzing;
pub mod graph;
mod matching;
mod mine;
pub mod oracle;
pub mod parts;
pub mod pattern;
mod plan;
mod scheduler;

use knee_workload::Workload;

pub use graph::Graph;
pub use matching::{Method, Order, Question};
pub use mine::check as check_arguments;
pub use pattern::{Induced, Pattern};
pub use scheduler::Scheduler;

/// Every workload of this crate.
pub const WORKLOADS: &[&dyn Workload] = &[&mine::Mine];

/// So many random cases of a property; twenty times as many among the slow proofs.
#[cfg(test)]
fn cases(count: u32) -> proptest::test_runner::Config {
    let proofs = std::env::var_os("KNEE_PROOFS").is_some();
    proptest::test_runner::Config::with_cases(if proofs { 20 * count } else { count })
}
