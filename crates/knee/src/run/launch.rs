//! One launch: place, start, watch, end, account.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use knee_machine::{CpuSet, Topology, sys};
use knee_meter::{Baseline, Sampler, clock};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, PidfdFlags, Signal, kill_process, pidfd_open};

use super::capture::{Capture, Echo};
use super::signals::Signals;
use super::{child, tree};
use crate::record::{Exit, Output, Record, Resources};
use crate::spec::{Program, SCHEMA, Spec};

/// Time between a polite request to end and the end.
const GRACE: Duration = Duration::from_secs(2);

/// Where the program's standard streams go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Streams {
    /// Into the record; standard input is empty.
    Captured,
    /// To ours.
    Inherited,
    /// Ours too, but standard output goes to standard error.
    ToStandardError,
    /// Into the record and to ours, standard output to this one; standard input is ours.
    Shown(Echo),
}

/// How to launch.
pub(crate) struct Launch<'a> {
    /// Where the streams go.
    pub(crate) streams: Streams,
    /// Folder for the samples.
    pub(crate) samples: Option<&'a Path>,
    /// When this closes, whoever asked for the run is gone.
    pub(crate) lifeline: Option<BorrowedFd<'a>>,
    /// Signals that ask us to stop.
    pub(crate) signals: &'a Signals,
}

/// What became of a launch.
pub(crate) enum Outcome {
    /// It ran, well or badly.
    Ran(Box<Record>),
    /// It could not start.
    Refused(Box<Record>, io::ErrorKind),
    /// We were told to stop; everything was ended and there is no record.
    Abandoned,
}

/// Makes one run. The calling process must have no other children.
pub(crate) fn launch(spec: &Spec, how: &Launch<'_>) -> Outcome {
    tree::adopt_orphans();
    let allowed = sys::affinity();
    let mut record = blank(spec);
    if let Err(error) = check_place(spec, &allowed) {
        record.exit.error = Some(error.to_string());
        return Outcome::Refused(Box::new(record), io::ErrorKind::Other);
    }
    let (cpus, at_once) = cpus_of(spec, &allowed);
    let baseline = Baseline::take(cpus.clone(), clock_on(&cpus, &allowed));
    let usage = sys::children_usage();
    let begin = Instant::now();
    let mut running = match Running::start(spec, how.streams, begin) {
        Ok(running) => running,
        Err(error) => {
            tree::end_all();
            pin_back(&allowed);
            record.exit.error = Some(format!("cannot run {}: {error}", described(&spec.program)));
            return Outcome::Refused(Box::new(record), error.kind());
        }
    };
    if let Some(cpu) = spec.sampler_cpu {
        // Only now, or the program would inherit it. A cpu that went away since the plan costs the sampler its place, not
        // the study its run.
        let _ = sys::pin(&[cpu]);
    }
    let Some((status, wall)) = running.watch(spec, how) else {
        tree::end_all();
        return Outcome::Abandoned;
    };
    let left_behind = tree::end_all();
    let used = difference(sys::children_usage(), usage);
    running.drain_all();
    pin_back(&allowed);
    record.wall_ns = nanoseconds(wall);
    record.user_ns = nanoseconds(used.user);
    record.system_ns = nanoseconds(used.system);
    record.rusage = Resources::from(used);
    record.exit = exit(status, running.timed_out.then_some(spec.timeout_s).flatten());
    record.exit.left_behind = Some(left_behind).filter(|&n| n > 0);
    record.validity = Some(baseline.compare(wall, used.user + used.system, at_once, clock_on(&cpus, &allowed)));
    running.finish(spec, how.samples, &mut record);
    Outcome::Ran(Box::new(record))
}

fn check_place(spec: &Spec, allowed: &CpuSet) -> io::Result<()> {
    let asked: CpuSet = spec.cpus.iter().copied().collect();
    let refused = asked.difference(allowed);
    if !refused.is_empty() {
        return Err(io::Error::other(format!("cpus not allowed: {refused}: this process may use {allowed}")));
    }
    let Some(memory) = &spec.memory else { return Ok(()) };
    sys::try_memory_policy(memory)
        .map_err(|error| io::Error::other(format!("memory policy refused: {memory}: {error}")))
}

