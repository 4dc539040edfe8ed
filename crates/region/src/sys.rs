//! System calls and shared memory: with the functions for C, the only room of this crate with `unsafe`.

use std::fs::File;
use std::io;
use std::os::fd::{AsRawFd, RawFd};
use std::sync::atomic::AtomicI32;

use crate::format::{COUNTER_BYTES, CounterSlot, EVENT_BYTES, HEAD_BYTES, Head, Reading, SLOT_BYTES, Slot};
use crate::listener::Listener;
use crate::names::Name;

/// `PERF_FLAG_FD_CLOEXEC` of `linux/perf_event.h`.
const CLOSE_ON_EXEC: libc::c_ulong = 8;

/// `PERF_EVENT_IOC_ID` of the same: `_IOR('$', 7, __u64 *)`.
const EVENT_ID: libc::Ioctl =
    (2 << 30) | ((size_of::<usize>() as libc::Ioctl) << 16) | ((b'$' as libc::Ioctl) << 8) | 7;

/// A file that is mapped for good.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Mapping {
    start: *mut libc::c_void,
    bytes: usize,
}

impl Mapping {
    /// Maps a file that has a head at least.
    pub(crate) fn of(file: &File) -> io::Result<Self> {
        let bytes = usize::try_from(file.metadata()?.len()).map_err(io::Error::other)?;
        if bytes < HEAD_BYTES {
            return Err(io::Error::other("a file that is too short"));
        }
        let access = libc::PROT_READ | libc::PROT_WRITE;
        // SAFETY: a new mapping where the kernel likes, of a file that is open for reading and writing.
        let start = unsafe { libc::mmap(std::ptr::null_mut(), bytes, access, libc::MAP_SHARED, file.as_raw_fd(), 0) };
        if start == libc::MAP_FAILED { Err(io::Error::last_os_error()) } else { Ok(Self { start, bytes }) }
    }

    pub(crate) fn head(self) -> &'static Head {
        // SAFETY: the mapping is never undone, begins at a page and is longer than the head, which consists of atomics
        // alone: for them every value is valid, and other processes may change it. knee forbids that the file becomes
        // shorter (F_SEAL_SHRINK).
        unsafe { &*self.start.cast::<Head>() }
    }

    /// So many slots from this byte on; none where the file is too short.
    pub(crate) fn slots(self, at: usize, count: usize) -> Option<&'static [Slot]> {
        self.holds(at, count, SLOT_BYTES).then(|| {
            // SAFETY: as for the head; all of them lie inside, and begin at a multiple of eight bytes.
            unsafe { std::slice::from_raw_parts(self.start.byte_add(at).cast(), count) }
        })
    }

    /// So many counters from this byte on; none where the file is too short.
    pub(crate) fn counters(self, at: usize, count: usize) -> Option<&'static [CounterSlot]> {
        self.holds(at, count, COUNTER_BYTES).then(|| {
            // SAFETY: as for the head; all of them lie inside, and begin at a multiple of eight bytes.
            unsafe { std::slice::from_raw_parts(self.start.byte_add(at).cast(), count) }
        })
    }

    fn holds(self, at: usize, count: usize, each: usize) -> bool {
        let end = count.checked_mul(each).and_then(|bytes| bytes.checked_add(at));
        at.is_multiple_of(align_of::<u64>()) && end.is_some_and(|end| end <= self.bytes)
    }
}

/// A number on a page of its own, which is 0 in the child of every fork; none before Linux 4.14.
pub(crate) fn page_wiped_by_fork() -> Option<&'static AtomicI32> {
    let (bytes, access) = (size_of::<AtomicI32>(), libc::PROT_READ | libc::PROT_WRITE);
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
    // SAFETY: a new mapping where the kernel likes; madvise gets that mapping only. It is never undone, begins at a
    // page, and zero is a valid number.
    unsafe {
        let page = libc::mmap(std::ptr::null_mut(), bytes, access, flags, -1, 0);
        if page == libc::MAP_FAILED {
            return None;
        }
        (libc::madvise(page, bytes, libc::MADV_WIPEONFORK) == 0).then(|| &*page.cast())
    }
}

