//! Running counters of a thread: the slots in which it publishes its counts so far.

use std::cell::RefCell;

use crate::format::CounterSlot;
use crate::listener::{Listener, count, listener};
use crate::names::Name;
use crate::sys;

thread_local! {
    static THREAD: RefCell<Thread> = const { RefCell::new(Thread { pid: 0, own: Vec::new() }) };
}

/// A thread's counters.
struct Thread {
    /// The process in which the rest is true; after a fork it is another one, which counts from 0.
    pid: i32,
    /// By number of the name.
    own: Vec<Own>,
}

#[derive(Clone, Copy)]
enum Own {
    /// Nothing was added yet.
    Unused,
    Slot(&'static CounterSlot),
    /// All slots were taken.
    Lost,
}

/// Adds to a counter of the calling thread.
#[inline(never)]
pub(crate) fn add(name: &'static Name, more: u64) {
    let Some(listener) = listener() else { return };
    let Some(number) = name.number else { return count(&listener.head.native_additions_lost) };
    let slot = THREAD.try_with(|thread| {
        let mut thread = thread.try_borrow_mut().ok()?;
        Some(thread.slot(number as usize, name, listener))
    });
    match slot {
        Ok(Some(Own::Slot(slot))) => slot.add(more),
        Ok(Some(_)) => count(&listener.head.native_additions_lost),
        // In a signal handler, or in a thread whose memory was freed.
        _ => count(&listener.head.reentered),
    }
}

impl Thread {
    fn slot(&mut self, index: usize, name: &Name, listener: &'static Listener) -> Own {
        let pid = listener.pid();
        if pid != self.pid {
            self.own.clear();
            self.pid = pid;
        }
        if index >= self.own.len() {
            self.own.resize(index + 1, Own::Unused);
        }
        let own = &mut self.own[index];
        if let Own::Unused = own {
            *own = listener.claim_counter().map_or(Own::Lost, |slot| {
                slot.take(pid, sys::thread_id(), name.text);
                Own::Slot(slot)
            });
        }
        *own
    }
}
