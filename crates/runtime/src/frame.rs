//! Frames: what a scope, and every job that a thief runs, keeps of the jobs that were spawned in it.
//!
//! A job is spawned into the innermost frame of the worker that spawns it, and a frame does not close before all its jobs
//! are done. Only the worker whose frame it is spawns into it, so that the slots of its deque tell how many are out; thieves
//! count what they have done. How a frame closes is in `closing`. (That a job is done when the innermost frame closes, and not only when its scope ends, is Cilk's rule: a function
//! waits for what it spawned.)

use std::any::Any;
use std::cell::Cell;
use std::mem::ManuallyDrop;
use std::panic::resume_unwind;
use std::ptr::null_mut;

use crate::job::Header;
use crate::slots::Slot;
use crate::sync::{AtomicI64, AtomicPtr, Ordering};
use crate::worker::Worker;

type Payload = Box<dyn Any + Send>;

pub(crate) struct Frame {
    /// Head of the owner's deque when the frame was opened.
    pub(crate) base: Slot,
    owner: u32,
    /// The deque was stolen up to here, jobs of this frame included: these slots are not free before the frame closes.
    /// The owner's.
    pub(crate) floor: Cell<Slot>,
    /// Jobs of the frame that are out beside those in slots, less the slots below the floor that held something else. The
    /// owner's.
    beside: Cell<i64>,
    /// Jobs that did not fit into the deque. The owner's.
    #[expect(clippy::box_collection, reason = "one word in a frame that nearly never has any")]
    overflow: ManuallyDrop<Cell<Option<Box<Vec<*const Header>>>>>,
    /// Jobs that others have finished; once the owner waits, minus those that it waits for.
    done: AtomicI64,
    /// The first panic of a job, boxed once more to fit a word.
    panic: AtomicPtr<Payload>,
}

impl Frame {
    #[inline]
    pub(crate) fn new(worker: &Worker) -> Self {
        Self {
            base: worker.deque.head(),
            floor: Cell::new(worker.deque.head()),
            owner: worker.number(),
            beside: Cell::new(0),
            // Nothing is left in it when the frame closes.
            overflow: ManuallyDrop::new(Cell::new(None)),
            done: AtomicI64::new(0),
            panic: AtomicPtr::new(null_mut()),
        }
    }

    pub(crate) fn address(&self) -> usize {
        std::ptr::from_ref(self) as usize
    }

    /// Counts a job of this frame that another worker ran; the frame may be gone afterwards.
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
        // Relaxed: a worker keeps the panic before it counts, and the owner takes it out after it has seen all counts.
        let kept = self.panic.compare_exchange(null_mut(), payload, Ordering::Relaxed, Ordering::Relaxed);
        if kept.is_err() {
            // SAFETY: made from a box above, and not given away.
            drop(unsafe { Box::from_raw(payload) });
        }
    }

    /// *Owner.* A job was sent somewhere.
    pub(crate) fn sent(&self) {
        self.beside.set(self.beside.get() + 1);
    }

    /// *Owner.* Whether jobs other than those in slots are out, or may be.
    #[inline]
    pub(crate) fn has_beside(&self) -> bool {
        self.beside.get() != 0
    }

    /// *Owner.* The second half of a join was at `slot` and stolen; returns the first slot that may be used again.
    pub(crate) fn free_from(&self, slot: Slot) -> Slot {
        let floor = self.floor.get();
        if slot < floor {
            // No spawned job was there.
            self.beside.set(self.beside.get() - 1);
        }
        slot.max(floor)
    }

    /// *Owner.* Begins to wait for all jobs that are out, `in_slots` and beside; returns whether any is.
    pub(crate) fn begin_wait(&self, in_slots: u32) -> bool {
        let awaited = self.beside.replace(0) + i64::from(in_slots);
        // From here on a thief that counts to zero wakes the owner. Acquire pairs with the Release of those who have
        // counted before.
        awaited > 0 && self.done.fetch_sub(awaited, Ordering::Acquire) != awaited
    }

    /// *Owner.* Keeps a job for which the deque has no room.
    #[cold]
    pub(crate) fn keep(&self, job: *const Header) {
        let mut kept = self.overflow.take().unwrap_or_default();
        kept.push(job);
        self.overflow.set(Some(kept));
        self.sent();
    }

    /// *Owner.* Returns one of the kept jobs.
    pub(crate) fn unkeep(&self) -> Option<*const Header> {
        let mut kept = self.overflow.take()?;
        let job = kept.pop();
        self.beside.set(self.beside.get() - 1);
        self.overflow.set(Some(kept).filter(|kept| !kept.is_empty()));
        job
    }

    /// Whether all that the owner waits for is done.
    pub(crate) fn is_done(&self) -> bool {
        self.done.load(Ordering::Acquire) == 0
    }

    /// Everything is done: rethrows a kept panic.
    #[inline]
    pub(crate) fn close(&self) {
        // Relaxed, here and below: the worker that panicked has counted, and that was seen.
        if !self.panic.load(Ordering::Relaxed).is_null()
            && let Some(payload) = self.panicked()
        {
            resume_unwind(payload);
        }
    }

    #[cold]
    pub(crate) fn panicked(&self) -> Option<Payload> {
        let payload = self.panic.swap(null_mut(), Ordering::Relaxed);
        // SAFETY: made from a box in `keep_panic`, and taken out once.
        (!payload.is_null()).then(|| *unsafe { Box::from_raw(payload) })
    }
}
