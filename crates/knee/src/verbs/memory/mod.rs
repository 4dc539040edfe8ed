//! `knee memory`: probes latency, bandwidth and page costs of this machine.

mod text;
mod words;

use std::collections::BTreeMap;
use std::fmt::Display;
use std::fs::{self, File};
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use clap::Args;
use knee_machine::clock::process_cpu;
use knee_machine::{Topology, files, sys};
use knee_meter::{Baseline, clock};
use knee_probes::knees::{self, Knee};
use knee_probes::{Context, Figure, Monitor, PROBES, Probe, ProbeValidity, Step};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::error::{Failure, print_out, say};
use crate::verb::Native;
use words::Asked;

/// Options of `knee memory`.
#[derive(Debug, Args)]
#[command(after_help = words::probes())]
pub(crate) struct Memory {
    /// Run only this probe [default: all], with these options of its own
    // Together, so that all behind the probe's name is the probe's, also --help.
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_names = ["PROBE", "--NAME VALUE"], num_args = 0..)]
    words: Vec<String>,
    /// Take fewer and smaller measurements: under a minute on two cpus
    #[arg(long)]
    quick: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// Write the results to this file as JSON
    /// [default: machine-memory.json for all probes, none for one probe]
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

impl Native for Memory {
    fn run(self) -> Result<ExitCode, Failure> {
        act(&self)
    }
}

/// The results, as in `machine-memory.json`.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub(crate) struct MachineMemory {
    /// Version of this form.
    pub(crate) schema: u32,
    /// When it began, UTC.
    pub(crate) start: String,
    /// Whether it was a quick one: fewer and smaller measurements.
    pub(crate) quick: bool,
    /// How long it took.
    pub(crate) seconds: f64,
    /// Why memory that should exceed the caches may not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) small: Option<String>,
    /// Sizes of caches as the machine claims them, by level and kind.
    pub(crate) claimed_caches: BTreeMap<String, u64>,
    /// Where the latency curve bends, by page.
    pub(crate) knees: BTreeMap<String, Vec<Knee>>,
    /// Every number.
    pub(crate) figures: Vec<Figure>,
    /// Probes that could not run, and why.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) unavailable: BTreeMap<String, String>,
}

/// Measures, prints, and writes the file.
fn act(args: &Memory) -> Result<ExitCode, Failure> {
    let asked = Asked::read(args)?;
    if let Some(probe) = asked.probe.filter(|_| asked.help) {
        print_out(&words::help(probe))?;
        return Ok(ExitCode::SUCCESS);
    }
    if let Some(path) = &asked.out {
        writable(path)?;
    }
    let machine = Topology::this_machine()?;
    let context = Context { machine: &machine, monitor: Some(&Watcher), quick: asked.quick };
    let probes: Vec<&dyn Probe> = asked.probe.map_or_else(|| PROBES.to_vec(), |probe| vec![probe]);
    let plans: Vec<_> = probes.iter().map(|probe| probe.plan(&context, &asked.given)).collect();
    let mut planned = Vec::new();
    let mut unavailable = BTreeMap::new();
    for (probe, plan) in probes.into_iter().zip(plans) {
        match plan {
            Ok(steps) if steps.is_empty() => {
                unavailable.insert(probe.name().to_owned(), "needs two cpus".to_owned());
            }
            Ok(steps) => planned.push((probe, steps)),
            Err(error) if asked.probe.is_some() => return Err(error.into()),
            Err(error) => {
                unavailable.insert(probe.name().to_owned(), error.to_string());
            }
        }
    }
    let stopped = stopped()?;
    let found = measure(&context, &planned, unavailable, asked.json, &stopped)?;
    let whole = found.unavailable.values().all(|reason| reason != INTERRUPTED);
    if !whole && found.figures.is_empty() {
        return Ok(ExitCode::from(STOPPED));
    }
    let json = serde_json::to_string_pretty(&found).map_err(Failure::new)? + "\n";
    // First: it has taken minutes, and a file may not be writable any more.
    let printed = print_out(&if asked.json { json.clone() } else { text::told(&found) });
    // What was measured so far replaces nothing.
    let kept = asked.out.as_ref().filter(|path| whole || !path.exists());
    if let Some(path) = kept {
        written(path, &json).map_err(|error| cannot_write(path, &error))?;
    }
    printed?;
    match (kept, &asked.out) {
        (Some(path), _) => say(format_args!("wrote {}", path.display())),
        (None, Some(path)) => say(format_args!("interrupted: {} stays as it was", path.display())),
        (None, None) if !asked.json => say(format_args!("results not saved; save them with --out FILE")),
        (None, None) => {}
    }
    Ok(if whole { ExitCode::SUCCESS } else { ExitCode::from(STOPPED) })
}

