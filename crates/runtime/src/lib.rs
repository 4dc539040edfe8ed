//! A fork-join runtime that is cheap and knows where memory lives.
//!
//! Names are rayon's where they mean the same: [`join()`], [`scope()`], [`Pool::install`], [`Pool::broadcast`]. What is
//! new is *where*: workers are pinned to the cpus of a placement, thieves look nearby first ([`Steal::Near`]), and work
//! can be given a [`Place`]. The crate's README is the design: states, orderings, and why no wake-up is lost.

mod account;
mod build;
mod closing;
mod data;
mod deque;
mod domains;
mod frame;
mod homes;
mod idle;
mod inbox;
mod install;
#[cfg(feature = "rayon")]
mod iter;
mod job;
mod join;
mod loops;
mod mailbox;
#[cfg(all(test, knee_loom))]
mod models;
mod neighbours;
mod place;
mod policy;
mod pool;
mod rehearsal;
#[cfg(all(test, knee_shuttle))]
mod schedules;
mod scope;
mod sleepers;
mod slots;
#[cfg(all(test, not(any(knee_loom, knee_shuttle))))]
mod small;
mod spin;
mod split;
mod sync;
mod tally;
mod wait;
mod worker;

pub use account::Usage;
pub use build::Builder;
pub use data::{Arrangement, NumaVec, Pages, Reach};
pub use domains::join_over_sockets;
pub use homes::Layout;
#[cfg(feature = "rayon")]
pub use iter::{Driven, OnKnee};
pub use loops::{join_at, parallel_for, parallel_for_grain, reduce, reduce_leaves};
pub use neighbours::{Distance, Neighbours};
pub use place::Place;
pub use policy::{Near, Policy, Random, Steal, WithinDomain};
pub use pool::{Bind, CurrentWorker, Error, Install, Pool, Wait, current_worker};
pub use rehearsal::{Costs, Moved, Rehearsal};
pub use scope::{Scope, scope};
pub use tally::{touch, touch_rows};

use worker::Worker;

/// The pool for work outside any other pool: an unpinned worker for each cpu that this process may use, or as many as
/// `KNEE_NUM_THREADS` says.
///
/// # Panics
/// Where the first call cannot start so many workers.
#[cfg(not(any(knee_loom, knee_shuttle)))]
pub fn global() -> &'static Pool {
    static GLOBAL: std::sync::OnceLock<Pool> = std::sync::OnceLock::new();
    GLOBAL.get_or_init(|| {
        let asked =
            std::env::var("KNEE_NUM_THREADS").ok().and_then(|text| text.parse().ok()).filter(|&count| count > 0);
        let builder = asked.into_iter().fold(Pool::builder(), Builder::workers);
        let by = asked.map_or_else(String::new, |count| format!("KNEE_NUM_THREADS={count}: "));
        builder.build().unwrap_or_else(|error| panic!("{by}{error}"))
    })
}

#[cfg(any(knee_loom, knee_shuttle))]
fn global() -> &'static Pool {
    panic!("a model has no global pool")
}

/// Runs both closures, maybe at the same time, and returns both results. The first runs at once on this thread; the second
/// one too, unless another worker takes it meanwhile. Both inherit the place of the task that calls this.
///
/// A panic goes on with its payload when the other closure is done; if both panic, with the first one's.
#[expect(clippy::inline_always, reason = "as `Worker::join`")]
#[inline(always)]
pub fn join<A, B, RA, RB>(a: A, b: B) -> (RA, RB)
where
    A: FnOnce() -> RA + Send,
    B: FnOnce() -> RB + Send,
    RA: Send,
    RB: Send,
{
    match Worker::current() {
        Some(worker) => worker.join(a, b),
        None => outside(a, b),
    }
}

#[cold]
#[inline(never)]
fn outside<A, B, RA, RB>(a: A, b: B) -> (RA, RB)
where
    A: FnOnce() -> RA + Send,
    B: FnOnce() -> RB + Send,
    RA: Send,
    RB: Send,
{
    global().install(|| join(a, b))
}

/// The example of the README, compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct ReadmeExamples;
