//! Duplicated work: sums values that threads look up in one table, and compute where none is stored yet.
//!
//! The dial is the share of the values that all threads need, in the same order; all others are those of one thread. A
//! thread that finds no value computes it without telling the others, so those that run at the same time compute the
//! same one.
mod work;

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

const STEPS: usize = 40_000;

fn main() {
    let asked = work::arguments();
    let shared = (asked.dial * asked.work as f64) as usize;
    let table: Vec<AtomicU64> = (0..shared).map(|_| AtomicU64::new(0)).collect();
    let rest = asked.work - shared;
    let sum = asked.in_threads(|thread| {
        let mut sum = 0u64;
        for (i, value) in table.iter().enumerate() {
            // No value is 0.
            if value.load(Relaxed) == 0 {
                value.store(work::unit(i, STEPS) | 1, Relaxed);
            }
            if i % asked.threads == thread {
                sum = sum.wrapping_add(value.load(Relaxed));
            }
        }
        let part = |thread: usize| shared + rest * thread / asked.threads;
        (part(thread)..part(thread + 1)).fold(sum, |sum, i| sum.wrapping_add(work::unit(i, STEPS) | 1))
    });
    println!("{sum:016x}");
}
