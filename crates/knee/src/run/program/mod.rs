//! The program of a run: a built-in workload in its own process, or a command whose thread count is set by variables of
//! its runtime.

pub(crate) mod child;
pub(crate) mod copies;
pub(crate) mod runtimes;

use std::io;
use std::os::fd::BorrowedFd;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use knee_meter::perf::Lent;

use crate::run_spec::{Program, RunSpec};
use crate::this::in_folders;

/// The command that starts a run's program, at this moment of the monotonic clock. A workload writes its report to
/// `report`.
pub(super) fn command(
    spec: &RunSpec,
    launch: Duration,
    report: Option<BorrowedFd<'_>>,
    lent: &Lent,
) -> io::Result<Command> {
    let (mut command, directory) = match &spec.program {
        Program::Command { command, runtime, directory, .. } => {
            let mut words = command.iter().map(|word| spec.fill_in(word));
            let mut built = Command::new(words.next().ok_or_else(|| io::Error::other("the command is empty"))?);
            if let Some(runtime) = runtime {
                let runtime = runtimes::find(runtime).map_err(|failure| io::Error::other(failure.to_string()))?;
                built.envs(runtime.variables(spec));
            }
            built.args(words);
            (built, directory)
        }
        Program::Workload { directory, .. } => (child::command(spec, launch, report, lent)?, directory),
    };
    command.envs(spec.program.env().iter().map(|(name, value)| (name, spec.fill_in(value))));
    if let Some(directory) = directory {
        command.current_dir(directory);
    }
    Ok(command)
}

/// The file that a command executes: a path, or a name in a folder of `PATH`.
pub(super) fn file(command: &Command) -> Option<PathBuf> {
    let name = Path::new(command.get_program());
    if name.components().count() > 1 {
        return Some(command.get_current_dir().map_or_else(|| name.to_owned(), |folder| folder.join(name)));
    }
    let own =
        command.get_envs().find(|(variable, _)| *variable == "PATH").map(|(_, value)| value.map(ToOwned::to_owned));
    let folders = own.unwrap_or_else(|| std::env::var_os("PATH"))?;
    in_folders(&folders, name)
}

/// Threads to leave unpinned: those requested, and those in which the runtime does no work.
pub(super) fn skipped(spec: &RunSpec) -> Vec<usize> {
    let Program::Command { runtime: Some(runtime), .. } = &spec.program else { return spec.skip.clone() };
    let known = runtimes::find(runtime).map(runtimes::Runtime::skip).unwrap_or_default();
    spec.skip.iter().chain(known).copied().collect()
}
