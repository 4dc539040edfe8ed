//! What every Rust side of the comparison shares: the command line, the clock, the data, and the one line it prints.
//!
//! A side is a program `SIDE TEST THREADS REPEATS CPUS`; `SIDE list` names its tests. CPUS is a list such as `0,1`, or
//! `-` for threads that are not pinned. It prints one JSON line: the median of its repeats, and the repeats.
//! `side.h` says the same in C.

mod call;
mod data;
mod pin;

pub use call::{Call, Probe};
pub use data::{Node, add_up};
pub use pin::{pin_others, pin_self};
