//! What the goroutines of a Go program do, in samples: which are ready, and what the others wait for.
//!
//! Go runs its goroutines on threads of its own choice, so what the kernel knows of threads says little of them: a thread
//! sleeps for want of a goroutine that is ready, whatever the goroutines wait for, and works for one after another. The
//! program's memory tells. The runtime keeps a list of all goroutines, with the state of each and the reason why it
//! waits; debuggers read the same (Delve; `runtime/runtime2.go`). Where the fields are is in the debug information, so
//! nothing here depends on the release; a program without it is not read.
//!
//! **What is exact.** The program goes on while it is read, so a goroutine that changes its state meanwhile is counted
//! in either. Goroutines of the runtime itself (its collector, finalisers) are no work of the program: they only keep
//! processors busy.
//!
//! **Cost.** A system call reads 256 goroutines. Readings take a four-hundredth of the time, like the questions to
//! sleeping threads ([`crate::asleep`]); where they would take longer, samples are left out. Of a program that has more
//! than 4096 goroutines none is read, and the record says so: a part of them could not say which processors were idle.

mod layout;
mod memory;
mod tally;

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::time::Duration;

use knee_machine::clock::thread_cpu;

use self::layout::Layout;
use self::memory::{MOST, Memory};
use self::tally::Tally;
pub use self::tally::{GoFunction, GoWait, Goroutines};

/// Readings may take this part of the time, beyond what is free.
const SHARE: u32 = 400;
const FREE: Duration = Duration::from_micros(200);
/// Processes of the program that are read.
const MOST_PROCESSES: usize = 64;

/// A Go program whose goroutines can be read.
#[derive(Debug)]
pub struct GoProgram {
    layout: Layout,
    /// Device and number of its file.
    file: (u64, u64),
}

impl GoProgram {
    /// Reads a program's symbols and debug information; none if it is not Go's, or has none.
    ///
    /// This takes some milliseconds, so it is for before the launch.
    #[must_use]
    pub fn read(path: &Path) -> Option<Self> {
        let meta = std::fs::metadata(path).ok().filter(std::fs::Metadata::is_file)?;
        Some(Self { layout: Layout::of(path)?, file: (meta.dev(), meta.ino()) })
    }
}

/// Samples the goroutines of a program's processes.
#[derive(Debug)]
pub(crate) struct GoSampler {
    program: GoProgram,
    /// The memory of each living process; none of one that executes another program.
    processes: BTreeMap<i32, Option<Memory>>,
    /// Whether there was any.
    met: bool,
    /// The process that was read last.
    last: i32,
    tally: Tally,
    spent: Duration,
    refused: Option<String>,
}

impl GoSampler {
    pub(crate) fn new(program: GoProgram) -> Self {
        Self {
            program,
            processes: BTreeMap::new(),
            met: false,
            last: 0,
            tally: Tally::default(),
            spent: Duration::ZERO,
            refused: None,
        }
    }

    /// Forgets processes that have ended, so that others find room; one that has the number of one is another.
    pub(crate) fn forget_all_but(&mut self, living: &BTreeSet<i32>) {
        self.processes.retain(|pid, _| living.contains(pid));
    }

    /// Notes a living process.
    pub(crate) fn know(&mut self, pid: i32) {
        if self.refused.is_some() || self.processes.contains_key(&pid) || self.processes.len() >= MOST_PROCESSES {
            return;
        }
        let executed = std::fs::metadata(format!("/proc/{pid}/exe")).ok();
        if executed.is_none_or(|file| (file.dev(), file.ino()) != self.program.file) {
            return;
        }
        match Memory::open(pid, &self.program.layout) {
            Ok(memory) => {
                self.processes.insert(pid, Some(memory));
                self.met = true;
            }
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
                self.refused = Some(format!(
                    "process_vm_readv: {error}: kernel.yama.ptrace_scope is above 1, or a program has other rights"
                ));
            }
            Err(_) => {}
        }
    }

    /// Takes a sample of every process, as far as the budget allows. The next one goes on where it ends.
    pub(crate) fn tick(&mut self, t_ns: u64) {
        if self.refused.is_some() {
            return;
        }
        let most = FREE + Duration::from_nanos(t_ns) / SHARE;
        let pids: Vec<i32> = self.processes.keys().copied().collect();
        let next = pids.partition_point(|pid| *pid <= self.last);
        for pid in pids.iter().cycle().skip(next).take(pids.len()) {
            if self.spent > most {
                return;
            }
            let Some(process) = self.processes.get_mut(pid) else { continue };
            self.last = *pid;
            let before = thread_cpu();
            let layout = &self.program.layout;
            let read = process.as_mut().and_then(|memory| {
                let processors = memory.processors(layout).ok()?;
                Some((processors, memory.goroutines(layout).ok()?))
            });
            match read {
                Some((processors, Some(goroutines))) => self.tally.note(processors, &goroutines, layout),
                Some((_, None)) => {
                    self.refused = Some(format!("a process had more than {MOST} goroutines"));
                    return;
                }
                // It has ended, or executes another program.
                None => *process = None,
            }
            self.spent += thread_cpu().saturating_sub(before);
        }
    }

    /// All that was found; none where no process was seen that executes the program.
    pub(crate) fn finish(self) -> Option<Goroutines> {
        match self.refused {
            Some(unavailable) => Some(Goroutines::Unavailable { unavailable }),
            None => self.met.then(|| self.tally.finish(&self.program.layout)),
        }
    }
}

#[cfg(test)]
mod tests {
    use self::layout::Fields;
    use super::*;

    /// A sampler of this very process, whose memory says how many processors there are.
    fn of_this_process(processors: &'static u32) -> GoSampler {
        let file = std::fs::metadata("/proc/self/exe").unwrap();
        let none: &'static [u64; 2] = &[0, 0];
        let layout = Layout {
            all: std::ptr::from_ref(none).addr() as u64,
            processors: std::ptr::from_ref(processors).addr() as u64,
            fields: Fields::default(),
            reasons: Vec::new(),
            functions: Vec::new(),
            moves_from: None,
        };
        GoSampler::new(GoProgram { layout, file: (file.dev(), file.ino()) })
    }

    #[test]
    fn processes_that_have_ended_leave_room_for_others() {
        let own = std::process::id().cast_signed();
        let mut sampler = of_this_process(&4);
        if Memory::open(own, &sampler.program.layout).is_err() {
            // A container may forbid to read a process's memory.
            return;
        }
        // Nobody has these numbers.
        sampler.processes = (0..i32::try_from(MOST_PROCESSES).unwrap()).map(|at| (i32::MAX - at, None)).collect();
        sampler.know(own);
        assert!(!sampler.met, "there is no room");
        sampler.forget_all_but(&BTreeSet::from([own]));
        sampler.know(own);
        assert_eq!(sampler.processes.keys().collect::<Vec<_>>(), [&own]);
        sampler.forget_all_but(&BTreeSet::new());
        assert!(sampler.finish().is_some(), "it was seen");
    }

    #[test]
    fn where_the_budget_is_small_processes_are_read_in_turn() {
        let own = std::process::id().cast_signed();
        let mut sampler = of_this_process(&4);
        for key in [1, 2, 3] {
            // A container may forbid to read a process's memory.
            let Ok(memory) = Memory::open(own, &sampler.program.layout) else { return };
            sampler.processes.insert(key, Some(memory));
        }
        let read = [(); 4].map(|()| {
            // For one reading.
            sampler.spent = FREE;
            sampler.tick(0);
            sampler.last
        });
        assert_eq!(read, [1, 2, 3, 1]);
    }
}
