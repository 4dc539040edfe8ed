//! Finds new threads and threads that have ended.

use std::time::Instant;

use knee_machine::clock::thread_cpu;

use super::{ANYWAY, Id, Pinner, WALKS, tasks};

impl Pinner {
    /// Finds new threads; returns whether there were any.
    pub(super) fn look(&mut self, now: Instant) -> bool {
        let news = self.news.any() || now >= self.look_due;
        self.unwalked |= news;
        let walks = self.unwalked && now >= self.walk_due;
        if walks {
            let before = thread_cpu();
            for pid in knee_meter::descendants(self.ancestor) {
                self.processes.entry(pid).or_insert(now);
            }
            self.walk_due = now + thread_cpu().saturating_sub(before) * WALKS;
            self.unwalked = false;
        }
        if !news && !walks {
            return false;
        }
        self.look_due = now + ANYWAY;
        let pids: Vec<i32> = self.processes.keys().copied().collect();
        pids.into_iter().filter(|&pid| self.threads_appear(pid, now)).count() > 0
    }

    fn threads_appear(&mut self, pid: i32, now: Instant) -> bool {
        let tids = tasks::of(pid);
        if tids.is_empty() {
            self.processes.remove(&pid);
        }
        self.forget(pid, &tids);
        let mut any = false;
        for &tid in &tids {
            if !self.threads.contains_key(&(pid, tid)) {
                any = true;
                self.meet((pid, tid), now);
            }
            if tid == pid && tids.len() > 1 {
                self.keep_place((pid, tid));
            }
        }
        if any {
            self.processes.insert(pid, now);
        }
        any
    }

    /// Frees the places of a process's threads that have ended.
    pub(super) fn forget(&mut self, pid: i32, alive: &[i32]) {
        let of_process = self.threads.range((pid, i32::MIN)..=(pid, i32::MAX)).map(|(id, _)| *id);
        let gone: Vec<Id> = of_process.filter(|(_, tid)| alive.binary_search(tid).is_err()).collect();
        for id in gone {
            let held = self.threads.remove(&id);
            if let Some((at, busy)) = held.and_then(|held| Some((held.standing.place()?, held.busy))) {
                self.slots.leave(at, busy);
            }
        }
    }
}
