//! A started program and everything that watches it: its end, its output, its threads, its time limit.

mod watch;

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

use knee_machine::{CpuSet, sys};
use knee_meter::{Sampler, Watched};
use knee_region::VARIABLE;
use knee_region::format::EVENTS;
use knee_workload::Bind;
use rustix::process::{Pid, PidfdFlags, pidfd_open};

use super::capture::{Capture, Echo};
use super::counting::Counting;
use super::launch::Streams;
use super::pinning::Pinner;
use super::regions::{Marked, Regions};
use super::{child, outcome, runtimes, tree};
use crate::error::say;
use crate::record::{Output, Pages, Pinning, Record};
use crate::run_spec::{Program, RunSpec};

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
    counting: Counting,
    /// Where a command notes its regions; workloads report their phases.
    regions: Option<io::Result<Regions>>,
    pub(super) timed_out: bool,
    pub(super) was_stopped: bool,
    /// Why `/proc` showed nothing of it, if it did not.
    unseen: &'static str,
}

impl Running {
    pub(super) fn start(spec: &RunSpec, streams: Streams, begin: Instant, mut counting: Counting) -> io::Result<Self> {
        let report = matches!(spec.program, Program::Workload { .. }).then(child::report_pipe).transpose()?;
        let us = rustix::process::getpid().as_raw_nonzero().get();
        let mut command = command(spec, report.as_ref().map(|(_, write)| write.as_fd()))?;
        let regions = listen(&mut command, spec, begin, &counting);
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
        counting.started();
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
            counting,
            regions,
            process,
            exited,
            begin,
            timed_out: false,
            was_stopped: false,
            unseen: "it did not end",
        })
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
    pub(super) fn finish(self, spec: &RunSpec, samples: Option<&Path>, record: &mut Record) {
        let path = samples.map(|folder| folder.join(format!("{}.csv.gz", spec.id)));
        record.counters = self.counting.finish();
        let watched = self.pinner.is_some() || self.sampler.is_some();
        let (pinning, mut tied) = self.pinner.map(Pinner::finish).unzip();
        record.pinning = pinning;
        let marked = self.regions.map(|regions| regions.map_or_else(|error| Marked::none(&error), |made| made.read()));
        let Marked { phases, spans, faults } = marked.unwrap_or_default();
        (record.phases, record.region_faults) = (phases, faults);
        if let Some(mut sampler) = self.sampler {
            for span in spans {
                sampler.mark(span.begin_ns, &span.source, "begin", span.tid);
                sampler.mark(span.end_ns, &span.source, "end", span.tid);
            }
            let Watched { threads, sampling, pages, written } = sampler.finish(path.as_deref());
            record.observed_threads = threads;
            // Sampler and pinner both look; the last word counts.
            for thread in &mut record.observed_threads {
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
        if watched && record.observed_threads.is_empty() && record.pinning.as_ref().is_none_or(Pinning::is_empty) {
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

fn command(spec: &RunSpec, report: Option<BorrowedFd<'_>>) -> io::Result<Command> {
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

/// Tells a command where to note its regions, unless the user has told it something else.
fn listen(command: &mut Command, spec: &RunSpec, begin: Instant, counting: &Counting) -> Option<io::Result<Regions>> {
    let Program::Command { env, .. } = &spec.program else { return None };
    if env.contains_key(VARIABLE) {
        return None;
    }
    let regions = Regions::create(begin, counting.marks(EVENTS));
    match &regions {
        Ok(regions) => command.env(VARIABLE, regions.path()),
        // One of a knee around us would take what is ours.
        Err(_) => command.env_remove(VARIABLE),
    };
    Some(regions)
}

/// Threads without a place: those asked for, and those of which the runtime is known to make no use.
fn skipped(spec: &RunSpec) -> Vec<usize> {
    let Program::Command { runtime: Some(runtime), .. } = &spec.program else { return spec.skip.clone() };
    let known = runtimes::find(runtime).map(runtimes::Runtime::skip).unwrap_or_default();
    spec.skip.iter().chain(known).copied().collect()
}

/// Once a second where there is more than one node to have pages on.
fn usual_census_ms() -> u64 {
    let nodes = std::fs::read_to_string("/sys/devices/system/node/has_memory").unwrap_or_default();
    if nodes.trim().parse::<CpuSet>().is_ok_and(|nodes| nodes.len() > 1) { 1000 } else { 0 }
}

/// The file as it is called inside the study's folder: its own folder's name and its name.
fn relative_name(path: &Path) -> String {
    let name = |path: &Path| path.file_name().map(|name| name.to_string_lossy().into_owned());
    [path.parent().and_then(name), name(path)].into_iter().flatten().collect::<Vec<_>>().join("/")
}
