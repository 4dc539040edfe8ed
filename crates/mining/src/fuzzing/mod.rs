//! The readers of this crate as functions of any bytes, for the targets in `fuzz/` and for tests.
//!
//! Whatever the bytes are, each function returns. It panics where a reader does, and where counting with what it accepted
//! does or is wrong.

mod dump;
mod labels;
mod parts;

pub use dump::dump;
pub use labels::labels;
pub use parts::{parts, write_parts};

use std::sync::LazyLock;

use crate::Scheduler;

/// One worker: with more of them most of the time would be spent on waking each other.
static WORKER: LazyLock<Scheduler> = LazyLock::new(|| Scheduler::unpinned(1).expect("there is a processor"));
