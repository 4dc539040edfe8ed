//! Shared by several tests: the real binary, small programs in other languages, and notes about skipped tests.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value;

/// The real binary.
pub(crate) fn knee() -> Command {
    Command::new(env!("CARGO_BIN_EXE_knee"))
}

/// Notes that `test`, or a part of it, was skipped: on standard error, and in the file that `KNEE_SKIPS` names.
pub(crate) fn skipped(test: &str, why: &str) {
    let note = format!("SKIPPED {test}: {why}");
    eprintln!("{note}");
    if let Some(path) = std::env::var_os("KNEE_SKIPS") {
        let file = std::fs::OpenOptions::new().create(true).append(true).open(path);
        // In one write: other tests write there as well.
        file.and_then(|mut file| file.write_all(format!("{note}\n").as_bytes()))
            .expect("the list of skipped tests can be written");
    }
}

/// The source of a small program.
pub(crate) fn source(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs").join(name)
}

/// The path of a command; none, after a note, where it is not installed.
pub(crate) fn installed(test: &str, command: &str) -> Option<PathBuf> {
    // Go's own installer puts it where no PATH leads.
    let path = std::env::var("PATH").unwrap_or_default() + ":/usr/local/go/bin";
    let found = path.split(':').map(|folder| Path::new(folder).join(command)).find(|path| path.is_file());
    if found.is_none() {
        skipped(test, &format!("no {command}"));
    }
    found
}

/// Runs a compiler, which has to succeed.
pub(crate) fn compile(command: &mut Command) {
    let output = command.output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {said}");
}

/// A program in C, compiled into the folder; none, after a note, where the compiler is missing.
#[allow(dead_code, reason = "not every test that shares this file needs a program in C")]
pub(crate) fn in_c(test: &str, compiler: &str, name: &str, options: &[&str], folder: &Path) -> Option<PathBuf> {
    let program = folder.join(name).with_extension("");
    let mut command = Command::new(installed(test, compiler)?);
    command.args(["-O1", "-Wall", "-Wextra", "-Werror"]).args(options);
    compile(command.arg("-o").arg(&program).arg(source(name)));
    Some(program)
}

/// A program in Go without any C, compiled into the folder; none, after a note, where Go is missing.
#[allow(dead_code, reason = "not every test that shares this file needs a program in Go")]
pub(crate) fn in_go(test: &str, name: &str, folder: &Path) -> Option<PathBuf> {
    let program = folder.join(name).with_extension("");
    let mut command = Command::new(installed(test, "go")?);
    command.envs([("CGO_ENABLED", "0"), ("GO111MODULE", "off"), ("GOFLAGS", ""), ("GOTOOLCHAIN", "local")]);
    compile(command.args(["build", "-o"]).arg(&program).arg(source(name)));
    Some(program)
}

/// A threaded program in Haskell, compiled into the folder; none, after a note, where GHC is missing.
#[allow(dead_code, reason = "not every test that shares this file needs a program in Haskell")]
pub(crate) fn in_haskell(test: &str, name: &str, folder: &Path) -> Option<PathBuf> {
    let program = folder.join(name).with_extension("");
    let mut command = Command::new(installed(test, "ghc")?);
    command.args(["-v0", "-O1", "-threaded", "-rtsopts", "-outputdir"]).arg(folder);
    compile(command.arg("-o").arg(&program).arg(source(name)));
    Some(program)
}

/// Specs on standard input of a runner, and all that came of it.
#[allow(dead_code, reason = "not every test that shares this file hands specs")]
pub(crate) fn hand(runner: &mut Command, specs: &[&Value]) -> Output {
    let runner = runner.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let mut runner = runner.unwrap();
    let mut stdin = runner.stdin.take().unwrap();
    for spec in specs {
        writeln!(stdin, "{spec}").unwrap();
    }
    drop(stdin);
    runner.wait_with_output().unwrap()
}

/// The one line of JSON on standard output.
#[allow(dead_code, reason = "not every test that shares this file reads a record")]
pub(crate) fn json(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {output:?}"))
}
