//! Signals that ask us to stop, as something that can be polled.

use std::io::{self, Read};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;

use rustix::process::Signal;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};

/// From here on SIGINT, SIGTERM and SIGHUP no longer end this process; they arrive here.
pub(crate) struct Signals {
    streams: Vec<(Signal, UnixStream)>,
}

impl Signals {
    pub(crate) fn catch() -> io::Result<Self> {
        let watch = |(raw, signal)| {
            let (read, write) = UnixStream::pair()?;
            read.set_nonblocking(true)?;
            signal_hook::low_level::pipe::register(raw, write)?;
            Ok((signal, read))
        };
        let signals = [(SIGINT, Signal::INT), (SIGTERM, Signal::TERM), (SIGHUP, Signal::HUP)];
        Ok(Self { streams: signals.into_iter().map(watch).collect::<io::Result<_>>()? })
    }

    /// Readable when a signal has come.
    pub(crate) fn fds(&self) -> impl Iterator<Item = BorrowedFd<'_>> {
        self.streams.iter().map(|(_, stream)| stream.as_fd())
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
