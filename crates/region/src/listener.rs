//! The listener (`knee run`), and the file that it maps.

use std::ffi::OsStr;
use std::fs::{File, OpenOptions};
use std::io;
use std::sync::atomic::{AtomicI32, AtomicPtr, AtomicU8, AtomicU32, AtomicU64, Ordering};
use std::time::Duration;

use crate::format::{COUNTER_BYTES, CounterSlot, HEAD_BYTES, Head, MAGIC, SLOT_BYTES, Slot, VERSION};
use crate::{VARIABLE, sys};

/// Not known yet.
const UNKNOWN: u8 = 0;
/// No listener, for as long as the program runs.
pub(crate) const SILENT: u8 = 1;
/// There is a listener.
pub(crate) const LISTENING: u8 = 2;

/// Attempts to open the file, a millisecond apart, while the process has too many open files.
const TRIES: usize = 50;

static STATE: AtomicU8 = AtomicU8::new(UNKNOWN);
static LISTENER: AtomicPtr<Listener> = AtomicPtr::new(std::ptr::null_mut());

/// The mapped file.
#[derive(Debug)]
pub(crate) struct Listener {
    pub(crate) head: &'static Head,
    slots: &'static [Slot],
    counters: &'static [CounterSlot],
    /// This process's id, on a page that the kernel wipes in the child of a fork.
    pid: Option<&'static AtomicI32>,
}

/// Whether there is no listener.
#[inline]
pub(crate) fn silent() -> bool {
    // Relaxed: nothing else depends on SILENT.
    STATE.load(Ordering::Relaxed) == SILENT || state() == SILENT
}

/// The state; reads the variable first if it is not known yet.
#[inline(never)]
pub(crate) fn state() -> u8 {
    // Acquire pairs with the Release in `settle`: a thread that sees LISTENING sees the pointer, too.
    match STATE.load(Ordering::Acquire) {
        UNKNOWN => look(),
        known => known,
    }
}

/// Without a lock: a fork in the middle must leave none held. If several threads do it at once, one wins, and the
/// mappings of the others are never used.
#[cold]
fn look() -> u8 {
    let Some(listener) = Listener::open() else { return settle(SILENT) };
    let head = listener.head;
    let ours = Box::into_raw(Box::new(listener));
    // Release: pairs with the Acquire in `listener`.
    let _ = LISTENER.compare_exchange(std::ptr::null_mut(), ours, Ordering::Release, Ordering::Relaxed);
    let settled = settle(LISTENING);
    if settled == SILENT {
        count(&head.native_lost);
    }
    settled
}

/// Sets and returns the state: this one, unless another thread was first.
fn settle(found: u8) -> u8 {
    STATE
        .compare_exchange(UNKNOWN, found, Ordering::Release, Ordering::Acquire)
        .map_or_else(|earlier| earlier, |_| found)
}

/// The listener, if there is one.
pub(crate) fn listener() -> Option<&'static Listener> {
    sys::listener_at(LISTENER.load(Ordering::Acquire))
}

impl Listener {
    /// None for a file that cannot be opened or is not knee's: the program must not fail because of its marks.
    fn open() -> Option<Self> {
        if sys::runs_with_more_rights() {
            return None;
        }
        let path = std::env::var_os(VARIABLE).filter(|path| !path.is_empty())?;
        Self::map(&path).ok()
    }

    fn map(path: &OsStr) -> io::Result<Self> {
        let file = open_soon(path)?;
        let mapping = sys::Mapping::of(&file)?;
        let head = mapping.head();
        let number = |field: &AtomicU32| field.load(Ordering::Relaxed);
        if head.magic.iter().zip(MAGIC).any(|(found, wanted)| found.load(Ordering::Relaxed) != wanted) {
            return Err(io::Error::other("not a file of regions"));
        }
        let sizes = [&head.slot_bytes, &head.counter_bytes].map(|size| number(size) as usize);
        if number(&head.version) != VERSION || sizes != [SLOT_BYTES, COUNTER_BYTES] {
            head.refused.fetch_add(1, Ordering::Relaxed);
            return Err(io::Error::other("a file of another version"));
        }
        let [native, locked, counters] =
            [&head.native_slots, &head.locked_slots, &head.native_counters].map(|many| number(many) as usize);
        let counters_at = HEAD_BYTES + (native + locked) * SLOT_BYTES;
        let tables = mapping.slots(HEAD_BYTES, native).zip(mapping.counters(counters_at, counters));
        let (slots, counters) = tables.ok_or_else(|| io::Error::other("a file that is too short"))?;
        Ok(Self { head, slots, counters, pid: sys::page_wiped_by_fork() })
    }

    /// This process's id. In the child of a fork the page reads 0 until the child has put its own there.
    pub(crate) fn pid(&self) -> i32 {
        let Some(page) = self.pid else { return sys::process_id() };
        match page.load(Ordering::Relaxed) {
            0 => {
                let pid = sys::process_id();
                page.store(pid, Ordering::Relaxed);
                pid
            }
            pid => pid,
        }
    }

    /// A free slot; none when all are taken.
    pub(crate) fn claim(&self) -> Option<&'static Slot> {
        claim(self.slots, &self.head.native_claimed)
    }

    /// A free slot of a counter; none when all are taken.
    pub(crate) fn claim_counter(&self) -> Option<&'static CounterSlot> {
        claim(self.counters, &self.head.native_counters_claimed)
    }
}

fn claim<T>(slots: &'static [T], claimed: &AtomicU32) -> Option<&'static T> {
    let next = |claimed: u32| ((claimed as usize) < slots.len()).then_some(claimed + 1);
    // Relaxed: the number alone makes the slot ours; what is in it is published by `ready`.
    let index = claimed.fetch_update(Ordering::Relaxed, Ordering::Relaxed, next);
    slots.get(index.ok()? as usize)
}

/// Opens the file. With too many open files, perhaps only because other threads open theirs at the same time, it tries
/// again.
fn open_soon(path: &OsStr) -> io::Result<File> {
    let open = || OpenOptions::new().read(true).write(true).open(path);
    for _ in 0..TRIES {
        match open() {
            Err(error) if error.raw_os_error() == Some(libc::EMFILE) => std::thread::sleep(Duration::from_millis(1)),
            done => return done,
        }
    }
    open()
}

/// Counts one more; the number is read after the run.
pub(crate) fn count(counter: &AtomicU64) {
    counter.fetch_add(1, Ordering::Relaxed);
}
