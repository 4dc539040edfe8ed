//! Page faults: sums units of arithmetic, and for each of them fills a buffer of 16 pages.
//!
//! The dial is the share of the units before which the thread gives the pages of its buffer back to the kernel, which
//! must then clear 16 pages in 16 faults. Threads share the address space and nothing else.
mod work;

use std::ptr;

const STEPS: usize = 3_000;
const PAGE: usize = 4096;
const BYTES: usize = 16 * PAGE;

unsafe extern "C" {
    fn mmap(address: *mut u8, length: usize, protection: i32, flags: i32, file: i32, offset: i64) -> *mut u8;
    fn madvise(address: *mut u8, length: usize, advice: i32) -> i32;
}

/// A private, anonymous mapping that is readable and writable.
fn buffer() -> *mut u8 {
    // SAFETY: the kernel chooses the address, so no other mapping is replaced.
    let mapped = unsafe { mmap(ptr::null_mut(), BYTES, 3, 0x22, -1, 0) };
    assert!(mapped.addr() != usize::MAX, "the buffer cannot be mapped");
    mapped
}

fn main() {
    let asked = work::arguments();
    let sum = asked.in_threads(|thread| {
        let buffer = buffer();
        let mut sum = 0u64;
        for i in asked.first(thread)..asked.first(thread + 1) {
            if asked.picks(i) {
                // SAFETY: the mapping is this thread's own, and nothing refers to it. Advice 4 is MADV_DONTNEED.
                assert_eq!(unsafe { madvise(buffer, BYTES, 4) }, 0);
            }
            for page in (0..BYTES).step_by(PAGE) {
                // SAFETY: the address is inside of the mapping.
                unsafe { buffer.add(page).write_volatile(i as u8) };
            }
            // SAFETY: as above.
            sum = sum.wrapping_add(work::unit(i, STEPS)).wrapping_add(unsafe { buffer.read_volatile() }.into());
        }
        sum
    });
    println!("{sum:016x}");
}
