//! Sleeping lock: sums units of arithmetic, some of them as the one writer of a `RwLock`.
//!
//! The dial is the share of the units that are computed by the writer. A unit takes about 25 us, far longer than the
//! lock spins, so a thread that finds it taken sleeps.
mod work;

use std::sync::RwLock;

const STEPS: usize = 20_000;

fn main() {
    let asked = work::arguments();
    let total = RwLock::new(0u64);
    let rest = asked.in_threads(|thread| {
        let mut sum = 0u64;
        for i in asked.first(thread)..asked.first(thread + 1) {
            if asked.picks(i) {
                let mut total = total.write().unwrap();
                *total = total.wrapping_add(work::unit(i, STEPS));
            } else {
                sum = sum.wrapping_add(work::unit(i, STEPS));
            }
        }
        sum
    });
    println!("{:016x}", rest.wrapping_add(total.into_inner().unwrap()));
}
