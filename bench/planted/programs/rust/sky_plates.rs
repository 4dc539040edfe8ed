//! Compares photographic plates of the sky: what stands at the same place on two plates is a star, all else is dust.
//!
//! The places are marked on a grid of one byte a cell, with room for the archive's largest plates; those at hand use
//! its first rows. Threads share nothing but the address space. The dial is the share of the plates for which a new,
//! zeroed grid is made, as the shortest code does. The allocator gets a block of that size from the kernel and gives it back,
//! and each star on it is a page fault. For the other plates a thread wipes the marks from the grid that it has.
mod work;

const SIDE: usize = 6000;
const ROWS: usize = 700;
const STARS: usize = 16;
const DUST: usize = 8;

/// Places of stars and dust on a plate. Dust is different on each exposure.
fn exposure(plate: usize, number: usize) -> impl Iterator<Item = (f64, f64)> {
    let mut seed = work::unit(plate, 3);
    let mut dust = work::unit(plate * 2 + number, 5);
    (0..STARS + DUST).map(move |at| {
        let state = if at < STARS { &mut seed } else { &mut dust };
        *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((*state >> 44) as f64 / (1 << 20) as f64 - 0.5, (*state >> 22 & 0xF_FFFF) as f64 / (1 << 20) as f64 - 0.5)
    })
}

/// The cell of a place, after the camera's distortion and the bending of the air are taken out.
fn cell((x, y): (f64, f64)) -> usize {
    let (mut u, mut v) = (x, y);
    for _ in 0..20 {
        let squared = u * u + v * v;
        let bent = 1.0 + 0.02 * squared - 0.003 * squared * squared + 0.001 * (1.0 + squared).sqrt().ln();
        (u, v) = (x / bent, y / bent);
    }
    let scale = |place: f64, cells: usize| (((place + 0.5) * cells as f64) as usize).min(cells - 1);
    scale(v, ROWS) * SIDE + scale(u, SIDE)
}

fn main() {
    let asked = work::arguments();
    let sum = asked.in_threads(|thread| {
        let mut own = vec![0u8; SIDE * SIDE];
        let mut sum = 0u64;
        for plate in asked.first(thread)..asked.first(thread + 1) {
            let first: Vec<usize> = exposure(plate, 0).map(cell).collect();
            let mut new;
            let renew = asked.picks(plate);
            let grid = if renew {
                new = vec![0u8; SIDE * SIDE];
                &mut new
            } else {
                &mut own
            };
            for &place in &first {
                grid[place] = 1;
            }
            for place in exposure(plate, 1).map(cell).filter(|&place| grid[place] != 0) {
                sum = sum.wrapping_add(place as u64 * 31 + plate as u64);
            }
            if !renew {
                for &place in &first {
                    grid[place] = 0;
                }
            }
        }
        sum
    });
    println!("{sum:016x}");
}
