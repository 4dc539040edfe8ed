//! Programs and shared libraries of a process tree: the executable files that its processes have mapped.
//!
//! They tell which runtime a program uses, whatever its name. A process loads libraries while it runs, so it is read
//! when it is found and again at doubling intervals. All readings together have a budget of their own, far below that of
//! the sampler, because the kernel delays a process that maps memory meanwhile.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::time::Duration;

use knee_machine::clock::thread_cpu;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Time from the first reading of a process to the second, in nanoseconds; after each reading it doubles.
const FIRST_NS: u64 = 10_000_000;
/// CPU time that readings may take in any run, and the part of the run's time that they may take beyond it.
const FREE: Duration = Duration::from_micros(500);
const SHARE: u32 = 400;
/// Living processes that are read, and names of each kind that are kept.
const MOST_PROCESSES: usize = 400;
const MOST_PROGRAMS: usize = 50;
const MOST_LIBRARIES: usize = 400;

/// Executable files that processes of the tree had mapped, as far as samples show.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Mapped {
    /// Paths of the programs, at most 50.
    pub programs: Vec<String>,
    /// File names of the shared libraries, at most 400.
    pub libraries: Vec<String>,
}

/// Reads what each process has mapped.
#[derive(Debug, Default)]
pub(crate) struct Mappings {
    processes: BTreeMap<i32, Next>,
    programs: BTreeSet<String>,
    libraries: BTreeSet<String>,
    spent: Duration,
}

/// When a process is read next.
#[derive(Debug)]
struct Next {
    due_ns: u64,
    distance_ns: u64,
}

impl Mappings {
    /// Forgets processes that have ended, so that others find room; one that has the number of one is another.
    pub(crate) fn forget_all_but(&mut self, living: &BTreeSet<i32>) {
        self.processes.retain(|pid, _| living.contains(pid));
    }

    /// Notes a living process; a new one is read at the next tick.
    pub(crate) fn know(&mut self, pid: i32, t_ns: u64) {
        if self.processes.len() < MOST_PROCESSES {
            self.processes.entry(pid).or_insert(Next { due_ns: t_ns, distance_ns: FIRST_NS });
        }
    }

    /// Reads the processes that are due, as far as the budget allows.
    pub(crate) fn tick(&mut self, t_ns: u64) {
        let most = FREE + Duration::from_nanos(t_ns) / SHARE;
        let due: Vec<i32> =
            self.processes.iter().filter(|(_, next)| next.due_ns <= t_ns).map(|(pid, _)| *pid).collect();
        for pid in due {
            if self.spent > most {
                return;
            }
            let before = thread_cpu();
            let read = self.read(pid);
            self.spent += thread_cpu().saturating_sub(before);
            match self.processes.get_mut(&pid).filter(|_| read) {
                Some(next) => {
                    next.due_ns = t_ns + next.distance_ns;
                    next.distance_ns *= 2;
                }
                None => drop(self.processes.remove(&pid)),
            }
        }
    }

    /// Reads one process; returns whether it could be read.
    fn read(&mut self, pid: i32) -> bool {
        let Ok(program) = fs::read_link(format!("/proc/{pid}/exe")) else { return false };
        let Ok(maps) = fs::read(format!("/proc/{pid}/maps")) else { return false };
        let program = program.to_string_lossy();
        for path in executable(&maps).filter(|path| *path != program) {
            let name = Path::new(&path).file_name().unwrap_or_default().to_string_lossy();
            keep(&mut self.libraries, &name, MOST_LIBRARIES);
        }
        keep(&mut self.programs, &program, MOST_PROGRAMS);
        true
    }

    /// All that was found; none where no process could be read.
    pub(crate) fn finish(self) -> Option<Mapped> {
        let all = |names: BTreeSet<String>| names.into_iter().collect();
        (!self.programs.is_empty()).then(|| Mapped { programs: all(self.programs), libraries: all(self.libraries) })
    }
}

fn keep(names: &mut BTreeSet<String>, name: &str, most: usize) {
    if names.len() < most && !names.contains(name) {
        names.insert(name.to_owned());
    }
}

