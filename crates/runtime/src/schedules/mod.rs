//! Whole pools under shuttle, in random schedules and in those that probabilistic concurrency testing picks (PCT, Burckhardt
//! et al., ASPLOS 2010). A lost wake is a deadlock, which shuttle reports.
//!
//! `KNEE_SCHEDULES` says how many seeds each test tries; a failure says its seed, and `KNEE_SEED` runs that one alone.

mod mixed;
mod places;

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;

use shuttle::scheduler::{PctScheduler, RandomScheduler};
use shuttle::{Config, Runner};

use crate::neighbours::Neighbours;
use crate::{Builder, Pool};

/// Schedules of one seed, for each of the two schedulers. PCT learns from the first ones how long they are.
const ROUNDS: usize = 10;

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok().and_then(|text| text.parse().ok())
}

/// Runs `test` in many schedules.
fn explore(test: impl Fn() + Send + Sync + 'static) {
    let test = Arc::new(test);
    let seeds = number("KNEE_SEED").map_or(0..number("KNEE_SCHEDULES").unwrap_or(20), |seed| seed..seed + 1);
    for seed in seeds {
        let run = |pct: bool| {
            let test = Arc::clone(&test);
            let mut config = Config::new();
            // A panic that prints its backtrace needs a large stack.
            config.stack_size = 1 << 20;
            if pct {
                let depth = 2 + usize::try_from(seed % 3).expect("small");
                Runner::new(PctScheduler::new_from_seed(seed, depth, ROUNDS), config).run(move || test());
            } else {
                Runner::new(RandomScheduler::new_from_seed(seed, ROUNDS), config).run(move || test());
            }
        };
        for pct in [false, true] {
            if let Err(payload) = catch_unwind(AssertUnwindSafe(|| run(pct))) {
                eprintln!("fails with KNEE_SEED={seed}{}", if pct { " (PCT)" } else { "" });
                resume_unwind(payload);
            }
        }
    }
}

/// Worker i stands on node `nodes[i]`.
fn on(nodes: &[u32]) -> Builder {
    Pool::builder().workers(nodes.len()).neighbours(Neighbours::of_nodes(nodes))
}

fn fib(n: u32) -> u32 {
    if n < 2 {
        return n;
    }
    let (a, b) = crate::join(|| fib(n - 1), || fib(n - 2));
    a + b
}
