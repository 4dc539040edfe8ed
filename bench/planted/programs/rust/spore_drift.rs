//! Follows fern spores over a hilly valley until they touch the ground: a random walk with wind, lift and gusts.
//!
//! Every worker has a row on a progress board: steps made and gusts met. The rows lie side by side in one array. The
//! dial is the share of the flights that are watched, which bump their worker's row at every step; no row is ever
//! written by a second worker. Flights that are not watched leave the board alone.
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

mod work;

const SIDE: usize = 64;
const LONGEST: u32 = 360;

#[derive(Default)]
struct Row {
    steps: AtomicU64,
    gusts: AtomicU64,
}

/// Aligned, so that the rows of the first workers lie together wherever the board is put.
#[repr(align(128))]
struct Board {
    rows: [Row; 64],
}

struct Valley {
    height: [u8; SIDE * SIDE],
}

impl Default for Valley {
    fn default() -> Self {
        let mut height = [0u8; SIDE * SIDE];
        for (place, cell) in height.iter_mut().enumerate() {
            let (east, north) = ((place % SIDE) as i32 - 32, (place / SIDE) as i32 - 32);
            let slope = (east * east / 12 + (north * east / 24).abs()).min(150);
            *cell = (slope + (work::unit(place, 3) >> 60) as i32) as u8;
        }
        Valley { height }
    }
}

/// Where a spore came down, mixed with how long it took.
fn drift(valley: &Valley, spore: usize, mut report: impl FnMut(bool)) -> u64 {
    let mut weather = work::unit(spore, 4);
    let (mut east, mut north) = ((weather >> 20) as u32, (weather >> 40) as u32);
    let mut above: i32 = 260 + (weather >> 58) as i32;
    let mut trail = 0u64;
    let mut steps = 0;
    while steps < LONGEST {
        steps += 1;
        weather ^= weather << 13;
        weather ^= weather >> 7;
        weather ^= weather << 17;
        let gust = weather & 0xf == 0;
        let push = if gust { 5 } else { 1 };
        east = east.wrapping_add((weather >> 30 & 3) as u32 * push);
        north = north.wrapping_add((weather >> 33 & 1) as u32 * push).wrapping_sub((weather >> 34 & 1) as u32);
        above += (weather >> 40 & 3) as i32 - 2;
        let ground = valley.height[north as usize % SIDE * SIDE + east as usize % SIDE] as i32;
        trail = trail.rotate_left(5) ^ (ground as u64 + above as u64);
        report(gust);
        if above <= ground {
            break;
        }
    }
    trail.wrapping_mul(2 * steps as u64 + 1) ^ (east as u64) << 32 ^ north as u64
}

fn main() {
    let asked = work::arguments();
    let valley = Valley::default();
    let board = Board { rows: std::array::from_fn(|_| Row::default()) };
    let sum = asked.in_threads(|thread| {
        let row = &board.rows[thread];
        let mut landed = 0u64;
        for spore in asked.first(thread)..asked.first(thread + 1) {
            let place = if asked.picks(spore) {
                drift(&valley, spore, |gust| {
                    row.steps.fetch_add(1, Relaxed);
                    if gust {
                        row.gusts.fetch_add(1, Relaxed);
                    }
                })
            } else {
                drift(&valley, spore, |_| ())
            };
            landed = landed.wrapping_add(place);
        }
        landed
    });
    let total = |of: fn(&Row) -> &AtomicU64| board.rows.iter().map(|row| of(row).load(Relaxed)).sum::<u64>();
    assert!(total(|row| &row.gusts) <= total(|row| &row.steps));
    println!("{sum:016x}");
}
