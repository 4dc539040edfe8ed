//! Hands a verb to the Python package: the interpreter beside this executable, else `KNEE_PYTHON`, else `python3`.

use std::ffi::OsString;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use clap::Arg;

use crate::error::{Failure, status};
use crate::shown::shown;
use crate::this;

/// The interpreter's first lines: it checks itself, so no other process is started to test it.
const BOOTSTRAP: &str = include_str!("bootstrap.py");

/// Any words of a Python verb.
pub(crate) fn words() -> Arg {
    Arg::new("words")
        .num_args(0..)
        .trailing_var_arg(true)
        .allow_hyphen_values(true)
        .value_parser(clap::value_parser!(OsString))
}

/// Becomes `python -c BOOTSTRAP MESSAGE HINT VERB WORDS...`.
///
/// # Errors
/// When there is no such interpreter. One that is too old, or has no package `knee`, prints knee's error itself.
pub(crate) fn hand_over(verb: &str, words: impl IntoIterator<Item = OsString>) -> Result<ExitCode, Failure> {
    let knee = this::program()
        .map_err(|error| Failure::new(format!("cannot find this program: {error}")).code(status::USAGE))?;
    let python = interpreter(&knee);
    let asked = std::env::args_os().nth(1).unwrap_or_default();
    let message = format!("`knee {}` needs knee's Python part: {}", asked.display(), python.display());
    let hint = "install it with `pip install .` in knee's folder, or set KNEE_PYTHON to a Python that has it installed";
    let mut command = Command::new(&python);
    command.args(["-c", BOOTSTRAP, &shown(&message), hint, verb]).args(words).env("KNEE_BIN", &knee);
    let error = command.exec();
    Err(Failure::new(format!("{message}: {error}")).hint(hint))
}

/// A wheel puts the binary into the folder of its interpreter; links to it (as uv makes) are followed.
fn interpreter(knee: &Path) -> PathBuf {
    let real = knee.canonicalize().unwrap_or_else(|_| knee.to_owned());
    let beside = real.parent().map(|folder| folder.join("python3")).filter(|python| python.exists());
    beside.or_else(|| std::env::var_os("KNEE_PYTHON").map(PathBuf::from)).unwrap_or_else(|| "python3".into())
}
