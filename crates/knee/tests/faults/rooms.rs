//! Faults of knee's environment: its disk, its user, its `/proc`.

use std::fs;
use std::process::Output;

use serde_json::{Value, json};

use super::shared::json as record_of;
use super::{NOBODY, apart, hand, knee, records, spec};

fn last_line(output: &Output) -> Value {
    let lines = String::from_utf8_lossy(&output.stdout).into_owned();
    serde_json::from_str(lines.lines().last().unwrap_or_default()).unwrap_or_else(|error| panic!("{error}: {output:?}"))
}

const BUSY: &str = "i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done";

/// Every record is there, each says what it misses, and no half of a file is left.
#[test]
fn a_disk_that_is_full_of_samples() {
    let script = format!(
        "mkdir small; mount -t tmpfs -o size=4k none small; head -c 4096 /dev/zero > small/fill
         knee run --json --samples small -- sleep 0.05 2>&1; echo '{}' | knee run --stdin --samples small; ls small >&2",
        spec(&["sleep", "0.05"])
    );
    let Some(output) = apart("a_disk_that_is_full_of_samples", &["--mount"], &script) else { return };
    let records = records(&output);
    assert_eq!(records.len(), 2, "{output:?}");
    for record in records {
        assert_eq!(record["exit"], json!({ "code": 0 }));
        assert_eq!(record["samples_lost"], json!("No space left on device (os error 28)"));
        assert_eq!(record["samples"], Value::Null);
    }
    assert!(String::from_utf8_lossy(&output.stderr).ends_with("\nfill\n"), "{output:?}");
}

/// A limit on the size of files comes as a signal that ends a process which does not handle it.
#[test]
fn a_limit_on_the_size_of_files() {
    let folder = tempfile::tempdir().unwrap();
    let limited = format!(
        "ulimit -f 0; {} run --json --samples {} -- sleep 0.05 | cat",
        env!("CARGO_BIN_EXE_knee"),
        folder.path().display()
    );
    let output = std::process::Command::new("sh").args(["-c", &limited]).output().unwrap();
    assert_eq!(record_of(&output)["samples_lost"], json!("File too large (os error 27)"));
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    // It was not passed on: the program meets its own limit in its own way.
    let limited =
        format!("ulimit -f 0; {} run -- sh -c 'echo > {}/file'", env!("CARGO_BIN_EXE_knee"), folder.path().display());
    let output = std::process::Command::new("sh").args(["-c", &limited]).output().unwrap();
    assert_eq!(output.status.code(), Some(128 + 25));
}

#[test]
fn a_limit_of_open_files_is_told_as_the_reason_why_threads_were_not_sampled() {
    let many = "for i in $(seq 60); do sleep 1 & done; wait";
    let limited = format!("ulimit -n 64; exec {} run --sample-ms 250 -- sh -c '{many}'", env!("CARGO_BIN_EXE_knee"));
    let output = std::process::Command::new("sh").args(["-c", &limited]).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    let why = "not sampled: the limit of open files allows no more: raise `ulimit -n`";
    assert!(output.status.success() && said.contains(why), "{said}");
}

#[test]
fn a_disk_that_is_full_of_records() {
    let full = || fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let reason = "No space left on device (os error 28)\n";
    let output = knee().args(["run", "--json", "--", "true"]).stdout(full()).output().unwrap();
    assert_eq!(output.status.code(), Some(125));
    assert!(String::from_utf8_lossy(&output.stderr).ends_with(reason));
    let stdin = format!("exec {} run --stdin > /dev/full", env!("CARGO_BIN_EXE_knee"));
    let output =
        hand(std::process::Command::new("sh").args(["-c", &stdin]), &[&spec(&["true"]), &spec(&["sleep", "65.25"])]);
    assert_eq!(output.status.code(), Some(2));
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(said, format!("knee: cannot write the record of run 1: {reason}"), "and the next run is not made");
    assert!(!super::alive("65.25"));
    // Messages that cannot be written do not change the exit status.
    let output = knee().args(["run", "--json", "--", "sh", "-c", "exit 7"]).stderr(full()).output().unwrap();
    assert_eq!((output.status.code(), &record_of(&output)["exit"]), (Some(7), &json!({ "code": 7 })));
    assert_eq!(knee().args(["run", "--", "sh", "-c", "exit 7"]).stderr(full()).status().unwrap().code(), Some(7));
}

/// A user who sees only the own processes in `/proc` still sees those.
#[test]
fn a_proc_that_hides_others() {
    let script = format!(
        "mount -t proc -o hidepid=2 proc /proc
         {NOBODY} sh -c 'test ! -d /proc/1'
         {NOBODY} $KNEE run --json -n 2 -p cores-close --bind each -- sh -c '{BUSY}'"
    );
    let Some(output) = apart("a_proc_that_hides_others", &["--mount"], &script) else { return };
    let record = last_line(&output);
    assert_eq!(record["exit"], json!({ "code": 0 }));
    assert_eq!(record["observed_threads"].as_array().unwrap().len(), 1, "{record}");
    assert_eq!(record["pinning"]["left_on_set"], json!(1), "{record}");
}

/// Without `/proc` the run is made, and what it could not see has a reason instead of a zero.
#[test]
fn no_proc_at_all() {
    let script = format!(
        "umount -l /proc
         knee run --json -n 2 -p cores-close --bind each -- sh -c '{BUSY}'
         echo '{}' | knee run --stdin || echo $? >&2
         knee run --json --timeout 1.5 -- sh -c 'sleep 5; true' || true",
        spec(&["true"])
    );
    let Some(output) = apart("no_proc_at_all", &["--mount"], &script) else { return };
    let records = records(&output);
    assert_eq!(records[0]["exit"], json!({ "code": 0 }));
    assert_eq!(records[0]["unseen"], json!("/proc is not mounted here"));
    assert_eq!((&records[0]["pinning"], &records[0]["observed_threads"]), (&Value::Null, &json!([])));
    assert!(records[0]["user_ns"].as_u64().unwrap() > 0, "the kernel accounts without it: {}", records[0]);
    assert_eq!(records[1]["exit"], json!({ "code": 0 }), "the runner finds its own program by name");
    assert_eq!(records[2]["exit"], json!({ "timeout_s": 1.5, "not_ended": "processes hidden in /proc" }));
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
}

/// A user without rights, on a read-only root file system.
#[test]
fn no_rights_and_nowhere_to_write() {
    let script = format!(
        "here=$PWD; mkdir root; mount --rbind / root; mount -o remount,ro,bind root
         cd root; export PATH=$PATH:/usr/sbin:/sbin; pivot() {{ chroot . {NOBODY} $KNEE \"$@\"; }}
         pivot run --json -n 2 -p cores-close --bind each --memory local -- sh -c '{BUSY}'
         echo '{}' | pivot run --stdin
         pivot run --json --samples /samples -- true || echo $?
         pivot run --json --cache cold -- true || echo $?",
        spec(&["true"])
    );
    let Some(output) = apart("no_rights_and_nowhere_to_write", &["--mount"], &script) else { return };
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    let records = records(&output);
    assert_eq!(records.len(), 5, "{output:?}");
    assert_eq!((&records[0]["exit"], &records[1]["exit"]), (&json!({ "code": 0 }), &json!({ "code": 0 })));
    assert!(said.contains("knee: cannot write samples to /samples: "), "{said}");
    assert_eq!(records[2], json!(125));
    let reason = records[3]["exit"]["error"].as_str().unwrap();
    assert!(reason.starts_with("cannot drop the page cache: /proc/sys/vm/drop_caches: "), "{reason}");
    assert_eq!(records[4], json!(125));
}
