//! The kernel's interface for counters (open, enable, disable, read); tests replace it.

use std::io;

use super::pmu::Encoding;

/// A counter that was opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Handle(pub usize);

/// Who is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Target {
    /// Programs that the calling thread starts from now on, each from its exec, with all threads and children.
    Descendants,
    /// The calling thread.
    Caller,
    /// Everything that runs on this cpu, or the box of the machine that this cpu answers for.
    Cpu(u32),
}

/// How a counter is opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Opening {
    /// Who is counted.
    pub target: Target,
    /// The leader of the group with which it shares time on the hardware.
    pub leader: Option<Handle>,
    /// Exclude the kernel.
    pub user_only: bool,
}

impl Opening {
    /// Alone, including the kernel.
    #[must_use]
    pub fn of(target: Target) -> Self {
        Self { target, leader: None, user_only: false }
    }
}

/// What a read gives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Raw {
    /// Events counted.
    pub count: u64,
    /// Time in which they were to be counted.
    pub enabled_ns: u64,
    /// Time in which they were.
    pub running_ns: u64,
}

/// The kernel, or a stand-in for tests.
pub trait Kernel {
    /// Opens a counter, switched off.
    ///
    /// # Errors
    /// The kernel's, with its number.
    fn open(&mut self, event: &Encoding, how: Opening) -> io::Result<Handle>;

    /// Switches a counter on; not needed for descendants, whose exec does so.
    ///
    /// # Errors
    /// The kernel's.
    fn enable(&mut self, counter: Handle) -> io::Result<()>;

    /// Switches a counter off.
    ///
    /// # Errors
    /// The kernel's.
    fn disable(&mut self, counter: Handle) -> io::Result<()>;

    /// Reads a counter.
    ///
    /// # Errors
    /// The kernel's.
    fn read(&mut self, counter: Handle) -> io::Result<Raw>;
}

impl<K: Kernel + ?Sized> Kernel for &mut K {
    fn open(&mut self, event: &Encoding, how: Opening) -> io::Result<Handle> {
        (**self).open(event, how)
    }
    fn enable(&mut self, counter: Handle) -> io::Result<()> {
        (**self).enable(counter)
    }
    fn disable(&mut self, counter: Handle) -> io::Result<()> {
        (**self).disable(counter)
    }
    fn read(&mut self, counter: Handle) -> io::Result<Raw> {
        (**self).read(counter)
    }
}