/// Paths of the files that are mapped as code. Memory without a file has no path, or one of the kernel's own.
fn executable(maps: &[u8]) -> impl Iterator<Item = String> {
    maps.split(|byte| *byte == b'\n').filter_map(|line| {
        let rights = line.iter().position(|byte| *byte == b' ')? + 1;
        if line.get(rights + 2) != Some(&b'x') {
            return None;
        }
        // After the inode. A program may give memory without a file a name with any sign ("[anon:NAME]").
        let path = line.splitn(6, |byte| *byte == b' ').nth(5)?.trim_ascii_start();
        if !path.starts_with(b"/") {
            return None;
        }
        let made = path.starts_with(b"/memfd:") || path.starts_with(b"/dev/") || path.starts_with(b"/SYSV");
        (!made).then(|| String::from_utf8_lossy(path).into_owned())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const MAPS: &[u8] = b"\
55d0-55d1 r--p 00000000 08:01 11 /usr/bin/a program
55d1-55d2 r-xp 00001000 08:01 11 /usr/bin/a program
7f00-7f01 r-xp 00000000 08:01 12                         /lib/libgomp.so.1.0.0
7f01-7f02 rw-p 00000000 08:01 13 /lib/data.so
7f02-7f03 r-xp 00000000 00:01 14 /memfd:code (deleted)
7f03-7f04 rwxp 00000000 00:00 0
7f04-7f05 r-xp 00000000 00:00 0                          [anon:code/of a compiler]
7ffd-7ffe r-xp 00000000 00:00 0 [vdso]
";

    #[test]
    fn only_files_that_are_mapped_as_code_count() {
        assert_eq!(executable(MAPS).collect::<Vec<_>>(), ["/usr/bin/a program", "/lib/libgomp.so.1.0.0"]);
    }

    #[test]
    fn this_process_has_a_program_and_libraries_and_is_read_ever_less_often() {
        let pid = rustix::process::getpid().as_raw_nonzero().get();
        let mut mappings = Mappings::default();
        mappings.know(pid, 0);
        mappings.tick(0);
        assert_eq!(mappings.processes[&pid].due_ns, FIRST_NS);
        mappings.tick(FIRST_NS - 1);
        assert_eq!(mappings.processes[&pid].due_ns, FIRST_NS, "not due yet");
        // Their budget has a test of its own: on a slow machine the first reading may have spent it.
        mappings.spent = Duration::ZERO;
        mappings.tick(FIRST_NS);
        assert_eq!(mappings.processes[&pid].due_ns, 3 * FIRST_NS);
        let found = mappings.finish().unwrap();
        let own = std::env::current_exe().unwrap();
        assert_eq!(found.programs, [own.to_string_lossy()]);
        assert!(found.libraries.iter().any(|name| name.starts_with("libc.so")), "{found:?}");
    }

    #[test]
    fn readings_stop_when_their_budget_is_spent_and_go_on_later() {
        let pid = rustix::process::getpid().as_raw_nonzero().get();
        let mut mappings = Mappings { spent: 2 * FREE, ..Mappings::default() };
        mappings.know(pid, 0);
        mappings.tick(0);
        assert!(mappings.programs.is_empty());
        mappings.tick(1_000_000_000);
        assert_eq!(mappings.programs.len(), 1);
    }

    #[test]
    fn a_process_that_is_gone_is_forgotten() {
        let mut mappings = Mappings::default();
        mappings.know(i32::MAX, 0);
        mappings.tick(0);
        assert!(mappings.processes.is_empty() && mappings.finish().is_none());
    }

    #[test]
    fn processes_that_have_ended_leave_room_for_others_although_the_budget_is_spent() {
        let pid = rustix::process::getpid().as_raw_nonzero().get();
        let mut mappings = Mappings { spent: 2 * FREE, ..Mappings::default() };
        for ended in 0..i32::try_from(MOST_PROCESSES).unwrap() {
            mappings.know(i32::MAX - ended, 0);
        }
        mappings.tick(0);
        mappings.forget_all_but(&BTreeSet::from([pid]));
        mappings.know(pid, 0);
        assert_eq!(mappings.processes.keys().collect::<Vec<_>>(), [&pid]);
    }
}
