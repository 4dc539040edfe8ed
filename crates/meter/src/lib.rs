//! What the kernel says of a process tree while it runs: CPU time and place of every thread over time, what else the
//! machine did meanwhile, and how fast a clock it had.
//!
//! The measured program is never touched: everything is read from files by the process that launched it, or counted by
//! the kernel ([`perf`]). Only [`contention`] and the counters' canary make work of their own: the one finds out which
//! cpus share a core, the other whether counters can be believed. [`events`] says which hardware events answer which
//! question on which microarchitecture; it opens none.

mod budget;
mod census;
pub mod clock;
mod computing;
pub mod contention;
pub mod events;
mod gauges;
mod helpers;
pub mod load;
pub mod perf;
mod proc;
mod sampler;
mod samples;
mod states;
mod validity;

pub use computing::Observed;
pub use gauges::{Gauges, NAMES as GAUGES};
pub use helpers::is_helper;
pub use proc::{Schedstat, descendants, pages_by_node};
pub use sampler::{Published, Sampler, Sampling, ThreadUse, WORKLOAD, Watched};
pub use states::{State, StateCounts};
pub use validity::{Baseline, Validity};
