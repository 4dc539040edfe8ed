//! `knee run`: one run, measured.
//!
//! A plain run is launched by this process. With `--stdin` this process is the *runner*: it starts one *launcher* (a
//! fresh `knee`) for each run spec, and the launcher starts the measured program. Three processes, so that whichever is
//! killed another one cleans up:
//!
//! - the launcher holds a pipe from the runner; when the runner is gone the pipe closes, and it ends the whole tree;
//! - the runner adopts orphans (it is a sub-reaper); when a launcher is gone it ends what the launcher left;
//! - the kernel kills the program itself when its launcher is gone.
//!
//! A fresh launcher per run also makes the kernel's accounting exact: its children are the tree of one run.

mod capture;
pub(crate) mod child;
pub(crate) mod copies;
mod counting;
mod direct;
mod hooks;
mod launch;
mod outcome;
mod pinning;
mod regions;
mod running;
pub(crate) mod runtimes;
mod signals;
mod slurm;
mod stream;
mod tree;

use std::process::ExitCode;

use crate::cli::{Launch, Run};
use crate::error::{Failure, print_out};

/// `knee run`.
pub(crate) fn verb(args: Run) -> Result<ExitCode, Failure> {
    match (args.validate, args.stdin) {
        (true, _) => stream::validate(),
        (_, true) => stream::run_all(args.samples.as_deref()),
        _ if args.slurm => direct::check(args).and_then(|()| print_script()),
        _ => direct::run_once(args),
    }
}

/// The batch script for the very command line that we were called with.
fn print_script() -> Result<ExitCode, Failure> {
    let mut words: Vec<String> = std::env::args().collect();
    let options = words.iter().position(|word| word == "--").unwrap_or(words.len());
    let at = words[..options].iter().position(|word| word == "--slurm");
    if let Some(at) = at {
        words.remove(at);
    }
    let options = words.iter().position(|word| word == "--").unwrap_or(words.len());
    if !words[..options].iter().any(|word| word == "--json") {
        words.insert(2, "--json".into());
    }
    print_out(&slurm::script(&words))?;
    Ok(ExitCode::SUCCESS)
}

/// The hidden verb `launch`: a run spec on standard input, a record on standard output.
pub(crate) fn launch_verb(args: &Launch) -> Result<ExitCode, Failure> {
    stream::launch_one(args.samples.as_deref())
}
