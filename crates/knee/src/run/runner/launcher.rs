//! The runner's side of a launcher: starts it with a run spec, reads its record, asks it to end, or kills it.

use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process, waitid};

use super::super::launcher::{facts, never_ran, now};
use super::super::signals::{AWAKE, Signals};
use super::super::tree::{self, Left};
use crate::record::{Changed, Exit, Record};
use crate::run_spec::RunSpec;
use crate::this;

/// Time for a launcher to end its tree and itself, which is more than it normally needs. After that it is killed.
const PATIENCE: Duration = Duration::from_secs(6);

/// One started launcher.
pub(super) struct Launcher {
    process: Child,
    pub(super) output: File,
    text: Vec<u8>,
    /// How many times it was stopped by a signal.
    stops: u64,
    /// Whether the terminal caused one of them: a process of its group asked the terminal, and the kernel stopped all.
    asks_terminal: bool,
    woken: Instant,
    /// Processes that the kernel had killed for lack of memory before.
    kills: Option<u64>,
}

/// How a launcher ended, and which processes it left.
pub(super) struct Ended {
    status: ExitStatus,
    left: Left,
}

impl Launcher {
    pub(super) fn start(spec: &RunSpec, samples: Option<&Path>) -> io::Result<Self> {
        let kills = facts::memory_kills();
        let mut command = Command::new(this::program()?);
        command.arg("launch");
        if let Some(folder) = samples {
            command.arg("--samples").arg(folder);
        }
        // A group of its own: Ctrl-C reaches us, and we end the launcher in order.
        command.process_group(0).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut process = command.spawn()?;
        let mut line = serde_json::to_vec(spec)?;
        line.push(b'\n');
        // The pipe stays open: it is the launcher's lifeline. If the launcher has already ended, reading its output
        // shows it.
        let _ = process.stdin.as_mut().expect("it was piped").write_all(&line);
        let output = OwnedFd::from(process.stdout.take().expect("it was piped"));
        // If this fails, a read waits for the launcher.
        let _ = rustix::fs::fcntl_setfl(&output, rustix::fs::OFlags::NONBLOCK);
        Ok(Self {
            process,
            output: output.into(),
            text: Vec::new(),
            stops: 0,
            asks_terminal: false,
            woken: Instant::now(),
            kills,
        })
    }

    pub(super) fn pid(&self) -> Pid {
        Pid::from_child(&self.process)
    }

    /// Reads what the launcher has written; true at the end of its output.
    pub(super) fn read(&mut self) -> io::Result<bool> {
        let mut buffer = [0; 1 << 14];
        match self.output.read(&mut buffer) {
            Ok(length) => {
                self.text.extend_from_slice(&buffer[..length]);
                Ok(length == 0)
            }
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Counts a stop of the launcher if the kernel reports one. Returns whether one of its stops would last for ever.
    pub(super) fn note_stop(&mut self) -> bool {
        let id = WaitId::Pid(self.pid());
        let stopped = waitid(id, WaitIdOptions::STOPPED | WaitIdOptions::NOHANG);
        if let Ok(Some(stopped)) = stopped {
            self.stops += 1;
            let signal = stopped.stopping_signal();
            self.asks_terminal |= [Signal::TTIN, Signal::TTOU].iter().any(|one| signal == Some(one.as_raw()));
        }
        self.asks_terminal
    }

    /// Continues the launcher about once a second, in case a program has stopped it.
    pub(super) fn wake(&mut self) {
        if self.woken.elapsed() >= AWAKE {
            self.woken = Instant::now();
            let _ = kill_process(self.pid(), Signal::CONT);
        }
    }

    /// Asks the launcher to end, and ends the processes it left. The launcher is killed if it does not end within
    /// [`PATIENCE`], since a program may stop it again and again, or if another signal asks us to stop.
    pub(super) fn end(&mut self, signals: &Signals) -> io::Result<Ended> {
        drop(self.process.stdin.take());
        // If a program has stopped it, it cannot end.
        let _ = kill_process(self.pid(), Signal::CONT);
        let last = Instant::now() + PATIENCE;
        let status = loop {
            if let Some(status) = self.process.try_wait()? {
                break status;
            }
            let left = last.saturating_duration_since(Instant::now());
            if left.is_zero() || signals.next().is_some() {
                self.process.kill()?;
                break self.process.wait()?;
            }
            wait_for(signals, left);
            signals.hear_children();
        };
        signals.pause_with(None);
        Ok(Ended { status, left: tree::end_all() })
    }

    /// The launcher's record, or one that says why there is none.
    pub(super) fn record(&self, spec: &RunSpec, ended: Ended) -> Record {
        let mut record: Record = serde_json::from_slice(&self.text).unwrap_or_else(|error| {
            let how = match ended.status.signal() {
                Some(signal) => format!("signal {signal}"),
                None => format!("{}, {error}", ended.status),
            };
            let stops = if self.stops > 0 { ", after a program had stopped it" } else { "" };
            let reason = if self.asks_terminal {
                "ended: it asked the terminal, perhaps for a password; programs in a study have none".into()
            } else {
                format!("the launcher of this run died: {how}{stops}")
            };
            let mut record = never_ran(spec, now(), Vec::new(), reason);
            record.exit.memory_kills = facts::kills_since(self.kills);
            record
        });
        if self.stops > 0 {
            // The clock of the run went on while the launcher was stopped.
            let (fact, held, found) = ("launcher".into(), "running".into(), "stopped by a signal".into());
            record.changed.push(Changed { fact, held, found });
        }
        let not_ended = record.exit.not_ended.or(ended.left.not_ended);
        Record { exit: Exit { not_ended, ..record.exit }, ..record }
    }
}

/// Waits until a child has ended, or a signal has come.
fn wait_for(signals: &Signals, most: Duration) {
    let most = Timespec::try_from(most).ok();
    let fds = signals.fds().chain([signals.child()]);
    let mut fds: Vec<_> = fds.map(|fd| PollFd::from_borrowed_fd(fd, PollFlags::IN)).collect();
    // An interrupted poll is a poll that found nothing.
    let _ = poll(&mut fds, most.as_ref());
}
