//! Event tables: the hardware events of each measure by microarchitecture, each with its source.
//!
//! A *measure* is a question (`remote_dram`: loads that DRAM of another socket served). A [`Table`] says how one
//! microarchitecture counts it: the vendor's name of the event, its encoding, its unit, what it means and, just as
//! important, what it does not count. Most events with similar names differ: retired loads leave out prefetches, `ANY`
//! fills do not, and a node is a socket on one part and a quarter of it on another. Every figure names its event.
//!
//! The tables are data files (`events/*.toml`) that are part of the program; [`Table::read`] reads a user's own of the
//! same form. [`choose`] takes the one for a [`Cpu`] and says how far it can be trusted: a hypervisor may show any
//! name, and then events do not count what their names say. A part without a table is not refused: it has the kernel's
//! generic events. Known errors of an event are stored with it, as an [`Erratum`]; some events are not counted unless
//! the user insists.
//!
//! Vendors' own tables are not complete on errata, and tools differ on encodings (an [`Encoding`] says where), so every
//! encoding names what it was checked against, and `tests/libpfm4.rs` compares each with libpfm4 where that knows it.

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
