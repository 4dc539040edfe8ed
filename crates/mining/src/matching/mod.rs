//! Counting: what a question asks of which patterns, how each is counted, and the tasks that all share.

mod bitmaps;
mod choose;
mod counting;
mod explain;
mod explore;
mod formula;
mod marks;
mod options;
mod question;
mod reads;
mod roles;
mod search;
mod share;
mod terms;
mod work;

pub(crate) use counting::{By, How, Hows};
pub(crate) use options::Told;
pub use options::{Method, Order};
pub use question::Question;
pub(crate) use reads::{Lies, Readers};
pub(crate) use roles::{Of, Roles};
pub(crate) use search::{Found, Frequent, count, first, frequent};
pub(crate) use share::Share;

/// Why sums are wide enough; a larger one ends the program instead of being wrong.
const SMALL: &str = "counts are below 2^127";

fn vertex(number: usize) -> u32 {
    u32::try_from(number).expect("vertices fit 32 bits")
}
