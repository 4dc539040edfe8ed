//! Work from outside the pool: to one worker, to every worker, or to every node.

use std::cell::UnsafeCell;
use std::mem::{ManuallyDrop, MaybeUninit};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;
use std::thread;

use crate::homes;
use crate::job::{By, Header};
use crate::place::{Place, Spot};
use crate::pool::{Install, Pool, Shared};
use crate::rehearsal::Clocks;
use crate::spin::Spin;
use crate::sync::{AtomicUsize, Ordering, Parker};
use crate::worker::{Steady, Worker};

/// Opens when a given number of jobs are done.
struct Gate {
    closed: AtomicUsize,
    parker: Arc<Parker>,
}

impl Gate {
    fn new(jobs: usize) -> Self {
        let parker = Worker::current().map_or_else(|| Arc::new(Parker::new()), |worker| Arc::clone(&worker.parker));
        Self { closed: AtomicUsize::new(jobs), parker }
    }

    fn is_open(&self) -> bool {
        // Acquire pairs with the Release in `count`: the results are seen.
        self.closed.load(Ordering::Acquire) == 0
    }

    /// # Safety
    /// `gate` counts a job that was not counted before. It may be gone afterwards.
    unsafe fn count(gate: *const Self) {
        // SAFETY: the thread that waits at the gate waits for this.
        let (parker, before) = unsafe { (Arc::clone(&(*gate).parker), (*gate).closed.fetch_sub(1, Ordering::Release)) };
        if before == 1 {
            parker.unpark();
        }
    }

    /// Waits until it is open. Meanwhile a worker serves its own pool. One that waits for another pool also takes jobs
    /// that come to its own from outside: the other pool may wait for them.
    fn wait(&self, pool: &Shared) {
        let Some(worker) = Worker::current() else {
            while !self.is_open() {
                self.parker.park();
            }
            return;
        };
        let own = worker.pool();
        let foreign = !std::ptr::eq(own, pool);
        let (steady, mut spin) = (Steady, Spin::new());
        worker.offer();
        while !self.is_open() {
            let injected = if foreign { own.inbox.take() } else { None };
            let injected = injected.map(|job| worker.execute(job)).is_some();
            if injected || worker.serve() || worker.run_of(std::ptr::from_ref(self) as usize) {
                spin = Spin::new();
            } else if !worker.linger(&mut spin) {
                self.doze(worker, foreign);
                spin = Spin::new();
            }
        }
        std::mem::forget(steady);
    }

    fn doze(&self, worker: &Worker, foreign: bool) {
        let own = worker.pool();
        if foreign {
            own.sleepers.enter(worker.index);
        }
        worker.doze_until(|| self.is_open() || foreign && !own.inbox.is_empty(), std::ptr::from_ref(self) as usize);
        if foreign && !own.sleepers.leave(worker.index) {
            // It was woken for any work, which another worker may have to do.
            own.wake_one(worker.index);
        }
    }
}

/// A job that a thread at a gate waits for.
#[repr(C)]
struct GatedJob<'a, F, R> {
    header: Header,
    gate: &'a Gate,
    work: UnsafeCell<ManuallyDrop<F>>,
    result: UnsafeCell<MaybeUninit<thread::Result<R>>>,
}

impl<'a, F: FnOnce(&Worker) -> R, R> GatedJob<'a, F, R> {
    fn new(gate: &'a Gate, spot: Spot, work: F) -> Self {
        Self {
            header: Header::unwatched(Self::run, spot),
            gate,
            work: UnsafeCell::new(ManuallyDrop::new(work)),
            result: UnsafeCell::new(MaybeUninit::uninit()),
        }
    }

    fn as_slot(&self) -> *const Header {
        std::ptr::from_ref(self).cast()
    }

    /// What the header calls.
    ///
    /// # Safety
    /// As for [`Header::run`]; `job` is the header of a `Self`.
    unsafe fn run(job: *const Header, worker: &Worker, _: By) {
        let job = job.cast::<Self>();
        // SAFETY: the header is the first field of a `repr(C)` struct that lives until the gate has counted. This worker
        // alone takes the work and writes the result.
        let gate = unsafe {
            let gate: *const Gate = (*job).gate;
            worker.belong_to(gate as usize);
            let work = ManuallyDrop::take(&mut *(*job).work.get());
            let result = catch_unwind(AssertUnwindSafe(|| worker.in_frame(|| work(worker))));
            (*(*job).result.get()).write(result);
            gate
        };
        // SAFETY: it is counted once, and nothing of it is touched after.
        unsafe { Gate::count(gate) };
    }

    /// # Safety
    /// The gate is open, and the result was not taken before.
    unsafe fn take_result(&self) -> thread::Result<R> {
        // SAFETY: written before the gate opened.
        unsafe { (*self.result.get()).assume_init_read() }
    }
}

