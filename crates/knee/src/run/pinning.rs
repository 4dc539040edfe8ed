//! Ties every thread of a foreign program to a cpu of its own, from outside.
//!
//! # How
//!
//! The program starts on the full set of cpus (under a narrower mask many runtimes start fewer threads). Then `/proc` is
//! polled, and each thread that appears is put on the free place that comes first: with `sched_setaffinity`, which any
//! process may call for its own user's threads. Nothing is preloaded and nothing is traced, so static programs and
//! Go's, which never call into libc, are tied as well, and a debugger can still be attached.
//!
//! # How soon, at what price
//!
//! The number of links of `/proc/PID/task` is the number of threads plus two: one `fstat` of half a microsecond tells
//! whether anything is new. It is asked every half millisecond while threads appear, then less and less often down to
//! every eight milliseconds. A thread runs untied for that long at most, plus what it takes us to get a cpu; the record
//! holds the CPU time that threads had used when they were tied. The price is bounded: no more than two percent of a cpu, and
//! the record holds it.
//!
//! The program's main thread has its place reserved and is tied last, when it is fifty milliseconds old: threads inherit
//! the mask of the one that starts them, and runtimes count the cpus of theirs while they set themselves up.
//!
//! # Who gets a place
//!
//! Threads in order of appearance, over all processes of the tree; a place is free again when its thread ends, and with
//! more threads than places the least crowded one comes first. Helpers of the JVM and of GHC are known by name, others
//! can be skipped by number (`--skip`, `--for`): they stay on the full set. Names come late (a thread sets its own), so a
//! young thread that turns out to be a helper gives its place back.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::os::unix::fs::MetadataExt;
use std::time::{Duration, Instant};

use knee_machine::{CpuSet, sys};
use rustix::time::{ClockId, clock_gettime};

use crate::record::Pinning;

/// Period of polling while threads appear, and when none has for long.
const SOONEST: Duration = Duration::from_micros(500);
const LATEST: Duration = Duration::from_millis(8);
/// A poll may take this fraction of the time until the next one.
const BUDGET: u32 = 50;
/// The main thread is tied at this age.
const MAIN_AT: Duration = Duration::from_millis(50);
/// A thread's name is looked at again until it is this old.
const YOUNG: Duration = Duration::from_millis(100);

/// Beginnings of the names of threads that do no work of the program (the kernel keeps 15 letters of a name).
const HELPERS: [&str; 21] = [
    "ghc_ticker",
    "GC Thread#",
    "G1 ",
    "C1 CompilerThre",
    "C2 CompilerThre",
    "VM Thread",
    "VM Periodic Tas",
    "Signal Dispatch",
    "Finalizer",
    "Reference Handl",
    "Common-Cleaner",
    "Notification Th",
    "Service Thread",
    "Monitor Deflati",
    "Sweeper thread",
    "Attach Listener",
    "Cleaner-",
    "process reaper",
    "JFR ",
    "jemalloc_bg_thd",
    "OMPT ",
];

/// A thread that was met.
struct Held {
    pid: i32,
    /// None for one that was left on the set.
    place: Option<usize>,
    met: Instant,
}

/// A process of the tree.
struct Process {
    tasks: File,
    links: u64,
}

/// Watches a tree and ties what appears in it.
pub(super) struct Pinner {
    ancestor: i32,
    cpus: Vec<u32>,
    skip: Vec<usize>,
    crowd: Vec<usize>,
    processes: BTreeMap<i32, Process>,
    threads: BTreeMap<i32, Held>,
    met: usize,
    period: Duration,
    due: Instant,
    tree_due: Instant,
    names_due: Instant,
    /// Where each thread was last seen to be tied.
    affinity: BTreeMap<i32, CpuSet>,
    /// The program's main thread while it waits to be tied, and its place.
    main: Option<(i32, usize, Instant)>,
    found: Pinning,
}

