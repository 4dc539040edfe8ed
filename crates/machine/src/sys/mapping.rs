//! Memory of its own mapping, which no child process inherits.

use std::io;
use std::ptr::{NonNull, null_mut, slice_from_raw_parts_mut};

/// Zeroed words in a mapping of their own. A process that is forked meanwhile does not get them, so forking costs nothing
/// for them, however many they are.
#[derive(Debug)]
pub struct Mapping {
    words: NonNull<[u64]>,
}

// SAFETY: it owns its memory, like a box of words.
unsafe impl Send for Mapping {}

impl Mapping {
    /// Maps at least one page, without touching it.
    ///
    /// # Errors
    /// The kernel's: no memory.
    pub fn new(bytes: usize) -> io::Result<Self> {
        let bytes = bytes.max(1).next_multiple_of(rustix::param::page_size());
        let (protection, flags) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
        // SAFETY: a new mapping at an address of the kernel's choice touches nothing that exists.
        let start = unsafe { libc::mmap(null_mut(), bytes, protection, flags, -1, 0) };
        if start == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        let words = slice_from_raw_parts_mut(start.cast(), bytes / size_of::<u64>());
        let mapping = Self { words: NonNull::new(words).expect("a mapping is not at 0") };
        // SAFETY: the range is the mapping, and the advice changes nothing in this process.
        let advised = unsafe { libc::madvise(start, bytes, libc::MADV_DONTFORK) };
        if advised == 0 { Ok(mapping) } else { Err(io::Error::last_os_error()) }
    }

    /// The words.
    pub fn words(&mut self) -> &mut [u64] {
        // SAFETY: the mapping is as long as the slice, begins at a page, is all zeroes or what was written through here,
        // lives until `self` is dropped, and nothing else has its address.
        unsafe { self.words.as_mut() }
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        // SAFETY: the range was mapped by `new`, and nothing refers to it any more.
        unsafe { libc::munmap(self.words.as_ptr().cast(), self.words.len() * size_of::<u64>()) };
    }
}
