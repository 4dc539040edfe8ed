//! Jobs: what a slot of a deque points to. A join's second half lies on the stack of its worker ([`StackJob`]); a
//! spawned job lies beside its slot or on the heap (see `scope`).
//!
//! A job that its owner takes back is called like any closure. Only a thief goes through [`Header::run`].

use std::cell::{Cell, UnsafeCell};
use std::mem::{ManuallyDrop, MaybeUninit};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::thread;

use crate::place::Spot;
use crate::sync::{AtomicU32, Ordering};
use crate::worker::Worker;

/// The part of a job that owner and thieves share.
#[repr(C)]
pub(crate) struct Header {
    /// Runs the job, under the conditions of [`Header::run`].
    run: Run,
    pub(crate) latch: Latch,
    /// Who has it.
    holder: AtomicU32,
    /// Where it should run.
    pub(crate) spot: Cell<Spot>,
}

/// The function that runs a job.
///
/// # Safety
/// As for [`Header::run`]: a function of this type runs the job that the header begins, once.
pub(crate) type Run = unsafe fn(*const Header, &Worker, By);

/// Which worker runs a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum By {
    /// The one that spawned it. Joins run their own second halves without the header.
    Owner,
    /// Any other, which then says that it is done.
    Thief,
}

/// Where a job is that left its owner's deque.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Holder {
    /// A thief that has not begun it, or an inbox.
    Unknown,
    /// This worker runs it, until it is done.
    Worker(usize),
    /// It lies in the mailbox of this worker, or is on its way into or out of it.
    Mailbox(usize),
}

impl Header {
    /// A job that no owner waits for: a frame or a gate counts it.
    #[inline]
    pub(crate) fn unwatched(run: Run, spot: Spot) -> Self {
        Self { run, latch: Latch(AtomicU32::new(UNWATCHED)), holder: AtomicU32::new(0), spot: Cell::new(spot) }
    }

    /// Writes what is missing in a bare job.
    ///
    /// # Safety
    /// `job` is bare, and only its owner can reach it.
    pub(crate) unsafe fn complete(job: *const Self, spot: Spot) {
        let job = job.cast_mut();
        // SAFETY: the job lives as long as it is in the deque, and no other thread reads it before it is public.
        unsafe {
            (&raw mut (*job).latch).write(Latch(AtomicU32::new(UNSET)));
            (&raw mut (*job).holder).write(AtomicU32::new(0));
            (&raw mut (*job).spot).write(Cell::new(spot));
        }
    }

    /// Runs the job.
    ///
    /// # Safety
    /// `job` was taken from a deque, a mailbox or an inbox by the caller, who has not run it yet.
    #[inline]
    pub(crate) unsafe fn run(job: *const Header, worker: &Worker, by: By) {
        // SAFETY: the job lives until its latch is set, which only this call does.
        let run = unsafe { (*job).run };
        // SAFETY: as above; `run` belongs to the type that the header is the first field of.
        unsafe { run(job, worker, by) };
    }

    /// Worker `index` runs it now; returns where it should run.
    pub(crate) fn begin(&self, index: usize) -> Spot {
        self.set_holder(Holder::Worker(index));
        self.spot.get()
    }

    /// Where it is, for its owner. Acquire pairs with the Release in `set_holder`: an owner that then steals from the
    /// worker that runs the job sees what was covered there before.
    pub(crate) fn holder(&self) -> Holder {
        match self.holder.load(Ordering::Acquire) {
            0 => Holder::Unknown,
            number if number % 2 == 1 => Holder::Worker(number as usize / 2),
            number => Holder::Mailbox(number as usize / 2 - 1),
        }
    }

    pub(crate) fn set_holder(&self, holder: Holder) {
        let number = match holder {
            Holder::Unknown => 0,
            Holder::Worker(index) => index * 2 + 1,
            Holder::Mailbox(index) => index * 2 + 2,
        };
        self.holder.store(u32::try_from(number).expect("there are fewer workers"), Ordering::Release);
    }
}

/// Set once, when a job is done. Its owner may sleep on it.
pub(crate) struct Latch(AtomicU32);

const UNSET: u32 = 0;
/// The owner sleeps, or is about to; its index is in the upper bits.
const AWAITED: u32 = 4;
const SET: u32 = 2;
/// No owner waits for it here.
const UNWATCHED: u32 = 3;

impl Latch {
    /// Whether the job is done. Acquire pairs with the Release in `set`: its result is seen.
    pub(crate) fn is_set(&self) -> bool {
        self.0.load(Ordering::Acquire) == SET
    }

