//! Decides by CPU use: parallel processes are pinned, busy threads get cpus of their own.

use std::time::{Duration, Instant};

use knee_machine::sys;

use super::tasks::{self, Demand};
use super::{Held, Id, Pinner, SETTLING, Standing};

/// CPU time below which a process has hardly begun.
const WORK: Duration = Duration::from_millis(10);

impl Pinner {
    /// Checks which threads are busy, if that can make a difference.
    pub(super) fn settle(&mut self, now: Instant) {
        let any_alone = self.threads.values().any(|held| held.standing == Standing::Alone);
        if !any_alone && !self.slots.shared() {
            return;
        }
        for pid in self.processes.keys().copied().collect::<Vec<_>>() {
            self.forget(pid, &tasks::of(pid));
        }
        self.see_who_is_busy(now);
        self.pin_busy_processes(now);
        while let Some((from, to)) = self.slots.uneven() {
            if !self.move_busy(from, to) {
                break;
            }
        }
    }

    fn see_who_is_busy(&mut self, now: Instant) {
        for (id, held) in &mut self.threads {
            let time = now.saturating_duration_since(held.looked);
            if held.standing == Standing::Left || time < SETTLING / 2 {
                continue;
            }
            // If the kernel does not say, no thread counts as idle.
            let demand = Demand::of(id.0, id.1);
            let busy = demand.is_none_or(|demand| demand.busy_since(held.demand, time));
            if let Some(at) = held.standing.place() {
                self.slots.leave(at, held.busy);
                self.slots.enter(at, busy);
            }
            (held.busy, held.demand, held.looked) = (busy, demand.unwrap_or(held.demand), now);
        }
    }

    fn pin_busy_processes(&mut self, now: Instant) {
        // A shell that waits for a cpu wants one, too, but has no work for it.
        let works = |held: &Held| held.busy && held.standing != Standing::Left && held.demand.used >= WORK;
        let busy = self.threads.iter().filter(|(_, held)| works(held));
        if busy.clone().count() < 2 {
            return;
        }
        let alone: Vec<Id> = busy.filter(|(_, held)| held.standing == Standing::Alone).map(|(id, _)| *id).collect();
        for id in alone {
            self.pin_late(id, now);
        }
    }

    fn move_busy(&mut self, from: usize, to: usize) -> bool {
        let there = self.threads.iter_mut().filter(|(_, held)| held.standing == Standing::Pinned(from) && held.busy);
        // The newest one: older threads keep their places.
        let Some((id, held)) = there.max_by_key(|(_, held)| held.met) else { return false };
        if sys::pin_thread(id.1, &[self.slots.cpu(to)]).is_err() {
            return false;
        }
        held.standing = Standing::Pinned(to);
        self.slots.leave(from, true);
        self.slots.enter(to, true);
        self.found.moved += 1;
        true
    }
}
