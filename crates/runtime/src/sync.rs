//! Threads and atomics from one of three sources: the standard library, loom (every interleaving and every outcome that
//! the orderings allow, of small models), shuttle (random schedules of the whole runtime, from a seed).

#[cfg(knee_loom)]
mod source {
    pub(crate) use loom::cell::UnsafeCell;
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

/// A cell with the interface of loom's, which sees every access.
#[cfg(not(knee_loom))]
pub(crate) struct UnsafeCell<T>(std::cell::UnsafeCell<T>);

#[cfg(not(knee_loom))]
impl<T> UnsafeCell<T> {
    pub(crate) const fn new(value: T) -> Self {
        Self(std::cell::UnsafeCell::new(value))
    }

    #[inline]
    pub(crate) fn with<R>(&self, read: impl FnOnce(*const T) -> R) -> R {
        read(self.0.get())
    }

    #[inline]
    pub(crate) fn with_mut<R>(&self, write: impl FnOnce(*mut T) -> R) -> R {
        write(self.0.get())
    }
}

/// Whether a model checker schedules the threads: time means nothing there, and spinning only makes more schedules.
pub(crate) const MODEL: bool = cfg!(any(knee_loom, knee_shuttle));

/// Runs `work`; if it panics, `guard` is dropped, else forgotten.
#[cfg(not(any(knee_loom, knee_shuttle)))]
#[inline]
pub(crate) fn guarded<R>(guard: impl Sized, work: impl FnOnce() -> R) -> R {
    let result = work();
    std::mem::forget(guard);
    result
}

/// The same in model checkers, whose threads share one thread of the system: while one unwinds, no other may go on.
#[cfg(any(knee_loom, knee_shuttle))]
pub(crate) fn guarded<R>(guard: impl Sized, work: impl FnOnce() -> R) -> R {
    match std::panic::catch_unwind(std::panic::AssertUnwindSafe(work)) {
        Ok(result) => {
            std::mem::forget(guard);
            result
        }
        Err(payload) => {
            drop(guard);
            std::panic::resume_unwind(payload)
        }
    }
}

/// A value on two cache lines of its own, since processors fetch lines in pairs.
#[derive(Debug, Default)]
#[repr(align(128))]
pub(crate) struct Alone<T>(pub(crate) T);

impl<T> std::ops::Deref for Alone<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

/// Where one thread sleeps until another wakes it. A wake that comes first is remembered, several count as one. The three
/// states of the standard library's parker, on a word that needs no handle of the thread.
#[derive(Debug)]
pub(crate) struct Parker {
    state: AtomicU32,
    futex: Futex,
}

const EMPTY: u32 = 0;
const WOKEN: u32 = 1;
const ASLEEP: u32 = 2;

impl Parker {
    pub(crate) fn new() -> Self {
        Self { state: AtomicU32::new(EMPTY), futex: Futex::new() }
    }

    /// Sleeps until woken. Only one thread may park here.
    pub(crate) fn park(&self) {
        // The state is EMPTY or WOKEN, never ASLEEP. Acquire where it is WOKEN, and below, pairs with the Release in
        // `unpark`.
        if self.state.compare_exchange(EMPTY, ASLEEP, Ordering::Relaxed, Ordering::Acquire).is_ok() {
            while self.state.load(Ordering::Acquire) == ASLEEP {
                self.futex.wait(&self.state, ASLEEP);
            }
        }
        // Not a store: a second wake may have come, and what was done before it is to be seen as well.
        self.state.swap(EMPTY, Ordering::Acquire);
    }

    /// Wakes the sleeper. It sees everything that was done before.
    pub(crate) fn unpark(&self) {
        if self.state.swap(WOKEN, Ordering::Release) == ASLEEP {
            self.futex.wake(&self.state);
        }
    }
}

#[cfg(not(any(knee_loom, knee_shuttle)))]
mod futex {
    use super::AtomicU32;
    use rustix::thread::futex;

    /// The kernel's.
    #[derive(Debug)]
    pub(super) struct Futex;

    impl Futex {
        pub(super) fn new() -> Self {
            Self
        }

        #[expect(clippy::unused_self, reason = "a model's has a state")]
        pub(super) fn wait(&self, word: &AtomicU32, expected: u32) {
            // An error is an interrupted sleep or a wake that came first: the word says which.
            let _ = futex::wait(word, futex::Flags::PRIVATE, expected, None);
        }

        #[expect(clippy::unused_self, reason = "a model's has a state")]
        pub(super) fn wake(&self, word: &AtomicU32) {
            let _ = futex::wake(word, futex::Flags::PRIVATE, 1);
        }
    }
}

#[cfg(any(knee_loom, knee_shuttle))]
mod futex {
    use super::{AtomicU32, Condvar, Mutex, Ordering};

    /// The kernel's futex for model checkers: a wait checks the word and falls asleep in one step, as far as wakes can
    /// tell.
    #[derive(Debug)]
    pub(super) struct Futex {
        lock: Mutex<()>,
        woken: Condvar,
    }

    impl Futex {
        pub(super) fn new() -> Self {
            Self { lock: Mutex::new(()), woken: Condvar::new() }
        }

        pub(super) fn wait(&self, word: &AtomicU32, expected: u32) {
            let lock = self.lock.lock().expect("no holder panics");
            if word.load(Ordering::Relaxed) == expected {
                drop(self.woken.wait(lock).expect("no holder panics"));
            }
        }

        pub(super) fn wake(&self, _word: &AtomicU32) {
            let _lock = self.lock.lock().expect("no holder panics");
            self.woken.notify_one();
        }
    }
}

use futex::Futex;
