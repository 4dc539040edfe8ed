//! A video filter: every thread blurs and compares frames of a clip, with a scratch plane for each frame.
//!
//! The dial is the share of frames whose scratch plane is mapped again and unmapped when the frame is done; the others
//! use a plane that the thread keeps. A new plane costs a fault for each of its pages, and mapping and unmapping lock the
//! address space that all threads share and interrupt the other cpus: page faults and the mmap lock.
use std::ffi::c_void;
use std::sync::Mutex;
use std::thread;

unsafe extern "C" {
    fn mmap(address: *mut c_void, length: usize, protection: i32, flags: i32, file: i32, offset: i64) -> *mut c_void;
    fn munmap(address: *mut c_void, length: usize) -> i32;
}

const WIDTH: usize = 512;
const HEIGHT: usize = 64;
const PIXELS: usize = WIDTH * HEIGHT;

/// Memory straight from the kernel, as large buffers come from an allocator that gives them back.
struct Plane(*mut u16);

impl Plane {
    fn new() -> Plane {
        // PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS
        let address = unsafe { mmap(std::ptr::null_mut(), 2 * PIXELS, 3, 0x22, -1, 0) };
        assert!(address as isize != -1);
        Plane(address.cast())
    }

    fn pixels(&mut self) -> &mut [u16] {
        unsafe { std::slice::from_raw_parts_mut(self.0, PIXELS) }
    }
}

impl Drop for Plane {
    fn drop(&mut self) {
        unsafe { munmap(self.0.cast(), 2 * PIXELS) };
    }
}

fn mix(mut x: u64) -> u64 {
    x = (x ^ x >> 32).wrapping_mul(0xD6E8_FEB8_6659_FD93);
    x = (x ^ x >> 32).wrapping_mul(0xD6E8_FEB8_6659_FD93);
    x ^ x >> 32
}

/// Blur rows into the scratch plane, then sum how its columns differ.
fn filter(clip: &[u8], number: usize, scratch: &mut [u16]) -> u64 {
    let frame = &clip[mix(number as u64 + 1) as usize % (clip.len() - PIXELS)..][..PIXELS];
    for ((pixel, next), out) in frame.iter().zip(&frame[1..]).zip(scratch.iter_mut()) {
        *out = u16::from(*pixel) * 5 + u16::from(*next) * 3;
    }
    scratch[PIXELS - 1] = number as u16 & 2047;
    let mut sum = 0u64;
    for row in 1..HEIGHT {
        let (above, below) = (&scratch[(row - 1) * WIDTH..row * WIDTH], &scratch[row * WIDTH..(row + 1) * WIDTH]);
        let differences: u32 = above.iter().zip(below).map(|(a, b)| u32::from(a.abs_diff(*b))).sum();
        sum = sum.wrapping_mul(31).wrapping_add(u64::from(differences));
    }
    sum
}

fn main() {
    let words: Vec<String> = std::env::args().collect();
    let threads: usize = words[1].parse().unwrap();
    let dial: f64 = words[2].parse().unwrap();
    let work: usize = words[3].parse().unwrap();
    let limit = (dial * (1u64 << 53) as f64) as u64;
    let clip: Vec<u8> = (0..2 * PIXELS as u64).map(|i| mix(i) as u8).collect();
    let frames = Mutex::new(0..work);
    let sum = thread::scope(|scope| {
        let filters: Vec<_> = (0..threads)
            .map(|_| {
                scope.spawn(|| {
                    let mut kept = Plane::new();
                    let mut sum = 0u64;
                    loop {
                        let Some(number) = frames.lock().unwrap().next() else { return sum };
                        let value = if mix(mix(number as u64 + 5)) >> 11 < limit {
                            filter(&clip, number, Plane::new().pixels())
                        } else {
                            filter(&clip, number, kept.pixels())
                        };
                        sum = sum.wrapping_add(mix(value));
                    }
                })
            })
            .collect();
        filters.into_iter().map(|filter| filter.join().unwrap()).fold(0, u64::wrapping_add)
    });
    println!("{sum:016x}");
}
