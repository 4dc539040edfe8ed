//! What the kernel says of a process tree while it runs: CPU time and place of every thread over time, what else the
//! machine did meanwhile, and how fast a clock it had.
//!
//! The measured program is never touched: everything is read from `/proc` by the process that launched it. Only
//! [`contention`] makes work of its own: it finds out which cpus share a core. [`events`] says which hardware events
//! answer which question on which microarchitecture; it opens none.

mod census;
pub mod clock;
pub mod contention;
pub mod events;
mod proc;
mod sampler;
mod samples;
mod validity;

pub use proc::{descendants, pages_by_node};
pub use sampler::{Sampler, Sampling, ThreadUse, Watched};
pub use validity::{Baseline, Validity};
