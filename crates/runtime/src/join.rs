//! Joins. The common path is a few stores and two comparisons, so that it can be inlined; everything else is in cold
//! functions.

use crate::deque::Taken;
use crate::job::{Header, StackJob};
use crate::place::Spot;
use crate::slots::Slot;
use crate::sync::guarded;
use crate::wait::Waited;
use crate::worker::Worker;

impl Worker {
    /// Runs `a` here, and `b` here too unless a thief does.
    #[expect(
        clippy::inline_always,
        reason = "the first half then has what it borrows in registers, not through memory"
    )]
    #[inline(always)]
    pub(crate) fn join<A, B, RA, RB>(&self, a: A, b: B) -> (RA, RB)
    where
        A: FnOnce() -> RA,
        B: FnOnce() -> RB,
    {
        self.join_by(|job| self.push_bare(job), a, b)
    }

    /// The same with `b` at a place.
    pub(crate) fn join_to<A, B, RA, RB>(&self, a: A, b: B, spot: Spot) -> (RA, RB)
    where
        A: FnOnce() -> RA,
        B: FnOnce() -> RB,
    {
        self.join_by(|job| self.push_complete(job, spot), a, b)
    }

    #[expect(clippy::inline_always, reason = "as `join`")]
    #[inline(always)]
    fn join_by<A, B, RA, RB>(&self, push: impl FnOnce(*const Header) -> Option<Slot>, a: A, b: B) -> (RA, RB)
    where
        A: FnOnce() -> RA,
        B: FnOnce() -> RB,
    {
        let job = StackJob::new(b);
        let Some(slot) = push(job.as_slot()) else {
            // SAFETY: it never was in the deque.
            return one_by_one(a, unsafe { job.into_work() });
        };
        let unwinding = Unwinding { worker: self, job: &job, slot };
        let first = guarded(unwinding, a);
        if !self.deque.take_bare(slot)
            && let Waited::Done = self.end_join(job.as_slot(), slot)
        {
            // SAFETY: the wait is over, so the latch is set; this is the only one to take it.
            let second = unsafe { job.take_result() };
            return (first, second.unwrap_or_else(|payload| std::panic::resume_unwind(payload)));
        }
        // SAFETY: it is out of the deque, and no thief has it.
        (first, unsafe { job.into_work() }())
    }

    /// Pushes the second half of a join; none where the deque is full.
    #[expect(clippy::inline_always, reason = "as `join`")]
    #[inline(always)]
    fn push_bare(&self, job: *const Header) -> Option<Slot> {
        let Some(slot) = self.deque.room() else { return self.push_slowly(job) };
        self.deque.push_bare(slot, job);
        Some(slot)
    }

    #[cold]
    #[inline(never)]
    fn push_slowly(&self, job: *const Header) -> Option<Slot> {
        let slot = self.deque.room_at_all();
        if let Some(slot) = slot {
            self.deque.push_bare(slot, job);
        }
        self.feed();
        slot
    }

    fn push_complete(&self, job: *const Header, spot: Spot) -> Option<Slot> {
        let slot = self.deque.room_at_all();
        if let Some(slot) = slot {
            self.deque.settle(self.complete());
            // SAFETY: it is new, and not in the deque yet.
            unsafe { Header::complete(job, spot) };
            self.deque.push(slot, job);
        }
        self.feed();
        slot
    }

    /// The end of a join whose second half is not simply on top of the deque: a thief may have it, or jobs that the
    /// first half spawned lie above it.
    #[cold]
    #[inline(never)]
    fn end_join(&self, job: *const Header, slot: Slot) -> Waited {
        if self.deque.head() != slot.next() {
            self.run_spawned(slot.next());
        }
        match self.deque.take(slot) {
            Taken::Back => Waited::TakenBack,
            // SAFETY: it was public, so it is complete, and it is on the caller's stack.
            Taken::Stolen => self.wait_for(unsafe { &*job }, slot),
        }
    }
}

/// A join when the deque is full: one half after the other.
#[cold]
#[inline(never)]
fn one_by_one<RA, RB>(a: impl FnOnce() -> RA, b: impl FnOnce() -> RB) -> (RA, RB) {
    (a(), b())
}

/// If the first half panics, the second one is taken back and dropped, or waited for: it may use what the stack holds.
struct Unwinding<'a, F: FnOnce() -> R, R> {
    worker: &'a Worker,
    job: &'a StackJob<F, R>,
    slot: Slot,
}

impl<F: FnOnce() -> R, R> Drop for Unwinding<'_, F, R> {
    /// By value, so that the fields never have to be in memory where nothing unwinds.
    #[inline]
    fn drop(&mut self) {
        unwound(self.worker, self.job, self.slot);
    }
}

#[cold]
#[inline(never)]
fn unwound<F: FnOnce() -> R, R>(worker: &Worker, job: &StackJob<F, R>, slot: Slot) {
    if !worker.deque.take_bare(slot)
        && let Waited::Done = worker.end_join(job.as_slot(), slot)
    {
        // SAFETY: the latch is set, and only this takes the result. A second panic is dropped in favour of the first.
        drop(unsafe { job.take_result() });
    } else {
        // SAFETY: the owner has it back, and it is not taken afterwards.
        unsafe { job.drop_work() };
    }
}
