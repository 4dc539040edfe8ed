//! Threads and atomics from one of three sources: the standard library, loom (every interleaving and every outcome that
//! the orderings allow, of small models), shuttle (random schedules of the whole runtime, from a seed).

#[cfg(knee_loom)]
mod source {
    pub(crate) use loom::sync::atomic::{
        AtomicBool, AtomicI64, AtomicPtr, AtomicU32, AtomicU64, AtomicUsize, Ordering,
    };
    pub(crate) use loom::sync::{Condvar, Mutex};
    pub(crate) use loom::{hint, thread};
}

#[cfg(knee_shuttle)]
mod source {
    pub(crate) use shuttle::sync::atomic::{
        AtomicBool, AtomicI64, AtomicPtr, AtomicU32, AtomicU64, AtomicUsize, Ordering,
    };
    pub(crate) use shuttle::sync::{Condvar, Mutex};
    pub(crate) use shuttle::{hint, thread};
}

#[cfg(not(any(knee_loom, knee_shuttle)))]
mod source {
    pub(crate) use std::sync::Mutex;
    pub(crate) use std::sync::atomic::{AtomicBool, AtomicI64, AtomicPtr, AtomicU32, AtomicU64, AtomicUsize, Ordering};
    pub(crate) use std::{hint, thread};
}

pub(crate) use source::*;

/// Whether a model checker schedules the threads: time means nothing there, and spinning only makes more schedules.
pub(crate) const MODEL: bool = cfg!(any(knee_loom, knee_shuttle));

/// A value on cache lines of its own; two of them, since processors fetch lines in pairs.
#[derive(Debug, Default)]
#[repr(align(128))]
pub(crate) struct Alone<T>(pub(crate) T);

impl<T> std::ops::Deref for Alone<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

/// Where one thread sleeps until another wakes it. A wake that comes first is remembered, several count as one.
#[derive(Debug)]
pub(crate) struct Parker(imp::Parker);

impl Parker {
    pub(crate) fn new() -> Self {
        Self(imp::Parker::new())
    }

    /// Sleeps until woken. Only one thread may park here.
    pub(crate) fn park(&self) {
        self.0.park();
    }

    /// Wakes the sleeper. What was done before is seen by it.
    pub(crate) fn unpark(&self) {
        self.0.unpark();
    }
}

#[cfg(any(knee_loom, knee_shuttle))]
mod imp {
    use super::{Condvar, Mutex};

    #[derive(Debug)]
    pub(super) struct Parker {
        woken: Mutex<bool>,
        changed: Condvar,
    }

    impl Parker {
        pub(super) fn new() -> Self {
            Self { woken: Mutex::new(false), changed: Condvar::new() }
        }

        pub(super) fn park(&self) {
            let mut woken = self.woken.lock().expect("no holder panics");
            while !*woken {
                woken = self.changed.wait(woken).expect("no holder panics");
            }
            *woken = false;
        }

        pub(super) fn unpark(&self) {
            *self.woken.lock().expect("no holder panics") = true;
            self.changed.notify_one();
        }
    }
}

#[cfg(not(any(knee_loom, knee_shuttle)))]
mod imp {
    use super::{AtomicU32, Ordering};
    use rustix::thread::futex;

    const EMPTY: u32 = 0;
    const WOKEN: u32 = 1;
    const ASLEEP: u32 = 2;

    /// The three states of the standard library's parker, on a word that needs no handle of the thread.
    #[derive(Debug)]
    pub(super) struct Parker(AtomicU32);

    impl Parker {
        pub(super) fn new() -> Self {
            Self(AtomicU32::new(EMPTY))
        }

        pub(super) fn park(&self) {
            // Acquire pairs with the Release in `unpark`, here and below. The state is EMPTY or WOKEN, never ASLEEP.
            if self.0.compare_exchange(EMPTY, ASLEEP, Ordering::Acquire, Ordering::Acquire).is_ok() {
                while self.0.load(Ordering::Acquire) == ASLEEP {
                    // An error is an interrupted or late sleep: the state says which.
                    let _ = futex::wait(&self.0, futex::Flags::PRIVATE, ASLEEP, None);
                }
            }
            self.0.store(EMPTY, Ordering::Relaxed);
        }

        pub(super) fn unpark(&self) {
            if self.0.swap(WOKEN, Ordering::Release) == ASLEEP {
                let _ = futex::wake(&self.0, futex::Flags::PRIVATE, 1);
            }
        }
    }
}
