//! Signals of the processes that measure: which end them, which pause them, and that nothing else stops them.
//!
//! **Ignored stays ignored.** A signal that is ignored when knee starts (SIGHUP under `nohup`; SIGINT and SIGQUIT in
//! background jobs of a shell without job control) is not caught, so it ends neither knee nor, since exec keeps it
//! ignored, the program.
//!
//! **Stopped by the program.** Any program may send its parents SIGSTOP, which cannot be caught. A stopped process keeps
//! no time limit and hears no SIGTERM. Watching it from a fourth process only moves the question to that one, and a
//! thread stops with its process. But the kernel's timers go on, and a SIGCONT continues its process when it is
//! *sent*, not when it is delivered. So the runner and the launcher each have a timer that sends them SIGCONT every
//! second ([`AWAKE`]), and the handler does nothing. SIGSTOP drops a SIGCONT that has not arrived, and a timer whose
//! signal was dropped never fires again (all of 20 timers after 200,000 SIGSTOP in a row, Linux 6.18). So the runner
//! also sends its launcher SIGCONT every second, and Python its runner. Python has no such timer; its runner looks once
//! a second whether Python is stopped, and continues it.
//!
//! **Stopped by the user.** Ctrl-Z (SIGTSTP) can be caught, and is honoured: the timers rest until SIGCONT. Batch systems
//! that suspend a job send SIGTSTP first. A bare SIGSTOP is not honoured: it looks like the program's.
//!
//! **Stopped again and again.** A program that sends SIGSTOP in a tight loop leaves its launcher no time to act. Against
//! that stands a second timer, which the launcher sets [`LAST_RESORT`] beyond the time limit and which sends it SIGKILL.
//! The launcher's death ends the program (see `run`), and the runner ends the rest and writes the record. The runner also
//! kills a launcher that does not end within seconds, or at a second request, and Python such a runner. A plain `knee run` is its own launcher:
//! after this last resort, children of its program may remain.
//!
//! A program with the rights of its user can do worse, like killing everything of that user; this is against accidents
//! and carelessness, not against attackers.

use std::cell::Cell;
use std::io::{self, Read};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::time::{Duration, Instant};

use knee_machine::sys::{self, SignalTimer};
use rustix::event::{Timespec, poll};
use rustix::process::Signal;

use crate::error::Failure;

/// The longest that a process of ours stays stopped.
pub(super) const AWAKE: Duration = Duration::from_secs(1);

/// So long after its time limit a launcher that could not act is killed. In order, it needs twice the time that a program
/// has to end.
const LAST_RESORT: Duration = Duration::from_secs(10);

/// From here on SIGINT, SIGTERM and SIGHUP no longer end this process; they arrive here. Reaching a file's size limit
/// is a failed write from here on, and does not end us. (Handlers, not dispositions: the program inherits nothing of
/// this.)
pub(crate) struct Signals {
    streams: Vec<(Signal, UnixStream)>,
    child: UnixStream,
    /// None where the kernel gives no timers: then a stop lasts.
    awake: Option<SignalTimer>,
    last_resort: Option<SignalTimer>,
    /// When the last resort comes.
    limit: Cell<Option<Instant>>,
}

impl Signals {
    /// Catches them.
    ///
    /// # Errors
    /// When a sandbox forbids to catch signals, or to wait for anything.
    pub(crate) fn catch() -> Result<Self, Failure> {
        let refused = |what: &str, error: io::Error| {
            let failure = Failure::new(format!("{what}: {error}"));
            failure.hint("a sandbox (seccomp) around knee may forbid it: try outside of it")
        };
        // Found out now, since a wait that fails is an endless loop.
        let now = Timespec { tv_sec: 0, tv_nsec: 0 };
        poll(&mut [], Some(&now)).map_err(|errno| refused("cannot wait for programs: ppoll", errno.into()))?;
        Self::register().map_err(|error| refused("cannot catch signals", error))
    }

    fn register() -> io::Result<Self> {
        signal_hook::flag::register(Signal::XFSZ.as_raw(), Arc::default())?;
        // The timer goes on only when its signals are taken.
        signal_hook::flag::register(Signal::CONT.as_raw(), Arc::default())?;
        let signals = [Signal::INT, Signal::TERM, Signal::HUP, Signal::TSTP];
        let caught = signals.into_iter().filter(|&signal| !sys::ignores(signal));
        let streams = caught.map(|signal| Ok((signal, watch(signal)?))).collect::<io::Result<_>>()?;
        let [awake, last_resort] = [Signal::CONT, Signal::KILL].map(|signal| SignalTimer::new(signal).ok());
        let signals = Self { streams, child: watch(Signal::CHILD)?, awake, last_resort, limit: Cell::new(None) };
        signals.stay_awake();
        Ok(signals)
    }

    /// Readable when a signal has come.
    pub(crate) fn fds(&self) -> impl Iterator<Item = BorrowedFd<'_>> {
        self.streams.iter().map(|(_, stream)| stream.as_fd())
    }

    /// Readable when a child has ended or stopped, until [`Self::hear_children`] is called.
    pub(crate) fn child(&self) -> BorrowedFd<'_> {
        self.child.as_fd()
    }

    pub(crate) fn hear_children(&self) {
        // An error means that there is nothing to read.
        let _ = (&self.child).read(&mut [0; 64]);
    }

    /// A signal that has come since the last call. Ctrl-Z is none: this process stops here, and goes on here.
    pub(crate) fn next(&self) -> Option<Signal> {
        let arrived = |(_, stream): &&(Signal, UnixStream)| {
            let mut stream: &UnixStream = stream;
            matches!(stream.read(&mut [0; 64]), Ok(n) if n > 0)
        };
        let (signal, _) = self.streams.iter().find(arrived)?;
        if *signal == Signal::TSTP {
            self.pause();
            return None;
        }
        Some(*signal)
    }

    /// Sets the last resort for a run that has this time limit, or none.
    pub(crate) fn limit(&self, at: Option<Instant>) {
        self.limit.set(at);
        if let Some(timer) = &self.last_resort {
            let left = at.map(|at| at.saturating_duration_since(Instant::now()) + LAST_RESORT);
            timer.set(left.unwrap_or_default(), Duration::ZERO);
        }
    }

    fn stay_awake(&self) {
        if let Some(timer) = &self.awake {
            timer.set(AWAKE, AWAKE);
        }
    }

    fn pause(&self) {
        let limit = self.limit.get();
        self.limit(None);
        if let Some(timer) = &self.awake {
            timer.set(Duration::ZERO, Duration::ZERO);
        }
        let _ = signal_hook::low_level::raise(Signal::STOP.as_raw());
        self.stay_awake();
        self.limit(limit);
    }
}

/// What can ask a launch to stop.
pub(crate) struct StopRequests<'a> {
    /// Signals that ask us to stop.
    pub(crate) signals: &'a Signals,
    /// Closes when the process that requested the run is gone.
    pub(crate) lifeline: Option<BorrowedFd<'a>>,
}

fn watch(signal: Signal) -> io::Result<UnixStream> {
    let (read, write) = UnixStream::pair()?;
    read.set_nonblocking(true)?;
    signal_hook::low_level::pipe::register(signal.as_raw(), write)?;
    Ok(read)
}