/// Why a probe has not all figures.
const INTERRUPTED: &str = "interrupted before its end";

/// The exit status after an interrupt.
const STOPPED: u8 = 130;

/// Becomes true when the user interrupts: figures so far are printed and kept. A second interrupt ends knee at once.
fn stopped() -> Result<Arc<AtomicBool>, Failure> {
    let stopped = Arc::new(AtomicBool::new(false));
    for signal in [signal_hook::consts::SIGINT, signal_hook::consts::SIGTERM] {
        signal_hook::flag::register_conditional_shutdown(signal, STOPPED.into(), Arc::clone(&stopped))
            .and_then(|_| signal_hook::flag::register(signal, Arc::clone(&stopped)))
            .map_err(Failure::new)?;
    }
    Ok(stopped)
}

/// Refuses an unwritable file before minutes of measuring.
fn writable(path: &Path) -> Result<(), Failure> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or_else(|| Path::new("."));
    let reason = if path == Path::new(words::FILE) && path.is_symlink() {
        // The current folder may come from somebody else. Links at other paths are followed, since the user gave them.
        "is a symbolic link"
    } else if path.is_dir() {
        "is a folder"
    } else if !folder.is_dir() {
        "folder does not exist"
    } else {
        return tried(path).map_err(|error| cannot_write(path, &error));
    };
    Err(cannot_write(path, &reason))
}

/// Opens a file to write, and leaves all as it was. A pipe is not opened twice, since its reader would see the end.
fn tried(path: &Path) -> io::Result<()> {
    if path.is_file() {
        return File::options().append(true).open(path).map(drop);
    }
    if path.exists() || path.is_symlink() {
        return Ok(());
    }
    File::create_new(path)?;
    fs::remove_file(path)
}

/// Writes a file, whole or not at all; what is no file, such as a pipe, as it is.
fn written(path: &Path, text: &str) -> io::Result<()> {
    let Ok(there) = path.metadata() else {
        return if path.is_symlink() {
            fs::write(path, text)
        } else {
            files::write_whole(path, |part| fs::write(part, text))
        };
    };
    if !there.is_file() {
        return fs::write(path, text);
    }
    // A link stays one.
    let whole = files::write_whole(&path.canonicalize()?, |part| {
        fs::write(part, text)?;
        fs::set_permissions(part, there.permissions())
    });
    match whole {
        // The file may be written, and its folder not.
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => fs::write(path, text),
        whole => whole,
    }
}

fn cannot_write(path: &Path, reason: &impl Display) -> Failure {
    Failure::new(format!("cannot write {}: {reason}", path.display())).hint("choose another file with --out FILE")
}

type Planned<'a> = [(&'a dyn Probe, Vec<Step>)];

