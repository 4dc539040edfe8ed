//! Signals that were ignored when knee started, and Ctrl-Z.

use std::io::{Read, Write};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process, kill_process_group};
use serde_json::json;

use super::shared::{hand, installed, json as record_of};
use super::{spec, state, until};

/// Prints the signals that a program ignores: the lowest bit is SIGHUP, the next ones are SIGINT and SIGQUIT.
const IGNORED: &str = "grep SigIgn: /proc/self/status";

/// `nohup` ignores SIGHUP; a shell without job control lets its background jobs ignore SIGINT and SIGQUIT.
#[test]
fn ignored_signals_stay_ignored() {
    let knee = env!("CARGO_BIN_EXE_knee");
    let script = format!("trap '' HUP INT QUIT; exec {knee} run -- {IGNORED}");
    let output = Command::new("sh").args(["-c", &script]).output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(said.trim_end().ends_with('7'), "the program does not ignore all three: {said}");

    let script = format!("trap '' HUP INT QUIT; exec {knee} run --stdin");
    let command = ["sh", "-c", "kill -HUP $PPID; kill -INT $PPID; grep SigIgn: /proc/$PPID/status /proc/self/status"];
    let output = hand(Command::new("sh").args(["-c", &script]), &[&spec(&command)]);
    let record = record_of(&output);
    assert_eq!(record["exit"], json!({ "code": 0 }));
    let said = record["output"]["stdout_tail"].as_str().unwrap();
    let ignored = |line: &str| u64::from_str_radix(line.rsplit('\t').next().unwrap(), 16).unwrap() & 7 == 7;
    assert!(said.lines().count() == 2 && said.lines().all(ignored), "{said}");
}

/// A program is in its launcher's process group.
#[test]
fn a_program_that_signals_its_group_goes_on_if_it_survives_that() {
    for signal in ["TERM", "INT", "HUP"] {
        let script = format!("trap '' {signal}; kill -{signal} 0; sleep 0.3; echo went on");
        let record = super::in_study(&mut super::knee(), &spec(&["sh", "-c", &script]));
        assert_eq!(record["exit"], json!({ "code": 0 }), "{record}");
        assert_eq!(record["output"]["stdout_tail"], json!("went on"), "{record}");
    }
}

/// A SIGHUP that is ignored ends neither the runner nor its run.
#[test]
fn a_runner_under_nohup_outlives_its_terminal() {
    let script = format!("trap '' HUP; exec {} run --stdin", env!("CARGO_BIN_EXE_knee"));
    // The program's parent is the launcher, and the launcher's parent is the runner.
    let hang_up = "kill -HUP $(cut -d' ' -f4 /proc/$PPID/stat); sleep 0.2";
    let specs = [&spec(&["sh", "-c", hang_up]), &spec(&["true"])];
    let output = hand(Command::new("sh").args(["-c", &script]), &specs);
    assert!(output.status.success(), "{output:?}");
    assert_eq!(super::records(&output).len(), 2, "{output:?}");
}

/// Ctrl-Z pauses knee and its program for as long as the user likes, which is no part of the time limit, and the record
/// says it.
#[test]
fn ctrl_z_pauses_until_it_is_continued() {
    let mut command = super::knee();
    let folder = tempfile::tempdir().unwrap();
    let began = folder.path().join("began");
    let script = format!(": > {}; for i in $(seq 40); do sleep 0.05; done", began.display());
    command.args(["run", "--json", "--timeout", "8", "--", "sh", "-c", &script]).process_group(0);
    let knee = command.stdout(Stdio::piped()).spawn().unwrap();
    let pid = Pid::from_child(&knee);
    until(|| began.exists());
    std::thread::sleep(Duration::from_millis(200));
    // As a terminal does.
    kill_process_group(pid, Signal::TSTP).unwrap();
    until(|| state(pid) == Some('T'));
    // Longer than a stop by the program can last, and than its time limit leaves.
    std::thread::sleep(Duration::from_secs(8));
    assert_eq!(state(pid), Some('T'));
    kill_process_group(pid, Signal::CONT).unwrap();
    let record = record_of(&knee.wait_with_output().unwrap());
    assert_eq!(record["exit"], json!({ "code": 0 }));
    let changed = &record["changed"][0];
    assert_eq!((&changed["fact"], &changed["held"]), (&json!("launcher"), &json!("running")));
    let found = changed["found"].as_str().unwrap();
    assert!(["paused for 8", "paused for 9"].iter().any(|begin| found.starts_with(begin)), "{changed}");
}

