//! Seals the entries of a ship's logbooks by the sponge of SHA-3, and adds up all seals.
//!
//! Spinning. The dial is the share of the entries that belong to the official log. It has one page open and is kept in
//! the order of the watch, so a mate works out such an entry's seal on the page, at its turn; all other entries are
//! sealed on loose sheets. Mates take the next entry from a counter. A mate whose entry is not yet the next of the
//! official log looks at the number of its last entry again and again until it is; nobody sleeps. A seal takes
//! some 15 us.
mod work;

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::{Acquire, Relaxed, Release}};

const BLOCKS: usize = 12;
const TURNS: [u32; 24] = [1, 3, 6, 10, 15, 21, 28, 36, 45, 55, 2, 14, 27, 41, 56, 8, 25, 43, 62, 18, 39, 61, 20, 44];
const LANES: [usize; 24] = [10, 7, 11, 17, 18, 3, 5, 16, 8, 21, 24, 4, 15, 23, 19, 13, 12, 2, 20, 14, 22, 9, 6, 1];

/// The permutation of Keccak, with the round's number for its constant.
fn permute(lanes: &mut [u64; 25]) {
    for round in 0..24 {
        let columns: [u64; 5] = std::array::from_fn(|x| (0..5).fold(0, |sum, y| sum ^ lanes[x + 5 * y]));
        for (at, lane) in lanes.iter_mut().enumerate() {
            *lane ^= columns[(at + 4) % 5] ^ columns[(at + 1) % 5].rotate_left(1);
        }
        let mut carried = lanes[1];
        for (&lane, &turn) in LANES.iter().zip(&TURNS) {
            (lanes[lane], carried) = (carried.rotate_left(turn), lanes[lane]);
        }
        for row in lanes.chunks_exact_mut(5) {
            let old: [u64; 5] = std::array::from_fn(|x| row[x]);
            for x in 0..5 {
                row[x] = old[x] ^ (!old[(x + 1) % 5] & old[(x + 2) % 5]);
            }
        }
        lanes[0] ^= 1 << round;
    }
}

fn seal(entry: usize) -> u64 {
    let mut lanes = [0u64; 25];
    let mut text = entry as u64;
    for _ in 0..BLOCKS {
        for lane in &mut lanes[..16] {
            text = text.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            *lane ^= text >> 16;
        }
        permute(&mut lanes);
    }
    lanes[0]
}

#[repr(align(128))]
struct Apart<T>(T);

fn main() {
    let asked = work::arguments();
    // For each entry, how many entries of the official log come before it.
    let mut official = 0;
    let places: Vec<usize> = (0..asked.work)
        .map(|entry| {
            official += usize::from(asked.picks(entry));
            official
        })
        .collect();
    let next = Apart(AtomicUsize::new(0));
    let sealed = Apart(AtomicUsize::new(0));
    let page = Apart(AtomicU64::new(0));
    let sum = asked.in_threads(|_| {
        let mut sum = 0u64;
        loop {
            let entry = next.0.fetch_add(1, Relaxed);
            if entry >= asked.work {
                return sum;
            }
            if asked.picks(entry) {
                let place = places[entry];
                while sealed.0.load(Acquire) != place - 1 {
                    std::hint::spin_loop();
                }
                page.0.store(page.0.load(Relaxed).wrapping_add(seal(entry)), Relaxed);
                sealed.0.store(place, Release);
            } else {
                sum = sum.wrapping_add(seal(entry));
            }
        }
    });
    let sum = sum.wrapping_add(page.0.into_inner());
    println!("{sum:016x}");
}
