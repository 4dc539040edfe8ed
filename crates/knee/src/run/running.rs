//! A started program and everything that watches it: its end, its output, its threads, its time limit.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use knee_machine::{CpuSet, sys};
use knee_meter::{Sampler, Watched};
use knee_workload::Bind;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, PidfdFlags, Signal, WaitId, WaitIdOptions, kill_process, pidfd_open, waitid};

use super::capture::{Capture, Echo};
use super::launch::{Launch, Streams};
use super::pinning::Pinner;
use super::{child, outcome, runtimes, tree};
use crate::error::say;
use crate::record::{Output, Pages, Pinning, Record};
use crate::spec::{Program, Spec};

/// Time between a polite request to end and the end.
const GRACE: Duration = Duration::from_secs(2);

/// A started program with everything that watches it.
pub(super) struct Running {
    process: std::process::Child,
    /// Readable when it has ended; none before Linux 5.3 and where a container forbids the call.
    exited: Option<OwnedFd>,
    begin: Instant,
    stdout: Option<Capture>,
    stderr: Option<Capture>,
    report: Option<Capture>,
    sampler: Option<Sampler>,
    pinner: Option<Pinner>,
    pub(super) timed_out: bool,
    pub(super) was_stopped: bool,
    /// Why `/proc` showed nothing of it, if it did not.
    unseen: &'static str,
}

/// How a program ended.
pub(super) struct End {
    /// None when it was killed and did not end.
    pub(super) status: Option<ExitStatus>,
    pub(super) wall: Duration,
    pub(super) max_rss_bytes: u64,
}

impl Running {
    pub(super) fn start(spec: &Spec, streams: Streams, begin: Instant) -> io::Result<Self> {
        let report = matches!(spec.program, Program::Workload { .. }).then(child::report_pipe).transpose()?;
        let us = rustix::process::getpid().as_raw_nonzero().get();
        let mut command = command(spec, report.as_ref().map(|(_, write)| write.as_fd()))?;
        match streams {
            Streams::Captured => {
                command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
            }
            Streams::Shown(_) => {
                command.stdout(Stdio::piped()).stderr(Stdio::piped());
            }
            Streams::ToStandardError => {
                command.stdout(Stdio::from(io::stderr().as_fd().try_clone_to_owned()?));
            }
            Streams::Inherited => {}
        }
        let foreign = matches!(spec.program, Program::Command { .. });
        let each = foreign && spec.bind == Bind::Each && !spec.cpus.is_empty();
        let (out, err) = match streams {
            Streams::Shown(echo) => (Some(echo), Some(Echo::StandardError)),
            _ => (None, None),
        };
        sys::place_on_exec(&mut command, &spec.cpus, spec.memory.as_ref())?;
        let mut process = command.spawn()?;
        drop(command);
        let pid = Pid::from_child(&process);
        let exited = pidfd_open(pid, PidfdFlags::empty()).ok();
        let capture = |pipe: Option<OwnedFd>, echo| -> io::Result<Option<Capture>> {
            pipe.map(|pipe| Capture::new(pipe).map(|capture| capture.echoing(echo))).transpose()
        };
        let census_ms = spec.census_ms.unwrap_or_else(usual_census_ms);
        let sampler = (spec.sample_ms.unwrap_or(0), if report.is_some() { 0 } else { census_ms });
        Ok(Self {
            stdout: capture(process.stdout.take().map(Into::into), out)?,
            stderr: capture(process.stderr.take().map(Into::into), err)?,
            report: capture(report.map(|(read, _write)| read), None)?,
            sampler: (sampler != (0, 0)).then(|| Sampler::new(us, begin, sampler.0, sampler.1)),
            pinner: each.then(|| Pinner::new(us, &spec.cpus, &skipped(spec))),
            process,
            exited,
            begin,
            timed_out: false,
            was_stopped: false,
            unseen: "it did not end",
        })
    }

