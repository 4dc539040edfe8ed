//! Imbalance: in each of 20 rounds, threads sum units of arithmetic, the last thread more than the first.
//!
//! The dial d gives the last thread 1 + d times its fair part and the first 1 - d times. A round ends when all threads
//! have ended, so the one with more work is waited for 20 times. No data is shared.
mod work;

const STEPS: usize = 20_000;
const ROUNDS: usize = 20;

/// The share of the units before a thread's first: the sum of 1 - d (1 - 2 k / (n - 1)) over the threads k before it.
fn before(asked: &work::Asked, thread: usize) -> f64 {
    let (k, n) = (thread as f64, asked.threads as f64);
    if asked.threads == 1 {
        return k;
    }
    (k * (1.0 - asked.dial) + asked.dial * k * (k - 1.0) / (n - 1.0)) / n
}

fn main() {
    let asked = work::arguments();
    let count = asked.work / ROUNDS;
    let mut sum = 0u64;
    for round in 0..ROUNDS {
        let at = |thread: usize| round * count + (before(&asked, thread) * count as f64).round() as usize;
        let part = |thread| (at(thread)..at(thread + 1)).fold(0u64, |sum, i| sum.wrapping_add(work::unit(i, STEPS)));
        sum = sum.wrapping_add(asked.in_threads(part));
    }
    println!("{sum:016x}");
}
