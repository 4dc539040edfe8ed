//! The events that a thread counts for itself while it is in a region.
//!
//! A thread opens them when it marks its first region, and the kernel counts that thread alone. They are read with one
//! system call each: what the kernel offers beside that (`rdpmc`) reads hardware counters only, and not everywhere.

use std::os::fd::OwnedFd;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::format::{EVENT_BYTES, EVENTS, Head, Reading};
use crate::sys;

/// What one thread counts.
#[derive(Debug)]
pub(crate) struct Counters {
    /// By the head's table; none where the kernel refused.
    open: Vec<Option<OwnedFd>>,
}

impl Counters {
    /// Nothing.
    pub(crate) const fn none() -> Self {
        Self { open: Vec::new() }
    }

    /// Opens what the head asks for, for the calling thread.
    pub(crate) fn open(head: &Head) -> Self {
        let asked = (head.events.load(Ordering::Relaxed) as usize).min(EVENTS);
        let open: Vec<_> =
            head.attributes[..asked].iter().map(|attribute| sys::open_counter(&bytes(attribute))).collect();
        let refused = open.iter().filter(|counter| counter.is_none()).count() as u64;
        head.native_uncounted.fetch_add(refused, Ordering::Relaxed);
        Self { open }
    }

    /// What each has counted so far, into `now`. One that does not count stays 0, and so does its time.
    pub(crate) fn read(&self, now: &mut [Reading; EVENTS]) {
        for (counter, now) in self.open.iter().zip(now) {
            *now = counter.as_ref().and_then(sys::read_counter).unwrap_or_default();
        }
    }

    /// What each has counted since `then`; beyond those that are counted nothing means anything.
    pub(crate) fn since(&self, then: &[Reading; EVENTS]) -> [Reading; EVENTS] {
        let mut now = [Reading::default(); EVENTS];
        self.read(&mut now);
        std::array::from_fn(|event| now[event].since(then[event]))
    }

    /// How many there are, those that the kernel refused too.
    pub(crate) fn len(&self) -> usize {
        self.open.len()
    }
}

/// An attribute as it stands in the file at this moment: whoever writes there later changes nothing of it.
fn bytes(attribute: &[AtomicU64; EVENT_BYTES / 8]) -> [u8; EVENT_BYTES] {
    let mut bytes = [0; EVENT_BYTES];
    for (to, word) in bytes.chunks_exact_mut(8).zip(attribute) {
        to.copy_from_slice(&word.load(Ordering::Relaxed).to_ne_bytes());
    }
    bytes
}
