//! Hardware and software events, counted over a whole process tree.
//!
//! **Who is counted.** Counters are opened by the launcher on *itself*, switched off, with `inherit` and
//! `enable_on_exec`. The program that it starts next inherits them, still off, and the kernel switches its copies on
//! when it executes; every thread and child that it makes later inherits them running. The launcher never executes
//! anything itself, so it is never counted, and no work between fork and exec is either. So the child need not be
//! stopped between fork and exec, which opening counters on its process id would require. When a descendant ends, the
//! kernel adds its counts to the launcher's counter, so one read after the end gives the whole tree. The kernel removes
//! a program with more rights than its user (setuid) from the user's counters: it reads as not counted.
//!
//! **Groups.** `PERF_FORMAT_GROUP` reads a group in one go. Older kernels refuse it together with `inherit`, newer ones
//! refuse the read when a descendant's group is not quite the same (`ECHILD`). It would gain nothing here: a group is
//! read once, after counting has ended. So events are grouped only to be counted at the same time, and each is read by
//! itself ([`Counters`]).
//!
//! **Multiplexing.** With more events than counters the kernel takes turns. Every read has the time that the event was
//! enabled and the time that it counted; the value is scaled by their ratio, and marked so. An event that never counted
//! has no value, which is not 0 ([`Counter`]).
//!
//! **Reasons.** [`CounterRefusal`] puts errors of the kernel into words with a remedy, [`climb`] goes from "is there a PMU" to
//! "does it count what was really done" one rung after the other. Kernel and files are behind [`Kernel`] and a root
//! folder, so that both run on recorded answers.

pub(crate) mod bytes;
mod canary;
mod counters;
mod generic;
mod kernel;
mod ladder;
mod lent;
mod linux;
mod marks;
mod placement;
mod pmu;
mod reading;
mod reason;
mod request;
pub(crate) mod sys;

pub use canary::{RealWork, Work};
pub use counters::Counters;
pub use kernel::{Handle, Kernel, Opening, Raw, Target};
pub use ladder::{Rung, Standing, Surroundings, climb};
pub use lent::{Lent, Reading, read_lent};
pub use linux::Linux;
pub use marks::{Counted, Marks};
pub use placement::{PlacementProbe, check_placement};
pub use pmu::{Encoding, Pmus};
pub use reading::Counter;
pub(crate) use reason::Subject;
pub use reason::{CounterRefusal, Permissions};
pub use request::{NamedEvent, Names, Reach, Request, Resolved, split};