impl Pinner {
    pub(super) fn new(ancestor: i32, cpus: &[u32], skip: &[usize]) -> Self {
        let now = Instant::now();
        Self {
            ancestor,
            cpus: cpus.to_vec(),
            skip: skip.to_vec(),
            crowd: vec![0; cpus.len()],
            processes: BTreeMap::new(),
            threads: BTreeMap::new(),
            met: 0,
            period: SOONEST,
            due: now,
            tree_due: now,
            names_due: now,
            affinity: BTreeMap::new(),
            main: None,
            found: Pinning { mechanism: "polling of /proc".into(), ..Pinning::default() },
        }
    }

    pub(super) fn pause(&self) -> Duration {
        self.due.saturating_duration_since(Instant::now())
    }

    /// Looks for new threads if it is time.
    pub(super) fn tick(&mut self) {
        let now = Instant::now();
        if now < self.due {
            return;
        }
        let before = own_cpu();
        let anything = self.look(now);
        let cost = own_cpu().saturating_sub(before);
        self.found.cost_ns += nanoseconds(cost);
        self.period = if anything { SOONEST } else { (self.period * 5 / 4).min(LATEST) };
        self.due = now + self.period.max(cost * BUDGET);
    }

    /// What became of it all, and where each thread was last seen to be tied.
    pub(super) fn finish(mut self) -> (Pinning, BTreeMap<i32, CpuSet>) {
        // Gone before it was old enough.
        self.found.missed += usize::from(self.main.is_some());
        (self.found, self.affinity)
    }

    fn look(&mut self, now: Instant) -> bool {
        let mut anything = false;
        if now >= self.tree_due {
            // Walking the tree opens a file for each thread: four times rarer than the look at known processes.
            self.tree_due = now + 4 * self.period;
            anything |= self.processes_appear();
        }
        let pids: Vec<i32> = self.processes.keys().copied().collect();
        for pid in pids {
            anything |= self.threads_appear(pid, now);
        }
        if let Some((tid, at, due)) = self.main
            && now >= due
        {
            self.main = None;
            match sys::pin_thread(tid, &[self.cpus[at]]) {
                Ok(()) => self.count(at),
                Err(_) => self.found.missed += 1,
            }
        }
        if now >= self.names_due {
            self.names_due = now + YOUNG / 8;
            self.helpers_appear(now);
            self.observe();
        }
        anything
    }

    fn processes_appear(&mut self) -> bool {
        let mut any = false;
        for pid in knee_meter::descendants(self.ancestor) {
            if !self.processes.contains_key(&pid)
                && let Ok(tasks) = File::open(format!("/proc/{pid}/task"))
            {
                self.processes.insert(pid, Process { tasks, links: 0 });
                any = true;
            }
        }
        any
    }

    fn threads_appear(&mut self, pid: i32, now: Instant) -> bool {
        let Some(process) = self.processes.get_mut(&pid) else { return false };
        // The folder of a process that is gone has no links, or cannot be read.
        let links = process.tasks.metadata().map_or(0, |data| data.nlink());
        if links == process.links && links > 2 {
            return false;
        }
        process.links = links;
        let mut tids = tasks(pid);
        tids.sort_unstable();
        if tids.is_empty() {
            self.processes.remove(&pid);
        }
        let alive: BTreeSet<i32> = tids.iter().copied().collect();
        let gone: Vec<i32> = self
            .threads
            .iter()
            .filter(|(tid, held)| held.pid == pid && !alive.contains(tid))
            .map(|(tid, _)| *tid)
            .collect();
        for tid in gone {
            if let Some(Held { place: Some(place), .. }) = self.threads.remove(&tid) {
                self.crowd[place] -= 1;
            }
        }
        let mut any = false;
        for tid in tids {
            if !self.threads.contains_key(&tid) {
                any = true;
                self.meet(pid, tid, now);
            }
        }
        any
    }