fn measure(
    context: &Context<'_>,
    planned: &Planned<'_>,
    mut unavailable: BTreeMap<String, String>,
    quiet: bool,
    stopped: &AtomicBool,
) -> Result<MachineMemory, Failure> {
    let start = jiff::Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string();
    let begin = Instant::now();
    let (count, seconds) = planned
        .iter()
        .flat_map(|(_, steps)| steps)
        .fold((0, 0.0), |(count, seconds), step| (count + 1, seconds + step.seconds));
    say(format_args!("{count} measurements, about {}", duration(seconds)));
    let mut figures = Vec::new();
    let mut done = 0;
    for (probe, steps) in planned {
        for step in steps {
            if stopped.load(Ordering::Relaxed) {
                unavailable.insert(probe.name().to_owned(), INTERRUPTED.to_owned());
                break;
            }
            done += 1;
            progress(quiet, &format!("{done}/{count} {}", probe.name()));
            match knee_probes::measure(*probe, context, step) {
                Ok(found) => figures.extend(found),
                Err(error) if planned.len() == 1 && figures.is_empty() => {
                    progress(quiet, "");
                    return Err(error.into());
                }
                Err(error) => {
                    unavailable.insert(probe.name().to_owned(), error.to_string());
                }
            }
        }
    }
    progress(quiet, "");
    Ok(MachineMemory {
        schema: 1,
        start,
        quick: context.quick,
        seconds: begin.elapsed().as_secs_f64(),
        small: context.beyond_caches().1,
        claimed_caches: claimed(context.machine),
        knees: knees_of(&figures),
        figures,
        unavailable,
    })
}

/// A progress line that is overwritten, if standard error is a terminal.
fn progress(quiet: bool, text: &str) {
    let mut out = std::io::stderr();
    if !quiet && out.is_terminal() {
        let _ = write!(out, "\r{text:<60}\r");
    }
}

fn duration(seconds: f64) -> String {
    if seconds < 100.0 { format!("{seconds:.0} s") } else { format!("{:.0} min", seconds / 60.0) }
}

/// The largest cache of each level and kind.
fn claimed(machine: &Topology) -> BTreeMap<String, u64> {
    let mut claimed = BTreeMap::new();
    for cache in machine.caches.iter().filter(|cache| cache.kind != "instruction") {
        let size = claimed.entry(format!("L{}", cache.level)).or_insert(0);
        *size = cache.size_bytes.max(*size);
    }
    claimed
}

/// The knees of each latency curve, whose points differ in size only.
fn knees_of(figures: &[Figure]) -> BTreeMap<String, Vec<Knee>> {
    let mut curves: BTreeMap<String, Vec<(usize, f64)>> = BTreeMap::new();
    let of_a_curve = |figure: &&Figure| figure.probe == "latency" && !figure.at.contains_key("matrix");
    for figure in figures.iter().filter(of_a_curve) {
        if let (Some(page), Some(bytes)) =
            (figure.at.get("page"), figure.at.get("bytes").and_then(|text| text.parse().ok()))
        {
            curves.entry(page.clone()).or_default().push((bytes, figure.value));
        }
    }
    let found = curves.into_iter().map(|(page, mut curve)| {
        curve.sort_by_key(|(bytes, _)| *bytes);
        (page, knees::find(&curve))
    });
    found.filter(|(_, knees)| !knees.is_empty()).collect()
}

/// Watches with the crate `meter`.
struct Watcher;

impl Monitor for Watcher {
    fn watch(&self, cpus: &[u32], work: &mut dyn FnMut()) -> ProbeValidity {
        let allowed: Vec<u32> = sys::affinity().iter().collect();
        let clock_on_first = || {
            let pinned = cpus.first().is_some_and(|cpu| sys::pin(&[*cpu]).is_ok());
            let nanoseconds = clock::nanoseconds_per_link();
            if pinned {
                let _ = sys::pin(&allowed);
            }
            nanoseconds
        };
        let before = clock_on_first();
        let baseline = Baseline::take(cpus.iter().copied().collect(), before);
        let (begin, used) = (Instant::now(), process_cpu());
        work();
        let (wall, cpu) = (begin.elapsed(), process_cpu().saturating_sub(used));
        let after = clock_on_first();
        let found = baseline.compare(wall, cpu, cpus.len(), after);
        ProbeValidity {
            own_share: found.own_share,
            other_busy: found.other_busy,
            steal: found.steal,
            clock_ns: [before, after],
        }
    }
}

#[cfg(test)]
mod tests;
