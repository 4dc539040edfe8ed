//! Measures a process tree while it runs: CPU time and cpu of every thread over time, other load of the machine, and
//! its clock.
//!
//! The measured program is never touched: everything is read from files by the process that launched it, or counted by
//! the kernel ([`perf`]). Only [`contention`] and the counters' canary run work of their own: the first finds cpus that
//! share a core, the other tests whether counters can be trusted. [`events`] lists the hardware events for each
//! question and microarchitecture; it opens none.

mod asleep;
mod budget;
mod census;
pub mod clock;
mod computing;
pub mod contention;
pub mod events;
mod gauges;
mod goroutines;
mod helpers;
pub mod hotspots;
pub mod load;
mod mapped;
mod moves;
mod numa_maps;
pub mod perf;
mod pressure;
mod proc;
mod sampler;
mod samples;
mod states;
pub mod switches;
mod throttling;
mod validity;

pub use asleep::{Denied, Futex, FutexWaits};
pub use computing::Observed;
pub use gauges::{Gauges, NAMES as GAUGES};
pub use goroutines::{GoFunction, GoProgram, GoWait, Goroutines};
pub use helpers::is_helper;
pub use mapped::Mapped;
pub use numa_maps::pages_by_node;
pub use pressure::{Pressure, PressureBefore, Stall};
pub use proc::{Schedstat, descendants};
pub use sampler::{Published, Sampler, Sampling, ThreadUse, WORKLOAD, Watched};
pub use states::{Mechanism, OffCpu, State, StateCounts};
pub use throttling::{GroupThrottling, ThrottledProgram, Throttling, ThrottlingBefore};
pub use validity::{Baseline, Validity};
