//! Memory for spawned jobs: blocks of one size, which each worker keeps for itself when a job on them is done.
#![allow(clippy::cast_ptr_alignment, reason = "blocks are aligned for pointers and more")]

use std::alloc::{Layout, alloc, dealloc, handle_alloc_error};
use std::cell::Cell;
use std::ptr::{NonNull, null_mut};

/// Larger jobs take memory of their own.
const SIZE: usize = 128;
const ALIGN: usize = 16;
const BLOCK: Layout = match Layout::from_size_align(SIZE, ALIGN) {
    Ok(layout) => layout,
    Err(_) => panic!("a power of two"),
};
/// A worker that runs what others spawn keeps so many blocks, and gives the rest back.
const MOST: usize = 1 << 12;

/// A free block.
struct Free {
    next: *mut Free,
}

/// One worker's free blocks. Only its thread may call it.
pub(crate) struct Blocks {
    first: Cell<*mut Free>,
    count: Cell<usize>,
}

impl Blocks {
    pub(crate) fn new() -> Self {
        Self { first: Cell::new(null_mut()), count: Cell::new(0) }
    }

    const fn fits<T>() -> bool {
        size_of::<T>() <= SIZE && align_of::<T>() <= ALIGN
    }

    /// Puts a value into a block.
    #[inline]
    pub(crate) fn put<T>(&self, value: T) -> *mut T {
        if !Self::fits::<T>() {
            return Box::into_raw(Box::new(value));
        }
        let first = self.first.get();
        let block = if first.is_null() {
            Self::fresh()
        } else {
            // SAFETY: a free block begins with a pointer, see `free`.
            self.first.set(unsafe { (*first).next });
            self.count.set(self.count.get() - 1);
            first
        };
        let place = block.cast::<T>();
        // SAFETY: the block is large and aligned enough, and nobody else has it.
        unsafe { place.write(value) };
        place
    }

    #[cold]
    fn fresh() -> *mut Free {
        // SAFETY: the size is not zero.
        let block = NonNull::new(unsafe { alloc(BLOCK) });
        block.unwrap_or_else(|| handle_alloc_error(BLOCK)).cast().as_ptr()
    }

    /// Takes the value out again and keeps the block, whoever's it was.
    ///
    /// # Safety
    /// `place` came from `put` of some worker, as this type, and is not used again.
    #[inline]
    pub(crate) unsafe fn take<T>(&self, place: *mut T) -> T {
        if !Self::fits::<T>() {
            // SAFETY: then `put` made a box.
            return *unsafe { Box::from_raw(place) };
        }
        // SAFETY: written by `put`.
        let value = unsafe { place.read() };
        self.free(place.cast());
        value
    }

    #[inline]
    fn free(&self, block: *mut Free) {
        if self.count.get() >= MOST {
            // SAFETY: it was made in `fresh`, and nobody has it.
            unsafe { dealloc(block.cast(), BLOCK) };
            return;
        }
        // SAFETY: a block holds a pointer, and nobody else has it.
        unsafe { block.write(Free { next: self.first.get() }) };
        self.first.set(block);
        self.count.set(self.count.get() + 1);
    }
}

impl Drop for Blocks {
    fn drop(&mut self) {
        let mut block = self.first.get();
        while !block.is_null() {
            // SAFETY: as in `put` and `free`.
            let next = unsafe { (*block).next };
            // SAFETY: as in `free`.
            unsafe { dealloc(block.cast(), BLOCK) };
            block = next;
        }
    }
}