    fn meet(&mut self, pid: i32, tid: i32, now: Instant) {
        let number = self.met;
        self.met += 1;
        let place = if self.skip.contains(&number) || is_helper(pid, tid) { None } else { self.free_place() };
        let Some(at) = place else {
            self.found.left_on_set += 1;
            self.threads.insert(tid, Held { pid, place: None, met: now });
            return;
        };
        if number == 0 {
            self.main = Some((tid, at, now + MAIN_AT));
            self.crowd[at] += 1;
            self.threads.insert(tid, Held { pid, place: Some(at), met: now });
            return;
        }
        let late = used_cpu(pid, tid);
        let tied = sys::pin_thread(tid, &[self.cpus[at]]).is_ok();
        self.threads.insert(tid, Held { pid, place: tied.then_some(at), met: now });
        if !tied {
            self.found.missed += 1;
            return;
        }
        self.crowd[at] += 1;
        self.count(at);
        if let Ok(affinity) = sys::affinity_of(tid) {
            self.affinity.insert(tid, affinity);
        }
        self.found.late_ns_max = self.found.late_ns_max.max(late);
        self.found.late_ns_sum += late;
    }

    fn count(&mut self, at: usize) {
        self.found.pinned += 1;
        self.found.most_at_a_place = self.found.most_at_a_place.max(self.crowd[at]);
    }

    /// What the kernel says of every thread, for the record: a program may have tied its threads itself.
    fn observe(&mut self) {
        for tid in self.threads.keys() {
            if let Ok(affinity) = sys::affinity_of(*tid) {
                self.affinity.insert(*tid, affinity);
            }
        }
    }

    fn free_place(&self) -> Option<usize> {
        (0..self.cpus.len()).min_by_key(|&at| (self.crowd[at], at))
    }

    /// Young threads that have turned out to be helpers give their place back.
    fn helpers_appear(&mut self, now: Instant) {
        let young = |held: &Held| held.place.is_some() && now.saturating_duration_since(held.met) < YOUNG;
        let renamed: Vec<i32> = (self.threads.iter())
            .filter(|(tid, held)| young(held) && is_helper(held.pid, **tid))
            .map(|(tid, _)| *tid)
            .collect();
        for tid in renamed {
            let Some(held) = self.threads.get_mut(&tid) else { continue };
            if let Some(place) = held.place.take() {
                self.crowd[place] -= 1;
                if self.main.take_if(|(main, ..)| *main == tid).is_none() {
                    self.found.pinned -= 1;
                }
                self.found.left_on_set += 1;
                // One that has ended in the meantime needs no cpus any more.
                let _ = sys::pin_thread(tid, &self.cpus);
            }
        }
    }
}

fn tasks(pid: i32) -> Vec<i32> {
    let entries = fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect()
}

fn is_helper(pid: i32, tid: i32) -> bool {
    let name = fs::read_to_string(format!("/proc/{pid}/task/{tid}/comm")).unwrap_or_default();
    HELPERS.iter().any(|helper| name.starts_with(helper))
}

/// CPU time a thread has used so far; 0 where the kernel keeps no schedstat or the thread is gone.
fn used_cpu(pid: i32, tid: i32) -> u64 {
    let text = fs::read_to_string(format!("/proc/{pid}/task/{tid}/schedstat")).unwrap_or_default();
    text.split(' ').next().and_then(|word| word.parse().ok()).unwrap_or(0)
}

fn own_cpu() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(u64::try_from(time.tv_sec).unwrap_or(0), u32::try_from(time.tv_nsec).unwrap_or(0))
}

fn nanoseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pinner(places: u32, skip: &[usize]) -> Pinner {
        Pinner::new(0, &(0..places).collect::<Vec<_>>(), skip)
    }

    #[test]
    fn the_least_crowded_place_comes_first() {
        let mut pinner = pinner(3, &[]);
        pinner.crowd = vec![1, 0, 0];
        assert_eq!(pinner.free_place(), Some(1));
        pinner.crowd = vec![2, 1, 1];
        assert_eq!(pinner.free_place(), Some(1));
    }

    #[test]
    fn a_thread_that_cannot_be_tied_is_counted_and_takes_no_place() {
        let mut pinner = pinner(2, &[0, 2]);
        for tid in [i32::MAX - 1, i32::MAX - 2, i32::MAX - 3] {
            pinner.meet(i32::MAX, tid, Instant::now());
        }
        let crowd = pinner.crowd.clone();
        let (found, _) = pinner.finish();
        assert_eq!((found.missed, found.left_on_set, found.pinned, crowd), (1, 2, 0, vec![0, 0]));
    }
}