/// The cpus the run may use, and how many of them at once.
fn cpus_of(spec: &Spec, allowed: &CpuSet) -> (CpuSet, usize) {
    let cpus = if spec.cpus.is_empty() { allowed.clone() } else { spec.cpus.iter().copied().collect() };
    let at_once = spec.threads.min(cpus.len());
    (cpus, at_once)
}

/// The clock proxy on the first cpu of the run.
fn clock_on(cpus: &CpuSet, allowed: &CpuSet) -> f64 {
    let pinned = cpus.first().is_some_and(|cpu| sys::pin(&[cpu]).is_ok());
    let nanoseconds = clock::nanoseconds_per_link();
    if pinned {
        pin_back(allowed);
    }
    nanoseconds
}

fn pin_back(allowed: &CpuSet) {
    let _ = sys::pin(&allowed.iter().collect::<Vec<_>>());
}

/// A started program with everything that watches it.
struct Running {
    process: std::process::Child,
    exited: OwnedFd,
    begin: Instant,
    stdout: Option<Capture>,
    stderr: Option<Capture>,
    report: Option<Capture>,
    sampler: Option<Sampler>,
    timed_out: bool,
}

impl Running {
    fn start(spec: &Spec, streams: Streams, begin: Instant) -> io::Result<Self> {
        let report = matches!(spec.program, Program::Workload { .. }).then(child::report_pipe).transpose()?;
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
        let (out, err) = match streams {
            Streams::Shown(echo) => (Some(echo), Some(Echo::StandardError)),
            _ => (None, None),
        };
        sys::place_on_exec(&mut command, &spec.cpus, spec.memory.as_ref())?;
        let mut process = command.spawn()?;
        drop(command);
        let pid = Pid::from_child(&process);
        let exited = pidfd_open(pid, PidfdFlags::empty())?;
        let capture = |pipe: Option<OwnedFd>, echo| -> io::Result<Option<Capture>> {
            pipe.map(|pipe| Capture::new(pipe).map(|capture| capture.echoing(echo))).transpose()
        };
        let sampler = spec.sample_ms.filter(|&ms| ms > 0);
        Ok(Self {
            stdout: capture(process.stdout.take().map(Into::into), out)?,
            stderr: capture(process.stderr.take().map(Into::into), err)?,
            report: capture(report.map(|(read, _write)| read), None)?,
            sampler: sampler.map(|ms| Sampler::new(rustix::process::getpid().as_raw_nonzero().get(), begin, ms)),
            process,
            exited,
            begin,
            timed_out: false,
        })
    }

    /// Waits for the end, sampling and reading. None when we were told to stop.
    fn watch(&mut self, spec: &Spec, how: &Launch<'_>) -> Option<(ExitStatus, Duration)> {
        let mut stop_at = spec.timeout_s.map(|seconds| self.begin + Duration::from_secs_f64(seconds));
        loop {
            if let Some(sampler) = &mut self.sampler {
                sampler.tick();
            }
            let events = self.wait(stop_at, how);
            if events.exited {
                let wall = self.begin.elapsed();
                // The pidfd says that it has ended, so this does not block; it cannot fail on our own child.
                return self.process.wait().ok().map(|status| (status, wall));
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
                let signal = if self.timed_out { Signal::KILL } else { Signal::TERM };
                // The program itself whatever happens, also where /proc does not tell us what is below us.
                let _ = kill_process(Pid::from_child(&self.process), signal);
                tree::signal_all(signal);
                self.timed_out = true;
                stop_at = Some(Instant::now() + GRACE);
            }
        }
    }

    fn wait(&self, stop_at: Option<Instant>, how: &Launch<'_>) -> Events {
        let now = Instant::now();
        let pauses = [self.sampler.as_ref().map(Sampler::pause), stop_at.map(|at| at.saturating_duration_since(now))];
        let pause = pauses.into_iter().flatten().min().map(timespec);
        let mut fds = vec![PollFd::new(&self.exited, PollFlags::IN)];
        // The lifeline never carries anything after the spec: readable means that its other end is gone.
        fds.extend(how.lifeline.iter().map(|fd| PollFd::from_borrowed_fd(*fd, PollFlags::IN)));
        fds.extend(how.signals.fds().map(|fd| PollFd::from_borrowed_fd(fd, PollFlags::IN)));
        let captures = [&self.stdout, &self.stderr, &self.report];
        let open = captures.into_iter().flatten().filter_map(Capture::fd);
        fds.extend(open.map(|fd| PollFd::from_borrowed_fd(fd, PollFlags::IN)));
        // An interrupted poll is a poll that found nothing.
        let _ = poll(&mut fds, pause.as_ref());
        let ready = |fd: &PollFd<'_>| !fd.revents().is_empty();
        Events { exited: ready(&fds[0]), abandoned: how.lifeline.is_some() && ready(&fds[1]) }
    }

