//! The hidden verb `answer`: a study's questions on standard input, the answers on standard output, one line each.
//!
//! A question is `{"ask": ["place", "cores-close"]}`, the words of a native verb; `{"validate": [...]}`, run specs to
//! check; `{"load": 1.0}`, the share of the cpus that other programs use over so many seconds; or the text of an option
//! that both languages take: `{"skip": "0,2-3"}`, `{"counters": "cycles,faults"}`. An answer is `{"answer": ...}`, or
//! `{"message": ..., "hint": ...}`. One process answers all questions of a study (`python/knee/_binary.py`), so that
//! planning does not start a process for each; it ends with its standard input.

use std::io;
use std::process::ExitCode;
use std::time::Duration;

use clap::Args;
use knee_machine::sys;
use knee_meter::load::Load;
use knee_meter::perf::split;
use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;
use serde::Deserialize;
use serde_json::json;
use serde_json::value::RawValue;

use crate::error::{Failure, print_out, status};
use crate::run::child;
use crate::run::options::skip;
use crate::run_spec::RunSpec;
use crate::verb::Native;

/// Options of `knee answer`: none.
#[derive(Debug, Args)]
pub(crate) struct Answer {}

/// A line of standard input.
#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum Question {
    /// What a native verb prints with `--json`.
    Ask(Vec<String>),
    /// Whether these run specs could be run.
    Validate(Vec<Box<RawValue>>),
    /// The share of the allowed cpus that other programs use over so many seconds.
    Load(f64),
    /// Which threads `--skip` leaves unpinned.
    Skip(String),
    /// The names in `--counters`.
    Counters(String),
}

impl Native for Answer {
    fn run(self) -> Result<ExitCode, Failure> {
        end_with_reader();
        for line in io::stdin().lines() {
            let line = line.map_err(|error| Failure::new(format!("cannot read questions: standard input: {error}")))?;
            // Not put together first: a long answer would be in memory twice.
            match answer(&line) {
                Ok(json) => ["{\"answer\":", &json, "}\n"].into_iter().try_for_each(print_out)?,
                Err(refusal) => print_out(&(refusal.json() + "\n"))?,
            }
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// Ends this process when nobody can read its answers any more, also in the middle of a question: the program that asked
/// was killed, and a count may take hours.
fn end_with_reader() {
    // Where no thread can be started (a container may forbid clone3), the process ends with its input alone.
    let _ = std::thread::Builder::new().spawn(|| {
        let answers = io::stdout();
        let mut ends = [PollFd::new(&answers, PollFlags::empty())];
        while poll(&mut ends, None) == Err(Errno::INTR) {}
        // A pipe without a reader. A file or a terminal has no reader that could go away.
        if ends[0].revents().contains(PollFlags::ERR) {
            std::process::exit(status::USAGE.into());
        }
    });
}

fn answer(line: &str) -> Result<String, Failure> {
    match serde_json::from_str(line).map_err(|error| Failure::new(format!("bad question: {error}")))? {
        Question::Ask(words) => ask(&words),
        Question::Validate(specs) => {
            specs.iter().try_for_each(|spec| child::validate(&RunSpec::read(spec.get())?)).map(|()| "null".into())
        }
        Question::Load(seconds) => load(seconds),
        Question::Skip(text) => skip(&text).map(|threads| json!(threads).to_string()).map_err(Failure::new),
        Question::Counters(text) => Ok(json!(split(&text)).to_string()),
    }
}

fn load(seconds: f64) -> Result<String, Failure> {
    let span = Duration::try_from_secs_f64(seconds).map_err(Failure::new)?;
    let load = Load::watch(&sys::affinity(), span);
    let load = load.map_err(|reason| Failure::new(format!("cannot read the load of the cpus: {reason}")))?;
    serde_json::to_string(&load).map_err(Failure::new)
}

fn ask(words: &[String]) -> Result<String, Failure> {
    let words = ["knee"].into_iter().chain(words.iter().map(String::as_str));
    let given = super::command().try_get_matches_from(words);
    let given = given.map_err(|error| Failure::new(error.render().to_string().trim()))?;
    let (name, options) = given.subcommand().expect("clap asks for a verb");
    super::find(name).expect("clap knows the verbs of the table only").answer(options)
}
