//! Control groups into which a program was put after its launch: by a batch system, a container, or its own first line.
//!
//! Each process of the tree says in which groups it is. It may be put into others while it runs, so it is read when it
//! is found and again at doubling intervals. A group counts from the moment at which a process was found in it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;

use crate::throttling::{ThrottledProgram, ThrottlingBefore};

/// Time from the first reading of a process to the second, in nanoseconds; after each reading it doubles.
const FIRST_NS: u64 = 10_000_000;
/// Time between two readings of a group, in nanoseconds: it may be gone when the program has ended.
const EVERY_NS: u64 = 100_000_000;
/// Living processes that are read, those of them that are read at one sample, and groups that are counted.
const MOST_PROCESSES: usize = 400;
const MOST_READ: usize = 16;
const MOST_GROUPS: usize = 16;

/// Watches the control groups of a tree.
#[derive(Debug)]
pub(crate) struct Moves {
    root: PathBuf,
    /// The groups of the launcher, as `/proc/self/cgroup` says.
    own: String,
    processes: BTreeMap<i32, Next>,
    /// The other groups that were found, in that order; none counted where the quota would be the launcher's.
    found: Vec<(String, Option<Group>)>,
    counted_ns: u64,
}

/// When a process is read next.
#[derive(Debug)]
struct Next {
    due_ns: u64,
    distance_ns: u64,
}

#[derive(Debug)]
struct Group {
    before: ThrottlingBefore,
    newest: Option<ThrottledProgram>,
}

impl Moves {
    /// For the processes that `root` shows.
    pub(crate) fn new(root: PathBuf) -> Self {
        let own = fs::read_to_string(root.join("proc/self/cgroup")).unwrap_or_default();
        Self { root, own, processes: BTreeMap::new(), found: Vec::new(), counted_ns: 0 }
    }

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

    /// Reads processes that are due, and the groups.
    pub(crate) fn tick(&mut self, t_ns: u64) {
        let due = self.processes.iter().filter(|(_, next)| next.due_ns <= t_ns).map(|(pid, _)| *pid);
        for pid in due.take(MOST_READ).collect::<Vec<_>>() {
            let read = self.read(pid);
            match self.processes.get_mut(&pid).filter(|_| read) {
                Some(next) => {
                    next.due_ns = t_ns + next.distance_ns;
                    next.distance_ns *= 2;
                }
                None => drop(self.processes.remove(&pid)),
            }
        }
        if t_ns >= self.counted_ns + EVERY_NS {
            self.counted_ns = t_ns;
            self.count();
        }
    }

    /// Reads one process; returns whether it could be read.
    fn read(&mut self, pid: i32) -> bool {
        let Ok(groups) = fs::read_to_string(self.root.join(format!("proc/{pid}/cgroup"))) else { return false };
        let known = groups == self.own || self.found.iter().any(|(found, _)| *found == groups);
        if !known && self.found.len() < MOST_GROUPS {
            let before = ThrottlingBefore::of(&self.root, &pid.to_string());
            // It may be in another group of another controller only.
            let other = before.group().is_some() && before.group() != ThrottlingBefore::take(&self.root).group();
            self.found.push((groups, other.then_some(Group { before, newest: None })));
        }
        true
    }

    fn count(&mut self) {
        for (_, group) in &mut self.found {
            if let Some(group) = group {
                group.newest = group.before.added().or(group.newest.take());
            }
        }
    }

