//! Counting: what a question asks of which patterns, how each is counted, and the tasks that all share.

mod bitmaps;
mod choose;
mod counting;
mod explain;
mod explore;
mod formula;
mod marks;
mod options;
mod orbits;
mod question;
mod reads;
mod search;
mod share;
mod terms;
mod work;

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use knee_workload::Error;

pub(crate) use counting::{By, How, Hows};
pub(crate) use options::Told;
pub use options::{Method, Order};
pub(crate) use orbits::{Of, Orbits};
pub use question::Question;
pub(crate) use reads::{Lies, Readers};
pub(crate) use search::{Found, Frequent, count, exists, first, frequent};
pub(crate) use share::Share;

/// What ends counting where a number would be too large.
struct TooLarge;

/// A number that is small enough; counting ends where it is not.
#[inline]
fn small<T>(number: Option<T>) -> T {
    // Unlike a panic it prints nothing: `whole` says what happened.
    number.unwrap_or_else(|| resume_unwind(Box::new(TooLarge)))
}

/// What counting finds, unless some number is too large.
pub(crate) fn whole<R>(count: impl FnOnce() -> R) -> Result<R, Error> {
    catch_unwind(AssertUnwindSafe(count)).map_err(|cause| {
        if !cause.is::<TooLarge>() {
            resume_unwind(cause);
        }
        Error::new("cannot count so many copies: a number on the way to the answer is 2^127 or more")
            .hint("use a smaller pattern, or --plan auto if another plan is given")
    })
}

fn vertex(number: usize) -> u32 {
    u32::try_from(number).expect("vertices fit 32 bits")
}
