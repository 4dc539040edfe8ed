//! How a frame closes: its worker runs the jobs that are still in its deque, and waits for the stolen ones.

use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::account::Mode;
use crate::frame::Frame;
use crate::job::{By, Header};
use crate::slots::Slot;
use crate::spin::Spin;
use crate::sync::{Ordering, guarded};
use crate::worker::{Steady, Worker};

/// Closes a frame during a panic: its jobs may use values on the stack, so they run first. Their own panics are dropped
/// in favour of the current one.
struct Unwinding<'a> {
    worker: &'a Worker,
    frame: &'a Frame,
    outer: *const Frame,
}

impl Drop for Unwinding<'_> {
    /// By value, so that the fields never have to be in memory where nothing unwinds.
    #[inline]
    fn drop(&mut self) {
        unwound(self.worker, self.frame, self.outer);
    }
}

#[cold]
#[inline(never)]
fn unwound(worker: &Worker, frame: &Frame, outer: *const Frame) {
    // A job that panics was taken out first; the others still have to run.
    while let Err(payload) = catch_unwind(AssertUnwindSafe(|| worker.run_rest(frame))) {
        drop(payload);
    }
    worker.await_rest(frame);
    drop(frame.panicked());
    worker.frame.set(outer);
}

impl Worker {
    /// Runs `work` in a frame of its own. Jobs that it spawned are done when this returns or unwinds; the first of their
    /// panics goes on where `work` itself did not panic.
    #[inline]
    pub(crate) fn in_frame<R>(&self, work: impl FnOnce() -> R) -> R {
        let frame = Frame::new(self);
        let outer = self.frame.replace(&raw const frame);
        let unwinding = Unwinding { worker: self, frame: &frame, outer };
        let result = guarded(unwinding, || {
            let result = work();
            // The common case: one job, and it was not stolen.
            if self.deque.head() > frame.base
                && let Some(job) = self.deque.pop()
            {
                self.run_own(job);
            }
            if self.deque.head() != frame.base || frame.has_beside() {
                self.end_slowly(&frame);
            }
            result
        });
        self.frame.set(outer);
        frame.close();
        result
    }

    /// The end of a frame with several jobs, or one that was stolen, sent or kept.
    #[cold]
    #[inline(never)]
    fn end_slowly(&self, frame: &Frame) {
        self.run_rest(frame);
        self.await_rest(frame);
    }

    /// Runs what is left of the frame's jobs here.
    fn run_rest(&self, frame: &Frame) {
        loop {
            while self.deque.head() > frame.base {
                let Some(job) = self.deque.pop() else { break };
                self.run_own(job);
            }
            // Kept jobs go into the deque one by one: thieves look there.
            let Some(job) = frame.unkeep() else { return };
            if let Some(slot) = self.deque.room_at_all() {
                self.deque.push(slot, job);
                self.feed();
            } else {
                self.run_own(job);
            }
        }
    }

    /// Runs the jobs that the first half of a join spawned, which lie above the second half. Their panics are the frame's.
    #[cold]
    #[inline(never)]
    pub(crate) fn run_spawned(&self, above: Slot) {
        // SAFETY: a worker that spawns has a frame, and it is open.
        let frame = unsafe { &*self.frame.get() };
        let steady = Steady;
        while self.deque.head() > above {
            let Some(job) = self.deque.pop() else {
                frame.floor.set(self.deque.head());
                break;
            };
            if let Err(payload) = catch_unwind(AssertUnwindSafe(|| self.run_own(job))) {
                frame.keep_panic(payload);
            }
        }
        std::mem::forget(steady);
    }

    /// Below this no slot of the deque may be used again yet: see [`Frame::free_from`].
    pub(crate) fn free_from(&self, slot: Slot) -> Slot {
        // SAFETY: the innermost frame is open.
        unsafe { self.frame.get().as_ref() }.map_or(slot, |frame| frame.free_from(slot))
    }

    #[inline]
    fn run_own(&self, job: *const Header) {
        // SAFETY: only spawned jobs are left above the base, since each join has taken back its own; this one is out of
        // the deque, so it lives until it is called.
        unsafe {
            if (*job).spot.get() == self.spot.get() {
                Header::run(job, self, By::Owner);
            } else {
                self.run_own_elsewhere(job);
            }
        }
    }

    #[cold]
    #[inline(never)]
    /// # Safety
    /// As for [`Header::run`], by its owner.
    unsafe fn run_own_elsewhere(&self, job: *const Header) {
        // SAFETY: the caller's.
        unsafe {
            let _back = self.stand_at((*job).spot.get());
            Header::run(job, self, By::Owner);
        }
    }

    /// Waits for the jobs that other workers have.
    #[inline]
    fn await_rest(&self, frame: &Frame) {
        if frame.begin_wait(self.deque.above(frame.base)) {
            self.await_thieves(frame);
        }
        self.deque.reset(frame.base);
    }

    #[cold]
    fn await_thieves(&self, frame: &Frame) {
        let mode = self.account.switch(Mode::Searching);
        let (steady, mut spin) = (Steady, Spin::new());
        self.offer();
        while !frame.is_done() {
            if self.serve() || self.run_of(frame.address()) {
                spin = Spin::new();
            } else if !self.linger(&mut spin) {
                self.doze_until(|| frame.is_done(), frame.address());
                spin = Spin::new();
            }
        }
        std::mem::forget(steady);
        self.account.switch(mode);
    }

    /// Steals from a worker that runs a job of this frame; what is stolen descends from that job.
    pub(crate) fn run_of(&self, root: usize) -> bool {
        // Relaxed: see `belong_to`.
        let at_it = |worker: &Worker| worker.root.load(Ordering::Relaxed) == root;
        let workers = &self.pool().workers;
        let mut others = workers
            .iter()
            .filter(|other| other.index != self.index && at_it(other) && self.pool().may_rob(self.index, other.index));
        self.run_stolen(others.find_map(|other| self.steal_from(other.index, || at_it(other))))
    }

    /// Sleeps until there is something to do or `done` may have become true: the thread that makes it true unparks this
    /// worker.
    pub(crate) fn doze_until(&self, done: impl Fn() -> bool, root: usize) {
        let at_it = |other: &&Worker| {
            other.root.load(Ordering::Relaxed) == root && self.pool().may_rob(self.index, other.index)
        };
        let mut at_it = self.pool().workers.iter().filter(at_it);
        if !at_it.any(|other| self.follow(other)) && !done() && !self.is_served() {
            self.park();
        }
    }
}
