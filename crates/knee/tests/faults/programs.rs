//! Faults of the program that is measured.

use std::os::unix::fs::PermissionsExt;
use std::process::Command;

use rustix::process::{Pid, Signal};
use serde_json::{Value, json};

use super::shared::{in_c, json as record_of, skipped};
use super::{NOBODY, alive, apart, direct, for_everybody, hand, in_study, knee, spec};

#[test]
fn a_program_that_is_not_there() {
    let (code, record) = direct(&[], &["/nonexistent"]);
    let reason = json!({ "error": "cannot run /nonexistent: No such file or directory (os error 2)" });
    assert_eq!((code, &record["exit"]), (127, &reason));
    assert_eq!(in_study(&mut knee(), &spec(&["/nonexistent"]))["exit"], reason);
}

#[test]
fn a_program_that_cannot_be_executed() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("text");
    std::fs::write(&file, "no program").unwrap();
    for path in [&file, folder.path()] {
        let path = path.to_str().unwrap();
        let (code, record) = direct(&[], &[path]);
        let reason = json!({ "error": format!("cannot run {path}: Permission denied (os error 13)") });
        assert_eq!((code, &record["exit"]), (126, &reason));
        assert_eq!(in_study(&mut knee(), &spec(&[path]))["exit"], reason);
    }
}

#[test]
fn a_program_that_a_signal_ends() {
    for (signal, number) in [("SEGV", 11), ("KILL", 9)] {
        let command = ["sh", "-c", &format!("kill -{signal} $$")];
        let (code, record) = direct(&[], &command);
        assert_eq!((code, &record["exit"]), (128 + number, &json!({ "signal": number })));
        assert_eq!(in_study(&mut knee(), &spec(&command))["exit"], json!({ "signal": number }));
    }
}

#[test]
fn a_program_that_stops_itself_or_a_child() {
    for script in ["kill -STOP $$", "sh -c 'kill -STOP $$'; true"] {
        let (code, record) = direct(&["--timeout", "1.5"], &["sh", "-c", script]);
        let mut spec = spec(&["sh", "-c", script]);
        spec["timeout_s"] = json!(1.5);
        assert_eq!(code, 124);
        for exit in [&record["exit"], &in_study(&mut knee(), &spec)["exit"]] {
            assert_eq!((&exit["timeout_s"], &exit["was_stopped"]), (&json!(1.5), &json!(true)), "{script}: {exit}");
        }
    }
}

#[test]
fn a_program_that_forks_and_exits() {
    let folder = tempfile::tempdir().unwrap();
    let began = folder.path().join("began");
    let daemons = format!(
        "setsid sh -c 'sleep 64.25 & sleep 64.25 & : > {0}; wait' & until [ -e {0} ]; do sleep 0.01; done; exit 3",
        began.display()
    );
    let exit = json!({ "code": 3, "left_behind": 3 });
    let (code, record) = direct(&[], &["sh", "-c", &daemons]);
    assert_eq!((code, &record["exit"]), (3, &exit));
    assert!(!alive("64.25"));
    std::fs::remove_file(began).unwrap();
    assert_eq!(in_study(&mut knee(), &spec(&["sh", "-c", &daemons]))["exit"], exit);
    assert!(!alive("64.25"));
}

/// The record of the first of a few runs that ends so, or of the last one: a busy machine may take away the moment that
/// is given to what a program leaves.
fn once(run: impl Fn() -> Value, ends: impl Fn(&Value) -> bool) -> Value {
    let mut record = run();
    for _ in 0..4 {
        if !ends(&record) {
            record = run();
        }
    }
    record
}

#[test]
fn what_ends_by_itself_after_the_program_may_do_so() {
    // More than a pipe holds.
    let prints = "(head -c 3000000 /dev/zero; echo end >&2) & exit 3";
    let alone = |record: &Value| record["exit"].get("left_behind").is_none();
    let record = once(|| in_study(&mut knee(), &spec(&["sh", "-c", prints])), alone);
    assert_eq!(record["exit"], json!({ "code": 3 }));
    assert_eq!(record["output"]["stdout_bytes"], json!(3_000_000));
    assert_eq!(record["output"]["stderr_tail"], json!("end"));
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("log");
    let writes = format!("(sleep 0.02; echo whole > {}) & exit 0", file.display());
    let record = once(|| direct(&[], &["sh", "-c", &writes]).1, alone);
    assert_eq!(record["exit"], json!({ "code": 0 }));
    assert_eq!(std::fs::read_to_string(file).unwrap(), "whole\n");
}

#[test]
fn what_stays_is_asked_to_end_before_it_is_killed() {
    let folder = tempfile::tempdir().unwrap();
    let script = "(trap 'echo yes > asked; exit' TERM; : > ready; while :; do sleep 0.01; done) &
        until [ -e ready ]; do sleep 0.01; done";
    let (asked, ready) = (folder.path().join("asked"), folder.path().join("ready"));
    let run = || {
        let _ = std::fs::remove_file(&ready);
        let mut command = knee();
        command.args(["run", "--json", "--", "sh", "-c", script]).current_dir(folder.path());
        record_of(&command.output().unwrap())
    };
    let exit = once(run, |_| asked.exists())["exit"].clone();
    // Its loop has a child most of the time.
    assert!(exit["code"] == json!(0) && exit["left_behind"].as_u64() >= Some(1), "{exit}");
    assert!(asked.exists());
}

