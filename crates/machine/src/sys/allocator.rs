//! An allocator that reports when memory runs out.

use std::alloc::{GlobalAlloc, Layout, System};
use std::io::Write;

/// The system's allocator, for programs that cannot go on without memory: they end with status 2 and one error. Rust's
/// default aborts with a backtrace.
#[derive(Debug)]
pub struct OrExit;

// SAFETY: every call goes unchanged to the system's allocator and returns its pointer. If the pointer is null, the call
// does not return.
unsafe impl GlobalAlloc for OrExit {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller keeps the contract of `alloc`.
        checked(unsafe { System.alloc(layout) }, layout.size())
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller keeps the contract of `alloc_zeroed`.
        checked(unsafe { System.alloc_zeroed(layout) }, layout.size())
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: the caller keeps the contract of `realloc`.
        checked(unsafe { System.realloc(pointer, layout, size) }, size)
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the caller keeps the contract of `dealloc`.
        unsafe { System.dealloc(pointer, layout) }
    }
}

fn checked(pointer: *mut u8, bytes: usize) -> *mut u8 {
    if pointer.is_null() { out_of_memory(bytes) } else { pointer }
}

/// Ends the process with status 2 and one error that says how much could not be allocated. Nothing here allocates.
#[cold]
pub fn out_of_memory(bytes: usize) -> ! {
    let mut text = [0; 200];
    let mut left = text.as_mut_slice();
    // The text fits, and nothing here allocates.
    let _ = write!(
        left,
        "knee: out of memory: cannot allocate {bytes} bytes\n\nhint: use less input, fewer threads or a higher ulimit -v\n"
    );
    let unused = left.len();
    let _ = rustix::io::write(rustix::stdio::stderr(), &text[..200 - unused]);
    // SAFETY: the call ends the process and touches none of its memory; other threads may run until it has ended.
    unsafe { libc::_exit(2) }
}