    /// Whether an owner waits for it and may take it back.
    pub(crate) fn is_watched(&self) -> bool {
        self.0.load(Ordering::Relaxed) != UNWATCHED
    }

    /// The owner that sleeps on it. A write even where nothing changes: it comes before or after the announcement, and
    /// if before, the owner sees what was done until now (Release; pairs with the Acquire in `announce`).
    pub(crate) fn sleeper(&self) -> Option<usize> {
        let state = self.0.fetch_or(0, Ordering::Release);
        (state & AWAITED != 0).then_some(state as usize >> 3)
    }

    /// Registers the owner, worker `index`, before it sleeps; false if the job is done.
    pub(crate) fn announce(&self, index: usize) -> bool {
        let sleeper = u32::try_from(index).expect("there are fewer workers") << 3 | AWAITED;
        // Acquire pairs with the Release in `sleeper`. Not Release: the reader needs only the number in it. Relaxed on
        // failure: then `is_set` is asked.
        let done = self.0.compare_exchange(UNSET, sleeper, Ordering::Acquire, Ordering::Relaxed);
        done.is_ok() || done == Err(sleeper)
    }

    /// Says that the job is done and wakes the owner if it sleeps. The job may be gone before this returns.
    ///
    /// # Safety
    /// `latch` is that of a job that `worker` runs, which has not been set.
    pub(crate) unsafe fn set(latch: *const Self, worker: &Worker) {
        // SAFETY: the owner waits for this very store, so the latch lives until it is made. Release publishes the result
        // to `is_set`.
        let before = unsafe { (*latch).0.swap(SET, Ordering::Release) };
        if before != UNSET {
            worker.pool().unpark(before as usize >> 3);
        }
    }
}

/// The second half of a join, on the stack of the worker that joins.
#[repr(C)]
pub(crate) struct StackJob<F, R> {
    /// Bare until it becomes public, which hardly any job does.
    header: UnsafeCell<MaybeUninit<Header>>,
    work: UnsafeCell<ManuallyDrop<F>>,
    result: UnsafeCell<MaybeUninit<thread::Result<R>>>,
}

impl<F: FnOnce() -> R, R> StackJob<F, R> {
    #[inline]
    pub(crate) fn new(work: F) -> Self {
        let mut header = MaybeUninit::<Header>::uninit();
        // SAFETY: a field of memory that is there.
        unsafe { (&raw mut (*header.as_mut_ptr()).run).write(Self::run) };
        Self {
            header: UnsafeCell::new(header),
            work: UnsafeCell::new(ManuallyDrop::new(work)),
            result: UnsafeCell::new(MaybeUninit::uninit()),
        }
    }

    /// What a slot holds.
    #[inline]
    pub(crate) fn as_slot(&self) -> *const Header {
        std::ptr::from_ref(self).cast()
    }

    /// What the header calls.
    ///
    /// # Safety
    /// As for [`Header::run`]; `job` is the header of a `Self`.
    unsafe fn run(job: *const Header, worker: &Worker, _: By) {
        let job = job.cast::<Self>();
        // SAFETY: the header is the first field of a `repr(C)` struct that lives until the latch is set. This thief alone
        // takes the work and writes the result.
        let latch = unsafe {
            let work = ManuallyDrop::take(&mut *(*job).work.get());
            let result = catch_unwind(AssertUnwindSafe(|| worker.in_frame(work)));
            (*(*job).result.get()).write(result);
            &raw const (*job.cast::<Header>()).latch
        };
        // SAFETY: the job was not set before; nothing of it is touched after.
        unsafe { Latch::set(latch, worker) };
    }

    /// The work, for the owner that took the job back.
    ///
    /// # Safety
    /// The job is not in the deque, and its work was not taken.
    #[inline]
    pub(crate) unsafe fn into_work(self) -> F {
        ManuallyDrop::into_inner(self.work.into_inner())
    }

    /// The work, for an owner that unwinds.
    ///
    /// # Safety
    /// As for [`Self::into_work`]; it is not taken afterwards.
    pub(crate) unsafe fn drop_work(&self) {
        // SAFETY: the caller's.
        unsafe { ManuallyDrop::drop(&mut *self.work.get()) };
    }

    /// The result, after a thief ran the job.
    ///
    /// # Safety
    /// The latch is set, and the result was not taken before.
    pub(crate) unsafe fn take_result(&self) -> thread::Result<R> {
        // SAFETY: written before the latch was set, and the caller has seen that it is.
        unsafe { (*self.result.get()).assume_init_read() }
    }
}
