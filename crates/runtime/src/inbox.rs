//! Queues of jobs that do not come from a deque: from outside the pool, for a node, or for one worker.

use std::collections::VecDeque;

use crate::job::Header;
use crate::sync::{AtomicUsize, Mutex, Ordering};

/// Jobs in the order in which they came.
pub(crate) struct Inbox {
    jobs: Mutex<VecDeque<Sent>>,
    /// Number of jobs, so that a look needs no lock.
    waiting: AtomicUsize,
}

struct Sent(*const Header);

// SAFETY: a job is handed from thread to thread; its content may be sent (see the bounds where jobs are made).
unsafe impl Send for Sent {}

impl Inbox {
    pub(crate) fn new() -> Self {
        Self { jobs: Mutex::new(VecDeque::new()), waiting: AtomicUsize::new(0) }
    }

    pub(crate) fn put(&self, job: *const Header) {
        let mut jobs = self.jobs.lock().expect("no holder panics");
        jobs.push_back(Sent(job));
        // Relaxed, here and below: the lock orders the jobs, and a worker that is about to sleep learns of them by what
        // follows, a parker's token or the sleepers' word.
        self.waiting.store(jobs.len(), Ordering::Relaxed);
    }

    pub(crate) fn take(&self) -> Option<*const Header> {
        if self.is_empty() {
            return None;
        }
        let mut jobs = self.jobs.lock().expect("no holder panics");
        let job = jobs.pop_front();
        self.waiting.store(jobs.len(), Ordering::Relaxed);
        job.map(|sent| sent.0)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.waiting.load(Ordering::Relaxed) == 0
    }
}
