//! Per-thread event counters in regions.
//!
//! A thread opens them when it marks its first region, and the kernel counts only that thread. Each is read by a system
//! call: the alternative (`rdpmc`) reads hardware counters only, and not on every machine.
//!
//! Their descriptors are among those of the program, which may close unknown ones (`closefrom`) and reuse the numbers
//! for its own files. So before a counter is read or closed, the kernel's number of its event is compared.

use std::os::fd::RawFd;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::format::{EVENT_BYTES, EVENTS, Head, Reading};
use crate::sys;

/// What one thread counts.
#[derive(Debug)]
pub(crate) struct Counters {
    /// By the head's table; none where the kernel refused, or the program has closed it.
    open: Vec<Option<Counter>>,
}

/// A counter that this thread has opened.
#[derive(Debug)]
struct Counter {
    file: RawFd,
    /// The kernel's number of its event.
    id: u64,
}

impl Counter {
    fn open(attribute: &[u8; EVENT_BYTES]) -> Option<Self> {
        let file = sys::open_counter(attribute)?;
        if let Some(id) = sys::counter_id(file)
            && file < sys::most_files() / 2
        {
            return Some(Self { file, id });
        }
        sys::close_counter(file);
        None
    }

    fn is_ours(&self) -> bool {
        sys::counter_id(self.file) == Some(self.id)
    }
}

impl Drop for Counter {
    fn drop(&mut self) {
        if self.is_ours() {
            sys::close_counter(self.file);
        }
    }
}

impl Counters {
    /// Nothing.
    pub(crate) const fn none() -> Self {
        Self { open: Vec::new() }
    }

    /// Opens the events of the head for the calling thread, while half of the process's descriptors are left: the
    /// program must not fail because of its marks.
    pub(crate) fn open(head: &Head) -> Self {
        let asked = (head.events.load(Ordering::Relaxed) as usize).min(EVENTS);
        let open: Vec<_> = head.attributes[..asked].iter().map(|attribute| Counter::open(&bytes(attribute))).collect();
        let refused = open.iter().filter(|counter| counter.is_none()).count() as u64;
        head.native_uncounted.fetch_add(refused, Ordering::Relaxed);
        Self { open }
    }

    /// Writes what each has counted so far into `now`. One that does not count stays 0, and so does its time.
    pub(crate) fn read(&mut self, head: &Head, now: &mut [Reading; EVENTS]) {
        for (counter, now) in self.open.iter_mut().zip(now) {
            if counter.as_ref().is_some_and(|counter| !counter.is_ours()) {
                *counter = None;
                head.native_uncounted.fetch_add(1, Ordering::Relaxed);
            }
            *now = counter.as_ref().and_then(|counter| sys::read_counter(counter.file)).unwrap_or_default();
        }
    }

    /// What each has counted since `then`; entries beyond [`Self::len`] have no meaning.
    pub(crate) fn since(&mut self, head: &Head, then: &[Reading; EVENTS]) -> [Reading; EVENTS] {
        let mut now = [Reading::default(); EVENTS];
        self.read(head, &mut now);
        std::array::from_fn(|event| now[event].since(then[event]))
    }

    /// How many there are, including those that the kernel refused.
    pub(crate) fn len(&self) -> usize {
        self.open.len()
    }
}

/// A copy of an attribute in the file, which later writes to the file do not change.
fn bytes(attribute: &[AtomicU64; EVENT_BYTES / 8]) -> [u8; EVENT_BYTES] {
    let mut bytes = [0; EVENT_BYTES];
    for (to, word) in bytes.chunks_exact_mut(8).zip(attribute) {
        to.copy_from_slice(&word.load(Ordering::Relaxed).to_ne_bytes());
    }
    bytes
}
