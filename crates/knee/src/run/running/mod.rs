//! A started program and everything that watches it: its end, its output, its threads, its time limit.

mod capture;
mod counting;
mod seen;
mod series;
mod streams;
mod watch;

use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::process::Command;
use std::time::{Duration, Instant};

use knee_machine::clock::monotonic;
use knee_machine::{CpuSet, sys};
use knee_meter::perf::{Lent, Marks};
use knee_meter::{GoProgram, Sampler, ThrottledProgram};
use knee_region::format::EVENTS;
use knee_region::{Totals, VARIABLE};
use knee_workload::Bind;
use rustix::process::{Pid, PidfdFlags, pidfd_open};

use super::pinning::Pinner;
use super::program::{self, child};
use super::regions::Regions;
use super::signals::{Signals, StopRequests};
use super::tree;
use crate::error::expect_no_reader;
use crate::run_spec::{Program, RunSpec};

pub(crate) use self::capture::{Capture, Echo};
pub(crate) use self::counting::Counting;
pub(crate) use self::seen::{Samples, Seen, Threads};
pub(crate) use self::series::SamplesFolder;
pub(crate) use self::streams::Streams;
pub(crate) use self::watch::End;

/// Time in which somebody who reads what is shown takes a piece of it.
const SLOWEST: Duration = Duration::from_secs(2);

/// A started program with everything that watches it.
pub(crate) struct Running {
    process: std::process::Child,
    /// Readable when it has ended; none before Linux 5.3 and where a container forbids the call.
    exited: Option<OwnedFd>,
    begin: Instant,
    /// The same on the kernel's monotonic clock.
    launch: Duration,
    stdout: Option<Capture>,
    stderr: Option<Capture>,
    report: Option<Capture>,
    sampler: Option<Sampler>,
    pinner: Option<Pinner>,
    counting: Counting,
    /// The file of the program's regions and running counters; workloads report their phases.
    regions: Option<io::Result<Regions>>,
    /// Its running counters, if there is sampling.
    published: Option<Totals>,
    /// Counters that it reads itself.
    lent: Lent,
    pub(crate) timed_out: bool,
    pub(crate) was_stopped: bool,
    /// Why `/proc` showed nothing of it, if it did not.
    unseen: &'static str,
}

impl Running {
    /// Starts the program, and its clock.
    pub(crate) fn start(spec: &RunSpec, streams: Streams, mut counting: Counting) -> io::Result<Self> {
        let go = go_program(spec);
        let begin = Instant::now();
        let report = matches!(spec.program, Program::Workload { .. }).then(child::report_pipe).transpose()?;
        let launch = monotonic().saturating_sub(begin.elapsed());
        let lent = if report.is_some() { counting.lend() } else { Lent::default() };
        let mut command = program::command(spec, launch, report.as_ref().map(|(_, write)| write.as_fd()), &lent)?;
        let regions = listen(&mut command, spec, launch, &counting);
        streams.connect(&mut command)?;
        sys::place_on_exec(&mut command, &spec.cpus, spec.memory.as_ref())?;
        let mut process = command.spawn()?;
        counting.started();
        drop(command);
        let [out, err] = streams.echoes();
        let sampler = sampler(spec, begin).map(|sampler| sampler.leaving(counting.fds().count()).reading(go));
        let published = regions.iter().flatten().next().filter(|_| sampler.is_some()).and_then(Regions::totals);
        Ok(Self {
            stdout: captured(process.stdout.take(), out)?,
            stderr: captured(process.stderr.take(), err)?,
            report: captured(report.map(|(read, _write)| read), None)?,
            sampler,
            pinner: pinner(spec),
            counting,
            regions,
            published,
            lent,
            exited: pidfd_open(Pid::from_child(&process), PidfdFlags::empty()).ok(),
            process,
            begin,
            launch,
            timed_out: false,
            was_stopped: false,
            unseen: "it did not end",
        })
    }

    /// Keeps no series of samples, as there is no folder for it.
    pub(crate) fn forget_series(&mut self) {
        if let Some(sampler) = &mut self.sampler {
            sampler.forget_series();
        }
    }

    fn drain(&mut self) {
        for capture in [&mut self.stdout, &mut self.stderr, &mut self.report].into_iter().flatten() {
            capture.drain();
        }
    }

    /// Ends the processes that the program has left: at once where a signal has asked to stop, or its time was up.
    pub(crate) fn end_rest(&mut self, stop: &StopRequests<'_>, asked: bool) -> tree::Left {
        if asked || self.timed_out {
            return tree::end_all();
        }
        tree::let_end(|pause| {
            // What they print must find room.
            self.drain();
            stop.come_within(pause)
        })
    }

