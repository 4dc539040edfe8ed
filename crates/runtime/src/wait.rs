//! Waiting for a stolen job (leapfrogging).
//!
//! A waiting worker steals only from the worker that runs its job, and only while that job runs (*leapfrogging*, Wagner
//! & Calder 1993): what it then runs descends from its own job. So it runs no unrelated job that may want a lock held
//! further down its stack, but for those that were sent to it or to its node, which perhaps nobody else ever takes.

use crate::account::Mode;
use crate::job::{Header, Holder};
use crate::pool::Wait;
use crate::slots::Slot;
use crate::spin::Spin;
use crate::split::Theft;
use crate::sync::Ordering;
use crate::worker::{Steady, Worker};

/// How a wait ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Waited {
    /// Another worker has run the job.
    Done,
    /// No worker had begun it; it is the owner's again.
    TakenBack,
}

impl Worker {
    /// Waits for the job that was at `slot` of the deque and was stolen.
    #[cold]
    #[inline(never)]
    pub(crate) fn wait_for(&self, job: &Header, slot: Slot) -> Waited {
        let mode = self.account.switch(Mode::Searching);
        let steady = Steady;
        let result = self.leapfrog(job);
        std::mem::forget(steady);
        self.account.switch(mode);
        self.deque.reset(self.free_from(slot));
        result
    }

    fn leapfrog(&self, job: &Header) -> Waited {
        let mut spin = Spin::new();
        loop {
            if job.latch.is_set() {
                return Waited::Done;
            }
            if self.regain(job) {
                return Waited::TakenBack;
            }
            if self.serve() || self.run_meanwhile(job, &spin) {
                spin = Spin::new();
            } else if !self.linger(&mut spin) {
                self.doze(job);
                spin = Spin::new();
            }
        }
    }

    /// Takes the job back from a mailbox that its worker has not looked into yet.
    pub(crate) fn regain(&self, job: &Header) -> bool {
        match job.holder() {
            Holder::Mailbox(of) if !self.pool().strict => self.pool().workers[of].mailbox.regain(job),
            _ => false,
        }
    }

    /// Runs another job that may run now; returns whether there was one. At first it only takes public jobs: asking a
    /// worker that is nearly done costs both more than it gains.
    fn run_meanwhile(&self, job: &Header, spin: &Spin) -> bool {
        let any = self.pool().wait == Wait::Any;
        let victim = match job.holder() {
            _ if any => self.other_worker(),
            Holder::Worker(thief) => Some(thief),
            Holder::Unknown | Holder::Mailbox(_) => None,
        };
        let Some(victim) = victim else { return false };
        if spin.is_young() && !self.pool().workers[victim].deque.has_public() {
            return false;
        }
        // While the job is not done, the thief runs it or a descendant of it.
        self.run_stolen(self.steal_from(victim, || any || !job.latch.is_set()))
    }

    /// Sleeps until the job is done, or its thief publishes something, or there is something in an inbox.
    pub(crate) fn doze(&self, job: &Header) {
        if !job.latch.announce(self.index) {
            return;
        }
        let thief = match job.holder() {
            Holder::Worker(thief) => Some(&self.pool().workers[thief]),
            // It may arrive soon, and perhaps only this worker will ever take it out.
            Holder::Mailbox(_) => return,
            Holder::Unknown => None,
        };
        if thief.is_some_and(|thief| self.follow(thief)) {
            return;
        }
        if !job.latch.is_set() && !self.is_served() {
            self.park();
        }
    }

    /// Has a thief wake this worker when it publishes something; returns whether something is public already.
    pub(crate) fn follow(&self, thief: &Worker) -> bool {
        // Released by `ask`.
        thief.follower.store(self.index + 1, Ordering::Relaxed);
        thief.deque.ask();
        thief.deque.has_public()
    }

    /// Sleeps until it is woken.
    pub(crate) fn park(&self) {
        let mode = self.account.switch(Mode::Idle);
        self.parker.park();
        self.account.switch(mode);
    }

    /// Runs what was stolen if this worker may run it; returns whether it did.
    pub(crate) fn run_stolen(&self, stolen: Option<*const Header>) -> bool {
        let accepted = stolen.and_then(|stolen| self.accept(stolen));
        accepted.map(|stolen| self.execute(stolen)).is_some()
    }

    /// Steals from one worker.
    pub(crate) fn steal_from(&self, victim: usize, may: impl FnOnce() -> bool) -> Option<*const Header> {
        let other = &self.pool().workers[victim];
        match other.deque.steal(may) {
            Theft::Job(job, more) => {
                self.account.stole(self.pool().neighbours.distance(self.index, victim));
                self.pass_on(other, more);
                self.write_down(victim);
                Some(job)
            }
            Theft::Nothing => {
                other.deque.ask_lightly();
                self.account.missed();
                None
            }
            Theft::Lost => {
                self.account.missed();
                None
            }
        }
    }

    /// Wakes a sleeper if the victim has more public jobs, and asks the victim for more otherwise.
    fn pass_on(&self, victim: &Worker, more: bool) {
        let woken = more && self.pool().sleepers.any() && self.pool().wake_one(victim.index);
        // Relaxed: a hint. A worker that registers after this looks at the deques again.
        if !woken && (self.pool().sleepers.any() || victim.follower.load(Ordering::Relaxed) > 0) {
            victim.deque.ask_lightly();
        }
    }
}
