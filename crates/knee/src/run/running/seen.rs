//! Observations of a finished program, as parts of its record.

use std::collections::BTreeMap;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use knee_machine::clock::nanoseconds;
use knee_meter::hotspots::Hotspots;
use knee_meter::perf::Counter;
use knee_meter::switches::Switches;
use knee_meter::{FutexWaits, Goroutines, Mapped, Sampler, Sampling, ThreadUse, WORKLOAD, Watched};
use knee_region::Totals;

use super::super::pinning::{Observed, Pinner};
use super::super::program::child::{self, Report};
use super::super::regions::{Marked, Span};
use super::{Capture, Running, SamplesFolder};
use crate::error::say;
use crate::record::{Output, Pages, Pinning};
use crate::run_spec::RunSpec;

/// Observations of a program.
#[derive(Default)]
pub(crate) struct Seen {
    pub(crate) counters: BTreeMap<String, Counter>,
    pub(crate) threads: Threads,
    /// By the census; a workload's report is more exact.
    pub(crate) pages: Option<Pages>,
    /// Programs and libraries of the tree; none without samples.
    pub(crate) mapped: Option<Mapped>,
    pub(crate) samples: Samples,
    pub(crate) switches: Option<Switches>,
    pub(crate) hotspots: Option<Hotspots>,
    /// The regions of a command.
    pub(crate) marked: Marked,
    /// A workload's own report.
    pub(crate) report: Option<Report>,
    /// What it printed, as far as it was captured.
    pub(crate) stdout: Option<String>,
    pub(crate) stderr: Option<String>,
    pub(crate) output: Output,
}

/// Observations of its threads.
#[derive(Default)]
pub(crate) struct Threads {
    pub(crate) observed: Vec<ThreadUse>,
    pub(crate) pinning: Option<Pinning>,
    /// Why no thread was found.
    pub(crate) unseen: Option<String>,
}

/// How sampling went, and where the samples are.
#[derive(Default)]
pub(crate) struct Samples {
    pub(crate) sampling: Option<Sampling>,
    /// What sleeping threads waited for.
    pub(crate) futex: Option<FutexWaits>,
    /// What goroutines did.
    pub(crate) goroutines: Option<Goroutines>,
    pub(crate) file: Option<String>,
    pub(crate) lost: Option<String>,
}

impl Running {
    /// Collects all observations of a program that took `wall`. `samples` is where the time series goes.
    pub(crate) fn finish(mut self, spec: &RunSpec, samples: Option<SamplesFolder<'_>>, wall: Duration) -> Seen {
        let text = |capture: &Option<Capture>| capture.as_ref().map(Capture::text);
        let mut output = Output {
            stdout_bytes: self.stdout.as_ref().map_or(0, Capture::bytes),
            stdout_xxh3: self.stdout.as_ref().map(Capture::fingerprint),
            stdout_tail: self.stdout.as_ref().map(Capture::shown).unwrap_or_default(),
            stderr_tail: self.stderr.as_ref().map(Capture::shown).unwrap_or_default(),
        };
        let recorder = self.counting.take_switches();
        let hotspots = self.counting.take_hotspots();
        let counters = self.counting.finish();
        let watched = self.pinner.is_some() || self.sampler.is_some();
        let (pinning, tied) = self.pinner.map(Pinner::finish).unzip();
        let marked = self.regions.map(|regions| regions.map_or_else(|error| Marked::none(&error), |made| made.read()));
        let marked = marked.unwrap_or_default();
        let mut published = self.published;
        let sampled = self.sampler.map(|mut sampler| {
            for (name, sum) in published.iter_mut().flat_map(Totals::read) {
                sampler.mark(nanoseconds(wall), WORKLOAD, name, sum);
            }
            finished(sampler, &marked.spans, samples.map(|folder| folder.create(&spec.id)), &spec.id)
        });
        let (mut observed, pages, mapped, samples) = sampled.map_or_else(Default::default, |(watched, kept)| {
            let Watched { threads, sampling, pages, mapped, futex, goroutines, .. } = watched;
            let samples = Samples { sampling: Some(sampling), futex, goroutines, ..kept };
            (threads, pages.map(Pages::known), mapped, samples)
        });
        let mut report = text(&self.report).and_then(|text| child::read_report(&text));
        if let Some(report) = &mut report {
            report.counted(&self.lent);
            output.stdout_xxh3 = output.stdout_xxh3.filter(|_| !report.measured);
        }
        let (switches, alone) = recorder.map(|recorder| recorder.finish(self.launch, &mut observed)).unzip();
        let hotspots = hotspots.map(|recorder| recorder.finish(alone.flatten().as_ref()));
        Seen {
            counters,
            threads: Threads::new(observed, tied, pinning, watched.then_some(self.unseen)),
            pages,
            mapped,
            samples,
            switches,
            hotspots,
            marked,
            report,
            stdout: text(&self.stdout),
            stderr: text(&self.stderr),
            output,
        }
    }
}

/// Ends the sampling, adds the regions' begins and ends to the samples, and writes them to the file if there is one. Also
/// returns where they are, or why they are lost.
fn finished(
    mut sampler: Sampler,
    spans: &[Span],
    file: Option<(PathBuf, io::Result<File>)>,
    id: &str,
) -> (Watched, Samples) {
    for span in spans {
        sampler.mark(span.begin_ns, &span.source, "begin", span.tid);
        sampler.mark(span.end_ns, &span.source, "end", span.tid);
    }
    match file {
        None => (sampler.finish(None), Samples::default()),
        Some((path, Err(error))) => (sampler.finish(None), lost(id, &path, &error)),
        Some((path, Ok(file))) => {
            let watched = sampler.finish(Some(file));
            let kept = match &watched.written {
                Ok(()) => Samples { file: Some(relative_name(&path)), ..Samples::default() },
                Err(error) => {
                    // A partly written file is useless.
                    let _ = std::fs::remove_file(&path);
                    lost(id, &path, error)
                }
            };
            (watched, kept)
        }
    }
}

/// Says that the samples are lost.
fn lost(id: &str, path: &Path, error: &io::Error) -> Samples {
    say(format_args!("knee: cannot write the samples of run {id}: {}: {error}", path.display()));
    Samples { lost: Some(error.to_string()), ..Samples::default() }
}

impl Threads {
    /// `unseen` is the reason to give if no thread was found; none if nothing looked for threads.
    fn new(
        mut observed: Vec<ThreadUse>,
        tied: Option<Observed>,
        pinning: Option<Pinning>,
        unseen: Option<&'static str>,
    ) -> Self {
        let mut tied = tied.unwrap_or_default();
        // Sampler and pinner both read masks; the later one counts.
        for thread in &mut observed {
            if let Some((_, affinity)) = tied.remove(&thread.tid).filter(|(looked, _)| thread.looked < Some(*looked)) {
                thread.affinity = Some(affinity);
            }
        }
        let nobody = observed.is_empty() && pinning.as_ref().is_none_or(Pinning::is_empty);
        match unseen.filter(|_| nobody) {
            Some(reason) => Self { observed, pinning: None, unseen: Some(reason.into()) },
            None => Self { observed, pinning, unseen: None },
        }
    }
}

/// The file's name inside the study's folder: its folder's name and its own.
fn relative_name(path: &Path) -> String {
    let name = |path: &Path| path.file_name().map(|name| name.to_string_lossy().into_owned());
    [path.parent().and_then(name), name(path)].into_iter().flatten().collect::<Vec<_>>().join("/")
}
