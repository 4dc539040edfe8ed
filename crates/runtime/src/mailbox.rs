//! A worker's mailbox: room for one job that a thief found to belong nearer to this worker. Only one, so that pushed
//! work is bounded (Deters, Wu, Xu & Lee, NUMA-WS, IISWC 2018).

use std::ptr::null_mut;

use crate::job::Header;
use crate::sync::{Alone, AtomicPtr, Ordering};

pub(crate) struct Mailbox(Alone<AtomicPtr<Header>>);

impl Mailbox {
    pub(crate) fn new() -> Self {
        Self(Alone(AtomicPtr::new(null_mut())))
    }

    /// Puts a job in; false when there is one already.
    pub(crate) fn put(&self, job: *const Header) -> bool {
        // Release pairs with the Acquire in `take`: the job is seen as the thief saw it.
        self.0.compare_exchange(null_mut(), job.cast_mut(), Ordering::Release, Ordering::Relaxed).is_ok()
    }

    /// Takes the job out.
    pub(crate) fn take(&self) -> Option<*const Header> {
        // Relaxed: a check without a write. Acquire pairs with the Release in `put`.
        if self.0.load(Ordering::Relaxed).is_null() {
            return None;
        }
        let job = self.0.swap(null_mut(), Ordering::Acquire);
        (!job.is_null()).then_some(job.cast_const())
    }

    /// Takes out this job if it is still there. Its owner calls this and keeps it alive, so no other job has its
    /// address.
    pub(crate) fn regain(&self, job: &Header) -> bool {
        let job = std::ptr::from_ref(job).cast_mut();
        // Acquire pairs with the Release in `put`: its sender does not read it any more.
        self.0.compare_exchange(job, null_mut(), Ordering::Acquire, Ordering::Relaxed).is_ok()
    }

    pub(crate) fn is_empty(&self) -> bool {
        // Relaxed: a hint. The mailbox's worker is woken by a token that is not lost; others may come too late.
        self.0.load(Ordering::Relaxed).is_null()
    }
}
