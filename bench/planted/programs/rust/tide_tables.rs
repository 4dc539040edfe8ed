//! Tide forecasts: queries for a harbor and an hour are answered from rows of harmonic sums, each computed when it is
//! first needed and remembered.
//!
//! The dial is the share of rows that each thread remembers for itself; the others are remembered once for all threads,
//! and a thread that needs a row which another is just computing takes the next query first. Every thread needs nearly
//! every row, so rows of the first kind are computed once by each thread: duplicated work. One thread alone computes each row once at any dial.
use std::collections::VecDeque;
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::OnceLock;
use std::thread;

const HOURS: usize = 64;
const QUERIES_PER_ROW: usize = 300;

fn mix(mut x: u64) -> u64 {
    x = (x ^ x >> 32).wrapping_mul(0xD6E8_FEB8_6659_FD93);
    x = (x ^ x >> 32).wrapping_mul(0xD6E8_FEB8_6659_FD93);
    x ^ x >> 32
}

type Row = [i64; HOURS];

/// Sums of oscillators in integers: a rotation for each constituent and hour.
fn compute_row(harbor: usize) -> Row {
    let mut row = [0; HOURS];
    for constituent in 0..37u64 {
        let r = mix(harbor as u64 * 37 + constituent + 1);
        let (mut x, mut y, speed) = ((r & 0xFFFF) as i64, (r >> 16 & 0xFFFF) as i64, (r >> 32 & 0xFFF) as i64 + 1);
        for hour in row.iter_mut() {
            for _ in 0..12 {
                x -= y * speed >> 14;
                y += x * speed >> 14;
            }
            *hour += x;
        }
    }
    row
}

fn answer(row: &Row, query: u64) -> u64 {
    let mut value = row[(query >> 40) as usize % HOURS] as u64 ^ query;
    for _ in 0..60 {
        value = value.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(value >> 33 | 1);
    }
    value
}

struct Shared {
    rows: Vec<OnceLock<Box<Row>>>,
    begun: Vec<AtomicU8>,
    is_own: Vec<bool>,
}

fn forecast(shared: &Shared, queries: impl Iterator<Item = u64>) -> u64 {
    let harbors = shared.rows.len();
    let mut own: Vec<Option<Box<Row>>> = vec![None; harbors];
    let mut later = VecDeque::new();
    let mut sum = 0u64;
    for query in queries {
        let harbor = query as usize % harbors;
        if shared.is_own[harbor] {
            let row = own[harbor].get_or_insert_with(|| Box::new(compute_row(harbor)));
            sum = sum.wrapping_add(answer(row, query));
        } else if let Some(row) = shared.rows[harbor].get() {
            sum = sum.wrapping_add(answer(row, query));
        } else if shared.begun[harbor].swap(1, Ordering::Relaxed) == 0 {
            let row = shared.rows[harbor].get_or_init(|| Box::new(compute_row(harbor)));
            sum = sum.wrapping_add(answer(row, query));
        } else {
            later.push_back((harbor, query));
        }
    }
    for (harbor, query) in later {
        sum = sum.wrapping_add(answer(shared.rows[harbor].wait(), query));
    }
    sum
}

fn main() {
    let words: Vec<String> = std::env::args().collect();
    let threads: usize = words[1].parse().unwrap();
    let dial: f64 = words[2].parse().unwrap();
    let harbors: usize = words[3].parse().unwrap();
    let limit = (dial * (1u64 << 53) as f64) as u64;
    let shared = Shared {
        rows: (0..harbors).map(|_| OnceLock::new()).collect(),
        begun: (0..harbors).map(|_| AtomicU8::new(0)).collect(),
        is_own: (0..harbors as u64).map(|harbor| mix(harbor + 12345) >> 11 < limit).collect(),
    };
    let queries = harbors * QUERIES_PER_ROW;
    let sum = thread::scope(|scope| {
        let shared = &shared;
        let threads: Vec<_> = (0..threads)
            .map(|t| {
                let part = queries * t / threads..queries * (t + 1) / threads;
                scope.spawn(move || forecast(shared, part.map(|number| mix(number as u64 + 1))))
            })
            .collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).fold(0, u64::wrapping_add)
    });
    println!("{sum:016x}");
}
