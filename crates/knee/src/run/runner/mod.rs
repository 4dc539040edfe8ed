//! `knee run --stdin`: run specs in, records out, one fresh launcher each.

use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, ExitCode, Stdio};

use rustix::event::{PollFd, PollFlags, poll};

use super::launcher::{Launch, Outcome, launch, never_ran, now};
use super::running::Streams;
use super::signals::{Signals, StopRequests};
use super::tree;
use crate::error::{Failure, print_out, status};
use crate::record::{Exit, Record};
use crate::run_spec::RunSpec;

/// Reads run specs until there are no more, and writes a record for each.
pub(crate) fn run_all(samples: Option<&Path>) -> Result<ExitCode, Failure> {
    if let Some(folder) = samples {
        let made = std::fs::create_dir_all(folder);
        made.map_err(|error| Failure::new(format!("cannot write samples to {}: {error}", folder.display())))?;
    }
    tree::refuse_others()?;
    tree::adopt_orphans();
    let mut runner = Runner { signals: Signals::catch().map_err(Failure::new)?, specs: Lines::default(), launches: 0 };
    loop {
        match runner.next_line()? {
            Next::Line(line) if line.trim().is_empty() => {}
            Next::Line(line) => {
                let spec = RunSpec::read(&line)?;
                let Some(record) = runner.run(&spec, samples)? else { return Ok(stopped()) };
                write(&record)?;
            }
            Next::End => return Ok(ExitCode::SUCCESS),
            Next::Stop => return Ok(stopped()),
        }
    }
}

fn stopped() -> ExitCode {
    ExitCode::from(status::SIGNALLED + 2)
}

enum Next {
    Line(String),
    End,
    Stop,
}

struct Runner {
    signals: Signals,
    specs: Lines,
    launches: u64,
}

impl Runner {
    fn next_line(&mut self) -> Result<Next, Failure> {
        let stdin = io::stdin();
        loop {
            if let Some(line) = self.specs.take() {
                return Ok(Next::Line(line));
            }
            wait_for([stdin.as_fd()].into_iter().chain(self.signals.fds()));
            if self.signals.next().is_some() {
                return Ok(Next::Stop);
            }
            let more = self.specs.fill(stdin.as_fd());
            if !more.map_err(|error| Failure::new(format!("cannot read run specs: standard input: {error}")))? {
                return Ok(self.specs.rest().map_or(Next::End, Next::Line));
            }
        }
    }

    /// Starts one launcher and watches it. None when a signal asked us to stop, or our records have no reader any more.
    fn run(&mut self, spec: &RunSpec, samples: Option<&Path>) -> Result<Option<Record>, Failure> {
        self.launches += 1;
        let fail = |error: io::Error| Failure::new(format!("cannot launch run {}: {error}", spec.id));
        let mut launcher = start_launcher(spec, samples).map_err(fail)?;
        let mut output = launcher.stdout.take().map(nonblocking).expect("it was piped");
        let mut text = Vec::new();
        let stdout = io::stdout();
        loop {
            let hung_up = poll_launcher(output.as_fd(), stdout.as_fd(), &self.signals);
            if hung_up || self.signals.next().is_some() {
                drop(launcher.stdin.take());
                launcher.wait().map_err(fail)?;
                tree::end_all();
                return Ok(None);
            }
            let mut buffer = [0; 1 << 14];
            match output.read(&mut buffer) {
                Ok(0) => break,
                Ok(length) => text.extend_from_slice(&buffer[..length]),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                Err(error) => return Err(fail(error)),
            }
        }
        let ended = launcher.wait().map_err(fail)?;
        let left = tree::end_all();
        let record: Record = serde_json::from_slice(&text).unwrap_or_else(|error| {
            let how = match ended.signal() {
                Some(signal) => format!("signal {signal}"),
                None => format!("{ended}, {error}"),
            };
            never_ran(spec, now(), Vec::new(), format!("the launcher of this run died: {how}"))
        });
        let not_ended = record.exit.not_ended.or(left.not_ended);
        Ok(Some(Record { launch: self.launches, exit: Exit { not_ended, ..record.exit }, ..record }))
    }
}

fn write(record: &Record) -> Result<(), Failure> {
    let mut line = serde_json::to_vec(record).map_err(Failure::new)?;
    line.push(b'\n');
    let mut stdout = io::stdout().lock();
    let written = stdout.write_all(&line).and_then(|()| stdout.flush());
    written.map_err(|error| Failure::new(format!("cannot write the record of run {}: {error}", record.id)))
}