/// Ends a rehearsal when its work ends, even by a panic.
struct Stop<'a>(&'a Clocks, usize);

impl Drop for Stop<'_> {
    fn drop(&mut self) {
        self.0.end(self.1);
    }
}

impl Pool {
    /// Runs `work` on a worker of this pool, so that all that it forks runs on its workers, and returns what it
    /// returns. On a worker of this pool it is called directly. A panic goes on with the same payload.
    pub fn install<R: Send>(&self, work: impl FnOnce() -> R + Send) -> R {
        if self.is_own_worker() {
            return work();
        }
        homes::forget_asked();
        let before = self.observer.as_ref().map(|observer| {
            observer(Install::Begin);
            self.usage()
        });
        let result = self.inject(work);
        if let (Some(observer), Some(before)) = (&self.observer, before) {
            observer(Install::End(&self.usage().since(&before)));
        }
        result.unwrap_or_else(|payload| resume_unwind(payload))
    }

    pub(crate) fn is_own_worker(&self) -> bool {
        Worker::current().is_some_and(|worker| std::ptr::eq(worker.pool(), &raw const *self.shared))
    }

    fn inject<R: Send>(&self, work: impl FnOnce() -> R + Send) -> thread::Result<R> {
        let gate = Gate::new(1);
        let job = GatedJob::new(&gate, Spot::ANY, |worker: &Worker| {
            let _stop = worker.pool().clocks.as_ref().map(|clocks| Stop(clocks, worker.index));
            worker.as_root(work)
        });
        self.hand_over(job.as_slot());
        gate.wait(&self.shared);
        // SAFETY: the gate is open.
        unsafe { job.take_result() }
    }

    /// Runs `work` once on every worker, with the worker's number, and returns what each returned. A panic goes on when
    /// all are done. From outside of a pool for rehearsals it is a rehearsal of its own.
    pub fn broadcast<R: Send>(&self, work: impl Fn(usize) -> R + Sync) -> Vec<R> {
        self.awake(|pool| pool.order_workers(&work))
    }

    /// Runs `work` once on every node that has workers, with the node's number, on some worker of that node; what it
    /// forks inherits the place. Returns what each returned, in the order of [`Pool::nodes`]. On a machine without
    /// known nodes, or for unpinned workers, it is one call with no node. From outside of a pool for rehearsals it is a
    /// rehearsal of its own.
    pub fn for_each_place<R: Send>(&self, work: impl Fn(Option<u32>) -> R + Sync) -> Vec<R> {
        if self.shared.teams.is_empty() {
            return vec![self.install(|| work(None))];
        }
        self.awake(|pool| pool.order_nodes(&work))
    }

    /// Gives orders from here, but from a worker where the pool is for rehearsals: only while one runs do its workers
    /// look for orders.
    fn awake<R: Send>(&self, order: impl FnOnce(&Shared) -> R + Send) -> R {
        if self.shared.clocks.is_none() {
            return order(&self.shared);
        }
        self.install(|| order(Worker::current().expect("a pool runs what is installed on workers").pool()))
    }
}

impl Shared {
    fn order_workers<R: Send>(&self, work: &(impl Fn(usize) -> R + Sync)) -> Vec<R> {
        let gate = Gate::new(self.workers.len());
        let job = |_: usize| GatedJob::new(&gate, Spot::ANY, move |worker: &Worker| work(worker.index));
        let jobs: Vec<_> = (0..self.workers.len()).map(job).collect();
        for (worker, job) in self.workers.iter().zip(&jobs) {
            worker.inbox.put(job.as_slot());
            worker.parker.unpark();
        }
        gate.wait(self);
        collect(&jobs)
    }

    fn order_nodes<R: Send>(&self, work: &(impl Fn(Option<u32>) -> R + Sync)) -> Vec<R> {
        let gate = Gate::new(self.teams.len());
        let job = |node| GatedJob::new(&gate, Spot::of(Place::Node(node)), move |_: &Worker| work(Some(node)));
        let jobs: Vec<_> = self.teams.iter().map(|team| job(team.node)).collect();
        for (team, job) in self.teams.iter().zip(&jobs) {
            self.send(team, job.as_slot());
        }
        gate.wait(self);
        collect(&jobs)
    }
}

fn collect<F: FnOnce(&Worker) -> R, R>(jobs: &[GatedJob<'_, F, R>]) -> Vec<R> {
    // SAFETY: the gate counted all of them. All are taken before the first panic goes on; the others would leak.
    let results: Vec<_> = jobs.iter().map(|job| unsafe { job.take_result() }).collect();
    let all: thread::Result<Vec<R>> = results.into_iter().collect();
    all.unwrap_or_else(|payload| resume_unwind(payload))
}