    /// The group, other than the launcher's, that was throttled longest; the first one where none was, and none where
    /// there is no other.
    pub(crate) fn most_throttled(&mut self) -> Option<ThrottledProgram> {
        self.count();
        let counted = self.found.iter().filter_map(|(_, group)| group.as_ref()?.newest.clone());
        // The first of equal ones: the last one is the largest for `max_by_key`.
        counted.rev().max_by_key(ThrottledProgram::throttled_ns)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    const MS: u64 = 1_000_000;

    fn write(root: &Path, file: &str, text: &str) {
        let path = root.join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn counts(root: &Path, group: &str, throttled: u64) {
        let text = format!("nr_periods {}\nnr_throttled {throttled}\nthrottled_usec {throttled}000\n", 2 * throttled);
        write(root, &format!("sys/fs/cgroup/{group}/cpu.stat"), &text);
    }

    /// The group, its quota and throttled periods, and name and throttled periods of the group above.
    type Told = (String, Option<f64>, u64, Option<(String, u64)>);

    fn told(moves: &mut Moves) -> Option<Told> {
        let ThrottledProgram { group, above } = moves.most_throttled()?;
        Some((group.group, group.quota_cpus, group.nr_throttled, above.map(|above| (above.group, above.nr_throttled))))
    }

    #[test]
    fn a_group_counts_from_the_moment_at_which_the_program_is_found_in_it() {
        let root = tempfile::tempdir().unwrap();
        let root = root.path();
        write(root, "proc/self/cgroup", "0::/own\n");
        write(root, "proc/42/cgroup", "0::/own\n");
        write(root, "sys/fs/cgroup/batch/cpu.max", "150000 100000\n");
        write(root, "sys/fs/cgroup/batch/job/cpu.max", "max 100000\n");
        for (group, throttled) in [("own", 1), ("batch", 10), ("batch/job", 0)] {
            counts(root, group, throttled);
        }
        let mut moves = Moves::new(root.into());
        moves.know(42, 0);
        moves.tick(0);
        assert_eq!(told(&mut moves), None, "it is where the launcher is");
        write(root, "proc/42/cgroup", "0::/batch/job\n");
        counts(root, "batch", 15);
        moves.tick(FIRST_NS - 1);
        assert_eq!(told(&mut moves), None, "it is not read again yet");
        moves.tick(FIRST_NS);
        counts(root, "batch", 22);
        let found = Some(("/batch/job".to_owned(), None, 0, Some(("/batch".to_owned(), 7))));
        assert_eq!(told(&mut moves), found);
        counts(root, "batch", 24);
        moves.tick(FIRST_NS + 100 * MS);
        fs::remove_dir_all(root.join("sys/fs/cgroup/batch")).unwrap();
        let found = Some(("/batch/job".to_owned(), None, 0, Some(("/batch".to_owned(), 9))));
        assert_eq!(told(&mut moves), found, "what was read last stays when the group has gone");
    }

    #[test]
    fn of_several_groups_the_one_that_was_throttled_longest_is_told() {
        let root = tempfile::tempdir().unwrap();
        let root = root.path();
        write(root, "proc/self/cgroup", "3:cpu:/\n");
        for (pid, group) in [(5, "idle"), (6, "first"), (7, "second"), (8, "gone")] {
            write(root, &format!("proc/{pid}/cgroup"), &format!("3:cpu:/{group}\n"));
            counts(root, &format!("cpu/{group}"), 0);
        }
        fs::remove_dir_all(root.join("sys/fs/cgroup/cpu/gone")).unwrap();
        counts(root, "cpu", 0);
        write(root, "sys/fs/cgroup/cpu/second/cpu.cfs_quota_us", "50000");
        write(root, "sys/fs/cgroup/cpu/second/cpu.cfs_period_us", "100000");
        let mut moves = Moves::new(root.into());
        (5..=9).for_each(|pid| moves.know(pid, 0));
        moves.tick(0);
        assert_eq!(told(&mut moves), Some(("/idle".into(), None, 0, None)), "none was throttled");
        assert_eq!(moves.processes.len(), 4, "one that is gone is forgotten");
        counts(root, "cpu/first", 3);
        counts(root, "cpu/second", 5);
        assert_eq!(told(&mut moves), Some(("/second".into(), Some(0.5), 5, None)));
    }

    #[test]
    fn another_group_of_another_controller_is_no_other_group() {
        let root = tempfile::tempdir().unwrap();
        let root = root.path();
        write(root, "proc/self/cgroup", "4:memory:/\n3:cpu:/x\n");
        write(root, "proc/5/cgroup", "4:memory:/y\n3:cpu:/x\n");
        counts(root, "cpu/x", 1);
        let mut moves = Moves::new(root.into());
        moves.know(5, 0);
        moves.tick(0);
        counts(root, "cpu/x", 2);
        assert_eq!(told(&mut moves), None);
    }

    #[test]
    fn a_process_that_has_the_number_of_one_that_ended_is_read_at_once() {
        let root = tempfile::tempdir().unwrap();
        let root = root.path();
        write(root, "proc/self/cgroup", "0::/own\n");
        write(root, "proc/42/cgroup", "0::/own\n");
        counts(root, "batch", 0);
        let mut moves = Moves::new(root.into());
        moves.know(42, 0);
        for t_ns in [0, FIRST_NS, 3 * FIRST_NS] {
            moves.tick(t_ns);
        }
        write(root, "proc/42/cgroup", "0::/batch\n");
        moves.forget_all_but(&BTreeSet::new());
        moves.know(42, 3 * FIRST_NS);
        moves.tick(3 * FIRST_NS);
        assert_eq!(told(&mut moves), Some(("/batch".into(), None, 0, None)));
    }
}
