//! A worker: a thread with a deque, and the state it shares with other workers.

use std::cell::Cell;
use std::sync::Arc;

use crate::account::{Account, Mode};
use crate::deque::Deque;
use crate::domains::Span;
use crate::frame::Frame;
use crate::inbox::Inbox;
use crate::job::{By, Header};
use crate::mailbox::Mailbox;
use crate::place::Spot;
use crate::pool::Shared;
use crate::sync::{Alone, AtomicUsize, MODEL, Ordering, Parker};

/// One worker. Its thread owns it; each field says if other threads touch it.
pub(crate) struct Worker {
    /// Thieves steal from it; only the owner calls the methods marked *owner*.
    pub(crate) deque: Deque,
    pub(crate) index: usize,
    /// Where the job that runs now should run; what it forks inherits it.
    pub(crate) spot: Cell<Spot>,
    /// The domains that the task which runs now has to itself.
    pub(crate) span: Cell<Span>,
    /// The innermost frame; null when no job runs.
    pub(crate) frame: Cell<*const Frame>,
    random: Cell<u64>,
    /// The pool that it belongs to: as long as the thread runs, the pool's shared part is there.
    shared: Cell<*const Shared>,
    /// The scope of the stolen job that runs now, 0 for none. Thieves compare it.
    pub(crate) root: Alone<AtomicUsize>,
    /// One plus the index of the worker that waits for the job that this one stole, and may take what becomes public
    /// here; 0 for none.
    pub(crate) follower: Alone<AtomicUsize>,
    pub(crate) mailbox: Mailbox,
    pub(crate) inbox: Inbox,
    pub(crate) parker: Arc<Parker>,
    pub(crate) account: Account,
}

// SAFETY: `spot`, `span`, `frame`, `random` and `shared` are touched by the owner's thread only (`shared` once before, by the
// thread that builds the pool); everything else is `Sync` in itself.
unsafe impl Sync for Worker {}
// SAFETY: the pointer leads to the part of the pool that all its threads share.
unsafe impl Send for Worker {}

#[cfg(not(any(knee_loom, knee_shuttle)))]
std::thread_local! {
    static CURRENT: Cell<*const Worker> = const { Cell::new(std::ptr::null()) };
}
#[cfg(knee_loom)]
loom::thread_local! {
    static CURRENT: Cell<*const Worker> = Cell::new(std::ptr::null());
}
#[cfg(knee_shuttle)]
shuttle::thread_local! {
    static CURRENT: Cell<*const Worker> = Cell::new(std::ptr::null());
}

impl Worker {
    pub(crate) fn new(index: usize, seed: u64, account: bool) -> Self {
        let worker = Self {
            deque: Deque::new(),
            index,
            spot: Cell::new(Spot::ANY),
            span: Cell::new(Span::ONE),
            frame: Cell::new(std::ptr::null()),
            random: Cell::new(0),
            shared: Cell::new(std::ptr::null()),
            root: Alone(AtomicUsize::new(0)),
            follower: Alone(AtomicUsize::new(0)),
            mailbox: Mailbox::new(),
            inbox: Inbox::new(),
            parker: Arc::new(Parker::new()),
            account: Account::new(account),
        };
        worker.reseed(seed);
        worker
    }

    /// Restarts the worker's random numbers from a seed.
    pub(crate) fn reseed(&self, seed: u64) {
        // Any odd multiple keeps the workers apart, each seed has a state of its own, and xorshift must not begin at zero.
        self.random.set((seed ^ (self.index as u64 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15)).max(1));
    }

    /// Its index in a narrower type.
    #[expect(clippy::cast_possible_truncation, reason = "a pool has fewer than 65536 workers")]
    pub(crate) fn number(&self) -> u32 {
        self.index as u32
    }

    /// Makes the calling thread this worker, or none.
    pub(crate) fn set_current(worker: *const Worker) {
        CURRENT.with(|current| current.set(worker));
    }

