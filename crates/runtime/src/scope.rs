//! Scopes: jobs that are spawned one by one and may borrow what outlives the scope.

use std::marker::PhantomData;
use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::frame::Frame;
use crate::job::Header;
use crate::place::{Place, Spot};
use crate::sync::Ordering;
use crate::worker::Worker;

/// In which jobs can be spawned; see [`scope`].
pub struct Scope<'scope> {
    /// Invariant: a job may borrow for exactly as long as the scope lasts.
    lifetime: PhantomData<fn(&'scope ()) -> &'scope ()>,
}

/// Calls `work` with a scope and returns when it and all that was spawned are done. If any of them panics, so does this,
/// with the payload of the first one, after all others are done.
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
            // A thread that is no worker has nobody to hand it to.
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

/// A spawned job, in a block of who spawned it.
#[repr(C)]
pub(crate) struct Spawned {
    header: Header,
    frame: *const Frame,
    /// Calls the work and frees the block. To be called under the conditions of [`Spawned::call`].
    call: unsafe fn(*const Spawned, &Worker),
}

#[repr(C)]
struct BlockJob<F> {
    spawned: Spawned,
    work: F,
}

impl<'scope, F: FnOnce(&Scope<'scope>) + Send> BlockJob<F> {
    #[inline]
    fn make(worker: &Worker, work: F, frame: *const Frame, spot: Spot) -> *const Header {
        let spawned = Spawned { header: Header::unwatched(Spawned::run, spot), frame, call: Self::call };
        worker.blocks.put(Self { spawned, work }).cast::<Header>()
    }

    /// What a spawned job calls.
    ///
    /// # Safety
    /// As for [`Spawned::call`]; `job` begins a `Self`.
    unsafe fn call(job: *const Spawned, worker: &Worker) {
        // SAFETY: put into a block as this type in `make`, and called once.
        let job = unsafe { worker.blocks.take(job.cast_mut().cast::<Self>()) };
        (job.work)(&Scope { lifetime: PhantomData });
    }
}

impl Spawned {
    /// Calls a job's work.
    ///
    /// # Safety
    /// `job` is a spawned one, and nobody else runs it.
    #[inline]
    pub(crate) unsafe fn call(job: *const Header, worker: &Worker) {
        let job = job.cast::<Self>();
        // SAFETY: the caller's; the header is the first field of a `Spawned`.
        unsafe { ((*job).call)(job, worker) };
    }

    /// Runs a job of somebody else's frame, or one that came back through a queue.
    ///
    /// # Safety
    /// As for [`Header::run`]; `job` is the header of a spawned one.
    unsafe fn run(job: *const Header, worker: &Worker) {
        // SAFETY: the frame waits until this job is counted.
        let frame = unsafe { (*job.cast::<Self>()).frame };
        worker.belong_to(frame as usize);
        // SAFETY: it is run once.
        let result = catch_unwind(AssertUnwindSafe(|| worker.in_frame(|| unsafe { Self::call(job, worker) })));
        if let Err(payload) = result {
            // SAFETY: as above.
            unsafe { (*frame).keep_panic(payload) };
        }
        // SAFETY: as above; not touched afterwards.
        unsafe { Frame::count(frame, worker) };
    }
}

impl Worker {
    #[inline]
    pub(crate) fn scope<'scope, R>(&self, work: impl FnOnce(&Scope<'scope>) -> R) -> R {
        let scope = Scope { lifetime: PhantomData };
        self.in_frame(|| work(&scope))
    }

    #[inline]
    pub(crate) fn push<'scope>(&self, spot: Spot, work: impl FnOnce(&Scope<'scope>) + Send) {
        let frame = self.frame.get();
        let job = BlockJob::make(self, work, frame, spot);
        // SAFETY: a worker that runs a job has a frame, and it is open.
        let frame = unsafe { &*frame };
        frame.spawned();
        if self.deque.push(job).is_none() {
            frame.keep(job);
        }
        // Relaxed: a wish that is seen late is granted at the next push.
        if self.hungry.load(Ordering::Relaxed) {
            self.feed();
        }
    }

    pub(crate) fn push_at<'scope>(&self, spot: Spot, work: impl FnOnce(&Scope<'scope>) + Send) {
        let team = spot.node().filter(|node| Some(*node) != self.node()).and_then(|node| self.pool().team(node));
        let Some(team) = team else { return self.push(spot, work) };
        let frame = self.frame.get();
        let job = BlockJob::make(self, work, frame, spot);
        // SAFETY: as in `push`.
        unsafe { (*frame).spawned() };
        self.account.pushed();
        self.pool().send(team, job);
    }
}
