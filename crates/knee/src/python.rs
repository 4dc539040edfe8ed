//! Hands a verb to the Python package: the interpreter beside this executable, else `KNEE_PYTHON`, else `python3`.

use std::ffi::OsString;
use std::io::{self, Read};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

use clap::Arg;
use knee_machine::sys;

use crate::error::{Failure, status};
use crate::shown::shown;
use crate::this;

/// The interpreter's first lines. They check its version and packages, so no other process is started for that.
const BOOTSTRAP: &str = include_str!("bootstrap.py");

/// Environment variable with the path of the interpreter to use if none is beside the executable.
const NAMED: &str = "KNEE_PYTHON";

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
/// When there is no such interpreter, or `KNEE_PYTHON` names another program. One that is too old, or has no package
/// `knee`, prints knee's error itself.
pub(crate) fn hand_over(verb: &str, words: impl IntoIterator<Item = OsString>) -> Result<ExitCode, Failure> {
    let knee = this::program()
        .map_err(|error| Failure::new(format!("cannot find this program: {error}")).code(status::USAGE))?;
    let python = interpreter(&knee);
    let asked = std::env::args_os().nth(1).unwrap_or_default();
    let message = format!("`knee {}` needs knee's Python part: {}", asked.display(), python.display());
    let hint =
        "run `pip install .` in knee's folder, in a virtual environment, or set KNEE_PYTHON to a Python that has it";
    let refused = |reason: &dyn std::fmt::Display| Failure::new(format!("{message}: {reason}")).hint(hint);
    if std::env::var_os(NAMED).is_some_and(|named| python == Path::new(&named)) {
        match is_python(&python) {
            Ok(true) => {}
            Ok(false) => return Err(refused(&format!("not a Python interpreter ({NAMED})"))),
            Err(error) => return Err(refused(&error)),
        }
    }
    let mut command = Command::new(&python);
    command.args(["-c", BOOTSTRAP, &shown(&message), hint, verb]).args(words).env("KNEE_BIN", &knee);
    // Python would speak for itself of an interrupt while it starts. The first lines let it in again.
    sys::hold_interrupts(&mut command);
    let error = command.exec();
    Err(refused(&error))
}

/// Whether a program behaves like Python. Any other program would get arguments that it does not know; `true` would
/// ignore them and report success.
fn is_python(program: &Path) -> io::Result<bool> {
    let mut command = Command::new(program);
    command.args(["-S", "-c", "print('Python')"]).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut process = command.spawn()?;
    let mut said = Vec::new();
    // Reads at most one line: `yes` never stops printing.
    process.stdout.take().expect("it was piped").take(16).read_to_end(&mut said)?;
    let _ = process.kill();
    process.wait()?;
    Ok(said == b"Python\n")
}

/// A wheel puts the binary into the folder of its interpreter; links to it (as uv makes) are followed.
fn interpreter(knee: &Path) -> PathBuf {
    let real = knee.canonicalize().unwrap_or_else(|_| knee.to_owned());
    let beside = real.parent().map(|folder| folder.join("python3")).filter(|python| python.exists());
    beside.or_else(|| std::env::var_os(NAMED).map(PathBuf::from)).unwrap_or_else(|| "python3".into())
}
