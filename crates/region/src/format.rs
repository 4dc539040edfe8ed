//! The layout of the mapped file: a head of one page, then slots of 832 bytes for regions, then slots of 128 bytes for
//! running counters. All numbers are in the machine's own byte order.
//!
//! The head has a table of events, as the kernel takes them (`perf_event_attr`): every thread that marks a region opens
//! them for itself, and stores the counts next to its times. The listener fills the table; the kernel checks it.
//!
//! A slot belongs to one region of one thread. Its times are kept twice: the thread writes the inactive copy and then
//! makes it the active one, so a reader finds a consistent copy, even after the thread was killed between two stores.
//!
//! A counter's slot belongs to one running counter of one thread, its only writer: adding is a load and a store of one
//! aligned number of 64 bits, so a reader always finds what the thread has added so far, even after it was killed. The
//! sum over all threads is what has been counted so far; the launcher reads it with every sample. 128 bytes, because
//! processors fetch lines of 64 in pairs, and threads must not take them from each other. The slot of a thread that has
//! ended stays, or the sum would fall.
//!
//! Slots of both kinds are claimed in two ways. Native code raises a counter by compare-and-swap. An interpreter that has no atomic
//! operations takes its slots from a second table, under a lock of the file (`fcntl`); after that it needs no lock either.
//! `python/knee/regions/listener.py` knows this layout too.

use std::mem::offset_of;
use std::sync::atomic::{AtomicI32, AtomicU8, AtomicU32, AtomicU64, Ordering};

/// First bytes of the file.
pub const MAGIC: [u8; 8] = *b"kneeregn";
/// Version of the layout. A program linked with another version counts itself in [`Head::refused`] and marks nothing.
pub const VERSION: u32 = 3;
/// Bytes before the first slot.
pub const HEAD_BYTES: usize = 4096;
/// Bytes of a slot.
pub const SLOT_BYTES: usize = 832;
/// Bytes of a region's name that a slot holds.
pub const NAME_BYTES: usize = 124;
/// Events that a thread counts at most.
pub const EVENTS: usize = 12;
/// Bytes for each event; the attribute says how many it uses.
pub const EVENT_BYTES: usize = 256;
/// Where the table of events begins.
pub const EVENTS_AT: usize = 256;
/// Slots that are claimed by compare-and-swap. Untouched pages take no memory.
pub const NATIVE_SLOTS: u32 = 1 << 16;
/// Slots that are claimed under the lock.
pub const LOCKED_SLOTS: u32 = 1 << 14;
/// Bytes of a counter's slot.
pub const COUNTER_BYTES: usize = 128;
/// Bytes of a counter's name that its slot holds.
pub const COUNTER_NAME_BYTES: usize = 104;
/// Counters that are claimed by compare-and-swap.
pub const NATIVE_COUNTERS: u32 = 1 << 14;
/// Counters that are claimed under the lock.
pub const LOCKED_COUNTERS: u32 = 1 << 12;
/// Where the first counter's slot begins.
pub const COUNTERS_AT: usize = HEAD_BYTES + (NATIVE_SLOTS + LOCKED_SLOTS) as usize * SLOT_BYTES;
/// Bytes of the file.
pub const FILE_BYTES: u64 = (COUNTERS_AT + (NATIVE_COUNTERS + LOCKED_COUNTERS) as usize * COUNTER_BYTES) as u64;

/// The beginning of the file.
#[derive(Debug)]
#[repr(C)]
pub struct Head {
    /// See [`MAGIC`].
    pub magic: [AtomicU8; 8],
    /// See [`VERSION`].
    pub version: AtomicU32,
    /// See [`SLOT_BYTES`].
    pub slot_bytes: AtomicU32,
    /// How many slots there are of each kind, the native ones first.
    pub native_slots: AtomicU32,
    /// See `native_slots`.
    pub locked_slots: AtomicU32,
    /// How many of them are claimed.
    pub native_claimed: AtomicU32,
    /// See `native_claimed`.
    pub locked_claimed: AtomicU32,
    /// Processes that use another version. Every version has it here.
    pub refused: AtomicU32,
    /// Nothing.
    pub reserved: AtomicU32,
    /// Calls for which native code found no slot, or no room for one more name.
    pub native_lost: AtomicU64,
    /// Calls for which an interpreter found none.
    pub locked_lost: AtomicU64,
    /// Marks made while another mark of the same thread was being stored (in a signal handler), or after the thread's
    /// memory was freed.
    pub reentered: AtomicU64,
    /// Events to count.
    pub events: AtomicU32,
    /// Nothing.
    pub unused: AtomicU32,
    /// Events that a native thread could not open, one for each thread and event.
    pub native_uncounted: AtomicU64,
    /// The same in an interpreter.
    pub locked_uncounted: AtomicU64,
    /// See [`COUNTER_BYTES`].
    pub counter_bytes: AtomicU32,
    /// How many counters there are of each kind, the native ones first.
    pub native_counters: AtomicU32,
    /// See `native_counters`.
    pub locked_counters: AtomicU32,
    /// How many of them are claimed.
    pub native_counters_claimed: AtomicU32,
    /// See `native_counters_claimed`.
    pub locked_counters_claimed: AtomicU32,
    /// Nothing.
    pub vacant: AtomicU32,
    /// Additions for which native code found no counter, or no room for one more name.
    pub native_additions_lost: AtomicU64,
    /// Additions for which an interpreter found none.
    pub locked_additions_lost: AtomicU64,
    /// Nothing.
    pub gap: [AtomicU64; 16],
    /// The events, each an attribute of `perf_event_open`.
    pub attributes: [[AtomicU64; EVENT_BYTES / 8]; EVENTS],
}

