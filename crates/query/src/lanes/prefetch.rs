//! Asking for memory ahead of time.

/// Bytes of a cache line.
const LINE: usize = 64;

/// Asks for these bytes, so that they are near when they are needed: in the second-level cache, which can wait for many
/// more lines at once than the first one. It does nothing where the processor cannot be asked.
pub(crate) fn prefetch(bytes: &[u8]) {
    #[cfg(target_arch = "x86_64")]
    for line in bytes.chunks(LINE) {
        use std::arch::x86_64::{_MM_HINT_T1, _mm_prefetch};
        // SAFETY: every processor of this kind has the instruction, and it may be given any address.
        unsafe { _mm_prefetch::<_MM_HINT_T1>(line.as_ptr().cast()) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (bytes, LINE);
}
