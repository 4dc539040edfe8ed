//! Sum of Euler's totient, counted by brute force.

use std::ops::Range;

use knee_workload::{Args, Check, Error, Param, Phases, Run, Team, Workload};

use crate::number;
use crate::rehearse::{REHEARSE, SEED};
use crate::scheduler::{Fork, RUNTIME, Scheduler, on};

pub(crate) struct Sumeuler;

impl Workload for Sumeuler {
    fn name(&self) -> &'static str {
        "sumeuler"
    }

    fn summary(&self) -> &'static str {
        "sum of Euler's totient over 1..n, by counting coprime numbers"
    }

    fn about(&self) -> &'static str {
        "**What it computes.** The sum of phi(k) for k = 1..n, where phi(k) counts the numbers below k that are coprime \
         to it, each by Euclid's algorithm. Chunks of `chunk` numbers are one task.\n\n\
         **What it stresses.** Integer division; no memory. Tasks grow with k, so the last chunks are the longest.\n\n\
         **Where it should bend.** Not before all cores are busy. With SMT the division unit is shared by siblings. \
         A large `chunk` makes the tail uneven.\n\n\
         **Source.** `sumeuler` of the parallel part of GHC's nofib suite."
    }

    fn phase(&self) -> &'static str {
        "sum"
    }

    fn params(&self) -> &'static [Param] {
        const PARAMS: &[Param] = &[
            number("n", "largest number", "8000"),
            number("chunk", "numbers per task", "100"),
            RUNTIME,
            REHEARSE,
            SEED,
        ];
        PARAMS
    }

    fn prepare(&self, args: &Args, team: &Team, _: &mut Phases) -> Result<Box<dyn Run>, Error> {
        let n = u32::try_from(args.number("n", 1..=1_000_000)?).expect("inside the range");
        let chunk = u32::try_from(args.number("chunk", 1..=1_000_000)?).expect("inside the range");
        Ok(Box::new(Prepared { n, chunk, scheduler: Scheduler::start(args, team)? }))
    }
}

struct Prepared {
    n: u32,
    chunk: u32,
    scheduler: Scheduler,
}

impl Run for Prepared {
    fn run(&mut self, phases: &mut Phases) -> String {
        let chunk = if self.scheduler.is_serial() { self.n } else { self.chunk };
        on!(self.scheduler, phases, "sum", F => sum::<F>(1..self.n + 1, chunk)).to_string()
    }

    fn check(&self, answer: &str) -> Check {
        let expected = sieved(self.n).to_string();
        if answer == expected { Check::Right } else { Check::Wrong(expected) }
    }
}

/// The sum over some numbers, halved at ends of chunks.
fn sum<F: Fork>(numbers: Range<u32>, chunk: u32) -> u64 {
    let chunks = (numbers.end - numbers.start).div_ceil(chunk);
    if chunks <= 1 {
        return numbers.map(totient).sum();
    }
    let middle = numbers.start + chunks / 2 * chunk;
    let (low, high) = F::join(|| sum::<F>(numbers.start..middle, chunk), || sum::<F>(middle..numbers.end, chunk));
    low + high
}

fn totient(k: u32) -> u64 {
    (1..=k).filter(|&other| coprime(k, other)).count() as u64
}

fn coprime(mut a: u32, mut b: u32) -> bool {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a == 1
}

/// The same sum by Euler's product over a sieve.
fn sieved(n: u32) -> u64 {
    let mut phi: Vec<u64> = (0..=u64::from(n)).collect();
    for k in 2..phi.len() {
        if phi[k] == k as u64 {
            for multiple in (k..phi.len()).step_by(k) {
                phi[multiple] -= phi[multiple] / k as u64;
            }
        }
    }
    phi[1..].iter().sum()
}
