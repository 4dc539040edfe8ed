//! Memory bandwidth: sums units of arithmetic, and copies memory.
//!
//! The dial is the share of the units that copy 1 MiB instead, each from another place of 128 MiB, so nothing is found in
//! a cache. The memory is written before, so there are no page faults on the way.
mod work;

use std::hint::black_box;

const STEPS: usize = 60_000;
const UNIT: usize = 1 << 20;
const UNITS: usize = 128;

fn main() {
    let asked = work::arguments();
    let sum = asked.in_threads(|thread| {
        let units = UNITS / asked.threads;
        let mut memory = vec![1u8; 2 * units * UNIT];
        let (from, to) = memory.split_at_mut(units * UNIT);
        let mut sum = 0u64;
        for i in asked.first(thread)..asked.first(thread + 1) {
            if asked.picks(i) {
                let at = i % units * UNIT..(i % units + 1) * UNIT;
                to[at.clone()].copy_from_slice(&from[at.clone()]);
                sum += u64::from(black_box(&*to)[at.start]);
            } else {
                black_box(work::unit(i, STEPS));
                sum += 1;
            }
        }
        sum
    });
    println!("{sum:016x}");
}
