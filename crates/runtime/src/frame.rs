//! Frames: what a scope, and every job that a thief runs, keeps of the jobs that were spawned in it.
//!
//! A job is spawned into the innermost frame of the worker that spawns it, and a frame does not close before all its jobs
//! are done. Only the worker whose frame it is spawns into it, so it counts without atomics; thieves count what they have
//! done. (That a job is done when the innermost frame closes, and not only when its scope ends, is Cilk's rule: a function
//! waits for what it spawned.)

use std::any::Any;
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::ptr::null_mut;

use crate::account::Mode;
use crate::deque::Taken;
use crate::job::Header;
use crate::scope::Spawned;
use crate::spin::Spin;
use crate::sync::{AtomicI64, AtomicPtr, Ordering, guarded};
use crate::worker::{Steady, Worker};

type Payload = Box<dyn Any + Send>;

pub(crate) struct Frame {
    /// Head of the owner's deque when the frame was opened.
    base: u32,
    owner: u32,
    /// The deque is stolen up to here, and jobs of this frame among it: its slots are not free before the frame closes.
    /// The owner's.
    floor: Cell<u32>,
    /// Jobs that were spawned and have not been run by the owner. The owner's.
    out: Cell<i64>,
    /// Jobs that did not fit into the deque. The owner's.
    #[expect(clippy::box_collection, reason = "one word in a frame that nearly never has any")]
    overflow: Cell<Option<Box<Vec<*const Header>>>>,
    /// Jobs that others have done; once the owner waits, less those it waits for.
    done: AtomicI64,
    /// The first panic of a job, boxed once more to fit a word.
    panic: AtomicPtr<Payload>,
}

impl Frame {
    #[inline]
    fn new(worker: &Worker) -> Self {
        Self {
            base: worker.deque.head(),
            floor: Cell::new(worker.deque.head()),
            owner: worker.number(),
            out: Cell::new(0),
            overflow: Cell::new(None),
            done: AtomicI64::new(0),
            panic: AtomicPtr::new(null_mut()),
        }
    }

    pub(crate) fn address(&self) -> usize {
        std::ptr::from_ref(self) as usize
    }

    /// A job of this frame was run by somebody else; the frame may be gone afterwards.
    ///
    /// # Safety
    /// `frame` is that of a job that was run and not counted before.
    pub(crate) unsafe fn count(frame: *const Self, worker: &Worker) {
        // SAFETY: the frame waits for this count. Release pairs with the Acquire in `is_done`: what the job wrote is seen.
        let (owner, before) = unsafe { ((*frame).owner, (*frame).done.fetch_add(1, Ordering::Release)) };
        if before == -1 {
            worker.pool().unpark(owner as usize);
        }
    }

    /// Keeps the first panic; later ones are dropped.
    pub(crate) fn keep_panic(&self, payload: Payload) {
        let payload = Box::into_raw(Box::new(payload));
        // Relaxed: who keeps a panic counts afterwards, and the owner takes it out when it has seen all counts.
        let kept = self.panic.compare_exchange(null_mut(), payload, Ordering::Relaxed, Ordering::Relaxed);
        if kept.is_err() {
            // SAFETY: made from a box above, and not given away.
            drop(unsafe { Box::from_raw(payload) });
        }
    }

    /// *Owner.* One more job is out.
    #[inline]
    pub(crate) fn spawned(&self) {
        self.out.set(self.out.get() + 1);
    }

    /// *Owner.* Keeps a job for which the deque has no room.
    #[cold]
    pub(crate) fn keep(&self, job: *const Header) {
        let mut kept = self.overflow.take().unwrap_or_default();
        kept.push(job);
        self.overflow.set(Some(kept));
    }

    fn unkeep(&self) -> Option<*const Header> {
        let mut kept = self.overflow.take()?;
        let job = kept.pop();
        self.overflow.set(Some(kept).filter(|kept| !kept.is_empty()));
        job
    }

    fn is_done(&self) -> bool {
        self.done.load(Ordering::Acquire) == 0
    }

    /// Everything is done: a panic goes on.
    #[inline]
    fn close(&self) {
        // Relaxed, here and below: who panicked has counted, and that was seen.
        if !self.panic.load(Ordering::Relaxed).is_null()
            && let Some(payload) = self.panicked()
        {
            resume_unwind(payload);
        }
    }

