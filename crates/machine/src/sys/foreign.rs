//! Memory of another process.

use std::io;

/// Places in another process that one call reads, at most (the kernel's `UIO_MAXIOV`).
pub const MOST_SPANS: usize = 1024;

/// Reads bytes at addresses of a running process, `size` at each, one after another into `bytes`. Returns how many bytes
/// were read: fewer where an address is not mapped, which ends the reading.
///
/// # Errors
/// The kernel's: there is no such process, a debugger could not read it either, or nothing is mapped at the first address.
///
/// # Panics
/// When there are more than [`MOST_SPANS`] addresses, or fewer bytes than all of them need.
pub fn read_process(pid: i32, addresses: &[u64], size: usize, bytes: &mut [u8]) -> io::Result<usize> {
    assert!(addresses.len() <= MOST_SPANS && addresses.len() * size <= bytes.len(), "room for all that is read");
    let remote: Vec<libc::iovec> =
        addresses.iter().map(|at| libc::iovec { iov_base: *at as *mut libc::c_void, iov_len: size }).collect();
    let local = libc::iovec { iov_base: bytes.as_mut_ptr().cast(), iov_len: addresses.len() * size };
    // SAFETY: `local` is within `bytes`, which lives through the call, and is the only memory of this process that the
    // call writes; addresses of the other process are only read, and checked by the kernel.
    let read =
        unsafe { libc::process_vm_readv(pid, &raw const local, 1, remote.as_ptr(), remote.len() as libc::c_ulong, 0) };
    usize::try_from(read).map_err(|_| io::Error::last_os_error())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_of_this_process_is_read_until_a_place_that_is_not_mapped() {
        let pid = rustix::process::getpid().as_raw_nonzero().get();
        let known = [1_u64, 2, 3, 4];
        let at = |number: usize| std::ptr::from_ref(&known[number]).addr() as u64;
        let mut bytes = [0; 24];
        assert_eq!(read_process(pid, &[at(2), at(0), at(3)], 8, &mut bytes).unwrap(), 24);
        assert_eq!(bytes.map(u64::from), std::array::from_fn(|at| [3, 1, 4][at / 8] * u64::from(at % 8 == 0)));
        assert_eq!(read_process(pid, &[at(1), 8, at(3)], 8, &mut bytes).unwrap(), 8);
        assert_eq!(bytes[0], 2);
        assert!(read_process(pid, &[8], 8, &mut bytes).is_err());
        assert!(read_process(i32::MAX, &[at(0)], 8, &mut bytes).is_err());
        assert_eq!(read_process(pid, &[], 8, &mut bytes).unwrap(), 0);
    }
}
