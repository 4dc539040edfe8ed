//! `knee run -- COMMAND` and `knee run WORKLOAD`: one run, with a summary on the terminal.

mod asked;
mod mistakes;
mod slurm;
mod summary;

use std::io;
use std::process::ExitCode;

use rustix::process::Signal;

use self::asked::run_spec;
use super::launcher::{Launch, Outcome, hooks, launch};
use super::options::Run;
use super::running::{Echo, SamplesFolder, Streams};
use super::signals::{Signals, StopRequests};
use super::tree;
use crate::error::{Failure, print_out, status};
use crate::record::Record;
use crate::run_spec::{Program, RunSpec};

pub(super) use self::asked::check;
pub(super) use self::slurm::print_script;

/// Makes the run, prints its times, and returns the program's exit status.
pub(crate) fn run_once(args: Run) -> Result<ExitCode, Failure> {
    let ours = |failure: Failure| failure.code(status::KNEE);
    let (json, samples) = (args.json, args.samples.clone());
    let (setup, cleanup) = (args.setup.clone(), args.cleanup.clone());
    let told = asked::told_its_threads(&args);
    asked::refuse_unknown_counters(&args)?;
    let spec = run_spec(args).map_err(ours)?;
    if let Some(folder) = &samples {
        let made = std::fs::create_dir_all(folder);
        made.map_err(|error| ours(Failure::new(format!("cannot write samples to {}: {error}", folder.display()))))?;
    }
    let signals = Signals::catch().map_err(ours)?;
    let streams = match (&spec.check, json) {
        (Some(_), true) => Streams::Shown(Echo::StandardError),
        (Some(_), false) => Streams::Shown(Echo::StandardOutput),
        (None, true) => Streams::ToStandardError,
        (None, false) => Streams::Inherited,
    };
    let stop = StopRequests { signals: &signals, lifeline: None };
    let how = Launch { streams, samples: samples.as_deref().map(SamplesFolder::Direct), stop };
    tree::refuse_others().map_err(ours)?;
    // Before the setup, so that processes it leaves behind are ended, too.
    tree::adopt_orphans();
    let step =
        |name: &str, text: Option<&str>| hooks::shell(name, text, &spec, &how.stop).map_err(|error| ours(error.into()));
    let outcome = step("setup", setup.as_deref()).map(|()| launch(&spec, &how));
    let cleaned = step("cleanup", cleanup.as_deref());
    let outcome = outcome?;
    let interrupted = matches!(&outcome, Outcome::Ran(record) if record.exit.signal == Some(Signal::INT.as_raw()));
    // Before the cleanup: results are not lost when that fails.
    let code = tell(outcome, &spec, json, told)?;
    cleaned?;
    if interrupted {
        // A shell ends its loop after Ctrl-C only if what it waits for was ended by it.
        signals.end_as_interrupted();
    }
    Ok(code)
}

fn tell(outcome: Outcome, spec: &RunSpec, json: bool, told: bool) -> Result<ExitCode, Failure> {
    let ours = |failure: Failure| failure.code(status::KNEE);
    match outcome {
        Outcome::Abandoned => Err(ours(Failure::new("stopped"))),
        Outcome::Refused(record, kind, hint) => {
            if json {
                print_record(&record).map_err(ours)?;
            }
            let failure = Failure::new(record.exit.error.unwrap_or_default());
            let failure = match &spec.program {
                Program::Command { command, .. } if kind == io::ErrorKind::NotFound => {
                    failure.hint(mistakes::not_found(command))
                }
                _ => match hint {
                    Some(hint) => failure.hint(hint),
                    None => failure,
                },
            };
            Err(failure.code(match kind {
                io::ErrorKind::NotFound => status::NOT_FOUND,
                // Not the program's fault: knee's own refusal, or no memory or process available.
                io::ErrorKind::Other | io::ErrorKind::WouldBlock | io::ErrorKind::OutOfMemory => status::KNEE,
                _ => status::NOT_EXECUTABLE,
            }))
        }
        Outcome::Ran(record) => {
            if json {
                print_record(&record).map_err(ours)?;
            } else {
                summary::say_all(&record, spec.threads);
                if told {
                    summary::say_computed(&record, spec.threads);
                }
            }
            Ok(summary::exit_code(&record))
        }
    }
}

fn print_record(record: &Record) -> Result<(), Failure> {
    print_out(&format!("{}\n", serde_json::to_string(record).expect("a record is plain data")))
}
