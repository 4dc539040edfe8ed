//! Instruction growth: blurs small pictures 16 times in a row, some of them cut into one band of rows a thread.
//!
//! The dial is the share of the pictures that are cut into bands; each of the others is blurred by one thread. A row
//! needs the rows above and below it, so a thread that blurs its band without asking its neighbours has to begin with
//! 16 rows more at each inner edge, then 15, and so on. The more bands, the more rows are blurred for the same picture,
//! by plan and also on one cpu. Threads share no memory and never wait, and all bands of a picture cost the same at 2
//! threads.
mod work;

use std::ops::Range;

const HEIGHT: usize = 24;
const WIDTH: usize = 256;
const TIMES: usize = 16;

type Picture = [[u32; WIDTH]; HEIGHT];

/// The rows that are needed around a band when it still has to be blurred a number of times.
fn around(band: &Range<usize>, times: usize) -> Range<usize> {
    band.start.saturating_sub(times)..(band.end + times).min(HEIGHT)
}

/// Blur one row, with the rows at the edges of the picture doubled.
fn blur(from: &Picture, at: usize) -> [u32; WIDTH] {
    let (above, row, below) = (&from[at.saturating_sub(1)], &from[at], &from[(at + 1).min(HEIGHT - 1)]);
    let mut made = *row;
    let mut carried = row[0];
    for c in 1..WIDTH - 1 {
        let around = above[c] + below[c] + carried + row[c + 1];
        made[c] = (around * 3 + row[c] * 4) >> 4;
        carried = made[c];
    }
    made
}

/// Draw a band of a picture, blur it, and return the sum of what its rows hold.
fn band(number: usize, band: Range<usize>, pictures: &mut [Picture; 2]) -> u64 {
    let [from, to] = pictures;
    for at in around(&band, TIMES) {
        let mut x = work::unit(number * HEIGHT + at, 4);
        for point in &mut from[at] {
            x = x.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            *point = (x >> 40) as u32;
        }
    }
    for times in (0..TIMES).rev() {
        for at in around(&band, times) {
            to[at] = blur(from, at);
        }
        std::mem::swap(from, to);
    }
    let row =
        |at: usize| from[at].iter().fold(at as u64, |sum, &point| sum.wrapping_mul(31).wrapping_add(point.into()));
    band.fold(0, |sum, at| sum.wrapping_add(row(at)))
}

fn main() {
    let asked = work::arguments();
    let sum = asked.in_threads(|thread| {
        let mut pictures = [[[0; WIDTH]; HEIGHT]; 2];
        let (mut sum, mut whole) = (0u64, 0);
        for number in 0..asked.work {
            let rows = if asked.picks(number) {
                HEIGHT * thread / asked.threads..HEIGHT * (thread + 1) / asked.threads
            } else {
                whole += 1;
                if whole % asked.threads == thread { 0..HEIGHT } else { continue }
            };
            sum = sum.wrapping_add(band(number, rows, &mut pictures));
        }
        sum
    });
    println!("{sum:016x}");
}