    fn drain(&mut self) {
        for capture in [&mut self.stdout, &mut self.stderr, &mut self.report].into_iter().flatten() {
            capture.drain();
        }
    }

    /// Everything that is still in the pipes. Whoever could write more has been ended.
    fn drain_all(&mut self) {
        for capture in [&mut self.stdout, &mut self.stderr, &mut self.report].into_iter().flatten() {
            while capture.fd().is_some() && capture.drain() {}
        }
    }

    /// Puts what was watched into the record.
    fn finish(self, spec: &Spec, samples: Option<&Path>, record: &mut Record) {
        let path = samples.map(|folder| folder.join(format!("{}.csv.gz", spec.id)));
        if let Some(sampler) = self.sampler {
            let (threads, sampling, written) = sampler.finish(path.as_deref());
            record.threads = threads;
            record.sampling = Some(sampling);
            match written {
                Ok(()) => record.samples = path.map(|path| relative_name(&path)),
                Err(error) => eprintln!("knee: samples of run {} are lost: {error}", spec.id),
            }
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
        super::outcome::judge(spec, &stdout, &stderr, self.stdout.is_some(), record);
    }
}

struct Events {
    exited: bool,
    abandoned: bool,
}

fn command(spec: &Spec, report: Option<BorrowedFd<'_>>) -> io::Result<Command> {
    let (mut command, directory) = match &spec.program {
        Program::Command { command, env, directory } => {
            let mut words = command.iter().map(|word| spec.fill_in(word));
            let mut built = Command::new(words.next().ok_or_else(|| io::Error::other("the command is empty"))?);
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

fn described(program: &Program) -> &str {
    match program {
        Program::Command { command, .. } => command.first().map_or("nothing", String::as_str),
        Program::Workload { workload, .. } => workload,
    }
}

/// A record in which nothing has happened yet.
pub(crate) fn blank(spec: &Spec) -> Record {
    Record {
        schema: SCHEMA,
        id: spec.id.clone(),
        block: spec.block,
        launch: 1,
        start: jiff::Timestamp::now().strftime("%Y-%m-%dT%H:%M:%S%.3fZ").to_string(),
        wall_ns: 0,
        user_ns: 0,
        system_ns: 0,
        phases: Vec::new(),
        exit: Exit::default(),
        metric: None,
        check: None,
        rusage: Resources::default(),
        counters: super::outcome::counters(spec),
        pages: super::outcome::pages_unknown(&spec.program),
        threads: Vec::new(),
        sampling: None,
        validity: None,
        samples: None,
        facts: std::collections::BTreeMap::new(),
        output: Output::default(),
        simulated: false,
    }
}

fn exit(status: ExitStatus, timeout_s: Option<f64>) -> Exit {
    if timeout_s.is_some() {
        return Exit { timeout_s, ..Exit::default() };
    }
    Exit { code: status.code(), signal: status.signal(), ..Exit::default() }
}

fn difference(now: sys::Usage, then: sys::Usage) -> sys::Usage {
    sys::Usage {
        user: now.user.saturating_sub(then.user),
        system: now.system.saturating_sub(then.system),
        max_rss_bytes: now.max_rss_bytes,
        minor_faults: now.minor_faults - then.minor_faults,
        major_faults: now.major_faults - then.major_faults,
        voluntary_switches: now.voluntary_switches - then.voluntary_switches,
        involuntary_switches: now.involuntary_switches - then.involuntary_switches,
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

fn nanoseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}

/// This machine, for who needs it once.
pub(crate) fn machine() -> Result<Topology, knee_machine::Error> {
    Topology::this_machine()
}
