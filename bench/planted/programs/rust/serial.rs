//! Serial part: computes units of arithmetic in threads, and then more of them in main, as a merge at the end would.
//!
//! The dial is the share of the units that are left for main. All other units are divided evenly among the threads,
//! which share no data and take no lock.
mod work;

const STEPS: usize = 20_000;

fn sum(units: std::ops::Range<usize>) -> u64 {
    units.fold(0, |sum, i| sum.wrapping_add(work::unit(i, STEPS)))
}

fn main() {
    let asked = work::arguments();
    let divided = ((1.0 - asked.dial) * asked.work as f64) as usize;
    let part = |thread: usize| divided * thread / asked.threads;
    let threads = asked.in_threads(|thread| sum(part(thread)..part(thread + 1)));
    println!("{:016x}", threads.wrapping_add(sum(divided..asked.work)));
}
