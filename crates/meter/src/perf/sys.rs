//! A loop of known length, a structure as bytes, and events' descriptors: the only room of this module with `unsafe`.

use std::io;
use std::os::fd::{AsRawFd, BorrowedFd, OwnedFd, RawFd};

use perf_event::Sampler;
use perf_event_open_sys::bindings::perf_event_attr;

/// Executes two instructions `turns` times, and a handful around them. Returns their number; none on an architecture
/// without such a loop.
pub(crate) fn turn(turns: u64) -> Option<u64> {
    let turns = turns.max(1);
    let mut left = turns;
    #[cfg(target_arch = "x86_64")]
    // SAFETY: the loop counts one register down to zero. It touches no memory and no stack, and ends because the register
    // is at least 1 when it begins.
    unsafe {
        std::arch::asm!("2:", "sub {0}, 1", "jnz 2b", inout(reg) left, options(nomem, nostack));
    }
    #[cfg(target_arch = "aarch64")]
    // SAFETY: as above.
    unsafe {
        std::arch::asm!("2:", "subs {0}, {0}, #1", "b.ne 2b", inout(reg) left, options(nomem, nostack));
    }
    cfg!(any(target_arch = "x86_64", target_arch = "aarch64")).then_some(2 * (turns - left))
}

/// An attribute as the kernel reads it.
pub(crate) fn bytes(attribute: &perf_event_attr) -> Vec<u8> {
    let start = std::ptr::from_ref(attribute).cast::<u8>();
    // SAFETY: the structure is made of integers without a gap between them, and is borrowed as long as the slice.
    unsafe { std::slice::from_raw_parts(start, size_of::<perf_event_attr>()) }.to_vec()
}

/// The descriptor of an event with a ring, to wait for records.
pub(crate) fn descriptor(sampler: &Sampler) -> BorrowedFd<'_> {
    // SAFETY: the sampler owns its descriptor, and is borrowed as long as the result.
    unsafe { BorrowedFd::borrow_raw(sampler.as_raw_fd()) }
}

/// A second descriptor of the same file, which survives an exec.
pub(crate) fn inheritable(file: RawFd) -> io::Result<OwnedFd> {
    // SAFETY: the caller has it open, and it is borrowed for this call alone.
    let file = unsafe { BorrowedFd::borrow_raw(file) };
    Ok(rustix::io::dup(file)?)
}

/// Reads an event that is not read in a group: its count, and the times that it was enabled and running.
pub(crate) fn read_counter(file: RawFd) -> Option<[u64; 3]> {
    if file < 0 {
        return None;
    }
    // SAFETY: it is not -1, and is borrowed for one read, which fails where nothing is open under this number.
    let file = unsafe { BorrowedFd::borrow_raw(file) };
    // The kernel may append the event's number.
    let mut bytes = [0; 32];
    let read = rustix::io::read(file, &mut bytes).ok()?;
    let word = |at: usize| u64::from_ne_bytes(bytes[8 * at..8 * at + 8].try_into().expect("eight bytes"));
    (read >= 24).then(|| [word(0), word(1), word(2)])
}
