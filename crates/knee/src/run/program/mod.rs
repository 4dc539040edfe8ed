//! The program of a run: a built-in workload in its own process, or a command whose thread count is set by variables of
//! its runtime.

pub(crate) mod child;
pub(crate) mod copies;
pub(crate) mod runtimes;

use std::ffi::OsStr;
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
    // The runtime's variables that hold options include the study's own already.
    let joined = |(name, _): (&OsStr, _)| name.to_str().filter(|name| runtimes::holds_options(name)).map(str::to_owned);
    let joined: Vec<String> = command.get_envs().filter_map(joined).collect();
    let own: Vec<_> = spec.program.env().iter().filter(|(name, _)| !joined.contains(name)).collect();
    command.envs(own.into_iter().map(|(name, value)| (name, spec.fill_in(value))));
    if let Some(directory) = directory {
        command.current_dir(directory);
    }
    Ok(command)
}

/// Words of a command that are looked at for the programs that it executes.
const MOST_WORDS: usize = 64;

/// The files that a command may execute: its program, then those that its other words name, as `env` and `taskset` have
/// them, and the text that `sh -c` does.
pub(super) fn files(command: &Command) -> impl Iterator<Item = PathBuf> {
    let folder = command.get_current_dir();
    let own =
        command.get_envs().find(|(variable, _)| *variable == "PATH").map(|(_, value)| value.map(ToOwned::to_owned));
    let folders = own.unwrap_or_else(|| std::env::var_os("PATH"));
    let texts = std::iter::once(command.get_program()).chain(command.get_args()).filter_map(|text| text.to_str());
    // A text is a path first, which may have spaces.
    let words = texts.flat_map(|text| std::iter::once(text).chain(words_of(text).filter(move |word| *word != text)));
    let words = words.take(MOST_WORDS);
    words.filter_map(move |word| {
        let name = Path::new(word);
        if name.components().count() > 1 {
            return Some(folder.map_or_else(|| name.to_owned(), |folder| folder.join(name)));
        }
        in_folders(folders.as_ref()?, name)
    })
}

/// The words of an argument, which may be a line for a shell. What a shell would put in place of a word is not known.
fn words_of(text: &str) -> impl Iterator<Item = &str> {
    text.split(|mark: char| mark.is_whitespace() || "\"';&|()<>{}`".contains(mark)).filter(|word| !word.is_empty())
}

/// Threads to leave unpinned: those requested, and those in which the runtime does no work.
pub(super) fn skipped(spec: &RunSpec) -> Vec<usize> {
    let Program::Command { runtime: Some(runtime), .. } = &spec.program else { return spec.skip.clone() };
    let known = runtimes::find(runtime).map(runtimes::Runtime::skip).unwrap_or_default();
    spec.skip.iter().chain(known).copied().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_those_that_any_word_of_a_command_names() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("worker"), "").unwrap();
        let found = |words: &[&str]| {
            let mut command = Command::new(words[0]);
            command.args(&words[1..]).env("PATH", folder.path()).current_dir("/data");
            files(&command).collect::<Vec<_>>()
        };
        let worker = folder.path().join("worker");
        assert_eq!(found(&["./worker", "2"]), [PathBuf::from("/data/./worker")]);
        assert_eq!(found(&["worker", "2"]), [worker.as_path()]);
        assert_eq!(found(&["sh", "-c", "N=2; exec worker 2 >'out file'"]), [worker.as_path()]);
        assert_eq!(found(&["/usr/bin/env", "N=2", "bin/worker"])[1], Path::new("/data/bin/worker"));
        assert_eq!(found(&["sh", "-c", "true || { /opt/w; }"])[1..], [PathBuf::from("/opt/w")]);
        assert_eq!(found(&["/my programs/w", "a (b)/c"])[..1], [PathBuf::from("/my programs/w")]);
        assert!(found(&["env", "a (b)/c"]).contains(&PathBuf::from("/data/a (b)/c")));
        assert!(found(&["none", "-v", ""]).is_empty());
        let many = "worker ".repeat(2 * MOST_WORDS);
        assert_eq!(found(&["sh", "-c", &many]).len(), MOST_WORDS - 3);
    }
}
