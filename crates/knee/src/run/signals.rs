//! Signals of the runner and the launcher: which ones end or pause them, and how they recover from SIGSTOP.
//!
//! **Ignored signals stay ignored.** knee does not catch a signal that is ignored when it starts: SIGHUP under `nohup`,
//! SIGINT and SIGQUIT in background jobs of a shell without job control. Such a signal does not end knee, and it does
//! not end the program, because exec keeps it ignored.
//!
//! **Sent by the program.** A program and its launcher are in one process group, so `kill 0` reaches both. The launcher
//! ignores SIGINT, SIGTERM and SIGHUP, and ends when its lifeline closes.
//!
//! **Stopped by the program.** Any program may send SIGSTOP to its parents, and SIGSTOP cannot be caught. A stopped
//! process cannot keep a time limit or react to SIGTERM. A fourth process that watches could be stopped too, and a
//! thread stops with its process. But kernel timers go on, and SIGCONT continues a process when it is *sent*, not when
//! it is delivered. So the runner and the launcher each have a timer that sends them SIGCONT every second ([`AWAKE`]).
//! The handler of SIGCONT does nothing. Python has no such timer: its runner checks once a second whether Python is
//! stopped, and continues it.
//!
//! Timers alone are not enough. SIGSTOP drops a SIGCONT that was not yet delivered, and a timer whose signal was dropped
//! never fires again (20 of 20 timers after 200,000 SIGSTOP in a row, Linux 6.18). So the runner also sends SIGCONT to
//! its launcher every second, and Python to its runner.
//!
//! **Stopped by the user.** Ctrl-Z sends SIGTSTP, which can be caught and is honoured: the timers are off until
//! SIGCONT. Batch systems send SIGTSTP first when they suspend a job. A bare SIGSTOP is not honoured, because it looks
//! like one from the program. Python passes SIGTSTP on to its runner, the runner to its launcher, and the launcher stops
//! the program, which is in another process group than the terminal's.
//!
//! **Stopped again and again.** A program that sends SIGSTOP in a tight loop leaves its launcher no time to act. For
//! this case the launcher sets a second timer, which sends it SIGKILL [`LAST_RESORT`] after the time limit. When the
//! launcher dies, the kernel kills the program (see `run`), and the runner ends the rest and writes the record. The
//! runner also kills a launcher that does not end within seconds or before a second request, and Python kills a runner
//! that does not. A plain `knee run` is its own launcher: when this timer kills it, children of its program may remain.
//!
//! A program with its user's rights can do worse, such as killing all of the user's processes. All this protects
//! against accidents and carelessness, not against attackers.

use std::cell::Cell;
use std::io::{self, Read};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::time::{Duration, Instant};

use knee_machine::sys::{self, SignalTimer};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, Signal, kill_process};

use super::tree;
use crate::error::Failure;

/// Time between two signals that continue the runner or the launcher.
pub(super) const AWAKE: Duration = Duration::from_secs(1);

/// Time after the time limit at which a launcher that could not act is killed. A launcher that can act needs at most
/// twice the time that a program has to end.
const LAST_RESORT: Duration = Duration::from_secs(10);

/// Signals that ask to stop.
const ASKS: [Signal; 3] = [Signal::INT, Signal::TERM, Signal::HUP];

/// From here on SIGINT, SIGTERM and SIGHUP no longer end this process; they arrive here, except in a runner's launcher
/// ([`Self::outlive`]). Reaching a file's size limit is a failed write from here on, and does not end us. (Handlers,
/// not dispositions: the program inherits nothing of this.)
pub(crate) struct Signals {
    streams: Vec<(Signal, UnixStream)>,
    child: UnixStream,
    /// None if the kernel provides no timers: then a stopped process stays stopped.
    awake: Option<SignalTimer>,
    last_resort: Option<SignalTimer>,
    /// The time limit of the current run, after which the last resort comes.
    limit: Cell<Option<Instant>>,
    /// How long Ctrl-Z has paused this process.
    paused: Cell<Duration>,
    /// Whether a signal has come while a program ran.
    came: Cell<bool>,
    /// Whether one of all that have come was SIGINT.
    interrupted: Cell<bool>,
    /// The runner's launcher, which pauses with it. A launcher has none: it stops its program itself.
    launcher: Cell<Option<Pid>>,
}

impl Signals {
    /// Catches the signals.
    ///
    /// # Errors
    /// When a sandbox forbids catching signals or waiting for events.
    pub(crate) fn catch() -> Result<Self, Failure> {
        Self::caught(&ASKS)
    }

    /// The same for a runner's launcher, which ends with its lifeline alone: its program may signal the group that both
    /// are in (`kill 0`).
    ///
    /// # Errors
    /// As [`Self::catch`].
    pub(crate) fn outlive() -> Result<Self, Failure> {
        Self::caught(&[])
    }

    /// Catches signals, of which these arrive, and Ctrl-Z.
    fn caught(asks: &[Signal]) -> Result<Self, Failure> {
        let refused = |what: &str, error: io::Error| {
            let failure = Failure::new(format!("{what}: {error}"));
            failure.hint("a sandbox (seccomp) may forbid it; run knee outside of it")
        };
        // Checked here, because loops that wait would spin if every wait failed.
        let now = Timespec { tv_sec: 0, tv_nsec: 0 };
        poll(&mut [], Some(&now)).map_err(|errno| refused("cannot wait for programs: ppoll", errno.into()))?;
        Self::register(asks).map_err(|error| refused("cannot catch signals", error))
    }

