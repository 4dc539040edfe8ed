//! Heat in a plate whose conductivity falls with the temperature, by explicit time steps. The plate is cut into one strip of rows for each thread. A thread copies some
//! of its neighbours' rows ("ghost rows") and can then go as many steps as it has ghost rows without meeting anybody:
//! every step it computes the ghost rows that are still needed as well as its own.
//!
//!     ghost_rows THREADS DIAL WORK
//!
//! WORK is the number of steps. DIAL is the number of ghost rows, as well as of steps between two meetings; 0 stands for
//! the fewest that pay, 8.

use std::sync::{Barrier, RwLock};
use std::thread;

const ROWS: usize = 160;
const COLUMNS: usize = 1024;
const FEWEST: usize = 8;

struct Strip {
    first: usize,
    last: usize,
    cells: RwLock<Vec<f32>>,
}

fn start(row: usize, column: usize) -> f32 {
    let (y, x) = (row as f32 - 70.0, column as f32 - 400.0);
    if y * y + x * x < 2500.0 { 900.0 } else { ((row * 7 + column * 3) % 40) as f32 }
}

/// One step for the rows `from..to` of a window of rows; the plate's own edge rows stay as they are.
fn step(old: &[f32], new: &mut [f32], from: usize, to: usize) {
    for row in from..to {
        let above = &old[(row - 1) * COLUMNS..row * COLUMNS];
        let here = &old[row * COLUMNS..(row + 1) * COLUMNS];
        let below = &old[(row + 1) * COLUMNS..(row + 2) * COLUMNS];
        let out = &mut new[row * COLUMNS..(row + 1) * COLUMNS];
        out[0] = here[0];
        out[COLUMNS - 1] = here[COLUMNS - 1];
        for x in 1..COLUMNS - 1 {
            let flow = above[x] + below[x] + here[x - 1] + here[x + 1] - 4.0 * here[x];
            let conductivity = 0.24 / (1.0 + 0.002 * here[x]).sqrt();
            out[x] = here[x] + conductivity * flow;
        }
    }
}

/// Copy the rows `low..high` of the plate from the strips that own them.
fn gather(strips: &[Strip], low: usize, high: usize, window: &mut [f32]) {
    for strip in strips {
        let (a, b) = (strip.first.max(low), strip.last.min(high));
        if a < b {
            let cells = strip.cells.read().unwrap();
            let from = &cells[(a - strip.first) * COLUMNS..(b - strip.first) * COLUMNS];
            window[(a - low) * COLUMNS..(b - low) * COLUMNS].copy_from_slice(from);
        }
    }
}

fn work_on(mine: &Strip, strips: &[Strip], meeting: &Barrier, ghosts: usize, steps: usize) {
    let low = mine.first.saturating_sub(ghosts);
    let high = (mine.last + ghosts).min(ROWS);
    let mut old = vec![0.0; (high - low) * COLUMNS];
    gather(strips, low, high, &mut old);
    let mut new = old.clone();
    let mut done = 0;
    while done < steps {
        gather(strips, low, high, &mut old);
        meeting.wait();
        let now = ghosts.min(steps - done);
        for left in (0..now).rev() {
            // `left` more steps follow, for which as many rows on either side have to be right.
            let from = mine.first.saturating_sub(left).max(1);
            let to = (mine.last + left).min(ROWS - 1);
            step(&old, &mut new, from - low, to - low);
            std::mem::swap(&mut old, &mut new);
        }
        let own = (mine.first - low) * COLUMNS..(mine.last - low) * COLUMNS;
        mine.cells.write().unwrap().copy_from_slice(&old[own]);
        meeting.wait();
        done += now;
    }
}

fn main() {
    let words: Vec<String> = std::env::args().collect();
    if words.len() != 4 {
        eprintln!("usage: {} THREADS DIAL WORK", words[0]);
        std::process::exit(2);
    }
    let threads: usize = words[1].parse().expect("THREADS");
    let dial: f64 = words[2].parse().expect("DIAL");
    let steps: usize = words[3].parse().expect("WORK");
    let ghosts = if dial == 0.0 { FEWEST } else { dial as usize };

    let strips: Vec<Strip> = (0..threads)
        .map(|t| {
            let (first, last) = (ROWS * t / threads, ROWS * (t + 1) / threads);
            let cells = (first..last).flat_map(|row| (0..COLUMNS).map(move |x| start(row, x))).collect();
            Strip { first, last, cells: RwLock::new(cells) }
        })
        .collect();
    let meeting = Barrier::new(threads);
    thread::scope(|scope| {
        for mine in &strips {
            let (strips, meeting) = (&strips, &meeting);
            scope.spawn(move || work_on(mine, strips, meeting, ghosts, steps));
        }
    });

    let mut heat = 0.0_f64;
    let mut hottest = 0.0_f32;
    for strip in &strips {
        for &cell in strip.cells.read().unwrap().iter() {
            heat += f64::from(cell);
            hottest = hottest.max(cell);
        }
    }
    println!("{steps} steps: heat {heat:.3}, hottest {hottest:.4}");
}
