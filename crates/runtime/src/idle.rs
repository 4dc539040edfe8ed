//! Idle workers: search for a job, park when there is none.

use crate::account::Mode;
use crate::job::{Header, Holder};
use crate::place::Spot;
use crate::pool::Team;
use crate::spin::Spin;
use crate::sync::Ordering;
use crate::worker::{Steady, Worker};

/// Mailboxes that a thief tries before it runs a job away from its place (NUMA-WS's number).
const PUSH_TRIES: usize = 4;

impl Worker {
    /// The life of a worker, until the pool ends.
    pub(crate) fn live(&self) {
        let (steady, mut spin) = (Steady, Spin::new());
        // Whether this worker was woken for work that any worker may do.
        let mut called = false;
        loop {
            self.account.switch(Mode::Searching);
            if let Some(job) = self.ordered().or_else(|| self.mailbox.take()) {
                if std::mem::take(&mut called) {
                    self.relay();
                }
                self.execute(job);
                spin = Spin::new();
            } else if let Some(job) = self.find() {
                called = false;
                self.execute(job);
                spin = Spin::new();
            } else if self.pool().ending.load(Ordering::Relaxed) {
                break;
            } else if !self.linger(&mut spin) {
                called = self.sleep();
                spin = Spin::new();
            }
        }
        std::mem::forget(steady);
    }

    /// Wakes another worker to look, since this one does something else than what it was woken for.
    fn relay(&self) {
        let pool = self.pool();
        let may_rob = |other: &Worker| pool.may_rob(self.index, other.index);
        if !pool.inbox.is_empty() || pool.workers.iter().any(|other| may_rob(other) && other.deque.has_public()) {
            pool.wake_one(self.index);
        }
    }

    /// The node this worker stands on.
    pub(crate) fn node(&self) -> Option<u32> {
        self.pool().neighbours.node(self.index)
    }

    /// The node that a place means. In a rehearsal only the arrays of the described machine have nodes: this one's
    /// kernel knows nothing of it.
    pub(crate) fn node_of(&self, spot: Spot) -> Option<u32> {
        spot.node(self.pool().clocks.is_none())
    }

    /// Runs one job that was sent to this worker or to its node; returns whether there was one. Waiting workers do so,
    /// too, or the sender might wait for ever.
    pub(crate) fn serve(&self) -> bool {
        self.ordered().map(|job| self.execute(job)).is_some()
    }

    pub(crate) fn ordered(&self) -> Option<*const Header> {
        self.inbox.take().or_else(|| self.team().and_then(|team| team.inbox.take()))
    }

    /// Whether [`Self::serve`] would find something.
    pub(crate) fn is_served(&self) -> bool {
        !self.inbox.is_empty() || self.team().is_some_and(|team| !team.inbox.is_empty())
    }

    fn team(&self) -> Option<&Team> {
        self.pool().teams[..].get(self.pool().team_of[self.index])
    }

    /// Looks once for a job that this worker may run.
    fn find(&self) -> Option<*const Header> {
        if let Some(job) = self.pool().inbox.take() {
            return Some(job);
        }
        let victim = self.other_worker()?;
        let stolen = self.mail_of(victim).or_else(|| self.steal_from(victim, || true))?;
        self.accept(stolen)
    }

    /// The next victim to try; none if this worker is alone.
    pub(crate) fn other_worker(&self) -> Option<usize> {
        if self.pool().workers.len() > 1 { self.pool().policy.victim(self.index, self.random()) } else { None }
    }

    /// With probability one half, the mail of a worker of the same node: the bound on steals requires that thieves try
    /// deques and mailboxes.
    fn mail_of(&self, other: usize) -> Option<*const Header> {
        let mate = self.pool().team_of[other] == self.pool().team_of[self.index];
        (mate && self.random().is_multiple_of(2)).then(|| self.pool().workers[other].mailbox.take())?
    }

    /// Runs a stolen job here, or sends it to where it should run.
    pub(crate) fn accept(&self, job: *const Header) -> Option<*const Header> {
        // SAFETY: this worker has the job, so it lives.
        let (spot, watched) = unsafe { ((*job).spot.get(), (*job).latch.is_watched()) };
        if spot.is_any() || self.pool().ignore_places {
            return Some(job);
        }
        let away = self.node_of(spot).filter(|node| Some(*node) != self.node());
        let Some(team) = away.and_then(|node| self.pool().team(node)) else { return Some(job) };
        if self.pool().strict || !watched && team.inbox.is_empty() {
            self.account.pushed();
            self.pool().send(team, job);
            return None;
        }
        if watched && self.mail(team, job) {
            self.account.pushed();
            return None;
        }
        self.account.went_away();
        Some(job)
    }

    /// Tries to put a job into the mailbox of a worker on its node, if possible one that sleeps.
    fn mail(&self, team: &Team, job: *const Header) -> bool {
        let pool = self.pool();
        let sleeper = pool.sleepers.claim(team.workers[0], |index| pool.team_of[index] == team.index);
        #[expect(clippy::cast_possible_truncation, reason = "any bits will do")]
        let mut some = || team.workers[self.random() as usize % team.workers.len()];
        for attempt in 0..PUSH_TRIES {
            let to = if attempt == 0 { sleeper.unwrap_or_else(&mut some) } else { some() };
            // Read before the job can be gone. An owner that goes to sleep later sees who holds it. SAFETY: this worker
            // has the job until it is put somewhere.
            let owner = unsafe {
                (*job).set_holder(Holder::Mailbox(to));
                (*job).latch.sleeper()
            };
            if pool.workers[to].mailbox.put(job) {
                pool.unpark(to);
                // Also the sleeper that has mail already: its bit is taken, so no other worker wakes it.
                let others = owner.into_iter().chain(sleeper.filter(|&index| index != to));
                others.for_each(|index| pool.unpark(index));
                return true;
            }
        }
        if let Some(index) = sleeper {
            pool.unpark(index);
        }
        false
    }

    /// Sleeps until there is work. Registers as a sleeper first and looks for work afterwards, while wakers bring work
    /// first and look for sleepers afterwards: so no wake is lost. Returns whether it was woken for work that any
    /// worker may do.
    pub(crate) fn sleep(&self) -> bool {
        self.pool().sleepers.enter(self.index);
        self.pool().workers.iter().filter(|other| other.index != self.index).for_each(|other| other.deque.ask());
        if self.has_something() {
            if !self.pool().sleepers.leave(self.index) {
                // This worker was to be woken but is awake: wake another one.
                self.pool().wake_one(self.index);
            }
            return false;
        }
        self.account.switch(Mode::Idle);
        self.parker.park();
        !self.pool().sleepers.leave(self.index)
    }

    fn has_something(&self) -> bool {
        let pool = self.pool();
        let may_rob = |other: &Worker| pool.may_rob(self.index, other.index);
        let mail = |other: &Worker| pool.team_of[other.index] == pool.team_of[self.index] && !other.mailbox.is_empty();
        pool.ending.load(Ordering::Relaxed)
            || self.is_served()
            || !pool.inbox.is_empty()
            || pool.workers.iter().any(|other| may_rob(other) && other.deque.has_public() || mail(other))
    }
}