    fn register(asks: &[Signal]) -> io::Result<Self> {
        signal_hook::flag::register(Signal::XFSZ.as_raw(), Arc::default())?;
        // The timer sends its next signal only after this one was delivered to a handler.
        signal_hook::flag::register(Signal::CONT.as_raw(), Arc::default())?;
        for signal in ASKS.into_iter().filter(|signal| !asks.contains(signal) && !sys::ignores(*signal)) {
            // Caught, so that it does not end us; exec gives the program its usual effect.
            signal_hook::flag::register(signal.as_raw(), Arc::default())?;
        }
        let caught = asks.iter().copied().chain([Signal::TSTP]).filter(|&signal| !sys::ignores(signal));
        let streams = caught.map(|signal| Ok((signal, watch(signal)?))).collect::<io::Result<_>>()?;
        let [awake, last_resort] = [Signal::CONT, Signal::KILL].map(|signal| SignalTimer::new(signal).ok());
        let signals = Self {
            streams,
            child: watch(Signal::CHILD)?,
            awake,
            last_resort,
            limit: Cell::new(None),
            paused: Cell::default(),
            came: Cell::default(),
            interrupted: Cell::default(),
            launcher: Cell::default(),
        };
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

    /// A signal that has come since the last call. Ctrl-Z is not returned: it stops this process here until SIGCONT.
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
        if *signal == Signal::INT {
            self.interrupted.set(true);
        }
        Some(*signal)
    }

    /// Notes that a signal has come, which the program may not heed.
    pub(crate) fn note(&self) {
        self.came.set(true);
    }

    /// Whether a signal has asked to stop since the last call, also one that has not been looked at yet.
    pub(crate) fn have_come(&self) -> bool {
        while self.next().is_some() {
            self.note();
        }
        self.came.replace(false)
    }

    /// Ends this process as SIGINT would if it was not caught, where one has come; does nothing otherwise.
    pub(crate) fn end_as_interrupted(&self) {
        if self.interrupted.get() {
            let _ = signal_hook::low_level::emulate_default_handler(Signal::INT.as_raw());
        }
    }

    /// Arms the last resort for a run with this time limit; disarms it if there is none.
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

    /// How long Ctrl-Z has paused this process so far.
    pub(crate) fn paused(&self) -> Duration {
        self.paused.get()
    }

    /// From here on this launcher pauses when this process does.
    pub(super) fn pause_with(&self, launcher: Option<Pid>) {
        self.launcher.set(launcher);
    }

    /// Sends a signal to the launcher; without one, sends another to every process below.
    fn send_below(&self, to_launcher: Signal, to_program: Signal) {
        match self.launcher.get() {
            // An error means that it has ended.
            Some(launcher) => drop(kill_process(launcher, to_launcher)),
            None => tree::signal_all(to_program),
        }
    }

    fn pause(&self) {
        let limit = self.limit.get();
        self.limit(None);
        if let Some(timer) = &self.awake {
            timer.set(Duration::ZERO, Duration::ZERO);
        }
        let begin = Instant::now();
        self.send_below(Signal::TSTP, Signal::STOP);
        let _ = signal_hook::low_level::raise(Signal::STOP.as_raw());
        self.send_below(Signal::CONT, Signal::CONT);
        let pause = begin.elapsed();
        self.paused.set(self.paused.get() + pause);
        // One that came just before this pause would stop us again.
        for (_, stream) in self.streams.iter().filter(|(signal, _)| *signal == Signal::TSTP) {
            let mut stream: &UnixStream = stream;
            let _ = stream.read(&mut [0; 64]);
        }
        self.stay_awake();
        self.limit(limit.map(|at| at + pause));
    }
}

/// What can ask a launch to stop.
pub(crate) struct StopRequests<'a> {
    /// Signals that ask us to stop.
    pub(crate) signals: &'a Signals,
    /// Closes when the process that requested the run is gone.
    pub(crate) lifeline: Option<BorrowedFd<'a>>,
}

impl StopRequests<'_> {
    /// Whether something asks to stop, for which this waits so long at most. What has come is still there afterwards.
    pub(crate) fn come_within(&self, most: Duration) -> bool {
        let fds = self.signals.fds().chain(self.lifeline);
        let mut fds: Vec<_> = fds.map(|fd| PollFd::from_borrowed_fd(fd, PollFlags::IN)).collect();
        let most = Timespec { tv_sec: 0, tv_nsec: most.subsec_nanos().into() };
        // An interrupted poll is one that found nothing.
        poll(&mut fds, Some(&most)).is_ok_and(|ready| ready > 0)
    }
}

fn watch(signal: Signal) -> io::Result<UnixStream> {
    let (read, write) = UnixStream::pair()?;
    read.set_nonblocking(true)?;
    signal_hook::low_level::pipe::register(signal.as_raw(), write)?;
    Ok(read)
}