/// One region of one thread.
#[derive(Debug)]
#[repr(C)]
pub struct Slot {
    /// 1 once the names and ids are there.
    pub ready: AtomicU32,
    /// The process.
    pub pid: AtomicI32,
    /// The thread; the main thread has the process's id.
    pub tid: AtomicI32,
    /// Which copy of the times is active: the lowest bit.
    pub turn: AtomicU32,
    /// When the open call began; 0 when none is open.
    pub open_since_ns: AtomicU64,
    /// Ends without a begin.
    pub unmatched_ends: AtomicU32,
    /// Ends while a region that was entered later was open.
    pub crossed_ends: AtomicU32,
    /// The times, twice.
    pub times: [Times; 2],
    /// Length of the name; more than [`NAME_BYTES`] when it was cut.
    pub name_bytes: AtomicU32,
    /// The name, UTF-8.
    pub name: [AtomicU8; NAME_BYTES],
}

/// One running counter of one thread.
#[derive(Debug)]
#[repr(C)]
pub struct CounterSlot {
    /// What the thread has added so far.
    pub value: AtomicU64,
    /// 1 once the name and ids are there.
    pub ready: AtomicU32,
    /// The process.
    pub pid: AtomicI32,
    /// The thread.
    pub tid: AtomicI32,
    /// Length of the name; more than [`COUNTER_NAME_BYTES`] when it was cut.
    pub name_bytes: AtomicU32,
    /// The name, UTF-8.
    pub name: [AtomicU8; COUNTER_NAME_BYTES],
}

/// Time and counts of a thread in a region, in calls that have ended.
#[derive(Debug)]
#[repr(C)]
pub struct Times {
    /// Calls.
    pub calls: AtomicU64,
    /// Time in them; a call inside a call of the same region is part of it.
    pub wall_ns: AtomicU64,
    /// CPU time of the thread in them.
    pub cpu_ns: AtomicU64,
    /// CPU time of the whole process in them. Only the main thread reads it.
    pub process_cpu_ns: AtomicU64,
    /// When the first one began (`CLOCK_MONOTONIC`).
    pub first_begin_ns: AtomicU64,
    /// When the last one ended.
    pub last_end_ns: AtomicU64,
    /// What the events counted in them, by the head's table.
    pub counts: [Count; EVENTS],
}

/// What one event counted.
#[derive(Debug)]
#[repr(C)]
pub struct Count {
    /// How often it happened while it was counted.
    pub count: AtomicU64,
    /// Time in which it was to be counted.
    pub enabled_ns: AtomicU64,
    /// Time in which it was: in the rest, other events had the hardware counters.
    pub running_ns: AtomicU64,
}

const _: () = {
    assert!(size_of::<Slot>() == SLOT_BYTES && size_of::<Times>() == 48 + 24 * EVENTS);
    assert!(offset_of!(Slot, times) == 32 && offset_of!(Slot, name_bytes) == 704);
    assert!(size_of::<Head>() <= HEAD_BYTES && offset_of!(Head, refused) == 32 && offset_of!(Head, native_lost) == 40);
    assert!(offset_of!(Head, events) == 64 && offset_of!(Head, attributes) == EVENTS_AT);
    assert!(offset_of!(Head, counter_bytes) == 88 && offset_of!(Head, native_additions_lost) == 112);
    assert!(size_of::<CounterSlot>() == COUNTER_BYTES && offset_of!(CounterSlot, name) == 24);
    assert!(COUNTERS_AT.is_multiple_of(COUNTER_BYTES));
};

/// The head of a new file in which threads count these events. Events beyond [`EVENTS`] or larger than [`EVENT_BYTES`]
/// are left out. The caller makes the file [`FILE_BYTES`] long; the rest is zero.
#[must_use]
pub fn blank(attributes: &[Vec<u8>]) -> Vec<u8> {
    let mut head = beginning();
    head.resize(HEAD_BYTES, 0);
    let counter_bytes = u32::try_from(COUNTER_BYTES).expect("128 fits");
    let counters = [counter_bytes, NATIVE_COUNTERS, LOCKED_COUNTERS].map(u32::to_ne_bytes);
    head[offset_of!(Head, counter_bytes)..][..12].copy_from_slice(counters.as_flattened());
    let fit: Vec<_> = attributes.iter().filter(|attribute| attribute.len() <= EVENT_BYTES).take(EVENTS).collect();
    let count = u32::try_from(fit.len()).expect("twelve at most");
    head[offset_of!(Head, events)..][..4].copy_from_slice(&count.to_ne_bytes());
    for (to, attribute) in head[EVENTS_AT..].chunks_exact_mut(EVENT_BYTES).zip(fit) {
        to[..attribute.len()].copy_from_slice(attribute);
    }
    head
}

