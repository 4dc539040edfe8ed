//! The naive Fibonacci function with a fork at every call: measures the cost of a fork.

use knee_workload::{Args, Check, Error, Param, Phases, Run, Team, Workload};

use crate::number;
use crate::rehearse::{REHEARSE, SEED};
use crate::scheduler::{Fork, RUNTIME, Scheduler, on};

pub(crate) struct Fib;

impl Workload for Fib {
    fn name(&self) -> &'static str {
        "fib"
    }

    fn summary(&self) -> &'static str {
        "naive Fibonacci, one fork per call"
    }

    fn about(&self) -> &'static str {
        "**What it computes.** The Fibonacci number F(n) by its naive recursion. Every call above 1 forks one of its \
         halves: F(n+1) - 1 forks.\n\n\
         **What it stresses.** The scheduler alone: a task is one addition. Time over forks is the price of a fork; \
         time over that of the runtime `serial` is the work that forking adds.\n\n\
         **Where it should bend.** At the cores, where a spawned call stays private until another worker wants it. Where \
         every fork writes what other workers read, earlier, and across sockets at once.\n\n\
         **Source.** `fib` of the Cilk-5 examples (Frigo, Leiserson, Randall, PLDI 1998)."
    }

    fn phase(&self) -> &'static str {
        "calls"
    }

    fn params(&self) -> &'static [Param] {
        const PARAMS: &[Param] = &[number("n", "index of the Fibonacci number", "37"), RUNTIME, REHEARSE, SEED];
        PARAMS
    }

    fn prepare(&self, args: &Args, team: &Team, _: &mut Phases) -> Result<Box<dyn Run>, Error> {
        Ok(Box::new(Prepared { n: args.number("n", 0..=60)?, scheduler: Scheduler::start(args, team)? }))
    }
}

struct Prepared {
    n: u64,
    scheduler: Scheduler,
}

impl Run for Prepared {
    fn run(&mut self, phases: &mut Phases) -> String {
        on!(self.scheduler, phases, "calls", F => fib::<F>(self.n)).to_string()
    }

    fn check(&self, answer: &str) -> Check {
        let expected = by_addition(self.n).to_string();
        if answer == expected { Check::Right } else { Check::Wrong(expected) }
    }
}

pub(crate) fn fib<F: Fork>(n: u64) -> u64 {
    if n < 2 {
        return n;
    }
    let (left, right) = F::join(|| fib::<F>(n - 1), || fib::<F>(n - 2));
    left + right
}

/// The same number by n additions.
fn by_addition(n: u64) -> u64 {
    (0..n).fold((0, 1), |(low, high), _| (high, low + high)).0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trial;

    #[test]
    fn every_scheduler_finds_the_known_numbers() {
        for (n, known) in [(0, "0"), (1, "1"), (2, "1"), (10, "55"), (20, "6765")] {
            assert_eq!(trial::answer(&Fib, &format!("--n {n}")), known);
        }
        assert_eq!(by_addition(40), 102_334_155);
    }
}
