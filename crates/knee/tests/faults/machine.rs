//! Faults of the machine: refused system calls, and resources that disappear during a run.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use super::shared::{in_c, json as record_of, skipped};
use super::{apart, in_study, knee, spec, until};

/// Runs knee under a filter of system calls.
fn refused(test: &str, what: &str) -> Option<(tempfile::TempDir, Command)> {
    let folder = tempfile::tempdir().unwrap();
    let mut command = Command::new(in_c(test, "gcc", "refuse.c", &[], folder.path())?);
    command.args([what, env!("CARGO_BIN_EXE_knee")]);
    Some((folder, command))
}

#[test]
fn memory_policies_that_are_refused() {
    let Some((_folder, mut command)) = refused("memory_policies_that_are_refused", "memory") else { return };
    let mut bound = spec(&["true"]);
    bound["memory"] = json!({ "policy": "bind", "nodes": [0] });
    // The next run of the study asks for no policy, and is made.
    let record = in_study(&mut command, &bound);
    let reason = "memory policy bind:0: Operation not permitted (os error 1)";
    assert_eq!(record["exit"], json!({ "error": reason }));
    let (_folder, mut command) = refused("memory_policies_that_are_refused", "memory").unwrap();
    let output = command.args(["run", "--memory", "bind:0", "--", "true"]).output().unwrap();
    assert_eq!(output.status.code(), Some(125));
    let hint = "a container may forbid it; allow it: docker run --cap-add SYS_NICE";
    assert_eq!(String::from_utf8_lossy(&output.stderr), format!("knee: {reason}\n\nhint: {hint}\n"));
}

/// Old kernels and some containers have none: then a signal says that the program has ended.
#[test]
fn pidfds_that_are_refused() {
    let Some((_folder, mut command)) = refused("pidfds_that_are_refused", "pidfd") else { return };
    let orphans = "for i in 1 2 3; do sh -c 'sleep 0.05 &'; done; sleep 0.2; exit 5";
    let record = in_study(&mut command, &spec(&["sh", "-c", orphans]));
    assert_eq!(record["exit"], json!({ "code": 5 }));
    let wall = record["wall_ns"].as_u64().unwrap();
    assert!(wall >= 200_000_000, "it was waited for: {record}");
}

/// If every wait failed, the loops that wait would spin.
#[test]
fn waiting_that_is_refused() {
    for words in [&["run", "--stdin"][..], &["run", "--", "true"]] {
        let Some((_folder, mut command)) = refused("waiting_that_is_refused", "wait") else { return };
        let output = command.args(words).stdin(Stdio::null()).output().unwrap();
        let code = if words.contains(&"--stdin") { 2 } else { 125 };
        assert_eq!(output.status.code(), Some(code));
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(
            said.starts_with("knee: cannot wait for programs: ppoll: Operation not permitted (os error 1)\n"),
            "{said}"
        );
    }
}

/// Limits are read before threads are started.
#[test]
fn limits_that_are_refused() {
    let Some((_folder, mut command)) = refused("limits_that_are_refused", "limits") else { return };
    let output = command.args(["run", "-n", "2", "fib", "--n", "15"]).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{output:?}");
}

/// A control group that is gone when the test is over.
struct Group(PathBuf);

impl Group {
    fn of_cpus(test: &str, cpus: &str) -> Option<Self> {
        let root = Path::new("/sys/fs/cgroup/cpuset");
        let group = Self(root.join(format!("knee-faults-{}", std::process::id())));
        let made = fs::read_to_string(root.join("cpuset.mems")).and_then(|nodes| {
            fs::create_dir(&group.0)?;
            fs::write(group.0.join("cpuset.mems"), nodes)?;
            group.give(cpus)
        });
        if let Err(error) = made {
            skipped(test, &format!("{}: {error}", group.0.display()));
            return None;
        }
        Some(group)
    }

    fn give(&self, cpus: &str) -> std::io::Result<()> {
        fs::write(self.0.join("cpuset.cpus"), cpus)
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        let _ = fs::remove_dir(&self.0);
    }
}

/// The record shows what became of the threads, and that the run lost a cpu; runs that need that cpu are refused.
#[test]
fn a_cpuset_that_shrinks_while_a_program_runs() {
    let test = "a_cpuset_that_shrinks_while_a_program_runs";
    let placed = record_of(&knee().args(["place", "cores-close", "--json"]).output().unwrap());
    let cpus: Vec<u32> = serde_json::from_value(
        placed["places"].as_array().unwrap().iter().take(2).map(|place| place["cpu"].clone()).collect(),
    )
    .unwrap();
    let [first, second] = cpus[..] else { return skipped(test, "no two cpus") };
    let Some(group) = Group::of_cpus(test, &format!("{first},{second}")) else { return };
    let folder = tempfile::tempdir().unwrap();
    let Some(program) = in_c(test, "gcc", "waits.c", &["-pthread"], folder.path()) else { return };
    let file = folder.path().join("shrunk");
    let mut spec = spec(&[program.to_str().unwrap(), file.to_str().unwrap()]);
    (spec["threads"], spec["cpus"], spec["bind"]) = (json!(2), json!([first, second]), json!("each"));
    let mut runner = Command::new("sh");
    let join = format!("echo $$ > {}/cgroup.procs; exec \"$@\"", group.0.display());
    runner.args(["-c", &join, "sh", env!("CARGO_BIN_EXE_knee")]);
    let (record, refused) = std::thread::scope(|scope| {
        scope.spawn(|| {
            until(|| file.with_extension("running").exists());
            group.give(&first.to_string()).unwrap();
            fs::write(&file, "").unwrap();
        });
        let both = super::hand(runner.args(["run", "--stdin"]), &[&spec, &spec]);
        let mut records = super::records(&both).into_iter();
        (records.next().unwrap(), records.next().unwrap())
    });
    assert_eq!(record["exit"], json!({ "code": 0 }));
    let threads = record["observed_threads"].as_array().unwrap();
    assert!(threads.len() == 3 && threads.iter().all(|thread| thread["affinity"] == json!([first])), "{record}");
    let held = [first, second].into_iter().collect::<knee_machine::CpuSet>().to_string();
    assert_eq!(record["changed"], json!([{ "fact": "cpus", "held": held, "found": first.to_string() }]));
    let reason = format!("cpus {second} are not allowed; this process may use {first}");
    assert_eq!(refused["exit"], json!({ "error": reason }));
}

/// A clock of its own, weeks from where ours is: durations are all that counts.
#[test]
fn a_monotonic_clock_that_is_elsewhere() {
    let test = "a_monotonic_clock_that_is_elsewhere";
    let script = "knee run --json --timeout 20 -- sleep 0.2";
    let Some(output) = apart(test, &["--time", "--monotonic", "3000000", "--fork"], script) else { return };
    let record: Value = record_of(&output);
    assert_eq!(record["exit"], json!({ "code": 0 }));
    let wall = record["wall_ns"].as_u64().unwrap();
    assert!((200_000_000..20_000_000_000).contains(&wall), "{record}");
}
