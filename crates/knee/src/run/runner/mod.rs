//! `knee run --stdin`: run specs in, records out, one fresh launcher each.

mod launcher;
mod lines;
mod parent;

use std::io::{self, Write};
use std::os::fd::{AsFd, BorrowedFd};
use std::path::Path;
use std::process::ExitCode;

use rustix::event::{PollFd, PollFlags, Timespec, poll};

use self::launcher::Launcher;
use self::lines::Lines;
use self::parent::Parent;
use super::launcher::{Launch, Outcome, launch};
use super::running::{SamplesFolder, Streams};
use super::signals::{Signals, StopRequests};
use super::tree;
use crate::error::{Failure, print_out, status};
use crate::record::Record;
use crate::run_spec::RunSpec;
use crate::shown::shown;

/// Bytes that a pipe takes without blocking when poll says that it is writable (`PIPE_BUF`).
const AT_ONCE: usize = 4096;

/// Longest wait before we continue our parent or launcher, which a program may have stopped.
const LOOK: Timespec = Timespec { tv_sec: 1, tv_nsec: 0 };

/// Reads run specs until there are no more, and writes a record for each. `parent` is knee's Python process, which is
/// continued when a program stops it.
pub(crate) fn run_all(samples: Option<&Path>, parent: Option<i32>) -> Result<ExitCode, Failure> {
    if let Some(folder) = samples {
        let made = std::fs::create_dir_all(folder);
        made.map_err(|error| Failure::new(format!("cannot write samples to {}: {error}", folder.display())))?;
    }
    tree::refuse_others()?;
    tree::adopt_orphans();
    let mut runner = Runner::new(parent)?;
    loop {
        match runner.next_line()? {
            Next::Line(line) if line.trim().is_empty() => {}
            Next::Line(line) => {
                let spec = RunSpec::read(&line)?;
                let Some(record) = runner.run(&spec, samples)? else { return Ok(stopped()) };
                if !runner.write(&record)? {
                    return Ok(stopped());
                }
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
    parent: Option<Parent>,
}

impl Runner {
    fn new(parent: Option<i32>) -> Result<Self, Failure> {
        let parent = parent.and_then(Parent::new);
        Ok(Self { signals: Signals::catch()?, specs: Lines::default(), launches: 0, parent })
    }

    fn next_line(&mut self) -> Result<Next, Failure> {
        let stdin = io::stdin();
        loop {
            if let Some(line) = self.specs.take() {
                return Ok(Next::Line(line));
            }
            let [more] = self.wait([(stdin.as_fd(), PollFlags::IN)]);
            if self.signals.next().is_some() {
                return Ok(Next::Stop);
            }
            if more.is_empty() {
                continue;
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
        let mut launcher = Launcher::start(spec, samples).map_err(fail)?;
        self.signals.pause_with(Some(launcher.pid()));
        let stdout = io::stdout();
        let ended = loop {
            let [record, child, reader] = self.wait([
                (launcher.output.as_fd(), PollFlags::IN),
                (self.signals.child(), PollFlags::IN),
                (stdout.as_fd(), PollFlags::empty()),
            ]);
            if reader.contains(PollFlags::ERR) || self.signals.next().is_some() {
                launcher.end(&self.signals).map_err(fail)?;
                return Ok(None);
            }
            launcher.wake();
            if !child.is_empty() {
                self.signals.hear_children();
                if launcher.note_stop() {
                    break launcher.end(&self.signals).map_err(fail)?;
                }
            }
            if !record.is_empty() && launcher.read().map_err(fail)? {
                break launcher.end(&self.signals).map_err(fail)?;
            }
        };
        Ok(Some(Record { launch: self.launches, ..launcher.record(spec, ended) }))
    }

    /// Writes a record in parts that do not block: if the reader is stopped, only this process continues it. False when
    /// a signal asks us to stop.
    fn write(&self, record: &Record) -> Result<bool, Failure> {
        let fail = |error: io::Error| Failure::new(format!("cannot write the record of run {}: {error}", record.id));
        let line = serde_json::to_string(record).map_err(Failure::new)? + "\n";
        let mut stdout = io::stdout();
        for part in shown(&line).as_bytes().chunks(AT_ONCE) {
            while self.wait([(stdout.as_fd(), PollFlags::OUT)])[0].is_empty() {
                if self.signals.next().is_some() {
                    return Ok(false);
                }
            }
            stdout.write_all(part).and_then(|()| stdout.flush()).map_err(fail)?;
        }
        Ok(true)
    }

    /// Waits until one of these descriptors is ready or a signal arrives; returns what is ready. Also checks the
    /// parent.
    fn wait<const N: usize>(&self, each: [(BorrowedFd<'_>, PollFlags); N]) -> [PollFlags; N] {
        let watched = each.iter().map(|(fd, flags)| PollFd::from_borrowed_fd(*fd, *flags));
        let signals = self.signals.fds().map(|fd| PollFd::from_borrowed_fd(fd, PollFlags::IN));
        let mut fds: Vec<_> = watched.chain(signals).collect();
        // An interrupted poll counts as one that found nothing.
        let _ = poll(&mut fds, Some(&LOOK));
        let found = std::array::from_fn(|at| fds[at].revents());
        drop(fds);
        if let Some(parent) = &self.parent {
            parent.look();
        }
        found
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
    let signals = Signals::outlive()?;
    let stop = StopRequests { signals: &signals, lifeline: Some(stdin.as_fd()) };
    let how = Launch { streams: Streams::Captured, samples: samples.map(SamplesFolder::Study), stop };
    match launch(&spec, &how) {
        Outcome::Ran(record) | Outcome::Refused(record, ..) => {
            print_out(&format!("{}\n", serde_json::to_string(&record).map_err(Failure::new)?))?;
            Ok(ExitCode::SUCCESS)
        }
        Outcome::Abandoned => Ok(stopped()),
    }
}