    /// The worker that the calling thread is.
    #[inline]
    pub(crate) fn current() -> Option<&'static Worker> {
        let worker = CURRENT.with(Cell::get);
        // SAFETY: a thread is a worker from when its main loop begins until it ends, and the worker is there as long. The
        // reference does not leave the thread: all of `join`, `scope` and the like return before the loop does.
        unsafe { worker.as_ref() }
    }

    pub(crate) fn set_pool(&self, shared: *const Shared) {
        self.shared.set(shared);
    }

    #[inline]
    pub(crate) fn pool(&self) -> &Shared {
        // SAFETY: set before the thread began, and shared for as long as it runs.
        unsafe { &*self.shared.get() }
    }

    /// The next of the worker's own random numbers (Marsaglia's xorshift64*).
    pub(crate) fn random(&self) -> u64 {
        let mut state = self.random.get();
        state ^= state >> 12;
        state ^= state << 25;
        state ^= state >> 27;
        self.random.set(state);
        state.wrapping_mul(0x2545_F491_4F6C_DD1D)
    }

    /// How a bare job of the deque is completed.
    pub(crate) fn complete(&self) -> impl Fn(*const Header) + use<> {
        let spot = self.spot.get();
        // SAFETY: the deque hands over its bare jobs, each once.
        move |job| unsafe { Header::complete(job, spot) }
    }

    /// Sets the place of what runs, and forks, until the guard is dropped.
    #[inline]
    pub(crate) fn stand_at(&self, spot: Spot) -> Back<'_> {
        if spot != self.spot.get() {
            self.deque.settle(self.complete());
        }
        Back(self, self.spot.replace(spot))
    }

    /// Publishes jobs if a thief asks, and wakes one that sleeps.
    #[cold]
    #[inline(never)]
    pub(crate) fn feed(&self) {
        if self.deque.is_asked() && self.deque.publish(self.complete()) {
            self.call();
        }
    }

    /// Publishes all jobs, since this worker is going to wait and will not see requests.
    pub(crate) fn offer(&self) {
        if self.deque.publish_all(self.complete()) {
            self.call();
        }
    }

    /// Wakes a worker that asked, after a publication.
    fn call(&self) {
        if self.pool().clocks.is_some() {
            // In a rehearsal every worker always asks, so that each fork gets here.
            return self.spend_fork();
        }
        if !self.deque.answer() {
            return;
        }
        // Loads are enough, since workers register as sleepers or followers before they ask; exchanges would cost
        // readers of these words a cache miss.
        let pool = self.pool();
        let woken = pool.sleepers.any() && pool.wake_one(self.index);
        if !woken && self.follower.load(Ordering::Relaxed) > 0 {
            let follower = self.follower.swap(0, Ordering::Relaxed);
            if follower > 0 {
                pool.unpark(follower - 1);
            }
        }
    }

    /// Runs a job that is not this worker's own.
    pub(crate) fn execute(&self, job: *const Header) {
        // First, so that a thread that sees this worker hold the job finds nothing here but its descendants.
        let covered = self.deque.cover();
        // SAFETY: the caller owns the job, which lives until it is done.
        let spot = unsafe { (*job).begin(self.index) };
        let outer = (self.spot.replace(spot), self.root.load(Ordering::Relaxed));
        let mode = self.account.switch(Mode::Busy);
        // SAFETY: as above, and it is run once.
        unsafe { Header::run(job, self, By::Thief) };
        self.belong_to(outer.1);
        if self.deque.uncover(covered) {
            self.call();
        }
        self.spot.set(outer.0);
        self.account.switch(mode);
    }

    /// Sets the scope of the job that runs now.
    pub(crate) fn belong_to(&self, scope: usize) {
        // Relaxed: a thief compares it after its look at the deque's word, which shows it at least what was stored here
        // before those jobs were published; and a thief that wins sees no later value, since this worker goes on only
        // when what was stolen before is done.
        self.root.store(scope, Ordering::Relaxed);
    }
}

/// Ends the process when it is dropped. A wait that unwinds would free what other threads still use; it can unwind when
/// a policy panics, or when dropping the payload of a panic does.
pub(crate) struct Steady;

impl Drop for Steady {
    #[cold]
    fn drop(&mut self) {
        // A model checker unwinds its threads when it has found something.
        if !MODEL {
            eprintln!("knee: cannot go on: a worker panicked outside of a job\n\nhint: see the panic above");
            std::process::abort();
        }
    }
}

/// Restores the worker's place, also after a panic.
pub(crate) struct Back<'a>(&'a Worker, Spot);

impl Drop for Back<'_> {
    #[inline]
    fn drop(&mut self) {
        self.0.spot.set(self.1);
    }
}
