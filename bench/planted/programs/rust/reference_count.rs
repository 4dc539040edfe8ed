//! True sharing: sums short units of arithmetic, each with a value that is counted by its references.
//!
//! The dial is the share of the blocks of 500 units that clone and drop the one `Arc` of all threads; all others clone
//! one of the thread's own, on its own cache line.
mod work;

use std::hint::black_box;
use std::sync::Arc;

const STEPS: usize = 12;
const BLOCK: usize = 500;

#[repr(align(128))]
struct Value(u64);

fn main() {
    let asked = work::arguments();
    let shared = Arc::new(Value(1));
    let sum = asked.in_threads(|thread| {
        let own = Arc::new(Value(1));
        let mut sum = 0u64;
        for block in asked.first(thread)..asked.first(thread + 1) {
            let value = if asked.picks(block) { &shared } else { &own };
            for i in block * BLOCK..(block + 1) * BLOCK {
                let held = black_box(Arc::clone(value));
                sum = sum.wrapping_add(work::unit(i, STEPS) | held.0);
            }
        }
        sum
    });
    println!("{sum:016x}");
}
