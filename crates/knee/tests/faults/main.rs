//! Faults, one by one, through the real binary: what goes wrong is in the record with its reason, the study goes on or
//! stops with a reason, nothing is lost and nothing is left running. What needs a machine of its own (a cpu that goes
//! away, a clock that is stepped) is in `ci/faults-vm.sh`.

mod machine;
mod programs;
mod rooms;
#[path = "../shared/mod.rs"]
mod shared;
mod signals;
mod stops;

use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use rustix::process::Pid;
use serde_json::{Value, json};
use shared::{hand, knee, skipped};

/// `knee run --json OPTIONS -- COMMAND`: exit status and record.
fn direct(options: &[&str], command: &[&str]) -> (i32, Value) {
    let output = knee().args(["run", "--json"]).args(options).arg("--").args(command).output().unwrap();
    (output.status.code().unwrap(), shared::json(&output))
}

fn spec(command: &[&str]) -> Value {
    json!({ "schema": 1, "id": "1", "program": { "command": command }, "threads": 1, "sample_ms": 10 })
}

fn records(output: &Output) -> Vec<Value> {
    output.stdout.split(|&byte| byte == b'\n').filter_map(|line| serde_json::from_slice(line).ok()).collect()
}

/// The record of a run in a study, which goes on: the next run is made as well.
fn in_study(runner: &mut Command, spec: &Value) -> Value {
    let next = json!({ "schema": 1, "id": "2", "program": { "command": ["true"] }, "threads": 1 });
    let output = hand(runner.args(["run", "--stdin"]), &[spec, &next]);
    assert!(output.status.success(), "{output:?}");
    let mut records = records(&output);
    assert_eq!(records.len(), 2, "{output:?}");
    assert_eq!(records[1]["exit"]["code"], json!(0), "{}", records[1]);
    records.swap_remove(0)
}

/// Whether a process with this word on its command line exists.
fn alive(word: &str) -> bool {
    let processes = std::fs::read_dir("/proc").unwrap().flatten();
    let lines = processes.filter_map(|entry| std::fs::read(entry.path().join("cmdline")).ok());
    lines.filter(|line| line.split(|&byte| byte == 0).any(|found| found == word.as_bytes())).count() > 0
}

/// The letter of a process's state in `/proc`; none when there is no such process.
fn state(pid: Pid) -> Option<char> {
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", pid.as_raw_nonzero())).ok()?;
    stat.rsplit(") ").next()?.chars().next()
}

fn until(done: impl Fn() -> bool) {
    let begin = Instant::now();
    while !done() {
        assert!(begin.elapsed() < Duration::from_secs(30));
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// A copy of the binary, in a folder that every user can reach; a private build folder cannot be.
fn for_everybody(folder: &Path) -> String {
    use std::os::unix::fs::PermissionsExt;
    std::fs::set_permissions(folder, PermissionsExt::from_mode(0o755)).unwrap();
    let copy = folder.join("knee");
    std::fs::copy(env!("CARGO_BIN_EXE_knee"), &copy).unwrap();
    copy.to_str().unwrap().to_owned()
}

/// A shell in namespaces of its own, in which mounts and users can be changed; none, after a note, where that is
/// forbidden. `knee` in the script is the binary.
fn apart(test: &str, namespaces: &[&str], script: &str) -> Option<Output> {
    let unshare = || {
        let mut command = Command::new("unshare");
        command.args(namespaces);
        command
    };
    let possible = unshare().arg("true").stderr(Stdio::null()).status().is_ok_and(|status| status.success());
    if !possible {
        skipped(test, &format!("no right to unshare {}", namespaces.join(" ")));
        return None;
    }
    let folder = tempfile::tempdir().unwrap();
    let knee = for_everybody(folder.path());
    let script = format!("set -e\nknee() {{ {knee} \"$@\"; }}\nKNEE={knee}\n{script}");
    Some(unshare().args(["sh", "-c", &script]).current_dir(folder.path()).output().unwrap())
}

/// Runs a program without rights, for scripts of [`apart`].
const NOBODY: &str = "setpriv --reuid=65534 --regid=65534 --clear-groups --bounding-set=-all";