    /// Reads everything that is still in the pipes, if all writers have ended. If output is shown, it waits until the reader
    /// takes it or a signal asks to stop; after such a signal it waits briefly.
    pub(crate) fn drain_rest(&mut self, left: &tree::Left, signals: &Signals, asked: bool) {
        if left.not_ended.is_some() {
            return self.drain();
        }
        let mut is_read = true;
        for capture in [&mut self.stdout, &mut self.stderr, &mut self.report].into_iter().flatten() {
            if !is_read {
                // Both streams may have the same reader.
                capture.mute();
            }
            is_read &= capture.drain_rest(signals, asked.then_some(SLOWEST));
        }
        if !is_read {
            expect_no_reader();
        }
    }

    /// CPU time that samples saw, at least.
    pub(crate) fn sampled_cpu(&self) -> Duration {
        self.sampler.as_ref().map(Sampler::cpu).unwrap_or_default()
    }

    /// The control group into which it was put, as far as samples show.
    pub(crate) fn throttled_program(&mut self) -> Option<ThrottledProgram> {
        self.sampler.as_mut().and_then(Sampler::throttled_program)
    }

    /// The end of its standard error.
    pub(crate) fn last_words(&self) -> String {
        self.stderr.as_ref().map(Capture::shown).unwrap_or_default()
    }
}

fn captured(pipe: Option<impl Into<OwnedFd>>, echo: Option<Echo>) -> io::Result<Option<Capture>> {
    pipe.map(|pipe| Capture::new(pipe.into()).map(|capture| capture.echoing(echo))).transpose()
}

fn us() -> i32 {
    rustix::process::getpid().as_raw_nonzero().get()
}

/// The sampler of threads and, for commands, of pages; workloads report their pages. None if neither is requested.
fn sampler(spec: &RunSpec, begin: Instant) -> Option<Sampler> {
    let census_ms = census_ms(&spec.program, spec.census_ms);
    let sample_ms = spec.sample_ms.unwrap_or(0);
    ((sample_ms, census_ms) != (0, 0)).then(|| Sampler::new(us(), begin, sample_ms, census_ms))
}

/// Whether the threads of a command are sampled.
fn sampled(spec: &RunSpec) -> bool {
    matches!(spec.program, Program::Command { .. }) && spec.sample_ms.unwrap_or(0) > 0
}

/// The first program of a sampled command that is Go's. To read it takes some milliseconds, so the clock must not run yet.
fn go_program(spec: &RunSpec) -> Option<GoProgram> {
    if !sampled(spec) {
        return None;
    }
    let command = program::command(spec, Duration::ZERO, None, &Lent::default()).ok()?;
    program::files(&command).find_map(|file| GoProgram::read(&file))
}

/// The pinner of a command's threads, each to a cpu; workloads pin their own.
fn pinner(spec: &RunSpec) -> Option<Pinner> {
    let foreign = matches!(spec.program, Program::Command { .. });
    let each = foreign && spec.bind() == Bind::Each && !spec.cpus.is_empty();
    each.then(|| Pinner::new(us(), &spec.cpus, &program::skipped(spec)))
}

/// Passes the program the file for its regions and running counters, unless the user has set that variable. A workload
/// only has counters, so it gets the file only with sampling.
fn listen(command: &mut Command, spec: &RunSpec, launch: Duration, counting: &Counting) -> Option<io::Result<Regions>> {
    let marks = match &spec.program {
        program if program.env().contains_key(VARIABLE) => return None,
        Program::Command { .. } => counting.marks(EVENTS),
        Program::Workload { .. } if spec.sample_ms.unwrap_or(0) > 0 => Marks::default(),
        Program::Workload { .. } => {
            command.env_remove(VARIABLE);
            return None;
        }
    };
    let regions = Regions::create(launch, marks);
    match &regions {
        Ok(regions) => command.env(VARIABLE, regions.path()),
        // The file of an outer knee would receive our regions.
        Err(_) => command.env_remove(VARIABLE),
    };
    Some(regions)
}

/// Time between two counts of a program's pages, if that is asked for; 0 where they are not counted.
pub(crate) fn census_ms(program: &Program, asked: Option<u64>) -> u64 {
    match program {
        // It reports its pages.
        Program::Workload { .. } => 0,
        Program::Command { .. } => asked.unwrap_or_else(usual_census_ms),
    }
}

/// Once a second on machines with several nodes.
fn usual_census_ms() -> u64 {
    let nodes = std::fs::read_to_string("/sys/devices/system/node/has_memory").unwrap_or_default();
    if nodes.trim().parse::<CpuSet>().is_ok_and(|nodes| nodes.len() > 1) { 1000 } else { 0 }
}
