//! A thread's stack of open regions.

use std::cell::RefCell;
use std::sync::atomic::{AtomicU32, Ordering};

use crate::counters::Counters;
use crate::format::{EVENTS, Reading, Slot, Spent};
use crate::listener::{Listener, count, listener};
use crate::names::Name;
use crate::sys;

thread_local! {
    static THREAD: RefCell<Thread> = const { RefCell::new(Thread::new()) };
}

/// A thread's regions.
struct Thread {
    /// The process in which the rest is true; after a fork it is another one.
    pid: i32,
    tid: i32,
    /// Regions that it has entered so far.
    entered: u64,
    /// By number of the name.
    own: Vec<Option<Own>>,
    counters: Counters,
}

/// One region of this thread.
struct Own {
    /// None when all slots were taken.
    slot: Option<&'static Slot>,
    /// Calls that are open, one inside the other.
    depth: u32,
    /// Calls that were open when the process was forked: they go on in the parent, and may end here too.
    inherited: u32,
    /// Calls since the outermost open one, that one included.
    calls: u64,
    /// Which of the thread's entries it was: one that is open and has a larger number was entered later.
    entry: u64,
    begin: Stamp,
    /// What had been counted when it entered.
    counted: [Reading; EVENTS],
}

/// A moment. On the main thread with the CPU time of the whole process: where that thread marks work of others (a
/// parallel loop, say), its own CPU time would say little.
#[derive(Debug, Clone, Copy, Default)]
#[expect(clippy::struct_field_names, reason = "three clocks, one unit")]
struct Stamp {
    wall_ns: u64,
    thread_ns: u64,
    process_ns: u64,
}

/// Enters a region.
#[inline(never)]
pub(crate) fn begin(name: &'static Name) {
    if name.number.is_some() {
        with_thread(|thread, listener| thread.begin(name, listener));
    } else if let Some(listener) = listener() {
        count(&listener.head.native_lost);
    }
}

/// Leaves it.
#[inline(never)]
pub(crate) fn end(name: &'static Name) {
    if name.number.is_some() {
        with_thread(|thread, listener| thread.end(name, listener));
    }
}

fn with_thread(act: impl FnOnce(&mut Thread, &'static Listener)) {
    let Some(listener) = listener() else { return };
    let acted = THREAD.try_with(|thread| {
        let mut thread = thread.try_borrow_mut().ok()?;
        thread.settle(listener);
        act(&mut thread, listener);
        Some(())
    });
    if !matches!(acted, Ok(Some(()))) {
        count(&listener.head.reentered);
    }
}

impl Thread {
    const fn new() -> Self {
        Self { pid: 0, tid: 0, entered: 0, own: Vec::new(), counters: Counters::none() }
    }

    /// Starts over if the process is not the one of the last call: in a new thread, and in the child of a fork. The
    /// child still knows which regions were open, so that ending them is no mistake. Its inherited counters count the
    /// parent and are dropped.
    fn settle(&mut self, listener: &'static Listener) {
        let pid = listener.pid();
        if pid == self.pid {
            return;
        }
        self.counters = Counters::open(listener.head);
        (self.pid, self.tid) = (pid, sys::thread_id());
        for own in self.own.iter_mut().flatten() {
            *own = Own { inherited: own.inherited + own.depth, ..Own::new() };
        }
    }

    /// The thread's entry for this region, with a slot if one is free.
    fn own(&mut self, name: &Name, listener: &'static Listener) -> &mut Own {
        let index = name.number.unwrap_or(0) as usize;
        if index >= self.own.len() {
            self.own.resize_with(index + 1, || None);
        }
        let (pid, tid) = (self.pid, self.tid);
        let own = self.own[index].get_or_insert_with(Own::new);
        if own.slot.is_none() {
            own.slot = listener.claim().inspect(|slot| slot.take(pid, tid, name.text));
        }
        own
    }

    fn begin(&mut self, name: &Name, listener: &'static Listener) {
        let main = self.pid == self.tid;
        let entry = self.entered + 1;
        let own = self.own(name, listener);
        own.calls += 1;
        own.depth += 1;
        if own.slot.is_none() {
            count(&listener.head.native_lost);
        }
        if own.depth > 1 {
            return;
        }
        own.entry = entry;
        self.entered = entry;
        let index = name.number.unwrap_or(0) as usize;
        let Some(Some(own)) = self.own.get_mut(index) else { return };
        own.begin = Stamp::at_begin(main, || self.counters.read(listener.head, &mut own.counted));
        if let Some(slot) = own.slot {
            // Relaxed: it is read when the thread has ended, or at a moment like any other.
            slot.open_since_ns.store(own.begin.wall_ns, Ordering::Relaxed);
        }
    }

    /// Whether this end belongs to a begin before the fork.
    fn ends_inherited(&mut self, index: usize) -> bool {
        let Some(Some(own)) = self.own.get_mut(index) else { return false };
        let inherited = own.depth == 0 && own.inherited > 0;
        own.inherited -= u32::from(inherited);
        inherited
    }

    fn end(&mut self, name: &Name, listener: &'static Listener) {
        let end_ns = sys::now_ns();
        let main = self.pid == self.tid;
        let index = name.number.unwrap_or(0) as usize;
        if self.ends_inherited(index) {
            return;
        }
        let entry = self.own(name, listener).entry;
        let later = |other: &Own| other.depth > 0 && other.entry > entry;
        let crossed = entry < self.entered && self.own.iter().flatten().any(later);
        let Some(Some(own)) = self.own.get_mut(index) else { return };
        match own.depth {
            0 => own.fault(|slot| &slot.unmatched_ends),
            1 => {
                let counted = self.counters.since(listener.head, &own.counted);
                let spent = own.begin.until_now(main);
                if crossed {
                    own.fault(|slot| &slot.crossed_ends);
                }
                if let Some(slot) = own.slot {
                    slot.add(own.calls, own.begin.wall_ns, end_ns, spent, &counted[..self.counters.len()]);
                }
                (own.depth, own.calls) = (0, 0);
            }
            _ => own.depth -= 1,
        }
    }
}

impl Own {
    fn new() -> Self {
        let counted = [Reading::default(); EVENTS];
        Self { slot: None, depth: 0, inherited: 0, calls: 0, entry: 0, begin: Stamp::default(), counted }
    }

    fn fault(&self, counter: impl Fn(&Slot) -> &AtomicU32) {
        if let Some(slot) = self.slot {
            counter(slot).fetch_add(1, Ordering::Relaxed);
        }
    }
}

impl Stamp {
    /// Reads the wall clock last, and at the end first: reading CPU time is a system call, which is not part of the
    /// region. Counters are read in between, since they count instructions and the CPU clocks do not.
    fn at_begin(main: bool, count: impl FnOnce()) -> Self {
        let process_ns = if main { sys::process_cpu_ns() } else { 0 };
        let thread_ns = sys::thread_cpu_ns();
        count();
        Self { wall_ns: sys::now_ns(), thread_ns, process_ns }
    }

    fn until_now(self, main: bool) -> Spent {
        let thread_ns = sys::thread_cpu_ns().saturating_sub(self.thread_ns);
        let process_ns = if main { sys::process_cpu_ns().saturating_sub(self.process_ns) } else { 0 };
        Spent { thread_ns, process_ns }
    }
}
