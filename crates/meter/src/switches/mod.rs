//! Context switches of a process tree, record by record: what each thread did while it was on no cpu.
//!
//! **Mechanism.** A `dummy` event with `context_switch` counts nothing, but writes a record into a ring whenever a thread
//! that it belongs to gets or loses a cpu, with `task` also when one is made and ends. It belongs to the launcher, is off,
//! and is inherited like its counters ([`crate::perf`]), so it records the program from its exec on, all its threads and
//! children, and never the launcher. The kernel maps the ring of an inherited event for one cpu only, so there is one
//! event and one ring for each cpu that the program may use. Recording the own program, without the kernel's work, is
//! open to every user up to `kernel.perf_event_paranoid` 2; recording whole cpus is not.
//!
//! **What is exact.** When a thread got and lost each cpu, and whether it could have gone on (preempted, or it yielded) or
//! not; so time on the cpus, time preempted, time otherwise off, how many threads were on a cpu at each moment, and the
//! same of threads that live for a microsecond.
//!
//! **What is not.** No record says when a sleeping thread was *woken*, as that would need permission to trace the machine:
//! the wait between waking and its cpu is in [`SwitchSums::asleep_ns`], and is schedstat's run delay less
//! [`SwitchSums::ready_ns`]. For the same reason threads that were woken and wait are missing in
//! [`Concurrency::runnable_ns`]: on cpus that others use as well, it is too low by those. A thread asleep, one that waits
//! for a disk and a stopped one look alike. A thread ends with its last record, and what the kernel does for it after that
//! is in its CPU time only (16 µs a thread where `tests/switches.rs` was written). A hypervisor that takes a cpu away is not seen. And a program that moves
//! itself to cpus outside its set leaves no records there: [`Switches::odd`] counts events that do not fit.
//!
//! **Cost.** The program pays about 0.5 µs for each record, and 4 to 7 µs for each new thread with two rings, more with more
//! of them (KVM guest, AMD EPYC, Linux 6.18, 2026-11-23; `bench/switches.py`): 1 % at 20 000 records a second on a cpu. A
//! run that is to be timed beyond that asks for none (`switches` in its run spec). Rings are read when a quarter is full. Where records come faster than [`MOST_A_SECOND`], or
//! some are lost, recording ends; the record of the run says so, and times come from samples.

mod accounts;
mod event;
mod found;
mod merge;
#[cfg(test)]
mod oracle;
mod profile;
mod recorder;
mod refused;
mod ring;
mod spells;

pub use self::accounts::SwitchSums;
pub use self::found::{SwitchTotal, Switches};
pub(crate) use self::merge::{Merge, SETTLED_NS, Timed};
pub use self::profile::{Alone, Concurrency};
pub use self::recorder::{MOST_A_SECOND, SwitchRecorder};
pub(crate) use self::refused::Refused;
pub use self::spells::Spells;
