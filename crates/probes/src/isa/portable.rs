//! Plain loops, for machines without assembly.

use std::hint::black_box;

use super::{Isa, SCALE};

pub(super) const PORTABLE: Isa =
    Isa { name: "portable", width: 8, loops: [read, write, write, copy, copy, triad, triad] };

/// # Safety
/// As for every loop: see `Loop`. The same for the others.
unsafe fn read(_: *mut u8, a: *const u8, _: *const u8, bytes: usize) {
    // SAFETY: the caller's.
    let a = unsafe { std::slice::from_raw_parts(a.cast::<u64>(), bytes / 8) };
    let mut lanes = [0; 16];
    for chunk in a.as_chunks::<16>().0 {
        for (lane, word) in lanes.iter_mut().zip(chunk) {
            *lane |= word;
        }
    }
    black_box(lanes);
}

/// # Safety
/// See [`read`].
unsafe fn write(to: *mut u8, _: *const u8, _: *const u8, bytes: usize) {
    // SAFETY: the caller's.
    let to = unsafe { std::slice::from_raw_parts_mut(to.cast::<f64>(), bytes / 8) };
    to.fill(black_box(SCALE.0[0]));
}

/// # Safety
/// See [`read`].
unsafe fn copy(to: *mut u8, a: *const u8, _: *const u8, bytes: usize) {
    // SAFETY: the caller's.
    unsafe { to.copy_from_nonoverlapping(a, bytes) };
}

/// # Safety
/// See [`read`].
unsafe fn triad(to: *mut u8, a: *const u8, b: *const u8, bytes: usize) {
    let scale = black_box(SCALE.0[0]);
    // SAFETY: the caller's.
    let (to, a, b) = unsafe {
        let (to, a, b) = (to.cast::<f64>(), a.cast::<f64>(), b.cast::<f64>());
        let slice = |start| std::slice::from_raw_parts(start, bytes / 8);
        (std::slice::from_raw_parts_mut(to, bytes / 8), slice(a), slice(b))
    };
    for ((to, a), b) in to.iter_mut().zip(a).zip(b) {
        *to = a + scale * b;
    }
}