/// The kernel tells of its end when its tracer lets it go, and a record tells of when it ended.
#[test]
fn a_program_that_its_own_child_traces() {
    let test = "a_program_that_its_own_child_traces";
    let folder = tempfile::tempdir().unwrap();
    let Some(program) = in_c(test, "gcc", "traced.c", &[], folder.path()) else { return };
    let (code, record) = direct(&[], &[program.to_str().unwrap()]);
    if code == 9 {
        return skipped(test, "no right to trace a parent");
    }
    assert_eq!((code, &record["exit"]), (5, &json!({ "code": 5 })));
    assert!(record["wall_ns"].as_u64().unwrap() < 900_000_000, "its tracer takes a second more: {record}");
}

#[test]
fn a_program_that_ignores_the_end_of_its_children() {
    let folder = tempfile::tempdir().unwrap();
    let test = "a_program_that_ignores_the_end_of_its_children";
    let Some(program) = in_c(test, "gcc", "forgets.c", &[], folder.path()) else { return };
    let program = program.to_str().unwrap();
    let (code, record) = direct(&[], &[program]);
    let [user, system, more] =
        ["user_ns", "system_ns", "unaccounted_cpu_ns"].map(|name| record[name].as_u64().unwrap_or(0));
    assert!(code == 0 && more > 50_000_000 && user + system < more, "{record}");
    let output = knee().args(["run", "--", program]).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    let remark = "children whose parent ignores their end are not in the CPU time: samples saw at least ";
    assert!(said.contains(remark), "{said}");
    let busy = "i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done";
    let (_, waited_for) = direct(&[], &["sh", "-c", &format!("({busy}); true")]);
    assert_eq!(waited_for["unaccounted_cpu_ns"], json!(null), "{waited_for}");
}

#[test]
fn a_program_that_closes_its_output() {
    let record = in_study(&mut knee(), &spec(&["sh", "-c", "echo begin; exec >&-; sleep 0.1; echo end >&2; exit 4"]));
    assert_eq!(record["exit"], json!({ "code": 4 }));
    assert_eq!(record["output"]["stdout_tail"], json!("begin"));
    assert_eq!(record["output"]["stderr_tail"], json!("end"));
}

/// Large output is counted completely but not kept: every process may have at most 32 MiB.
#[test]
fn a_program_that_prints_a_gigabyte() {
    let limited = format!("ulimit -d 32768; exec {} run --stdin", env!("CARGO_BIN_EXE_knee"));
    let mut flood = spec(&["head", "-c", "1000000000", "/dev/zero"]);
    flood["check"] = json!({ "stdout": "^never" });
    let output = hand(Command::new("sh").args(["-c", &limited]), &[&flood]);
    let record = record_of(&output);
    assert_eq!(record["exit"], json!({ "code": 0 }));
    assert_eq!(record["output"]["stdout_bytes"], json!(1_000_000_000));
    assert_eq!(record["check"]["ok"], json!(false));
}

#[test]
fn a_program_that_ignores_requests_to_end() {
    let stubborn = ["sh", "-c", "trap '' TERM; while :; do sleep 0.05; done"];
    let (code, record) = direct(&["--timeout", "1.5"], &stubborn);
    assert_eq!((code, &record["exit"]["timeout_s"]), (124, &json!(1.5)));
    // Asked at the limit, ended two seconds later.
    assert!(record["wall_ns"].as_u64().unwrap() >= 3_500_000_000, "{record}");
}

/// A program may gain rights that its starter does not have; then only the administrator can end it.
#[test]
fn a_program_that_cannot_be_ended() {
    let test = "a_program_that_cannot_be_ended";
    let folder = tempfile::tempdir().unwrap();
    for_everybody(folder.path());
    let Some(program) = in_c(test, "gcc", "keeper.c", &[], folder.path()) else { return };
    std::fs::set_permissions(&program, PermissionsExt::from_mode(0o4755)).unwrap();
    let program = program.to_str().unwrap();
    let mut spec = spec(&[program]);
    spec["timeout_s"] = json!(1.5);
    let script = format!("{NOBODY} true; echo '{spec}' | {NOBODY} $KNEE run --stdin");
    let Some(output) = apart(test, &["--mount"], &script) else { return };
    if output.stdout.is_empty() {
        return skipped(test, "no right to become nobody");
    }
    let record = record_of(&output);
    let exit = &record["exit"];
    if exit["code"] == json!(9) {
        return skipped(test, "no programs that take rights on this file system");
    }
    assert_eq!(exit["timeout_s"], json!(1.5));
    assert_eq!(exit["not_ended"], json!("1 of its processes (this user may not kill it)"));
    let pid = i32::try_from(record["observed_threads"][0]["pid"].as_i64().unwrap()).unwrap();
    rustix::process::kill_process(Pid::from_raw(pid).unwrap(), Signal::KILL).unwrap();
}
