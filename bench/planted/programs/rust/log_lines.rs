//! Allocator: reads batches of log lines, keeps each line in memory until its batch is complete, and counts its fields.
//!
//! The dial is the share of the batches whose lines are boxes from malloc; all others are written into one buffer that
//! the thread keeps. malloc has a single arena, as services ask for by MALLOC_ARENA_MAX=1 to save memory. A batch has more
//! lines than malloc's caches of threads hold, and the lines are too long for its lists without a lock, so most calls take
//! the arena's lock. It is the only lock, and freed memory stays below the size that is given back to the system.
mod work;

use std::ffi::c_int;

const LINES: usize = 96;
const STEPS: usize = 80;
const SHORTEST: usize = 140;

unsafe extern "C" {
    fn mallopt(parameter: c_int, value: c_int) -> c_int;
}

const M_ARENA_MAX: c_int = -8;

/// Write the start of a line, and return how many bytes of the 16 are separators.
fn read(line: &mut [u8], x: u64) -> u64 {
    line[..8].copy_from_slice(&x.to_le_bytes());
    line[8..16].copy_from_slice(&x.rotate_left(29).to_le_bytes());
    line[..16].iter().filter(|&&byte| byte < 16).count() as u64
}

fn main() {
    let asked = work::arguments();
    // SAFETY: there is one thread.
    assert_eq!(unsafe { mallopt(M_ARENA_MAX, 1) }, 1);
    let sum = asked.in_threads(|thread| {
        let mut sum = 0u64;
        let mut buffer = vec![0u8; LINES * 1024];
        let mut lines: Vec<Box<[u8]>> = Vec::with_capacity(LINES);
        for batch in asked.first(thread)..asked.first(thread + 1) {
            let boxed = asked.picks(batch);
            for number in batch * LINES..(batch + 1) * LINES {
                let x = work::unit(number, STEPS);
                let length = SHORTEST + (x >> 56) as usize;
                sum = sum.wrapping_add(x).wrapping_add(if boxed {
                    let mut line = Vec::with_capacity(length);
                    line.resize(16, 0);
                    let fields = read(&mut line, x);
                    line.resize(length, b' ');
                    lines.push(line.into_boxed_slice());
                    fields
                } else {
                    let line = &mut buffer[number % LINES * 1024..][..length];
                    line.fill(b' ');
                    read(line, x)
                });
            }
            lines.clear();
        }
        sum
    });
    println!("{sum:016x}");
}
