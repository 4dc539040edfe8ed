//! Marks phases of a program, so that `knee run` records the time of each.
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
//! Regions belong to the thread that enters them, may be nested, and may be entered any number of times.
//! `knee_region.h` is the same for C and C++.
//!
//! Workers may also publish running counters, numbers that only grow, so that they can be drawn over time:
//!
//! ```
//! fn chunk(found: u64) {
//!     knee_region::counter!("matches").add(found);
//! }
//! # chunk(3);
//! ```
//!
//! **Without a listener**, entering is one relaxed load and a branch that is never taken. There is a listener if `knee
//! run` has put the name of a file into the variable `KNEE_REGIONS`.
//!
//! **With a listener**, every thread of every process has its own slots in that file, which is mapped (see
//! [`mod@format`]). Nothing is locked and no thread waits for another one. A mistake in the program's own marks is
//! counted and reported, and never ends the program. The complete calls of a killed process are kept.

mod abi;
mod counters;
pub mod format;
mod listener;
mod names;
mod published;
mod read;
mod sys;
mod thread;
mod totals;

use std::marker::PhantomData;

use crate::names::{KnownName, Name};

pub use format::{Reading, blank};
pub use read::{Contents, Malformed, Use, read};
pub use totals::Totals;

/// The variable that names the file.
pub const VARIABLE: &str = "KNEE_REGIONS";

/// A region whose name was looked up.
#[derive(Debug)]
pub struct Region(KnownName);

impl Region {
    /// A region of this name. Equal names are the same region.
    #[must_use]
    pub const fn new(name: &'static str) -> Self {
        Self(KnownName::new(name))
    }

    /// Enters it until the guard is dropped.
    #[inline]
    pub fn enter(&self) -> Guard {
        Guard::new(|| self.0.get())
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

/// A running counter whose name was looked up.
#[derive(Debug)]
pub struct Counter(KnownName);

impl Counter {
    /// A counter of this name. Counters of the same name have one sum.
    #[must_use]
    pub const fn new(name: &'static str) -> Self {
        Self(KnownName::new(name))
    }

    /// Adds to the calling thread's count. Without a listener that is one load and a branch, else a few more: add once
    /// for each chunk of work, and never in a signal handler, whose additions may be lost.
    #[inline]
    pub fn add(&self, more: u64) {
        if !listener::silent() {
            published::add(self.0.get(), more);
        }
    }
}

/// Adds to the running counter of this name.
#[inline]
pub fn count(name: &str, more: u64) {
    if !listener::silent() {
        published::add(names::intern(name.as_bytes()), more);
    }
}

/// The running counter of a name that does not change.
#[macro_export]
macro_rules! counter {
    ($name:expr) => {{
        static COUNTER: $crate::Counter = $crate::Counter::new($name);
        &COUNTER
    }};
}

/// Whether there is a listener. It does not change while the program runs.
#[must_use]
pub fn listening() -> bool {
    !listener::silent()
}

/// A region that was entered; dropping it leaves the region.
#[derive(Debug)]
#[must_use = "the region ends where this is dropped"]
pub struct Guard {
    name: Option<&'static Name>,
    /// Not `Send`: a region is left by the thread that entered it.
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
