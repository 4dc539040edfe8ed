//! False sharing: counts odd results of short units, each thread in words of its own.
//!
//! The dial is the share of the blocks of 500 counts that go to a word beside the words of other threads; all others go
//! to a word 16 words from the next. No word is ever used by two threads, and the counts are plain loads and stores.
mod work;

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

const STEPS: usize = 12;
const BLOCK: usize = 500;
const APART: usize = 16;

#[repr(align(128))]
struct Lines([AtomicU64; 64 * APART]);

fn count(word: &AtomicU64, odd: u64) {
    word.store(word.load(Relaxed) + odd, Relaxed);
}

fn main() {
    let asked = work::arguments();
    let lines = || Lines([const { AtomicU64::new(0) }; 64 * APART]);
    let (apart, together) = (lines(), lines());
    let sum = asked.in_threads(|thread| {
        let (apart, together) = (&apart.0[thread * APART], &together.0[thread]);
        for block in asked.first(thread)..asked.first(thread + 1) {
            let word = if asked.picks(block) { together } else { apart };
            for i in block * BLOCK..(block + 1) * BLOCK {
                count(word, work::unit(i, STEPS) >> 40 & 1);
            }
        }
        apart.load(Relaxed) + together.load(Relaxed)
    });
    println!("{sum:016x}");
}
