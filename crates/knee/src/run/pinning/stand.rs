//! State of each thread: pinned to a cpu, or left on the set.

use std::time::{Duration, Instant};

use knee_machine::{CpuSet, sys};

use super::tasks::{self, Demand};
use super::{Held, Id, Pinner, QUIET, Standing, YOUNG, nanoseconds};

impl Pinner {
    pub(super) fn meet(&mut self, id: Id, now: Instant) {
        let main = id.0 == id.1 && self.slots.all().len() > 1;
        let number = self.met;
        self.met += 1;
        let known = Demand::of(id.0, id.1);
        let begun = known.is_none_or(|demand| !demand.used.is_zero());
        let demand = known.unwrap_or_default();
        let mut held = Held { standing: Standing::Left, met: now, demand, looked: now, busy: !main, begun };
        if self.skip.contains(&number) || tasks::is_helper(id.0, id.1) {
            self.leave_on_set(id.1);
        } else if main {
            self.leave_on_set(id.1);
            held.standing = Standing::Alone;
        } else {
            self.pin(id, &mut held, demand.used);
        }
        self.threads.insert(id, held);
    }

    fn pin(&mut self, id: Id, held: &mut Held, late: Duration) {
        self.pin_at(self.slots.best(), id, held, late);
    }

    fn pin_at(&mut self, at: usize, id: Id, held: &mut Held, late: Duration) {
        let at = self.own_choice(id.1).unwrap_or(at);
        if sys::pin_thread(id.1, &[self.slots.cpu(at)]).is_err() {
            held.standing = Standing::Left;
            self.found.missed += 1;
            return;
        }
        held.standing = Standing::Pinned(at);
        self.slots.enter(at, held.busy);
        if let Ok(affinity) = sys::affinity_of(id.1) {
            self.affinity.insert(id.1, (Instant::now(), affinity));
        }
        self.found.pinned += 1;
        self.found.late_ns_max = self.found.late_ns_max.max(nanoseconds(late));
        self.found.late_ns_sum += nanoseconds(late);
    }

    /// The place that a thread has pinned itself to. If others are there, it may be inherited from the thread that
    /// started it.
    fn own_choice(&self, tid: i32) -> Option<usize> {
        let mask = sys::affinity_of(tid).ok().filter(|mask| mask.len() == 1)?;
        self.slots.of(mask.first()?).filter(|at| self.slots.is_empty(*at))
    }

    /// Reserves a place for a main thread that is no longer alone, to pin it later.
    pub(super) fn keep_place(&mut self, id: Id) {
        let at = self.slots.best();
        if let Some(held) = self.threads.get_mut(&id).filter(|held| held.standing == Standing::Alone) {
            held.standing = Standing::Waiting(at);
            held.busy = true;
            self.slots.enter(at, true);
        }
    }

    /// Pins main threads whose process starts no more threads.
    pub(super) fn pin_quiet(&mut self, now: Instant) {
        let quiet = self.processes.iter().filter(|(_, last)| now.saturating_duration_since(**last) >= QUIET);
        for pid in quiet.map(|(pid, _)| *pid).collect::<Vec<_>>() {
            let Some(mut held) = self.threads.remove(&(pid, pid)) else { continue };
            if let Standing::Waiting(at) = held.standing {
                self.found.left_on_set -= 1;
                self.slots.leave(at, held.busy);
                // The delay is on purpose, so it says nothing about polling.
                self.pin_at(at, (pid, pid), &mut held, Duration::ZERO);
            }
            self.threads.insert((pid, pid), held);
        }
    }

    /// Pins a thread that was alone. CPU time before its last check was used alone, and rightly unpinned.
    pub(super) fn pin_late(&mut self, id: Id, now: Instant) {
        let Some(mut held) = self.threads.remove(&id) else { return };
        let demand = Demand::of(id.0, id.1).unwrap_or(held.demand);
        let late = demand.used.saturating_sub(held.demand.used);
        (held.demand, held.looked) = (demand, now);
        self.found.left_on_set -= 1;
        self.pin(id, &mut held, late);
        self.threads.insert(id, held);
    }

    /// Widens the mask of a thread that inherited it from a pinned one. A mask of its own choice is kept.
    fn leave_on_set(&mut self, tid: i32) {
        self.found.left_on_set += 1;
        let all = self.slots.all();
        let narrow = |mask: CpuSet| mask.len() == 1 && mask.first().is_some_and(|cpu| all.contains(&cpu));
        if self.own_choice(tid).is_none() && sys::affinity_of(tid).is_ok_and(narrow) {
            // An error means that it has ended in the meantime.
            let _ = sys::pin_thread(tid, &all);
        }
    }

    /// Checks young threads again: they may turn out to be helpers, whose places are freed, or set their own mask when
    /// they begin: `libomp` gives every thread the whole set.
    pub(super) fn look_after_young(&mut self, now: Instant) {
        let pinned = |held: &Held| matches!(held.standing, Standing::Pinned(_));
        let is_young = |held: &Held| now.saturating_duration_since(held.met) < YOUNG;
        let young = self.threads.iter().filter(|(_, held)| pinned(held) && (is_young(held) || !held.begun));
        let young: Vec<Id> = young.map(|(id, _)| *id).collect();
        for id in young {
            let Some(mut held) = self.threads.remove(&id) else { continue };
            let Standing::Pinned(at) = held.standing else { continue };
            if !held.begun {
                // While it still waits for its first cpu, its youth has not begun.
                held.begun = Demand::of(id.0, id.1).is_none_or(|demand| !demand.used.is_zero());
                held.met = now;
            }
            if tasks::is_helper(id.0, id.1) {
                held.standing = Standing::Left;
                self.found.pinned -= 1;
                // While the place still counts as taken, its mask does not look like its own choice.
                self.leave_on_set(id.1);
                self.slots.leave(at, held.busy);
            } else {
                held.standing = Standing::Pinned(self.hold(id.1, at, held.busy));
            }
            self.threads.insert(id, held);
        }
    }

    /// Pins a thread to a place: this one, or the one to which it has pinned itself.
    fn hold(&mut self, tid: i32, at: usize, busy: bool) -> usize {
        let Ok(mask) = sys::affinity_of(tid) else { return at };
        let own = mask.first().filter(|_| mask.len() == 1).and_then(|cpu| self.slots.of(cpu));
        if let Some(other) = own {
            self.slots.leave(at, busy);
            self.slots.enter(other, busy);
            return other;
        }
        self.found.retied += usize::from(sys::pin_thread(tid, &[self.slots.cpu(at)]).is_ok());
        at
    }
}
