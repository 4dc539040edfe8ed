//! Finding the threads of a tree.

use std::collections::BTreeSet;
use std::path::Path;

use super::Sampler;
use super::thread::Thread;
use crate::proc::{descendants, numbered};

/// Time after which it looks without news: they say nothing of a thread that was not found when it was new.
const ANYWAY_NS: u64 = 1_000_000_000;

impl Sampler {
    /// Finds new threads and processes.
    pub(super) fn look(&mut self, t_ns: u64) {
        // Asked first: what begins during the look is found by the next one.
        let newest = self.newest.number();
        let news = newest.is_none() || newest != self.looked_until;
        // Once more after the last news: a thread has a number shortly before it can be found.
        if !news && !self.looked.1 && t_ns < self.looked.0 + ANYWAY_NS {
            return;
        }
        (self.looked_until, self.looked) = (newest, (t_ns, news));
        let (mut known, mut new) = (0, Vec::new());
        let processes = descendants(self.ancestor);
        self.forget_all_but(&processes.iter().copied().collect());
        for pid in processes {
            self.mappings.know(pid, t_ns);
            self.moves.know(pid, t_ns);
            if let Some(go) = &mut self.go {
                go.know(pid);
            }
            for tid in numbered(&format!("/proc/{pid}/task")) {
                if self.threads.get(&tid).is_some_and(|watched| watched.seen.pid == pid) {
                    known += 1;
                } else {
                    new.push((pid, tid));
                }
            }
        }
        let room = self.most.saturating_sub(known);
        if new.len() > room {
            // A later look may watch them, after others have ended.
            self.looked_until = None;
        }
        let mut left_out = new.len().saturating_sub(room) as u64;
        for (pid, tid) in new.into_iter().take(room) {
            match Thread::open(pid, tid, t_ns) {
                Some(thread) => self.watch(tid, thread),
                // It is there, so that it is our limit of open files that refuses it.
                None if Path::new(&format!("/proc/{pid}/task/{tid}/stat")).exists() => {
                    left_out += 1;
                    self.sampling.out_of_files = true;
                    self.looked_until = None;
                }
                None => {}
            }
        }
        self.sampling.left_out = self.sampling.left_out.max(left_out);
    }

    /// Forgets what is kept for each process of those that have ended. Their threads go when they are read.
    fn forget_all_but(&mut self, living: &BTreeSet<i32>) {
        self.mappings.forget_all_but(living);
        self.moves.forget_all_but(living);
        if let Some(go) = &mut self.go {
            go.forget_all_but(living);
        }
    }

    /// Adds a thread. One that had the same number has ended, and is kept: the kernel uses numbers again.
    pub(super) fn watch(&mut self, tid: i32, thread: Thread) {
        if let Some(before) = self.threads.insert(tid, thread) {
            self.ended.add(before.seen);
        }
    }

    /// Moves threads that have ended to where no tick looks. Their files are closed, since a program that starts
    /// thousands of threads would exhaust ours.
    pub(super) fn part_with(&mut self, ended: Vec<i32>) {
        for tid in ended {
            if let Some(thread) = self.threads.remove(&tid) {
                self.ended.add(thread.seen);
            }
        }
    }
}
