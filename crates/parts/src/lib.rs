//! A job in parts, for engines that run on several machines: descriptors travel, data never.
//!
//! A job is described in parts, one line of JSON for each; any machine that sees the data answers a part by itself, with a
//! line that says exactly what was found; and the lines of all parts are joined to the answer.
//!
//! A part may be answered twice, since engines repeat what seems lost, and in any order. What must not happen is that
//! parts of different jobs, of different data or of different versions are joined, or that one is missing: so each
//! line names its job, which has a hash of all that it is made of, its number, and how many parts there are. A line ends
//! with a checksum of itself, so that one that was changed on its way is refused.

mod gather;
mod line;

use std::fmt;

use knee_workload::Error;
use serde::{Deserialize, Serialize};
use twox_hash::XxHash3_64;

pub use gather::{Answered, gather};
pub use line::{checked, read};

/// The version that made a line. Others may mean something else by it.
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// What all parts of a job have in common.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Job<A> {
    knee: String,
    /// The hash of all of the job.
    fingerprint: String,
    /// How many parts there are.
    pub parts: usize,
    /// What is asked.
    #[serde(flatten)]
    pub asked: A,
}

impl<A: Serialize> Job<A> {
    /// A job that asks for something, of so many parts; `all` is what they are made of besides.
    pub fn new(asked: A, parts: usize, all: &impl Serialize) -> Self {
        let whole = line::text(&(VERSION, &asked, parts, all));
        let fingerprint = format!("{:016x}", XxHash3_64::oneshot(whole.as_bytes()));
        Self { knee: VERSION.to_owned(), fingerprint, parts, asked }
    }

    /// Refuses what another version wrote.
    ///
    /// # Errors
    /// Which version it is.
    pub fn own_version(&self) -> Result<(), Error> {
        if self.knee == VERSION { Ok(()) } else { Err(other_version(&self.knee)) }
    }
}

fn other_version(knee: &str) -> Error {
    let what = format!("the part is of knee {knee}, and this is knee {VERSION}");
    Error::new(what).hint("install the same version on all machines")
}

/// The verb whose job it is, such as `query`, for errors that name commands.
#[derive(Debug, Clone, Copy)]
pub struct Verb(pub &'static str);

impl fmt::Display for Verb {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "knee {}", self.0)
    }
}
