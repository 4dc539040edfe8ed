//! Naive Fibonacci with a threshold: counts its calls.

use knee_workload::{Args, Check, Error, Param, Phases, Run, Team, Workload};

use crate::number;
use crate::rehearse::{REHEARSE, SEED};
use crate::scheduler::{Fork, RUNTIME, Scheduler, on};

pub(crate) struct Parfib;

impl Workload for Parfib {
    fn name(&self) -> &'static str {
        "parfib"
    }

    fn summary(&self) -> &'static str {
        "naive Fibonacci, forked down to a threshold"
    }

    fn about(&self) -> &'static str {
        "**What it computes.** nfib(n), the number of calls that the naive Fibonacci function makes for n. Calls above \
         `threshold` fork one of their two halves.\n\n\
         **What it stresses.** Calls and integer additions in registers; below a small threshold, the cost of a fork.\n\n\
         **Where it should bend.** At the number of cores: siblings of a core share its issue slots, and this loop \
         leaves few of them empty. A low threshold bends it earlier, since every fork has a price.\n\n\
         **Source.** `parfib` of the parallel part of GHC's nofib suite."
    }

    fn phase(&self) -> &'static str {
        "calls"
    }

    fn params(&self) -> &'static [Param] {
        const PARAMS: &[Param] = &[
            number("n", "argument of nfib", "38"),
            number("threshold", "argument up to which calls do not fork", "20"),
            RUNTIME,
            REHEARSE,
            SEED,
        ];
        PARAMS
    }

    fn prepare(&self, args: &Args, team: &Team, _: &mut Phases) -> Result<Box<dyn Run>, Error> {
        let (n, threshold) = (args.number("n", 0..=80)?, args.number("threshold", 0..=80)?);
        Ok(Box::new(Prepared { n, threshold, scheduler: Scheduler::start(args, team)? }))
    }
}

struct Prepared {
    n: u64,
    threshold: u64,
    scheduler: Scheduler,
}

impl Run for Prepared {
    fn run(&mut self, phases: &mut Phases) -> String {
        let (n, threshold) = (self.n, self.threshold);
        let threshold = if self.scheduler.is_serial() { n } else { threshold };
        on!(self.scheduler, phases, "calls", F => forked::<F>(n, threshold)).to_string()
    }

    fn check(&self, answer: &str) -> Check {
        let expected = closed_form(self.n).to_string();
        if answer == expected { Check::Right } else { Check::Wrong(expected) }
    }
}

fn nfib(n: u64) -> u64 {
    if n < 2 { 1 } else { nfib(n - 1) + nfib(n - 2) + 1 }
}

fn forked<F: Fork>(n: u64, threshold: u64) -> u64 {
    if n <= threshold || n < 2 {
        return nfib(n);
    }
    let (left, right) = F::join(|| forked::<F>(n - 1, threshold), || forked::<F>(n - 2, threshold));
    left + right + 1
}

/// nfib(n) = 2 F(n+1) - 1, with Fibonacci numbers by addition.
fn closed_form(n: u64) -> u64 {
    let (mut low, mut high) = (0_u64, 1);
    for _ in 0..n {
        (low, high) = (high, low + high);
    }
    2 * high - 1
}
