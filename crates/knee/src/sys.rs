//! Checks before Rust's runtime starts that no sandbox forbids a system call it needs: without one it panics, or aborts
//! without a message. The only room of this crate with `unsafe`.

use std::ffi::c_int;
use std::ptr::{null, null_mut};

/// The C library calls the functions in this section before `main`.
#[used]
// SAFETY: the section contains pointers to functions without a result. This is one, and it takes no arguments.
#[unsafe(link_section = ".init_array")]
static BEFORE_MAIN: extern "C" fn() = check;

const ZERO: libc::timespec = libc::timespec { tv_sec: 0, tv_nsec: 0 };

/// Prints which system call is forbidden, if one is, and exits. Calls nothing of Rust's standard library, which is not
/// initialised yet.
extern "C" fn check() {
    // SAFETY: the call gets no descriptors, so it reads and writes nothing.
    refuse_unless(b"poll", unsafe { libc::poll(null_mut(), 0, 0) });
    // SAFETY: without a new action the call changes nothing, and without a place for the old one it writes nothing.
    refuse_unless(b"rt_sigaction", unsafe { libc::sigaction(libc::SIGPIPE, null(), null_mut()) });
    let mut now = ZERO;
    // This clock cannot be read without a system call.
    // SAFETY: the pointer is to a whole timespec that lives through the call.
    refuse_unless(b"clock_gettime", unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &raw mut now) });
    let zero = ZERO;
    // The time is zero, so the call returns at once. It returns its error instead of setting errno.
    // SAFETY: the pointer is to a whole timespec that lives through the call.
    let slept = unsafe { libc::clock_nanosleep(libc::CLOCK_MONOTONIC, 0, &raw const zero, null_mut()) };
    if is_refusal(slept) {
        refuse(b"clock_nanosleep");
    }
    // SAFETY: the descriptor is invalid and the buffer is empty, so the call fails and writes nothing.
    let received = unsafe { libc::recv(-1, null_mut(), 0, 0) };
    refuse_unless(b"recvfrom", if received < 0 { -1 } else { 0 });
}

fn refuse_unless(call: &[u8], done: c_int) {
    // SAFETY: every thread has an errno from its start.
    if done != 0 && is_refusal(unsafe { *libc::__errno_location() }) {
        refuse(call);
    }
}

fn is_refusal(error: c_int) -> bool {
    matches!(error, libc::EPERM | libc::EACCES | libc::ENOSYS)
}

fn refuse(call: &[u8]) {
    let hint = b" is forbidden\n\nhint: a sandbox (seccomp) forbids it; run knee outside of it\n";
    for text in [b"knee: cannot start: the system call ".as_slice(), call, hint] {
        // SAFETY: the pointer is to `text.len()` bytes. A failure to write cannot be reported anywhere.
        unsafe { libc::write(libc::STDERR_FILENO, text.as_ptr().cast(), text.len()) };
    }
    // SAFETY: ends the process, before anything of it needs an orderly end.
    unsafe { libc::_exit(2) };
}
