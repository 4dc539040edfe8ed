//! Where a process tree computes: samples of the addresses that its threads execute.
//!
//! **Mechanism.** A `task-clock` event writes a record each time a thread has computed for one period: the process, and
//! the address of its next instruction, outside of the kernel. It is a software event, so it needs no counters of the
//! processor, works in virtual machines, and is open to every user up to `kernel.perf_event_paranoid` 2. It is opened like
//! the events of context switches ([`crate::switches`]): off, inherited, one ring for each cpu.
//!
//! **Addresses.** Records of the executable files that a process maps come in the same rings, so an address becomes a
//! file and a place in it, which is the same in each run. Code that a program makes while it runs (a just-in-time
//! compiler) is of no file: its addresses are those of one run, so its pieces are counted, and only compare inside it.
//!
//! **Alone.** Where context switches are recorded as well, each sample is known to have been taken while other threads of
//! the tree could run, or while none could: what a thread executes only then is a part of the work that nobody divided.
//!
//! **Memory.** A sample has the thread's registers, and the code is decoded (`code.rs`), so it is known which memory the
//! instructions around it use; and from the samples of all threads, which cache lines they use in turn (`lines.rs`). Code of
//! no file is read from the program's memory, as long as it runs. Only x86-64 is decoded.
//!
//! **What is exact.** Each thread is sampled in proportion to its CPU time outside of the kernel. The kernel checks a
//! timer, so an address is where the thread went on after the interrupt: of a store that waits for a cache line it is the
//! next instruction.
//!
//! **Cost.** Each sample interrupts the thread: the program pays about 1.5 % more CPU time (KVM guest, AMD EPYC, Linux 6.18,
//! 2026-11-25; `bench/switches.py --hotspots`), and takes 40 % longer where thousands of threads live for a moment each,
//! since each of them gets the events. So a run that is to be timed asks for none (`hotspots` in its run spec).

use std::fs::File;
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

mod code;
mod event;
mod functions;
mod lines;
mod maps;
mod recorder;
mod ring;
mod tally;

pub use self::recorder::HotspotRecorder;
pub use self::tally::{Hotspots, Made, Place, Shared};

/// Opens a file that a program had mapped. By now a pipe may have its name, which must not be waited for.
fn open(path: &Path) -> io::Result<File> {
    File::options().read(true).custom_flags(libc::O_NONBLOCK).open(path)
}
