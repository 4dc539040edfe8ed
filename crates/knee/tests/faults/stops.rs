//! Programs that stop the processes above them: time limits hold, one SIGTERM ends everything, nothing stays behind.

use std::io::Write;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use super::{alive, direct, in_study, knee, spec, until};

/// The launcher is the program's parent, the runner is the launcher's.
const RUNNER: &str = "$(cut -d' ' -f4 /proc/$PPID/stat)";

fn limited(script: &str) -> Value {
    let mut spec = spec(&["sh", "-c", script]);
    spec["timeout_s"] = json!(0.5);
    spec
}

#[test]
fn a_program_that_stops_its_launcher() {
    let begin = Instant::now();
    let script = "kill -STOP $PPID; sleep 66.25";
    let (code, record) = direct(&["--timeout", "0.5"], &["sh", "-c", script]);
    assert_eq!((code, &record["exit"]["timeout_s"]), (124, &json!(0.5)));
    let record = in_study(&mut knee(), &limited(script));
    assert_eq!(record["exit"]["timeout_s"], json!(0.5));
    let changed = json!([{ "fact": "launcher", "held": "running", "found": "stopped by a signal" }]);
    assert_eq!(record["changed"], changed, "its clock went on meanwhile");
    assert!(begin.elapsed() < Duration::from_secs(20), "{:?}", begin.elapsed());
    assert!(!alive("66.25"));
}

#[test]
fn a_program_that_stops_its_runner_and_its_launcher() {
    let script = format!("kill -STOP {RUNNER} $PPID; sleep 66.5");
    let begin = Instant::now();
    assert_eq!(in_study(&mut knee(), &limited(&script))["exit"]["timeout_s"], json!(0.5));
    assert!(begin.elapsed() < Duration::from_secs(20), "{:?}", begin.elapsed());
    assert!(!alive("66.5"));
}

/// The loop leaves the launcher no time to act.
#[test]
fn a_program_that_stops_its_launcher_again_and_again() {
    let script = "while :; do kill -STOP $PPID; done; : 66.75";
    let begin = Instant::now();
    let record = in_study(&mut knee(), &limited(script));
    // Sometimes the launcher gets to act in time.
    let reason = json!({ "error": "the launcher of this run died: signal 9, after a program had stopped it" });
    assert!(record["exit"] == reason || record["exit"]["timeout_s"] == json!(0.5), "{record}");
    assert!(begin.elapsed() < Duration::from_secs(40), "{:?}", begin.elapsed());
    assert!(!alive(script));
}

#[test]
fn one_request_to_end_is_enough() {
    for (word, whom) in [("67.25", "$PPID"), ("67.5", &format!("$PPID {RUNNER}"))] {
        let script = format!("kill -STOP {whom}; sleep {word}");
        let mut runner = running(&script);
        until(|| alive(word));
        let begin = Instant::now();
        kill_process(Pid::from_child(&runner), Signal::TERM).unwrap();
        assert_eq!(runner.wait().unwrap().code(), Some(130), "stops {whom}");
        assert!(begin.elapsed() < Duration::from_secs(20), "{:?}", begin.elapsed());
        assert!(!alive(word), "stops {whom}");
    }
}

/// One request is enough even if the launcher cannot act on it.
#[test]
fn a_launcher_that_cannot_end() {
    let script = "while :; do kill -STOP $PPID; done; : 67.75";
    let mut runner = running(script);
    until(|| alive(script));
    kill_process(Pid::from_child(&runner), Signal::TERM).unwrap();
    assert_eq!(runner.wait().unwrap().code(), Some(130));
    assert!(!alive(script));
}

/// Starts a runner with one run of this script, without a time limit. Its standard input stays open.
fn running(script: &str) -> Child {
    let mut runner = knee();
    let mut runner = runner.args(["run", "--stdin"]).stdin(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
    writeln!(runner.stdin.as_mut().unwrap(), "{}", spec(&["sh", "-c", script])).unwrap();
    runner
}

/// The runner also continues its parent, if `--parent` names it.
#[test]
fn a_parent_that_is_stopped() {
    let knee = env!("CARGO_BIN_EXE_knee");
    let line = spec(&["sh", "-c", "kill -STOP $(cut -d' ' -f4 /proc/$(cut -d' ' -f4 /proc/$PPID/stat)/stat)"]);
    // The shell is the runner's parent.
    let script = format!("echo '{line}' | {knee} run --stdin --parent $$; echo $?");
    let begin = Instant::now();
    let output = Command::new("sh").args(["-c", &script]).output().unwrap();
    assert!(String::from_utf8_lossy(&output.stdout).ends_with("\n0\n"), "{output:?}");
    assert!(begin.elapsed() < Duration::from_secs(20), "{:?}", begin.elapsed());
}
