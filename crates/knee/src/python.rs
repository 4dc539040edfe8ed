//! Hands a verb to the Python package: the interpreter beside this executable, else `KNEE_PYTHON`, else `python3`.

use std::ffi::OsString;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Command, ExitCode, Stdio};

use crate::error::{Failure, status};

/// Asks an interpreter whether it will do: 0 yes, 3 no package, 4 too old.
const PROBE: &str = "import sys, importlib.util as u\n\
                     sys.exit(4 if sys.version_info < (3, 11) else 0 if u.find_spec('knee') else 3)";

/// Becomes `python -P -m knee VERB WORDS...`. `-P` keeps a file of the user's folder from being imported as ours.
/// The words are taken as they were given, since clap would swallow a leading `--`.
pub(crate) fn hand_over(verb: &str) -> Result<ExitCode, Failure> {
    let words: Vec<OsString> = std::env::args_os().skip(2).collect();
    let knee = std::env::current_exe()
        .map_err(|error| Failure::new(format!("cannot find this program: {error}")).code(status::USAGE))?;
    let python = interpreter(&knee);
    let missing = |reason: &str| {
        Failure::new(format!("`knee {verb}` needs knee's Python part: {}: {reason}", python.display()))
            .hint("install it with `pip install .` in knee's folder, or set KNEE_PYTHON to a Python that has it")
    };
    let probe = Command::new(&python).args(["-P", "-c", PROBE]).stdin(Stdio::null()).stderr(Stdio::null()).status();
    match probe.map(|status| status.code()) {
        Ok(Some(0)) => {}
        Ok(Some(3)) => return Err(missing("it has no package knee")),
        Ok(_) => return Err(missing("it is older than Python 3.11")),
        Err(error) => return Err(missing(&error.to_string())),
    }
    let error = Command::new(&python).args(["-P", "-m", "knee", verb]).args(&words).env("KNEE_BIN", &knee).exec();
    Err(missing(&error.to_string()))
}

/// A wheel puts the binary into the folder of its interpreter; links to it (as uv makes) are followed.
fn interpreter(knee: &std::path::Path) -> PathBuf {
    let real = knee.canonicalize().unwrap_or_else(|_| knee.to_owned());
    let beside = real.parent().map(|folder| folder.join("python3")).filter(|python| python.exists());
    beside.or_else(|| std::env::var_os("KNEE_PYTHON").map(PathBuf::from)).unwrap_or_else(|| "python3".into())
}
