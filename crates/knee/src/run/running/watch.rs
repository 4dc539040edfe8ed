//! Watches a started program until it ends: by itself, by a signal that reaches us, or at its time limit.

use std::fs::File;
use std::os::fd::AsFd;
use std::path::Path;
use std::process::ExitStatus;
use std::time::{Duration, Instant};

use knee_machine::sys;
use knee_meter::Sampler;
use knee_region::Totals;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, WaitIdStatus, getpgrp, kill_process, waitid};
use rustix::termios::tcgetpgrp;

use super::super::pinning::Pinner;
use super::super::signals::StopRequests;
use super::super::tree;
use super::Running;
use crate::run_spec::RunSpec;

/// Time between SIGTERM and SIGKILL.
const GRACE: Duration = Duration::from_secs(2);

/// Time between two tries to reap a program that has ended and is still traced.
const TRACED: Duration = Duration::from_millis(1);

/// How a program ended.
pub(crate) struct End {
    /// None if it was killed and still did not end.
    pub(crate) status: Option<ExitStatus>,
    pub(crate) wall: Duration,
    pub(crate) max_rss_bytes: u64,
}

impl Running {
    /// Waits for the end, pinning, sampling and reading. None when a signal asked us to stop.
    pub(crate) fn watch(&mut self, spec: &RunSpec, stop: &StopRequests<'_>) -> Option<End> {
        let stop_at = spec.timeout_s.map(|seconds| self.begin + Duration::from_secs_f64(seconds));
        stop.signals.limit(stop_at);
        let end = self.watch_until(stop_at, stop);
        stop.signals.limit(None);
        end
    }

    fn watch_until(&mut self, mut stop_at: Option<Instant>, stop: &StopRequests<'_>) -> Option<End> {
        let mut killed = false;
        // Its wall time, once it has ended.
        let mut over = None;
        let mut orphans_rss_bytes = 0;
        let mut paused = stop.signals.paused();
        loop {
            self.tick();
            let events = self.wait(stop_at, stop);
            if events.exited {
                let pid = Pid::from_child(&self.process).as_raw_nonzero().get();
                let wall = *over.get_or_insert_with(|| {
                    let wall = self.begin.elapsed();
                    self.counting.ended();
                    self.unseen = why_unseen(pid);
                    wall
                });
                if let Some(ended) = sys::reap(Some(pid)) {
                    let max_rss_bytes = ended.max_rss_bytes.max(orphans_rss_bytes);
                    return Some(End { status: Some(ended.status), wall, max_rss_bytes });
                }
                if self.is_gone() {
                    return None;
                }
                // One of its own processes traces it (`strace -D`), and the kernel gives it to that one first.
                std::thread::sleep(TRACED);
            }
            if events.orphaned {
                orphans_rss_bytes = orphans_rss_bytes.max(tree::reap_orphans(Pid::from_child(&self.process)));
            }
            self.drain();
            if events.abandoned {
                return None;
            }
            if let Some(signal) = stop.signals.next() {
                if stop.lifeline.is_some() {
                    return None;
                }
                stop.signals.note();
                // Ctrl-C has reached all that is in our process group already, but not what made one of its own.
                if signal == Signal::INT && in_foreground() {
                    tree::signal_outside(getpgrp(), signal);
                } else {
                    tree::signal_all(signal);
                }
            }
            // The program was paused as well.
            let pause = stop.signals.paused().saturating_sub(paused);
            paused += pause;
            stop_at = stop_at.map(|at| at + pause);
            if stop_at.is_some_and(|at| Instant::now() >= at) {
                if killed {
                    let wall = over.unwrap_or_else(|| self.begin.elapsed());
                    return Some(End { status: None, wall, max_rss_bytes: orphans_rss_bytes });
                }
                killed = self.timed_out;
                self.stop();
                stop_at = Some(Instant::now() + GRACE);
            }
        }
    }

    /// Pins new threads, and samples if a sample is due.
    fn tick(&mut self) {
        // First, so that threads run unpinned as shortly as possible.
        if let Some(pinner) = &mut self.pinner {
            pinner.tick();
        }
        self.counting.drain();
        if let Some(sampler) = &mut self.sampler {
            let published = &mut self.published;
            sampler.tick(self.counting.gauges(), &mut |note| {
                for (name, sum) in published.iter_mut().flat_map(Totals::read) {
                    note(name, sum);
                }
            });
        }
    }

