//! Sleeping lock: sums units of arithmetic, some of them into a total behind the one `Mutex`.
//!
//! The dial is the share of the units that are computed while the lock is held. A unit takes about 50 us, far longer
//! than the lock spins, so a thread that finds it taken sleeps. A single thread takes it as often and never waits.
mod work;

use std::sync::Mutex;

const STEPS: usize = 40_000;

fn main() {
    let asked = work::arguments();
    let total = Mutex::new(0u64);
    let outside = asked.in_threads(|thread| {
        let mut sum = 0u64;
        for i in asked.first(thread)..asked.first(thread + 1) {
            if asked.picks(i) {
                let mut total = total.lock().unwrap();
                *total = total.wrapping_add(work::unit(i, STEPS));
            } else {
                sum = sum.wrapping_add(work::unit(i, STEPS));
            }
        }
        sum
    });
    println!("{:016x}", outside.wrapping_add(*total.lock().unwrap()));
}