/// The launcher's output as a file that does not block.
fn nonblocking(stdout: ChildStdout) -> File {
    let fd = OwnedFd::from(stdout);
    // If this fails, a read waits for the launcher, which does no harm.
    let _ = rustix::fs::fcntl_setfl(&fd, rustix::fs::OFlags::NONBLOCK);
    fd.into()
}

fn start_launcher(spec: &RunSpec, samples: Option<&Path>) -> io::Result<Child> {
    let mut command = Command::new(std::env::current_exe()?);
    command.arg("launch");
    if let Some(folder) = samples {
        command.arg("--samples").arg(folder);
    }
    // A group of its own: Ctrl-C reaches us, and we end the launcher in order.
    command.process_group(0).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut launcher = command.spawn()?;
    let mut line = serde_json::to_vec(spec)?;
    line.push(b'\n');
    // Kept open afterwards: it is the launcher's lifeline. A launcher that has ended already is noticed when its output
    // is read.
    let _ = launcher.stdin.as_mut().expect("it was piped").write_all(&line);
    Ok(launcher)
}

/// Waits for the launcher or a signal; true when our standard output has no reader any more.
fn poll_launcher(output: BorrowedFd<'_>, stdout: BorrowedFd<'_>, signals: &Signals) -> bool {
    let mut fds =
        vec![PollFd::from_borrowed_fd(stdout, PollFlags::empty()), PollFd::from_borrowed_fd(output, PollFlags::IN)];
    fds.extend(signals.fds().map(|fd| PollFd::from_borrowed_fd(fd, PollFlags::IN)));
    // An interrupted poll is a poll that found nothing.
    let _ = poll(&mut fds, None);
    fds[0].revents().contains(PollFlags::ERR)
}

fn wait_for<'a>(fds: impl Iterator<Item = BorrowedFd<'a>>) {
    let mut fds: Vec<_> = fds.map(|fd| PollFd::from_borrowed_fd(fd, PollFlags::IN)).collect();
    // An interrupted poll is a poll that found nothing.
    let _ = poll(&mut fds, None);
}

/// Lines out of a descriptor that is read only when it has something.
#[derive(Default)]
struct Lines {
    buffer: Vec<u8>,
}

impl Lines {
    fn take(&mut self) -> Option<String> {
        let end = self.buffer.iter().position(|&byte| byte == b'\n')?;
        let line: Vec<u8> = self.buffer.drain(..=end).collect();
        Some(String::from_utf8_lossy(&line).trim_end().to_owned())
    }

    /// False at the end of the input.
    fn fill(&mut self, fd: BorrowedFd<'_>) -> io::Result<bool> {
        let mut chunk = [0; 1 << 14];
        let length = rustix::io::retry_on_intr(|| rustix::io::read(fd, &mut chunk))?;
        self.buffer.extend_from_slice(&chunk[..length]);
        Ok(length > 0)
    }

    /// A last line without an end.
    fn rest(&mut self) -> Option<String> {
        let rest = std::mem::take(&mut self.buffer);
        (!rest.is_empty()).then(|| String::from_utf8_lossy(&rest).into_owned())
    }
}

/// The launcher's side: one run spec in, one record out, if the record has a reader.
pub(crate) fn launch_one(samples: Option<&Path>) -> Result<ExitCode, Failure> {
    let stdin = io::stdin();
    let mut lines = Lines::default();
    let line = loop {
        if let Some(line) = lines.take() {
            break line;
        }
        if !lines.fill(stdin.as_fd()).map_err(Failure::new)? {
            return Err(Failure::new("no run spec on standard input"));
        }
    };
    let spec = RunSpec::read(&line)?;
    let signals = Signals::catch().map_err(Failure::new)?;
    let stop = StopRequests { signals: &signals, lifeline: Some(stdin.as_fd()) };
    let how = Launch { streams: Streams::Captured, samples, stop };
    match launch(&spec, &how) {
        Outcome::Ran(record) | Outcome::Refused(record, _) => {
            print_out(&format!("{}\n", serde_json::to_string(&record).map_err(Failure::new)?))?;
            Ok(ExitCode::SUCCESS)
        }
        Outcome::Abandoned => Ok(stopped()),
    }
}
