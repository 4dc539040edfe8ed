//! False sharing: follows random prices, and adds what eight options with different strikes pay to totals of each thread.
//!
//! The dial is the share of the blocks of 200 paths whose totals are ordered by strike and then by thread, as an array
//! `totals[strike][thread]`: two threads then store to the same lines, but never to the same word. The totals of all other
//! blocks are ordered by thread, on lines of their own. The stores are plain instructions.
mod work;

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

const STEPS: usize = 16;
const BLOCK: usize = 200;
const STRIKES: usize = 8;
const THREADS: usize = 64;

#[repr(align(128))]
struct ByThread([AtomicU64; STRIKES]);

#[repr(align(128))]
struct ByStrike(Vec<AtomicU64>);

fn add(total: &AtomicU64, pay: u64) {
    total.store(total.load(Relaxed).wrapping_add(pay), Relaxed);
}

/// Where the price of a path ends: a walk that begins at 1000.
fn price(path: usize) -> u64 {
    let steps = work::unit(path, STEPS);
    1000 + u64::from((steps >> 20).count_ones()) * 8
}

fn main() {
    let asked = work::arguments();
    assert!(asked.threads <= THREADS);
    let zeros = |count: usize| (0..count).map(|_| AtomicU64::new(0)).collect::<Vec<_>>();
    let apart: Vec<ByThread> = (0..asked.threads).map(|_| ByThread([const { AtomicU64::new(0) }; STRIKES])).collect();
    let together = ByStrike(zeros(STRIKES * asked.threads + 32));
    asked.in_threads(|thread| {
        for block in asked.first(thread)..asked.first(thread + 1) {
            let picked = asked.picks(block);
            for path in block * BLOCK..(block + 1) * BLOCK {
                let price = price(path);
                for strike in 0..STRIKES {
                    let pay = price.saturating_sub(1100 + 20 * strike as u64);
                    let word = if picked {
                        &together.0[16 + strike * asked.threads + thread]
                    } else {
                        &apart[thread].0[strike]
                    };
                    add(word, pay);
                }
            }
        }
        0
    });
    let sum = |totals: &[AtomicU64]| totals.iter().fold(0u64, |sum, total| sum.wrapping_add(total.load(Relaxed)));
    println!("{:016x}", apart.iter().fold(sum(&together.0), |all, own| all.wrapping_add(sum(&own.0))));
}
