//! Marks the phases of any program, so that `knee run` records the time that each of them takes.
//!
//! ```
//! fn load() {
//!     let _region = knee_region::enter("load");
//!     // … until the end of the block.
//! }
//!
//! fn step() {
//!     // The name is looked up once, not at every call.
//!     let _region = knee_region::region!("step");
//! }
//! # load();
//! # step();
//! ```
//!
//! Regions belong to the thread that enters them, may be inside each other, and may be entered as often as one likes.
//! `knee_region.h` is the same for C and C++.
//!
//! **When nobody listens**, entering is one relaxed load and a branch that is never taken. Somebody listens where
//! `knee run` has put the name of a file into the variable `KNEE_REGIONS`.
//!
//! **When somebody listens**, every thread of every process has slots of its own in that file, which is mapped (see
//! [`mod@format`]). Nothing is locked and no thread waits for another one. A mistake in the program's own marks is counted
//! and reported, and never ends the program. A process that is killed leaves every call behind that was complete.

mod abi;
mod counters;
pub mod format;
mod listener;
mod names;
mod read;
mod sys;
mod thread;

use std::marker::PhantomData;
use std::sync::atomic::{AtomicPtr, Ordering};

use crate::names::Name;

pub use format::{Reading, blank};
pub use read::{Contents, Malformed, Use, read};

/// The variable that names the file.
pub const VARIABLE: &str = "KNEE_REGIONS";

/// A region that is known by name: entering it looks nothing up.
#[derive(Debug)]
pub struct Region {
    name: &'static str,
    /// Filled when it is entered for the first time while somebody listens. Two threads may both fill it, with the same:
    /// a lock could be left closed in the child of a fork.
    known: AtomicPtr<Name>,
}

impl Region {
    /// A region of this name. Two of the same name are the same region.
    #[must_use]
    pub const fn new(name: &'static str) -> Self {
        Self { name, known: AtomicPtr::new(std::ptr::null_mut()) }
    }

    /// Enters it until the guard is dropped.
    #[inline]
    pub fn enter(&self) -> Guard {
        Guard::new(|| self.known())
    }

    fn known(&self) -> &'static Name {
        // Acquire: pairs with the Release below, so the name is whole.
        sys::name_at(self.known.load(Ordering::Acquire)).unwrap_or_else(|| {
            let name = names::intern(self.name.as_bytes());
            self.known.store(std::ptr::from_ref(name).cast_mut(), Ordering::Release);
            name
        })
    }
}

/// Enters a region until the guard is dropped.
#[inline]
pub fn enter(name: &str) -> Guard {
    Guard::new(|| names::intern(name.as_bytes()))
}

/// Enters a region; [`end`] leaves it. For code whose regions do not follow its blocks.
#[inline]
pub fn begin(name: &str) {
    if !listener::silent() {
        thread::begin(names::intern(name.as_bytes()));
    }
}

/// Leaves a region that this thread has entered with [`begin`].
#[inline]
pub fn end(name: &str) {
    if !listener::silent() {
        thread::end(names::intern(name.as_bytes()));
    }
}

/// Enters the region of a name that does not change, until the guard is dropped.
#[macro_export]
macro_rules! region {
    ($name:expr) => {{
        static REGION: $crate::Region = $crate::Region::new($name);
        REGION.enter()
    }};
}

/// A region that was entered; dropping it leaves the region.
#[derive(Debug)]
#[must_use = "the region ends where this is dropped"]
pub struct Guard {
    name: Option<&'static Name>,
    /// A thread leaves what it has entered itself: the guard stays with it.
    here: PhantomData<*const ()>,
}

impl Guard {
    #[inline]
    fn new(name: impl FnOnce() -> &'static Name) -> Self {
        let name = if listener::silent() { None } else { Some(name()) };
        if let Some(name) = name {
            thread::begin(name);
        }
        Self { name, here: PhantomData }
    }
}

impl Drop for Guard {
    #[inline]
    fn drop(&mut self) {
        if let Some(name) = self.name {
            thread::end(name);
        }
    }
}
