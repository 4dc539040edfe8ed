//! Which signals this process ignores, and kernel timers that send it one.

use std::io;
use std::mem::MaybeUninit;
use std::ptr;
use std::time::Duration;

use rustix::process::Signal;

/// Whether this process ignores a signal: by its own choice, or because it was started that way, as `nohup` does.
#[must_use]
pub fn ignores(signal: Signal) -> bool {
    let mut action = MaybeUninit::<libc::sigaction>::zeroed();
    // SAFETY: with a null pointer the call changes no action, and the other pointer is to a whole sigaction that lives
    // through the call. All zeroes are a valid sigaction, so it may be read even if the call failed.
    let action = unsafe {
        libc::sigaction(signal.as_raw(), ptr::null(), action.as_mut_ptr());
        action.assume_init()
    };
    action.sa_sigaction == libc::SIG_IGN
}

/// A kernel timer that sends this process a signal. It also runs while the process is stopped.
#[derive(Debug)]
pub struct SignalTimer {
    id: libc::timer_t,
}

impl SignalTimer {
    /// A timer that is not set yet.
    ///
    /// # Errors
    /// The kernel's error: too many timers, or a container that forbids the call.
    pub fn new(signal: Signal) -> io::Result<Self> {
        let mut event = MaybeUninit::<libc::sigevent>::zeroed();
        let mut id = MaybeUninit::<libc::timer_t>::zeroed();
        // SAFETY: all zeroes are a valid sigevent, and its fields are set before the call reads it. Both pointers are
        // to whole objects that live through the call.
        let done = unsafe {
            (*event.as_mut_ptr()).sigev_notify = libc::SIGEV_SIGNAL;
            (*event.as_mut_ptr()).sigev_signo = signal.as_raw();
            libc::timer_create(libc::CLOCK_MONOTONIC, event.as_mut_ptr(), id.as_mut_ptr())
        };
        // SAFETY: all zeroes are a valid timer_t, and the call has written the id where it succeeded.
        if done == 0 { Ok(Self { id: unsafe { id.assume_init() } }) } else { Err(io::Error::last_os_error()) }
    }

    /// Sends the signal after the time `after`, then again every `every`. `after` = 0 disarms the timer; with `every` =
    /// 0 it sends one signal.
    pub fn set(&self, after: Duration, every: Duration) {
        let time = libc::itimerspec { it_interval: timespec(every), it_value: timespec(after) };
        // SAFETY: the id is that of a timer that exists until this is dropped, and the pointer is to a whole itimerspec
        // that lives through the call. It fails only for times that `timespec` never returns.
        unsafe { libc::timer_settime(self.id, 0, &raw const time, ptr::null_mut()) };
    }
}

impl Drop for SignalTimer {
    fn drop(&mut self) {
        // SAFETY: the id is that of a timer that exists, and is not used again.
        unsafe { libc::timer_delete(self.id) };
    }
}

/// A time in the kernel's form, at most 10^9 seconds (about thirty years).
fn timespec(time: Duration) -> libc::timespec {
    let time = time.min(Duration::from_secs(1_000_000_000));
    libc::timespec {
        tv_sec: time.as_secs().try_into().unwrap_or(libc::time_t::MAX),
        tv_nsec: time.subsec_nanos().into(),
    }
}
