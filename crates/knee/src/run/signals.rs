//! Pollable termination signals.

use std::io::{self, Read};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;
use std::sync::Arc;

use rustix::process::Signal;
use signal_hook::consts::{SIGCHLD, SIGHUP, SIGINT, SIGTERM, SIGXFSZ};

/// From here on SIGINT, SIGTERM and SIGHUP no longer end this process; they arrive here. Reaching a file's size limit
/// is a failed write from here on, and does not end us. (Handlers, not dispositions: the program inherits nothing of
/// this.)
pub(crate) struct Signals {
    streams: Vec<(Signal, UnixStream)>,
    child: UnixStream,
}

impl Signals {
    pub(crate) fn catch() -> io::Result<Self> {
        signal_hook::flag::register(SIGXFSZ, Arc::default())?;
        let signals = [(SIGINT, Signal::INT), (SIGTERM, Signal::TERM), (SIGHUP, Signal::HUP)];
        let streams = signals.into_iter().map(|(raw, signal)| Ok((signal, watch(raw)?)));
        Ok(Self { streams: streams.collect::<io::Result<_>>()?, child: watch(SIGCHLD)? })
    }

    /// Readable when a signal has come.
    pub(crate) fn fds(&self) -> impl Iterator<Item = BorrowedFd<'_>> {
        self.streams.iter().map(|(_, stream)| stream.as_fd())
    }

    /// Readable when a child has ended, until [`Self::hear_children`] is called.
    pub(crate) fn child(&self) -> BorrowedFd<'_> {
        self.child.as_fd()
    }

    pub(crate) fn hear_children(&self) {
        // An error means that there is nothing to read.
        let _ = (&self.child).read(&mut [0; 64]);
    }

    /// A signal that has come since the last call.
    pub(crate) fn next(&self) -> Option<Signal> {
        let arrived = |(_, stream): &&(Signal, UnixStream)| {
            let mut stream: &UnixStream = stream;
            matches!(stream.read(&mut [0; 64]), Ok(n) if n > 0)
        };
        self.streams.iter().find(arrived).map(|(signal, _)| *signal)
    }
}

/// What can ask a launch to stop.
pub(crate) struct StopRequests<'a> {
    /// Signals that ask us to stop.
    pub(crate) signals: &'a Signals,
    /// Closes when the process that requested the run is gone.
    pub(crate) lifeline: Option<BorrowedFd<'a>>,
}

fn watch(signal: i32) -> io::Result<UnixStream> {
    let (read, write) = UnixStream::pair()?;
    read.set_nonblocking(true)?;
    signal_hook::low_level::pipe::register(signal, write)?;
    Ok(read)
}
