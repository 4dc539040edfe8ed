//! `knee run`: runs a program once, pinned if asked for, and measures it.
//!
//! A plain run is launched by this process. With `--stdin` this process is the *runner*: it starts one *launcher* (a
//! fresh `knee`) for each run spec, and the launcher starts the measured program. With three processes, if one is
//! killed another one cleans up:
//!
//! - the launcher holds a pipe from the runner; when the runner is gone the pipe closes, and it ends the whole tree;
//! - the runner adopts orphans (it is a sub-reaper); when a launcher is gone it ends what the launcher left;
//! - the kernel kills the program itself when its launcher is gone.
//!
//! If the program stops one of them (SIGSTOP), kernel timers and the other processes continue it: see `signals`.
//!
//! A fresh launcher per run also makes the kernel's accounting exact: its children are the tree of one run.

mod beside;
mod direct;
pub(crate) mod launch_verb;
mod launcher;
pub(crate) mod options;
mod pinning;
mod program;
mod regions;
mod runner;
mod running;
mod signals;
mod tree;

pub(crate) use self::program::{child, copies, runtimes};

use std::process::ExitCode;

use self::options::Run;
use crate::error::Failure;
use crate::verb::Native;

impl Native for Run {
    fn run(self) -> Result<ExitCode, Failure> {
        if self.stdin {
            runner::run_all(self.samples.as_deref(), self.parent)
        } else if self.slurm {
            direct::check(self).and_then(|()| direct::print_script())
        } else {
            direct::run_once(self)
        }
    }
}
