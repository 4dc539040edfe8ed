//! Imbalance: multiplies a long row of 4 x 4 matrices by divide and conquer, as binary splitting does for a series.
//!
//! Half of the threads multiply what is left of a cut, the other half what is right of it, and so on down to one thread.
//! The dial d gives the left half its fair part, and d of the other half's part. Products are associative, so the answer
//! does not depend on the cuts. Each matrix is made where it is used: no memory is shared, and only the few last products
//! are computed by fewer threads.
mod work;

use std::ops::Range;
use std::thread;

const SIDE: usize = 4;
const PRIME: u64 = 2_147_483_647;

type Matrix = [[u64; SIDE]; SIDE];

fn times(left: &Matrix, right: &Matrix) -> Matrix {
    let mut product = [[0; SIDE]; SIDE];
    for (row, left) in product.iter_mut().zip(left) {
        for (column, entry) in row.iter_mut().enumerate() {
            *entry = (0..SIDE).map(|k| left[k] * right[k][column] % PRIME).sum::<u64>() % PRIME;
        }
    }
    product
}

/// The matrix of one term of the series.
fn term(number: usize) -> Matrix {
    let mut x = work::unit(number, 4);
    [(); SIDE].map(|()| {
        [(); SIDE].map(|()| {
            x = x.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (x >> 33) % PRIME
        })
    })
}

fn alone(terms: Range<usize>) -> Matrix {
    let length = terms.len();
    if length == 1 {
        return term(terms.start);
    }
    let middle = terms.start + length / 2;
    times(&alone(terms.start..middle), &alone(middle..terms.end))
}

fn product(terms: Range<usize>, threads: usize, dial: f64) -> Matrix {
    if threads == 1 {
        return alone(terms);
    }
    let half = threads.div_ceil(2);
    // Without the dial, every thread gets as much, also when their number is odd.
    let share = dial + (1.0 - dial) * half as f64 / threads as f64;
    let cut = terms.start + (share * terms.len() as f64) as usize;
    thread::scope(|scope| {
        let left = scope.spawn(|| product(terms.start..cut, half, dial));
        let right = product(cut..terms.end, threads - half, dial);
        times(&left.join().unwrap(), &right)
    })
}

fn main() {
    let asked = work::arguments();
    // A larger dial than 0.9 could leave a range empty.
    let all = product(0..asked.work, asked.threads, asked.dial.min(0.9));
    let sum = all.iter().flatten().fold(0u64, |sum, &entry| sum.wrapping_mul(31).wrapping_add(entry));
    println!("{sum:016x}");
}
