//! Finding the threads of a tree.

use super::Sampler;
use super::thread::Thread;
use crate::proc::{descendants, numbered};

impl Sampler {
    /// Finds new threads and processes.
    pub(super) fn look(&mut self, t_ns: u64) {
        // Asked first: what begins during the look is found by the next one.
        let newest = self.newest.number();
        if newest.is_some() && newest == self.looked_until {
            return;
        }
        self.looked_until = newest;
        let (mut known, mut new) = (0, Vec::new());
        for pid in descendants(self.ancestor) {
            self.mappings.know(pid, t_ns);
            self.moves.know(pid, t_ns);
            if let Some(go) = &mut self.go {
                go.know(pid);
            }
            for tid in numbered(&format!("/proc/{pid}/task")) {
                if self.threads.get(&tid).is_some_and(|watched| watched.task.is_some() && watched.seen.pid == pid) {
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
        self.sampling.left_out = self.sampling.left_out.max(new.len().saturating_sub(room) as u64);
        for (pid, tid) in new.into_iter().take(room) {
            self.threads.extend(Thread::open(pid, tid, t_ns).map(|thread| (tid, thread)));
        }
    }
}