    /// Waits for the end, sampling and reading. None when we were told to stop.
    pub(super) fn watch(&mut self, spec: &Spec, how: &Launch<'_>) -> Option<End> {
        let mut stop_at = spec.timeout_s.map(|seconds| self.begin + Duration::from_secs_f64(seconds));
        let mut killed = false;
        loop {
            // First: the sooner a thread is tied, the less of it runs elsewhere.
            if let Some(pinner) = &mut self.pinner {
                pinner.tick();
            }
            if let Some(sampler) = &mut self.sampler {
                sampler.tick();
            }
            let events = self.wait(stop_at, how);
            if events.exited {
                let wall = self.begin.elapsed();
                let pid = Pid::from_child(&self.process).as_raw_nonzero().get();
                self.unseen = why_unseen(pid);
                // It has ended, so there is something to take.
                let ended = sys::reap(Some(pid))?;
                return Some(End { status: Some(ended.status), wall, max_rss_bytes: ended.max_rss_bytes });
            }
            self.drain();
            if events.abandoned {
                return None;
            }
            if let Some(signal) = how.signals.next() {
                if how.lifeline.is_some() {
                    return None;
                }
                // Ctrl-C has reached the program already: it is in our process group.
                if signal != Signal::INT {
                    tree::signal_all(signal);
                }
            }
            if stop_at.is_some_and(|at| Instant::now() >= at) {
                if killed {
                    return Some(End { status: None, wall: self.begin.elapsed(), max_rss_bytes: 0 });
                }
                killed = self.timed_out;
                self.stop();
                stop_at = Some(Instant::now() + GRACE);
            }
        }
    }

    /// Asks for the end; the second time it is no question.
    fn stop(&mut self) {
        let signal = if self.timed_out { Signal::KILL } else { Signal::TERM };
        self.was_stopped |= !self.timed_out && tree::any_stopped();
        // The program itself whatever happens, also where /proc does not tell us what is below us.
        let _ = kill_process(Pid::from_child(&self.process), signal);
        tree::signal_all(signal);
        // One that is stopped does not hear a polite request.
        let _ = kill_process(Pid::from_child(&self.process), Signal::CONT);
        tree::signal_all(Signal::CONT);
        self.timed_out = true;
    }

    fn wait(&self, stop_at: Option<Instant>, how: &Launch<'_>) -> Events {
        let now = Instant::now();
        let watchers = [self.sampler.as_ref().map(Sampler::pause), self.pinner.as_ref().map(Pinner::pause)];
        let pauses = [watchers[0], watchers[1], stop_at.map(|at| at.saturating_duration_since(now))];
        let pause = pauses.into_iter().flatten().min().map(timespec);
        let exited = self.exited.as_ref().map_or(how.signals.child(), AsFd::as_fd);
        let mut fds = vec![PollFd::from_borrowed_fd(exited, PollFlags::IN)];
        // The lifeline never carries anything after the spec: readable means that its other end is gone.
        fds.extend(how.lifeline.iter().map(|fd| PollFd::from_borrowed_fd(*fd, PollFlags::IN)));
        fds.extend(how.signals.fds().map(|fd| PollFd::from_borrowed_fd(fd, PollFlags::IN)));
        let captures = [&self.stdout, &self.stderr, &self.report];
        let open = captures.into_iter().flatten().filter_map(Capture::fd);
        fds.extend(open.map(|fd| PollFd::from_borrowed_fd(fd, PollFlags::IN)));
        // An interrupted poll is a poll that found nothing.
        let _ = poll(&mut fds, pause.as_ref());
        let ready = |fd: &PollFd<'_>| !fd.revents().is_empty();
        let mut exited = ready(&fds[0]);
        if exited && self.exited.is_none() {
            how.signals.hear_children();
            exited = self.has_ended();
        }
        Events { exited, abandoned: how.lifeline.is_some() && ready(&fds[1]) }
    }

    fn has_ended(&self) -> bool {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        waitid(WaitId::Pid(Pid::from_child(&self.process)), options).is_ok_and(|ended| ended.is_some())
    }

    pub(super) fn drain(&mut self) {
        for capture in [&mut self.stdout, &mut self.stderr, &mut self.report].into_iter().flatten() {
            capture.drain();
        }
    }

    /// Everything that is still in the pipes, if whoever could write more has been ended.
    pub(super) fn drain_rest(&mut self, left: &tree::Left) {
        if left.not_ended.is_some() {
            return self.drain();
        }
        for capture in [&mut self.stdout, &mut self.stderr, &mut self.report].into_iter().flatten() {
            while capture.fd().is_some() && capture.drain() {}
        }
    }

    /// The end of what it said on standard error.
    pub(super) fn last_words(&self) -> String {
        self.stderr.as_ref().map(Capture::shown).unwrap_or_default()
    }

