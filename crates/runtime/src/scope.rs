//! Scopes: spawned jobs that may borrow data outliving the scope.

use std::marker::PhantomData;
use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::frame::Frame;
use crate::job::{By, Header, Run};
use crate::place::{Place, Spot};
use crate::slots::Slot;
use crate::worker::Worker;

/// A scope in which jobs can be spawned; see [`scope`].
pub struct Scope<'scope> {
    /// Invariant: a job may borrow for exactly as long as the scope lasts.
    lifetime: PhantomData<fn(&'scope ()) -> &'scope ()>,
}

/// Calls `work` with a scope and returns when it and all that was spawned are done. The first panic goes on with its
/// payload when all others are done.
///
/// Outside of a pool it runs on the global one, as `rayon::scope` does.
pub fn scope<'scope, R: Send>(work: impl FnOnce(&Scope<'scope>) -> R + Send) -> R {
    match Worker::current() {
        Some(worker) => worker.scope(work),
        None => crate::global().install(|| scope(work)),
    }
}

impl<'scope> Scope<'scope> {
    /// Spawns a job. It inherits its place.
    #[inline]
    pub fn spawn(&self, work: impl FnOnce(&Scope<'scope>) + Send + 'scope) {
        match Worker::current() {
            Some(worker) => worker.push(worker.spot.get(), work),
            // A thread that is no worker runs it itself.
            None => work(self),
        }
    }

    /// Spawns a job at a place. If the place is a node and this worker is of another one, the job goes there at once.
    pub fn spawn_at(&self, place: Place, work: impl FnOnce(&Scope<'scope>) + Send + 'scope) {
        match Worker::current() {
            Some(worker) => worker.push_at(Spot::of(place), work),
            None => work(self),
        }
    }
}

/// A spawned job, beside its slot or in a box.
#[repr(C)]
struct Spawned {
    header: Header,
    frame: *const Frame,
}

#[repr(C)]
struct SpawnedWork<F> {
    spawned: Spawned,
    work: F,
}

impl<'scope, F: FnOnce(&Scope<'scope>) + Send> SpawnedWork<F> {
    #[inline]
    fn new(work: F, frame: *const Frame, spot: Spot, run: Run) -> Self {
        Self { spawned: Spawned { header: Header::unwatched(run, spot), frame }, work }
    }

    fn boxed(work: F, frame: *const Frame, spot: Spot) -> *const Header {
        Box::into_raw(Box::new(Self::new(work, frame, spot, Self::run_boxed))).cast()
    }

    /// What the header of a job beside a slot calls.
    ///
    /// # Safety
    /// As for [`Header::run`]; `job` is the header of a `Self`.
    unsafe fn run(job: *const Header, worker: &Worker, by: By) {
        let call = || {
            // SAFETY: written as this type, and called once; the slot is used again only afterwards.
            let work = unsafe { (&raw const (*job.cast::<Self>()).work).read() };
            work(&Scope { lifetime: PhantomData });
        };
        // SAFETY: the caller's.
        unsafe { run(job, worker, by, call) };
    }

    /// What the header of a job in a box calls.
    ///
    /// # Safety
    /// As for [`Header::run`]; `job` is the header of a `Self`.
    unsafe fn run_boxed(job: *const Header, worker: &Worker, by: By) {
        let call = || {
            // SAFETY: made from a box of this type, and called once.
            let job = unsafe { Box::from_raw(job.cast_mut().cast::<Self>()) };
            (job.work)(&Scope { lifetime: PhantomData });
        };
        // SAFETY: the caller's.
        unsafe { run(job, worker, by, call) };
    }
}

/// Runs a job of the worker's own frame, of another worker's, or one that came back through a queue.
///
/// # Safety
/// As for [`Header::run`]; `job` is the header of a spawned one, and `call` takes its work out and calls it.
#[inline]
unsafe fn run(job: *const Header, worker: &Worker, by: By, call: impl FnOnce()) {
    match by {
        By::Owner => call(),
        // SAFETY: the caller's.
        By::Thief => unsafe { run_for_another(job, worker, call) },
    }
}

#[cold]
#[inline(never)]
/// The same for another worker's frame.
///
/// # Safety
/// As for [`run`].
unsafe fn run_for_another(job: *const Header, worker: &Worker, call: impl FnOnce()) {
    // SAFETY: the frame waits until this job is counted.
    let frame = unsafe { (*job.cast::<Spawned>()).frame };
    worker.belong_to(frame as usize);
    let result = catch_unwind(AssertUnwindSafe(|| worker.in_frame(call)));
    if let Err(payload) = result {
        // SAFETY: as above.
        unsafe { (*frame).keep_panic(payload) };
    }
    // SAFETY: as above; not touched afterwards.
    unsafe { Frame::count(frame, worker) };
}

impl Worker {
    #[inline(never)]
    pub(crate) fn scope<'scope, R>(&self, work: impl FnOnce(&Scope<'scope>) -> R) -> R {
        let scope = Scope { lifetime: PhantomData };
        self.in_frame(|| work(&scope))
    }

    #[inline]
    pub(crate) fn push<'scope, F: FnOnce(&Scope<'scope>) + Send>(&self, spot: Spot, work: F) {
        if let Some(slot) = self.deque.room()
            && !self.deque.has_bare()
        {
            self.put(slot, spot, work);
        } else {
            self.push_spawned_slowly(spot, work);
        }
    }

    #[cold]
    #[inline(never)]
    fn push_spawned_slowly<'scope, F: FnOnce(&Scope<'scope>) + Send>(&self, spot: Spot, work: F) {
        self.deque.settle(self.complete());
        if let Some(slot) = self.deque.room_at_all() {
            self.put(slot, spot, work);
        } else {
            let frame = self.frame.get();
            let job = SpawnedWork::boxed(work, frame, spot);
            // SAFETY: a worker that runs a job has a frame, and it is open.
            unsafe { (*frame).keep(job) };
        }
        self.feed();
    }

    /// Puts a job at the head of the deque, which is `slot`.
    #[inline]
    fn put<'scope, F: FnOnce(&Scope<'scope>) + Send>(&self, slot: Slot, spot: Spot, work: F) {
        let frame = self.frame.get();
        let job = if const { Slot::fits::<SpawnedWork<F>>() } {
            let place: *mut SpawnedWork<F> = slot.beside();
            // SAFETY: it is large and aligned enough, and free as the slot is.
            unsafe { place.write(SpawnedWork::new(work, frame, spot, SpawnedWork::<F>::run)) };
            place.cast_const().cast()
        } else {
            SpawnedWork::boxed(work, frame, spot)
        };
        self.deque.push(slot, job);
    }

    pub(crate) fn push_at<'scope, F: FnOnce(&Scope<'scope>) + Send>(&self, spot: Spot, work: F) {
        if self.pool().ignore_places && !self.pool().is_confined() {
            return self.push(Spot::ANY, work);
        }
        let away = self.node_of(spot).filter(|node| Some(*node) != self.node());
        let team = away.and_then(|node| self.pool().team(node));
        let Some(team) = team else { return self.push(spot, work) };
        let frame = self.frame.get();
        let job = SpawnedWork::boxed(work, frame, spot);
        // SAFETY: as in `push_spawned_slowly`.
        unsafe { (*frame).sent() };
        self.account.pushed();
        self.pool().send(team, job);
    }
}