    #[cold]
    fn panicked(&self) -> Option<Payload> {
        let payload = self.panic.swap(null_mut(), Ordering::Relaxed);
        // SAFETY: made from a box in `keep_panic`, and taken out once.
        (!payload.is_null()).then(|| *unsafe { Box::from_raw(payload) })
    }
}

/// Closes a frame in which something unwinds: its jobs may use what the stack holds, so they are done first. Their own
/// panics give way to the one that is under way.
struct Unwinding<'a> {
    worker: &'a Worker,
    frame: &'a Frame,
    outer: *const Frame,
}

impl Drop for Unwinding<'_> {
    #[cold]
    fn drop(&mut self) {
        let Self { worker, frame, outer } = *self;
        // A job that panics has been taken out before; the others are still to be run.
        while let Err(payload) = catch_unwind(AssertUnwindSafe(|| worker.run_rest(frame))) {
            drop(payload);
        }
        worker.await_rest(frame);
        drop(frame.panicked());
        worker.frame.set(outer);
    }
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
            if frame.out.get() > 0 {
                self.run_rest(&frame);
                self.await_rest(&frame);
            }
            result
        });
        self.frame.set(outer);
        frame.close();
        result
    }

    /// Runs what is left of the frame's jobs here.
    fn run_rest(&self, frame: &Frame) {
        loop {
            while self.deque.head() > frame.base {
                let job = self.deque.newest();
                if self.deque.take(self.deque.head() - 1) == Taken::Stolen {
                    break;
                }
                self.run_own(frame, job);
            }
            // What was kept comes into the deque one by one: thieves look there.
            let Some(job) = frame.unkeep() else { return };
            if self.deque.push(job).is_none() {
                self.run_own(frame, job);
            } else if self.hungry.load(Ordering::Relaxed) {
                self.feed();
            }
        }
    }

    /// Runs the jobs that the first half of a join spawned, which lie above the second half. Their panics are the frame's.
    #[cold]
    #[inline(never)]
    pub(crate) fn run_spawned(&self, above: u32) {
        // SAFETY: a worker that spawns has a frame, and it is open.
        let frame = unsafe { &*self.frame.get() };
        let steady = Steady;
        while self.deque.head() > above {
            let job = self.deque.newest();
            if self.deque.take(self.deque.head() - 1) == Taken::Stolen {
                frame.floor.set(self.deque.head());
                break;
            }
            if let Err(payload) = catch_unwind(AssertUnwindSafe(|| self.run_own(frame, job))) {
                frame.keep_panic(payload);
            }
        }
        std::mem::forget(steady);
    }

    /// Below this no slot of the deque may be used again yet.
    pub(crate) fn floor(&self) -> u32 {
        // SAFETY: the innermost frame is open.
        unsafe { self.frame.get().as_ref() }.map_or(0, |frame| frame.floor.get())
    }

    #[inline]
    fn run_own(&self, frame: &Frame, job: *const Header) {
        frame.out.set(frame.out.get() - 1);
        // SAFETY: only spawned jobs are left above the base, since each join has taken back its own; this one is out of
        // the deque, so it lives until it is called.
        unsafe {
            let _back = self.stand_at((*job).spot.get());
            Spawned::call(job, self);
        }
    }

    /// Waits for those that others have.
    #[inline]
    fn await_rest(&self, frame: &Frame) {
        let awaited = frame.out.replace(0);
        // From here on a thief that counts to zero wakes this worker. Acquire pairs with the Release of those who have
        // counted before.
        if awaited > 0 && frame.done.fetch_sub(awaited, Ordering::Acquire) != awaited {
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

    /// Steals from somebody who is at a job of this frame; what is stolen descends from it.
    pub(crate) fn run_of(&self, root: usize) -> bool {
        // Relaxed: see `belong_to`.
        let at_it = |worker: &Worker| worker.root.load(Ordering::Relaxed) == root;
        let workers = &self.pool().workers;
        let mut others = workers.iter().filter(|other| other.index != self.index && at_it(other));
        self.run_stolen(others.find_map(|other| self.steal_from(other.index, || at_it(other))))
    }

    /// Sleeps until there is something to do, or `done` may have become true: who makes it so unparks this worker.
    pub(crate) fn doze_until(&self, done: impl Fn() -> bool, root: usize) {
        let mut at_it = self.pool().workers.iter().filter(|other| other.root.load(Ordering::Relaxed) == root);
        if !at_it.any(|other| self.follow(other)) && !done() && !self.is_served() {
            self.park();
        }
    }
}
