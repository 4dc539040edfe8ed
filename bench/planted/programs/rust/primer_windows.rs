//! Too few tasks: looks for the places of eight chromosomes where a primer of 32 letters binds, give or take 12
//! letters.
//!
//! The dial is the part of a chromosome that one window covers: a chromosome is cut into round(1 / dial) windows of
//! equal length, and at dial 0 into 1024. Window k belongs to thread k modulo the number of threads, and a chromosome
//! is done before the next begins. With an odd number of windows one thread gets one window less, and has nothing to
//! do while the others compute their last; the fewer the windows, the longer. Use dials whose 1 / dial is near an odd
//! number. All windows cost the same, the chromosome is only read, and nothing else is shared.
mod work;

const CHROMOSOMES: usize = 8;
const PRIMERS: u64 = 24;
const LETTERS: usize = 32;
const WINDOWS: usize = 1024;

/// The 32 letters of two bits each that begin at a place of the chromosome.
fn letters(chromosome: &[u64], at: usize) -> u64 {
    let (word, shift) = (at / LETTERS, at % LETTERS * 2);
    (u128::from(chromosome[word]) | u128::from(chromosome[word + 1]) << 64).wrapping_shr(shift as u32) as u64
}

/// Add up where and how well the primers bind in a window.
fn binds(chromosome: &[u64], window: std::ops::Range<usize>, primers: &[u64]) -> u64 {
    let mut sum = 0u64;
    for at in window {
        let here = letters(chromosome, at);
        for &primer in primers {
            let unlike = here ^ primer;
            let wrong = ((unlike | unlike >> 1) & 0x5555_5555_5555_5555).count_ones();
            if wrong <= 12 {
                sum = sum.wrapping_add((at as u64 ^ primer).wrapping_mul(u64::from(13 - wrong)));
            }
        }
    }
    sum
}

fn main() {
    let asked = work::arguments();
    let windows = if asked.dial == 0.0 { WINDOWS } else { (1.0 / asked.dial).round().max(1.0) as usize };
    let primers: Vec<u64> = (0..PRIMERS).map(|k| work::unit(k as usize, 20)).collect();
    let mut sum = 0u64;
    for number in 0..CHROMOSOMES {
        let chromosome: Vec<u64> = (0..asked.work / LETTERS + 2).map(|k| work::unit(number << 32 | k, 3)).collect();
        sum = sum.wrapping_add(asked.in_threads(|thread| {
            let window = |k: usize| asked.work * k / windows..asked.work * (k + 1) / windows;
            let own = (thread..windows).step_by(asked.threads);
            own.fold(0, |sum, k| sum.wrapping_add(binds(&chromosome, window(k), &primers)))
        }));
    }
    println!("{sum:016x}");
}