    /// Asks the program to end (SIGTERM); the second time kills it.
    fn stop(&mut self) {
        let signal = if self.timed_out { Signal::KILL } else { Signal::TERM };
        self.was_stopped |= !self.timed_out && tree::any_stopped();
        // The program itself in any case, even if /proc does not show our descendants.
        let _ = kill_process(Pid::from_child(&self.process), signal);
        tree::signal_all(signal);
        // A stopped process does not handle SIGTERM before it continues.
        let _ = kill_process(Pid::from_child(&self.process), Signal::CONT);
        tree::signal_all(Signal::CONT);
        self.timed_out = true;
    }

    fn wait(&self, stop_at: Option<Instant>, stop: &StopRequests<'_>) -> Events {
        let now = Instant::now();
        let watchers = [self.sampler.as_ref().map(Sampler::pause), self.pinner.as_ref().map(Pinner::pause)];
        let captures = || [&self.stdout, &self.stderr, &self.report].into_iter().flatten();
        let reading = captures().filter_map(|capture| capture.pause(now)).min();
        let pauses = [watchers[0], watchers[1], reading, stop_at.map(|at| at.saturating_duration_since(now))];
        let pause = pauses.into_iter().flatten().min().map(timespec);
        let child = stop.signals.child();
        let exited = self.exited.as_ref().map_or(child, AsFd::as_fd);
        let mut fds =
            vec![PollFd::from_borrowed_fd(exited, PollFlags::IN), PollFd::from_borrowed_fd(child, PollFlags::IN)];
        // The lifeline never carries anything after the run spec: readable means that its other end is gone.
        fds.extend(stop.lifeline.iter().map(|fd| PollFd::from_borrowed_fd(*fd, PollFlags::IN)));
        fds.extend(self.counting.fds().map(|fd| PollFd::from_borrowed_fd(fd, PollFlags::IN)));
        fds.extend(stop.signals.fds().map(|fd| PollFd::from_borrowed_fd(fd, PollFlags::IN)));
        let due = captures().filter_map(|capture| capture.fd(now));
        fds.extend(due.map(|fd| PollFd::from_borrowed_fd(fd, PollFlags::IN)));
        // An interrupted poll is a poll that found nothing.
        let _ = poll(&mut fds, pause.as_ref());
        let ready = |fd: &PollFd<'_>| !fd.revents().is_empty();
        let (mut exited, orphaned) = (ready(&fds[0]), ready(&fds[1]));
        if orphaned {
            stop.signals.hear_children();
        }
        if exited && self.exited.is_none() {
            exited = self.has_ended();
        }
        Events { exited, orphaned, abandoned: stop.lifeline.is_some() && ready(&fds[2]) }
    }

    fn has_ended(&self) -> bool {
        self.looked_at().is_ok_and(|ended| ended.is_some())
    }

    /// Whether it is no child of ours any more.
    fn is_gone(&self) -> bool {
        self.looked_at().is_err_and(|error| error == Errno::CHILD)
    }

    fn looked_at(&self) -> rustix::io::Result<Option<WaitIdStatus>> {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        waitid(WaitId::Pid(Pid::from_child(&self.process)), options)
    }
}

struct Events {
    exited: bool,
    /// Perhaps it was not the program but one of its processes without a parent.
    orphaned: bool,
    abandoned: bool,
}

/// Whether a terminal sends its Ctrl-C to the process group that we are in.
fn in_foreground() -> bool {
    let terminal = File::open("/dev/tty");
    terminal.and_then(|terminal| Ok(tcgetpgrp(terminal)?)).is_ok_and(|group| group == getpgrp())
}

/// Why no thread was found of a program that has ended and was not reaped yet.
fn why_unseen(pid: i32) -> &'static str {
    let shown = |path: &str| Path::new(path).exists();
    match (shown("/proc/self/task"), shown(&format!("/proc/{pid}"))) {
        (false, _) => "/proc is not mounted here",
        (true, false) => "/proc does not show the program to this user",
        (true, true) => "the program ended before the first sample",
    }
}

fn timespec(duration: Duration) -> Timespec {
    Timespec::try_from(duration).unwrap_or(Timespec { tv_sec: 3600, tv_nsec: 0 })
}
