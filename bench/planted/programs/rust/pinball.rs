//! True sharing: a hall of pinball tables. Every ball falls through rows of pegs, and its slot is tallied.
//!
//! All players see one scoreboard. A ball that is on show adds its points to the board's total after every eighth row,
//! with one atomic addition; any other ball keeps its points in its thread until the end. The dial is the share of the
//! balls that are on show. The board has a cache line of its own, and no thread ever waits for another.
use std::sync::atomic::{AtomicU64, Ordering};

mod work;

const ROWS: u32 = 64;
const SLOTS: usize = 65;

#[repr(align(128))]
struct Scoreboard {
    total: AtomicU64,
}

/// A ball's way down: which slot it is in, and the state that decides the next peg.
struct Ball {
    slot: usize,
    luck: u64,
}

impl Ball {
    fn new(number: usize) -> Ball {
        Ball { slot: 0, luck: (number as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1 }
    }

    /// Falls through eight rows, and returns the points of its bumps.
    fn fall(&mut self) -> u64 {
        let mut points = 0;
        for _ in 0..8 {
            self.luck = self.luck.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let right = (self.luck >> 63) as usize;
            self.slot += right;
            points += (self.luck >> 60) + 10 * right as u64;
        }
        points
    }
}

fn main() {
    let asked = work::arguments();
    let board = Scoreboard { total: AtomicU64::new(0) };
    let slots = asked.in_threads(|thread| {
        let mut tally = [0u64; SLOTS];
        let mut own_points = 0u64;
        for number in asked.first(thread)..asked.first(thread + 1) {
            let mut ball = Ball::new(number);
            let on_show = asked.picks(number);
            for _ in 0..ROWS / 8 {
                let points = ball.fall();
                if on_show {
                    board.total.fetch_add(points, Ordering::Relaxed);
                } else {
                    own_points += points;
                }
            }
            tally[ball.slot] += 1;
        }
        board.total.fetch_add(own_points, Ordering::Relaxed);
        // The slots' numbers weigh the tallies; the weighted sums of the threads add up.
        (0u64..).zip(tally).map(|(slot, balls)| balls * (slot * slot * slot + 7)).sum()
    });
    println!("{} {}", slots, board.total.load(Ordering::Relaxed));
}