/// Opens a counter of the calling thread, which the attribute describes; none when the kernel refuses.
pub(crate) fn open_counter(attribute: &[u8; EVENT_BYTES]) -> Option<RawFd> {
    // Where an attribute says how long it is.
    let length = u32::from_ne_bytes(attribute[4..8].try_into().expect("a range of 4 bytes"));
    if length as usize > EVENT_BYTES {
        return None;
    }
    let (this_thread, any_cpu, no_group) = (0, -1, -1);
    // SAFETY: the kernel reads as many bytes from the pointer as the attribute says, which are all there, and writes
    // only to that place of its length, which is in a copy of the caller's.
    let opened = unsafe {
        let mut attribute = *attribute;
        libc::syscall(libc::SYS_perf_event_open, attribute.as_mut_ptr(), this_thread, any_cpu, no_group, CLOSE_ON_EXEC)
    };
    i32::try_from(opened).ok().filter(|file| *file >= 0)
}

/// The kernel's number of the event behind a descriptor; none where that is something else, or nothing.
pub(crate) fn counter_id(file: RawFd) -> Option<u64> {
    let mut id = 0_u64;
    // SAFETY: the kernel writes a number of 64 bits where the pointer says. What is no event refuses the request.
    let done = unsafe { libc::ioctl(file, EVENT_ID, &raw mut id) };
    (done == 0).then_some(id)
}

/// Closes a counter.
pub(crate) fn close_counter(file: RawFd) {
    // SAFETY: callers have checked that it is their counter, so no other code uses the number.
    unsafe { libc::close(file) };
}

/// The number below which the kernel gives descriptors to this process.
pub(crate) fn most_files() -> RawFd {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: the kernel writes a whole rlimit where the pointer says.
    let done = unsafe { libc::getrlimit(libc::RLIMIT_NOFILE, &raw mut limit) };
    if done == 0 { RawFd::try_from(limit.rlim_cur).unwrap_or(RawFd::MAX) } else { RawFd::MAX }
}

/// Reads a counter whose attribute asks for its times, too.
pub(crate) fn read_counter(counter: RawFd) -> Option<Reading> {
    let mut words = [0_u64; 3];
    // SAFETY: the kernel writes at most as many bytes as the array has, for which every value is valid.
    let got = unsafe { libc::read(counter, words.as_mut_ptr().cast(), size_of_val(&words)) };
    let [count, enabled_ns, running_ns] = words;
    (usize::try_from(got) == Ok(size_of_val(&words))).then_some(Reading { count, enabled_ns, running_ns })
}

/// The name behind a pointer of the table.
pub(crate) fn name_at(pointer: *mut Name) -> Option<&'static Name> {
    // SAFETY: the table holds null or pointers that came from leaked boxes, and nothing ever writes through them.
    unsafe { pointer.as_ref() }
}

/// The listener behind its pointer.
pub(crate) fn listener_at(pointer: *mut Listener) -> Option<&'static Listener> {
    // SAFETY: it is null or came from a box that is never freed, and nothing ever writes through it.
    unsafe { pointer.as_ref() }
}

/// Whether the program has rights that its user does not have: then the user's variables are ignored.
pub(crate) fn runs_with_more_rights() -> bool {
    // SAFETY: the call reads a number that the kernel gave this process.
    unsafe { libc::getauxval(libc::AT_SECURE) != 0 }
}

/// This process's id.
pub(crate) fn process_id() -> i32 {
    // SAFETY: the call has no arguments and always succeeds.
    unsafe { libc::getpid() }
}

/// This thread's id.
pub(crate) fn thread_id() -> i32 {
    // SAFETY: the call has no arguments and always succeeds.
    unsafe { libc::gettid() }
}

/// Time since the machine was started, without sleep: the clock of `std::time::Instant`.
pub(crate) fn now_ns() -> u64 {
    read(libc::CLOCK_MONOTONIC)
}

/// CPU time of this thread.
pub(crate) fn thread_cpu_ns() -> u64 {
    read(libc::CLOCK_THREAD_CPUTIME_ID)
}

/// CPU time of this process, all its threads.
pub(crate) fn process_cpu_ns() -> u64 {
    read(libc::CLOCK_PROCESS_CPUTIME_ID)
}

fn read(clock: libc::clockid_t) -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the pointer is to a whole timespec that lives through the call. These three clocks exist on every Linux.
    unsafe { libc::clock_gettime(clock, &raw mut time) };
    let (seconds, rest) = (u64::try_from(time.tv_sec).unwrap_or(0), u64::try_from(time.tv_nsec).unwrap_or(0));
    seconds * 1_000_000_000 + rest
}
