//! What is found out before Rust's runtime begins: it panics, or aborts without a word, where a sandbox forbids a system
//! call that it cannot do without. The only room of this crate with `unsafe`.

use std::ffi::c_int;
use std::ptr::{null, null_mut};

/// The C library calls what is in this section before `main`.
#[used]
// SAFETY: the section holds pointers to functions without a result, and this is one; it takes no arguments.
#[unsafe(link_section = ".init_array")]
static BEFORE_MAIN: extern "C" fn() = check;

const ZERO: libc::timespec = libc::timespec { tv_sec: 0, tv_nsec: 0 };

/// Says which system call is forbidden, and ends. Nothing of Rust's standard library is called: it has not begun.
extern "C" fn check() {
    // SAFETY: the call gets no descriptors, so it reads and writes nothing.
    refuse_unless(b"poll", unsafe { libc::poll(null_mut(), 0, 0) });
    // SAFETY: without a new action the call changes nothing, and without a place for the old one it writes nothing.
    refuse_unless(b"rt_sigaction", unsafe { libc::sigaction(libc::SIGPIPE, null(), null_mut()) });
    let mut now = ZERO;
    // SAFETY: the pointer is to a whole timespec that lives through the call. This clock is not read without the kernel.
    refuse_unless(b"clock_gettime", unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &raw mut now) });
    let zero = ZERO;
    // SAFETY: the pointer is to a whole timespec, which is zero: the call returns at once, with an error and not in errno.
    let slept = unsafe { libc::clock_nanosleep(libc::CLOCK_MONOTONIC, 0, &raw const zero, null_mut()) };
    if is_refusal(slept) {
        refuse(b"clock_nanosleep");
    }
    // SAFETY: there is no such descriptor and no room, so the call fails and writes nothing.
    let received = unsafe { libc::recv(-1, null_mut(), 0, 0) };
    refuse_unless(b"recvfrom", if received < 0 { -1 } else { 0 });
}

fn refuse_unless(call: &[u8], done: c_int) {
    // SAFETY: the C library has an errno for every thread from its start.
    if done != 0 && is_refusal(unsafe { *libc::__errno_location() }) {
        refuse(call);
    }
}

fn is_refusal(error: c_int) -> bool {
    matches!(error, libc::EPERM | libc::EACCES | libc::ENOSYS)
}

fn refuse(call: &[u8]) {
    let hint = b" is forbidden\n\nhint: a sandbox (seccomp) around knee forbids it: try outside of it\n";
    for text in [b"knee: cannot start: the system call ".as_slice(), call, hint] {
        // SAFETY: the pointer is to so many bytes. What cannot be written is lost, and changes nothing.
        unsafe { libc::write(libc::STDERR_FILENO, text.as_ptr().cast(), text.len()) };
    }
    // SAFETY: ends the process, of which nothing has begun.
    unsafe { libc::_exit(2) };
}
