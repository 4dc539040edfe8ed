//! The interface between knee and built-in workloads.
//!
//! To add a workload, write one file that implements [`Workload`], and name it in its crate's `WORKLOADS`
//! (`docs/contributing/workload.md`); a new crate of workloads has one more line in `crates/knee/src/registry.rs`. Two lists
//! are shared by all: numbers that a workload counts are named in [`COUNTS`], words of a parameter `layout` in [`LAYOUTS`].
//!
//! A measured process prepares once and runs once. All its time is in a named phase or outside all phases; nothing is
//! subtracted afterwards.

mod args;
mod counter;
mod counts;
mod layout;
mod phases;
mod progress;
pub mod size;
mod team;

pub use args::{Args, Param, one_of};
pub use counter::{Counter, Publish, Publisher};
pub use counts::{COUNTS, Count};
pub use layout::{LAYOUTS, Layout};
pub use phases::{InKernel, Phase, Phases, Readings};
pub use progress::{Passes, Progress};
pub use team::{Bind, MOST_THREADS, Team};

/// Something that can be measured.
pub trait Workload: Sync {
    /// Its name on the command line.
    fn name(&self) -> &'static str;

    /// One line for lists.
    fn summary(&self) -> &'static str;

    /// Markdown with the headings *What it computes*, *What it stresses*, *Where it should bend* and *Source*.
    fn about(&self) -> &'static str;

    /// The phase that is the work itself, which a study measures by default.
    fn phase(&self) -> &'static str;

    /// Its parameters, with defaults.
    fn params(&self) -> &'static [Param];

    /// Whether it measures the machine: its output is a figure, which differs between runs, and each of its threads has a
    /// cpu to itself.
    fn measures(&self) -> bool {
        false
    }

    /// Reads arguments and input, and builds what the run needs.
    ///
    /// # Errors
    /// [`Error`] when an argument or an input is no good; the message says what, where and why.
    fn prepare(&self, args: &Args, team: &Team, phases: &mut Phases) -> Result<Box<dyn Run>, Error>;
}

/// A workload that is ready to run.
pub trait Run {
    /// Does the work, inside phases, and returns the answer as it is printed.
    fn run(&mut self, phases: &mut Phases) -> String;

    /// Why the work could not be done, where only the work itself finds out. Its answer then means nothing.
    fn failure(&self) -> Option<Error> {
        None
    }

    /// Compares the answer with one that was computed in another way.
    fn check(&self, answer: &str) -> Check;

    /// Facts about the input, or numbers that the run found, for the record, by name.
    fn facts(&self) -> Vec<(String, String)> {
        Vec::new()
    }
}

/// What a check found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Check {
    /// Another computation gave the same answer.
    Right,
    /// Another computation gave this.
    Wrong(String),
    /// No independent answer is known for these arguments.
    Unknown,
}

/// Why a workload could not be prepared.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Error {
    message: String,
    hint: Option<String>,
}

impl Error {
    /// An error in one line: what failed, which thing, the reason.
    pub fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), hint: None }
    }

    /// Adds the one thing to try.
    #[must_use]
    pub fn hint(self, hint: impl Into<String>) -> Self {
        Self { hint: Some(hint.into()), ..self }
    }

    /// The one thing to try.
    #[must_use]
    pub fn hinted(&self) -> Option<&str> {
        self.hint.as_deref()
    }
}