    /// Puts what was watched into the record.
    pub(super) fn finish(self, spec: &Spec, samples: Option<&Path>, record: &mut Record) {
        let path = samples.map(|folder| folder.join(format!("{}.csv.gz", spec.id)));
        let watched = self.pinner.is_some() || self.sampler.is_some();
        let (pinning, mut tied) = self.pinner.map(Pinner::finish).unzip();
        record.pinning = pinning;
        if let Some(sampler) = self.sampler {
            let Watched { threads, sampling, pages, written } = sampler.finish(path.as_deref());
            record.threads = threads;
            // Sampler and pinner both look; the last word counts.
            for thread in &mut record.threads {
                let tied = tied.as_mut().and_then(|tied| tied.remove(&thread.tid));
                if let Some((_, affinity)) = tied.filter(|(looked, _)| thread.looked < Some(*looked)) {
                    thread.affinity = Some(affinity);
                }
            }
            record.sampling = Some(sampling);
            if let Some(pages) = pages {
                record.pages = Pages::Known(pages.into_iter().map(|(node, count)| (node.to_string(), count)).collect());
            }
            match written {
                Ok(()) => record.samples = path.map(|path| relative_name(&path)),
                Err(error) => {
                    // What was written of it is no file of samples.
                    path.map(std::fs::remove_file);
                    say(format_args!("knee: samples of run {} are lost: {error}", spec.id));
                    record.samples_lost = Some(error.to_string());
                }
            }
        }
        if watched && record.threads.is_empty() && record.pinning.as_ref().is_none_or(Pinning::is_empty) {
            record.unseen = Some(self.unseen.into());
            record.pinning = None;
        }
        let text = |capture: &Option<Capture>| capture.as_ref().map(Capture::text).unwrap_or_default();
        let (stdout, stderr) = (text(&self.stdout), text(&self.stderr));
        record.output = Output {
            stdout_bytes: self.stdout.as_ref().map_or(0, Capture::bytes),
            stdout_fnv1a: self.stdout.as_ref().map(Capture::fingerprint),
            stdout_tail: self.stdout.as_ref().map(Capture::shown).unwrap_or_default(),
            stderr_tail: self.stderr.as_ref().map(Capture::shown).unwrap_or_default(),
        };
        child::read_report(&text(&self.report), &spec.program, record);
        outcome::judge(spec, &stdout, &stderr, self.stdout.is_some(), record);
    }
}

struct Events {
    exited: bool,
    abandoned: bool,
}

fn command(spec: &Spec, report: Option<BorrowedFd<'_>>) -> io::Result<Command> {
    let (mut command, directory) = match &spec.program {
        Program::Command { command, env, runtime, directory } => {
            let mut words = command.iter().map(|word| spec.fill_in(word));
            let mut built = Command::new(words.next().ok_or_else(|| io::Error::other("the command is empty"))?);
            if let Some(runtime) = runtime {
                let runtime = runtimes::find(runtime).map_err(|failure| io::Error::other(failure.to_string()))?;
                built.envs(runtime.variables(spec));
            }
            built.args(words).envs(env.iter().map(|(name, value)| (name, spec.fill_in(value))));
            (built, directory)
        }
        Program::Workload { directory, .. } => (child::command(spec, report)?, directory),
    };
    if let Some(directory) = directory {
        command.current_dir(directory);
    }
    Ok(command)
}

/// Threads without a place: those asked for, and those of which the runtime is known to make no use.
fn skipped(spec: &Spec) -> Vec<usize> {
    let Program::Command { runtime: Some(runtime), .. } = &spec.program else { return spec.skip.clone() };
    let known = runtimes::find(runtime).map(runtimes::Runtime::skip).unwrap_or_default();
    spec.skip.iter().chain(known).copied().collect()
}

/// Once a second where there is more than one node to have pages on.
fn usual_census_ms() -> u64 {
    let nodes = std::fs::read_to_string("/sys/devices/system/node/has_memory").unwrap_or_default();
    if nodes.trim().parse::<CpuSet>().is_ok_and(|nodes| nodes.len() > 1) { 1000 } else { 0 }
}

/// Why no thread was found of a program that has ended and was not taken off the list yet.
fn why_unseen(pid: i32) -> &'static str {
    let shown = |path: &str| Path::new(path).exists();
    match (shown("/proc/self/task"), shown(&format!("/proc/{pid}"))) {
        (false, _) => "/proc is not mounted here",
        (true, false) => "/proc does not show the program to this user",
        (true, true) => "the program ended before it could be looked at",
    }
}

/// The file as it is called inside the study's folder: its own folder's name and its name.
fn relative_name(path: &Path) -> String {
    let name = |path: &Path| path.file_name().map(|name| name.to_string_lossy().into_owned());
    [path.parent().and_then(name), name(path)].into_iter().flatten().collect::<Vec<_>>().join("/")
}

fn timespec(duration: Duration) -> Timespec {
    Timespec::try_from(duration).unwrap_or(Timespec { tv_sec: 3600, tv_nsec: 0 })
}