/// The common beginning of every head.
pub(crate) fn beginning() -> Vec<u8> {
    let slot_bytes = u32::try_from(SLOT_BYTES).expect("832 fits");
    let numbers = [VERSION, slot_bytes, NATIVE_SLOTS, LOCKED_SLOTS];
    MAGIC.into_iter().chain(numbers.into_iter().flat_map(u32::to_ne_bytes)).collect()
}

/// Stores as much of a name as fits, and how long it really is.
fn store_name(bytes: &[AtomicU8], length: &AtomicU32, name: &[u8]) {
    length.store(u32::try_from(name.len()).unwrap_or(u32::MAX), Ordering::Relaxed);
    for (to, &from) in bytes.iter().zip(name) {
        to.store(from, Ordering::Relaxed);
    }
}

impl Slot {
    /// Makes it the slot of one region of one thread.
    pub(crate) fn take(&self, pid: i32, tid: i32, name: &[u8]) {
        self.pid.store(pid, Ordering::Relaxed);
        self.tid.store(tid, Ordering::Relaxed);
        store_name(&self.name, &self.name_bytes, name);
        // Release: a reader that sees it ready sees the ids and the name. The reader loads with the whole file.
        self.ready.store(1, Ordering::Release);
    }

    /// Adds calls that have ended. Only the slot's own thread writes, so what it reads is what it wrote.
    pub(crate) fn add(&self, calls: u64, begin_ns: u64, end_ns: u64, spent: Spent, counted: &[Reading]) {
        let turn = self.turn.load(Ordering::Relaxed);
        let [from, to] = [turn, turn.wrapping_add(1)].map(|turn| &self.times[(turn & 1) as usize]);
        let before = from.calls.load(Ordering::Relaxed);
        let plus = |from: &AtomicU64, to: &AtomicU64, more: u64| {
            to.store(from.load(Ordering::Relaxed).wrapping_add(more), Ordering::Relaxed);
        };
        plus(&from.calls, &to.calls, calls);
        plus(&from.wall_ns, &to.wall_ns, end_ns.saturating_sub(begin_ns));
        plus(&from.cpu_ns, &to.cpu_ns, spent.thread_ns);
        plus(&from.process_cpu_ns, &to.process_cpu_ns, spent.process_ns);
        let first = if before == 0 { begin_ns } else { from.first_begin_ns.load(Ordering::Relaxed) };
        to.first_begin_ns.store(first, Ordering::Relaxed);
        to.last_end_ns.store(end_ns, Ordering::Relaxed);
        for ((from, to), more) in from.counts.iter().zip(&to.counts).zip(counted) {
            plus(&from.count, &to.count, more.count);
            plus(&from.enabled_ns, &to.enabled_ns, more.enabled_ns);
            plus(&from.running_ns, &to.running_ns, more.running_ns);
        }
        // Release: the copy is complete before it is active, also for a reader after this process was killed.
        self.turn.store(turn.wrapping_add(1), Ordering::Release);
        self.open_since_ns.store(0, Ordering::Release);
    }
}

impl CounterSlot {
    /// Makes it the slot of one counter of one thread.
    pub(crate) fn take(&self, pid: i32, tid: i32, name: &[u8]) {
        self.pid.store(pid, Ordering::Relaxed);
        self.tid.store(tid, Ordering::Relaxed);
        store_name(&self.name, &self.name_bytes, name);
        // Release: pairs with the Acquire of the reader that loads the name while the program runs.
        self.ready.store(1, Ordering::Release);
    }

    /// Adds. Only the slot's own thread writes, so what it reads is what it wrote.
    #[inline]
    pub(crate) fn add(&self, more: u64) {
        // Relaxed: nothing else depends on the number.
        self.value.store(self.value.load(Ordering::Relaxed).wrapping_add(more), Ordering::Relaxed);
    }
}

/// What an event has counted: since it was opened, or between two moments.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Reading {
    /// See [`Count`].
    pub count: u64,
    /// See [`Count`].
    pub enabled_ns: u64,
    /// See [`Count`].
    pub running_ns: u64,
}

impl Reading {
    /// What was counted from another moment to this one.
    pub(crate) fn since(self, then: Self) -> Self {
        Self {
            count: self.count.saturating_sub(then.count),
            enabled_ns: self.enabled_ns.saturating_sub(then.enabled_ns),
            running_ns: self.running_ns.saturating_sub(then.running_ns),
        }
    }
}

/// CPU time of one call.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Spent {
    /// Of the thread.
    pub(crate) thread_ns: u64,
    /// Of the whole process; 0 where it was not read.
    pub(crate) process_ns: u64,
}
