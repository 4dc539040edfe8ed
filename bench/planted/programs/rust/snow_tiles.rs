//! Simulates how snow settles on square tiles of a mountain: relief, snowfall, and a few sweeps in which what lies too
//! steep slides down to a neighbour.
//!
//! The dial is the share of the tiles whose grids are mapped afresh from the kernel and given back when the tile is done.
//! All others use grids that the thread keeps.

mod work;

use std::ffi::{c_int, c_long, c_void};
use std::slice;

unsafe extern "C" {
    fn mmap(at: *mut c_void, length: usize, protection: c_int, flags: c_int, file: c_int, offset: c_long) -> *mut c_void;
    fn munmap(at: *mut c_void, length: usize) -> c_int;
}

const SIDE: usize = 96;
const CELLS: usize = SIDE * SIDE;
const BYTES: usize = CELLS * size_of::<i32>();
const SWEEPS: usize = 2;
const STEEP: i32 = 40;

/// A grid in pages of its own.
struct Grid {
    at: *mut c_void,
}

impl Grid {
    fn mapped() -> Grid {
        // Readable and writable; private and anonymous.
        // SAFETY: the kernel chooses the place, so no memory of anybody is replaced.
        let at = unsafe { mmap(std::ptr::null_mut(), BYTES, 3, 0x22, -1, 0) };
        assert!(at as isize != -1, "out of memory");
        Grid { at }
    }

    fn cells(&mut self) -> &mut [i32] {
        // SAFETY: CELLS whole numbers are mapped there, all zero at first, and `self` is borrowed for as long.
        unsafe { slice::from_raw_parts_mut(self.at.cast::<i32>(), CELLS) }
    }
}

impl Drop for Grid {
    fn drop(&mut self) {
        // SAFETY: it was mapped with this length, and nothing is borrowed from it any more.
        unsafe { munmap(self.at, BYTES) };
    }
}

fn settle(tile: usize, relief: &mut Grid, snow: &mut Grid) -> u64 {
    let (relief, snow) = (relief.cells(), snow.cells());
    let mut state = (tile as u32).wrapping_mul(2_654_435_761) | 1;
    let (mut slope, mut height) = (0i32, 2000i32);
    for (cell, (ground, fallen)) in relief.iter_mut().zip(snow.iter_mut()).enumerate() {
        if cell % 64 == 0 {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            slope = (state >> 26) as i32 - 32;
        }
        height += slope;
        *ground = height;
        *fallen = 30 + (height & 15);
    }
    for _ in 0..SWEEPS {
        for cell in 0..CELLS - SIDE {
            for lower in [cell + 1, cell + SIDE] {
                let drop = relief[cell] + snow[cell] - relief[lower] - snow[lower];
                let slides = if drop > STEEP { snow[cell].min((drop - STEEP) / 4) } else { 0 };
                snow[cell] -= slides;
                snow[lower] += slides;
            }
        }
    }
    snow.iter().enumerate().fold(0u64, |sum, (cell, &depth)| sum.wrapping_add((depth as u64).wrapping_mul(cell as u64 + 1)))
}

fn main() {
    let asked = work::arguments();
    let sum = asked.in_threads(|thread| {
        let (mut relief, mut snow) = (Grid::mapped(), Grid::mapped());
        let mut sum = 0u64;
        for tile in asked.first(thread)..asked.first(thread + 1) {
            let settled = if asked.picks(tile) {
                settle(tile, &mut Grid::mapped(), &mut Grid::mapped())
            } else {
                settle(tile, &mut relief, &mut snow)
            };
            sum = sum.wrapping_add(settled.wrapping_mul(tile as u64 + 1));
        }
        sum
    });
    println!("{sum:016x}");
}