/// Processes that have lost their parents are knee's children, and are reaped while the program runs, as init does it.
#[test]
fn orphans_that_have_ended_are_reaped() {
    let left = "cat /proc/$PPID/task/*/children | wc -w";
    let wait = format!("i=0; while [ $i -lt 100 ] && [ $({left}) -gt 1 ]; do sleep 0.1; i=$((i + 1)); done");
    let script = format!("for i in $(seq 50); do (true &); done; {wait}; {left}");
    let output = super::knee().args(["run", "--", "sh", "-c", &script]).output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stdout).trim(), "1", "only the shell is left: {output:?}");
}

/// Starts knee without a terminal, whose Ctrl-C would reach the program as well.
fn without_terminal(words: &[&str]) -> Child {
    // A job in the background has interrupts ignored, and so have its children.
    let mut command = Command::new("env");
    command
        .args(["--default-signal=INT", "setsid"])
        .arg(env!("CARGO_BIN_EXE_knee"))
        .args(words)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

#[test]
fn an_interrupt_that_only_knee_gets_reaches_the_program() {
    let knee = without_terminal(&["run", "--", "sh", "-c", "exec sleep 71.5"]);
    until(|| super::alive("71.5"));
    kill_process(Pid::from_child(&knee), Signal::INT).unwrap();
    let output = knee.wait_with_output().unwrap();
    // A shell shows it as 130.
    assert_eq!(output.status.signal(), Some(2), "{output:?}");
    assert!(String::from_utf8_lossy(&output.stderr).contains(" s wall"), "its times were told: {output:?}");
    assert!(!super::alive("71.5"));
}

/// It ends its loop only where what it waits for was ended by the signal.
#[test]
fn ctrl_c_ends_a_shell_loop_around_it() {
    if installed("ctrl_c_ends_a_shell_loop_around_it", "bash").is_none() {
        return;
    }
    let script = "for i in 1 2 3; do echo $i; \"$0\" run -- sh -c 'exec sleep 71.75'; done; echo on";
    let mut shell = Command::new("env");
    shell.args(["--default-signal=INT", "setsid", "bash", "-c", script, env!("CARGO_BIN_EXE_knee")]);
    let shell = shell.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    until(|| super::alive("71.75"));
    kill_process_group(Pid::from_child(&shell), Signal::INT).unwrap();
    let output = shell.wait_with_output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stdout), "1\n", "{output:?}");
    assert_eq!(output.status.signal(), Some(2), "{output:?}");
    assert!(!super::alive("71.75"));
}

/// A terminal sends its Ctrl-C to one process group, which a program may have left.
#[test]
fn ctrl_c_reaches_a_program_in_a_group_of_its_own() {
    let test = "ctrl_c_reaches_a_program_in_a_group_of_its_own";
    if installed(test, "script").is_none() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let status = folder.path().join("status");
    // The program leaves the session as well, and the shell goes on to tell how knee ended.
    let program = "setsid sh -c 'exec sleep 71.375'";
    let knee = env!("CARGO_BIN_EXE_knee");
    let script = format!("trap : INT; '{knee}' run -- {program}; echo $? > '{}'", status.display());
    let mut terminal = Command::new("env");
    terminal.args(["--default-signal=INT", "script", "-q", "-c", &script, "/dev/null"]);
    terminal.stdin(Stdio::piped()).stdout(Stdio::null());
    let mut terminal = terminal.spawn().unwrap();
    until(|| super::alive("71.375"));
    terminal.stdin.as_mut().unwrap().write_all(b"\x03").unwrap();
    until(|| !super::alive("71.375"));
    terminal.wait().unwrap();
    assert_eq!(std::fs::read_to_string(status).unwrap().trim(), "130");
}

