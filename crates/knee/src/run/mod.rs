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

mod direct;
mod launcher;
mod pinning;
mod program;
mod regions;
mod runner;
mod running;
mod signals;
mod tree;

pub(crate) use self::program::{child, copies, runtimes};

use std::process::ExitCode;

use crate::cli::{Launch, Run};
use crate::error::Failure;

/// `knee run`.
pub(crate) fn verb(args: Run) -> Result<ExitCode, Failure> {
    match (args.validate, args.stdin) {
        (true, _) => runner::validate(),
        (_, true) => runner::run_all(args.samples.as_deref()),
        _ if args.slurm => direct::check(args).and_then(|()| direct::print_script()),
        _ => direct::run_once(args),
    }
}

/// The hidden verb `launch`: a run spec on standard input, a record on standard output.
pub(crate) fn launch_verb(args: &Launch) -> Result<ExitCode, Failure> {
    runner::launch_one(args.samples.as_deref())
}
