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
            self.tie(id, &mut held, demand.used);
        }
        self.threads.insert(id, held);
    }

    fn tie(&mut self, id: Id, held: &mut Held, late: Duration) {
        self.tie_at(self.slots.best(), id, held, late);
    }

    fn tie_at(&mut self, at: usize, id: Id, held: &mut Held, late: Duration) {
        let at = self.own_choice(id.1).unwrap_or(at);
        if sys::pin_thread(id.1, &[self.slots.cpu(at)]).is_err() {
            held.standing = Standing::Left;
            self.found.missed += 1;
            return;
        }
        held.standing = Standing::Tied(at);
        self.slots.enter(at, held.busy);
        if let Ok(affinity) = sys::affinity_of(id.1) {
            self.affinity.insert(id.1, (Instant::now(), affinity));
        }
        self.found.pinned += 1;
        self.found.late_ns_max = self.found.late_ns_max.max(nanoseconds(late));
        self.found.late_ns_sum += nanoseconds(late);
    }

    /// The place that a thread has tied itself to. One where others are may be that of the thread that started it.
    fn own_choice(&self, tid: i32) -> Option<usize> {
        let mask = sys::affinity_of(tid).ok().filter(|mask| mask.len() == 1)?;
        self.slots.of(mask.first()?).filter(|at| self.slots.is_empty(*at))
    }

    /// A main thread that is no longer alone has a place, and is put there later.
    pub(super) fn keep_place(&mut self, id: Id) {
        let at = self.slots.best();
        if let Some(held) = self.threads.get_mut(&id).filter(|held| held.standing == Standing::Alone) {
            held.standing = Standing::Waiting(at);
            held.busy = true;
            self.slots.enter(at, true);
        }
    }

    /// Main threads that wait for their process to start no more threads.
    pub(super) fn tie_quiet(&mut self, now: Instant) {
        let quiet = self.processes.iter().filter(|(_, last)| now.saturating_duration_since(**last) >= QUIET);
        for pid in quiet.map(|(pid, _)| *pid).collect::<Vec<_>>() {
            let Some(mut held) = self.threads.remove(&(pid, pid)) else { continue };
            if let Standing::Waiting(at) = held.standing {
                self.found.left_on_set -= 1;
                self.slots.leave(at, held.busy);
                // That it is late is on purpose: there is nothing to tell about the polling.
                self.tie_at(at, (pid, pid), &mut held, Duration::ZERO);
            }
            self.threads.insert((pid, pid), held);
        }
    }

    /// Ties one that was alone. What it used before that was looked at last, it used alone, and rightly untied.
    pub(super) fn tie_late(&mut self, id: Id, now: Instant) {
        let Some(mut held) = self.threads.remove(&id) else { return };
        let demand = Demand::of(id.0, id.1).unwrap_or(held.demand);
        let late = demand.used.saturating_sub(held.demand.used);
        (held.demand, held.looked) = (demand, now);
        self.found.left_on_set -= 1;
        self.tie(id, &mut held, late);
        self.threads.insert(id, held);
    }

    /// A thread that was started by a tied one has its narrow mask. Whoever has chosen another one keeps it.
    fn leave_on_set(&mut self, tid: i32) {
        self.found.left_on_set += 1;
        let all = self.slots.all();
        let narrow = |mask: CpuSet| mask.len() == 1 && mask.first().is_some_and(|cpu| all.contains(&cpu));
        if self.own_choice(tid).is_none() && sys::affinity_of(tid).is_ok_and(narrow) {
            // One that has ended in the meantime needs no cpus any more.
            let _ = sys::pin_thread(tid, &all);
        }
    }

    /// Young threads may turn out to be helpers, which give their places back, or set their own mask when they begin:
    /// `libomp` gives every thread the whole set.
    pub(super) fn look_after_young(&mut self, now: Instant) {
        let tied = |held: &Held| matches!(held.standing, Standing::Tied(_));
        let is_young = |held: &Held| now.saturating_duration_since(held.met) < YOUNG;
        let young = self.threads.iter().filter(|(_, held)| tied(held) && (is_young(held) || !held.begun));
        let young: Vec<Id> = young.map(|(id, _)| *id).collect();
        for id in young {
            let Some(mut held) = self.threads.remove(&id) else { continue };
            let Standing::Tied(at) = held.standing else { continue };
            if !held.begun {
                // As long as it is kept waiting for a cpu, its youth is still to come.
                held.begun = Demand::of(id.0, id.1).is_none_or(|demand| !demand.used.is_zero());
                held.met = now;
            }
            if tasks::is_helper(id.0, id.1) {
                held.standing = Standing::Left;
                self.found.pinned -= 1;
                // As long as the place counts as taken, its mask does not look like a choice of its own.
                self.leave_on_set(id.1);
                self.slots.leave(at, held.busy);
            } else {
                held.standing = Standing::Tied(self.hold(id.1, at, held.busy));
            }
            self.threads.insert(id, held);
        }
    }

    /// Sees to it that a thread is at a place: this one, or another one if it has tied itself there.
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
