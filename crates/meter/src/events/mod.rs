//! Event tables: the hardware events of each measure by microarchitecture, each with its source.
//!
//! A *measure* is a question of ours (`remote_dram`: loads that DRAM of another socket served). A [`Table`] says how one
//! microarchitecture counts it: the vendor's name of the event, its encoding, its unit, what it means and, as important,
//! what it does not count. Most events that sound alike are not: retired loads leave out prefetches, `ANY` fills do not,
//! and a node is a socket on one part and a quarter of it on another. A figure says which event it was made from.
//!
//! The tables are data files (`events/*.toml`) that are part of the program; [`Table::read`] reads a user's own of the
//! same form. [`choose`] takes the one for a [`Cpu`] and says how far it can be trusted: a hypervisor may show any name,
//! and then an event counts something else than its name says. A part without a table is not refused, it has the
//! kernel's generic events. What is known to be wrong with an event is beside it, as an [`Erratum`]: some counts are not
//! taken at all unless the user insists.
//!
//! Vendors' own tables are not complete on errata, and tools differ on encodings (an [`Encoding`] says where), so every
//! encoding names what it was checked against, and `tests/libpfm4.rs` asks libpfm4 for each that it knows.

mod checks;
mod choice;
mod cpu;
mod errata;
mod event;
mod formula;
mod numbers;
mod reader;
mod table;

pub use choice::{Choice, RefusedMeasure, Trust, choose, choose_own};
pub use cpu::{Cpu, Kind};
pub use errata::{Action, Erratum};
pub use event::{Check, Disputed, Encoded, Encoding, Event};
pub use formula::{Derived, Formula, Undefined};
pub use numbers::Numbers;
pub use reader::Error;
pub use table::{Cpus, Table, Vendor, tables};