#[test]
fn only_an_interrupt_that_it_got_and_that_ended_its_program_ends_it() {
    let heeds = without_terminal(&["run", "--", "sh", "-c", "trap 'exit 7' INT; sleep 71.625 & wait"]);
    until(|| super::alive("71.625"));
    kill_process(Pid::from_child(&heeds), Signal::INT).unwrap();
    assert_eq!(heeds.wait_with_output().unwrap().status.code(), Some(7));
    let own = without_terminal(&["run", "--", "sh", "-c", "kill -INT $$"]);
    assert_eq!(own.wait_with_output().unwrap().status.code(), Some(130));
}

#[test]
fn an_interrupted_warm_up_is_the_last_one() {
    let script = "trap 'exit 0' INT; sleep 72.25 & wait";
    let knee = without_terminal(&["run", "--warmup", "5", "--", "sh", "-c", script]);
    until(|| super::alive("72.25"));
    kill_process(Pid::from_child(&knee), Signal::INT).unwrap();
    let output = knee.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(125), "{output:?}");
    assert!(String::from_utf8_lossy(&output.stderr).contains("stopped"), "{output:?}");
    assert!(!super::alive("72.25"));
}

/// What a program prints is shown as far as somebody reads it, and the time limit holds all the same.
#[test]
fn a_reader_that_does_not_read_does_not_keep_a_program_from_its_time_limit() {
    let words = ["run", "--check", "73", "--timeout", "3", "--", "sh", "-c", "exec yes 73.75"];
    let knee = super::knee().args(words).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    until(|| super::alive("73.75"));
    until(|| !super::alive("73.75"));
    let output = knee.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(124), "{:?}", output.stderr);
    assert!(output.stdout.starts_with(b"73.75\n73.75\n"));
}

/// What nobody reads is recorded and no longer shown, nor is what knee itself would say there.
#[test]
fn a_reader_that_does_not_read_does_not_keep_knee_from_a_request_to_stop() {
    for both in [false, true] {
        let folder = tempfile::tempdir().unwrap();
        let printed = folder.path().join("printed");
        // More than the pipe to the reader holds; the rest is in the program's own.
        let script = format!("seq 20000; : > {}", printed.display());
        let words = ["run", "--check", "19999", "--", "sh", "-c", &script];
        let (_reader, writer) = std::io::pipe().unwrap();
        let err = if both { writer.try_clone().unwrap().into() } else { Stdio::null() };
        let mut knee = super::knee().args(words).stdout(writer).stderr(err).spawn().unwrap();
        let pid = Pid::from_child(&knee);
        let children = format!("/proc/{0}/task/{0}/children", pid.as_raw_nonzero());
        until(|| printed.exists() && std::fs::read_to_string(&children).unwrap().is_empty());
        kill_process(pid, Signal::TERM).unwrap();
        until(|| super::state(pid) == Some('Z'));
        assert!(knee.wait().unwrap().success());
    }
}

/// All that a program printed is shown and recorded, also where the reader is slower than the program.
#[test]
fn a_slow_reader_gets_all_there_is() {
    let words = ["run", "--check", "299999", "--", "seq", "300000"];
    let mut knee = super::knee().args(words).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    std::thread::sleep(Duration::from_millis(300));
    let mut shown = Vec::new();
    let mut out = knee.stdout.take().unwrap();
    let mut piece = [0; 16384];
    while let Ok(length @ 1..) = out.read(&mut piece) {
        shown.extend_from_slice(&piece[..length]);
        std::thread::sleep(Duration::from_millis(2));
    }
    assert!(knee.wait().unwrap().success());
    assert_eq!(shown.split(|&byte| byte == b'\n').count(), 300_001);
}

/// The measurement is kept, and what was to be done after it has failed.
#[test]
fn a_conclude_step_that_is_interrupted_loses_no_measurement() {
    let words = ["run", "--json", "--conclude", "sleep 75.25", "--", "true"];
    let knee = without_terminal(&words);
    until(|| super::alive("75.25"));
    kill_process(Pid::from_child(&knee), Signal::INT).unwrap();
    let record = record_of(&knee.wait_with_output().unwrap());
    assert_eq!(record["exit"], json!({ "code": 0 }));
    assert_eq!(record["check"]["ok"], json!(false), "{record}");
}
