//! Spinning: sums short units of arithmetic, some of them under a lock that spins.
//!
//! The dial is the share of the units that are computed under the lock. A unit takes about 2 us, a thread that finds the
//! lock taken reads it until it is free, and nobody sleeps.
mod work;

use std::sync::atomic::{AtomicBool, Ordering::{Acquire, Relaxed, Release}};

const STEPS: usize = 1_500;

fn main() {
    let asked = work::arguments();
    let taken = AtomicBool::new(false);
    let sum = asked.in_threads(|thread| {
        let mut sum = 0u64;
        for i in asked.first(thread)..asked.first(thread + 1) {
            let locked = asked.picks(i);
            while locked && taken.swap(true, Acquire) {
                while taken.load(Relaxed) {
                    std::hint::spin_loop();
                }
            }
            sum = sum.wrapping_add(work::unit(i, STEPS));
            if locked {
                taken.store(false, Release);
            }
        }
        sum
    });
    println!("{sum:016x}");
}
