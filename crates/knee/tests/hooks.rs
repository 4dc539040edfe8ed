//! Hooks around a run: steps in hyperfine's order, held facts, the page cache, runtimes' variables.

use std::process::{Command, Output};

use serde_json::{Value, json};

fn knee(words: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_knee")).args(words).output().unwrap()
}

fn record(words: &[&str]) -> Value {
    let done = knee(words);
    serde_json::from_slice(&done.stdout).unwrap_or_else(|_| panic!("{}", String::from_utf8_lossy(&done.stderr)))
}

/// The record of one run spec through the runner.
fn record_of(spec: &Value) -> Value {
    use std::io::Write;
    let mut runner = Command::new(env!("CARGO_BIN_EXE_knee"));
    runner.args(["run", "--stdin"]).stdin(std::process::Stdio::piped()).stdout(std::process::Stdio::piped());
    let mut runner = runner.spawn().unwrap();
    writeln!(runner.stdin.take().unwrap(), "{spec}").unwrap();
    serde_json::from_slice(&runner.wait_with_output().unwrap().stdout).unwrap()
}

#[test]
fn steps_come_in_hyperfines_order() {
    let folder = tempfile::tempdir().unwrap();
    let note = |word: &str| format!("echo {word} >> {}/order", folder.path().display());
    let steps = ["setup", "prepare", "conclude", "cleanup"].map(|step| (format!("--{step}"), note(step)));
    let mut words = vec!["run", "--sample-ms", "0", "--warmup", "1"];
    words.extend(steps.iter().flat_map(|(option, command)| [option.as_str(), command.as_str()]));
    let run = note("run");
    words.extend(["--", "sh", "-c", &run]);
    assert!(knee(&words).status.success());
    let order = std::fs::read_to_string(folder.path().join("order")).unwrap();
    let expected = ["setup", "prepare", "run", "conclude", "prepare", "run", "conclude", "cleanup"];
    assert_eq!(order.lines().collect::<Vec<_>>(), expected);
}

#[test]
fn what_was_prepared_is_concluded_also_where_nothing_could_be_measured() {
    let folder = tempfile::tempdir().unwrap();
    let order = folder.path().join("order");
    let note = |word: &str| format!("echo {word} >> {}", order.display());
    let steps = |prepare: &str, rest: &[&str]| {
        let (prepare, conclude) = (format!("{}; {prepare}", note("prepare")), note("conclude"));
        let words = [&["run", "--json", "--prepare", &prepare, "--conclude", &conclude], rest].concat();
        let failed = record(&words);
        assert!(failed["exit"]["error"].is_string(), "{failed}");
        let noted = std::fs::read_to_string(&order).unwrap();
        std::fs::remove_file(&order).unwrap();
        noted.lines().collect::<Vec<_>>().join(" ")
    };
    assert_eq!(steps("true", &["--warmup", "2", "--", "false"]), "prepare conclude", "after a warm-up that failed");
    assert_eq!(steps("true", &["--", "/nonexistent"]), "prepare conclude", "where the program cannot be started");
    // It may have failed half-way.
    assert_eq!(steps("false", &["--", "true"]), "prepare conclude", "after preparation that failed");
}

#[test]
fn what_comes_around_is_not_measured() {
    let hungry = "python3 -c 'x = bytearray(200_000_000)'";
    let record = record(&["run", "--json", "--prepare", hungry, "--warmup", "2", "--", "true"]);
    assert!(record["rusage"]["max_rss_bytes"].as_u64().unwrap() < 100_000_000, "{record}");
    let cpu = record["user_ns"].as_u64().unwrap() + record["system_ns"].as_u64().unwrap();
    assert!(cpu < 50_000_000, "`true` takes a millisecond: {record}");
}

#[test]
fn what_a_step_leaves_running_is_ended_and_told() {
    let done = knee(&["run", "--setup", "sleep 62.4142 &", "--", "true"]);
    let said = String::from_utf8_lossy(&done.stderr).into_owned();
    assert!(done.status.success() && said.contains("setup left 1 processes running; knee terminated them"), "{said}");
}

#[test]
fn it_does_not_begin_in_the_place_of_a_shell_with_processes_of_its_own() {
    let script = "sleep 0.5 & exec \"$0\" run -- true";
    let done = Command::new("sh").args(["-c", script, env!("CARGO_BIN_EXE_knee")]).output().unwrap();
    let said = String::from_utf8_lossy(&done.stderr).into_owned();
    assert_eq!(done.status.code(), Some(125), "{said}");
    assert!(said.contains("a process knee did not start") && said.contains("(server &)"), "{said}");
}

#[test]
fn a_name_that_the_kernel_cuts_inside_a_letter_is_recorded() {
    let folder = tempfile::tempdir().unwrap();
    let program = folder.path().join("a日本語日本語");
    std::fs::copy("/bin/sleep", &program).unwrap();
    let record = record(&["run", "--json", "--", program.to_str().unwrap(), "0.2"]);
    let name = record["observed_threads"][0]["name"].as_str().unwrap_or_default();
    assert!(name.starts_with("a日本語日"), "{record}");
}

#[test]
fn a_step_that_fails_says_which_and_why() {
    let failed = record(&["run", "--json", "--warmup", "1", "--", "sh", "-c", "echo no luck >&2; exit 4"]);
    assert_eq!(failed["exit"]["error"], json!("warm-up failed: exit status: 4: no luck"));
    // The run itself was made and is kept; that it may have left something behind is a failed check.
    let concluded = record(&["run", "--json", "--conclude", "exit 5", "--", "true"]);
    assert_eq!(concluded["exit"], json!({ "code": 0 }));
    assert_eq!(concluded["check"], json!({ "ok": false, "reason": "conclude failed: exit status: 5" }));
}

#[test]
fn cleanup_runs_even_when_the_program_cannot() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("cleaned");
    let done = knee(&["run", "--cleanup", &format!("touch {}", file.display()), "--", "/nonexistent"]);
    assert_eq!(done.status.code(), Some(127));
    assert!(file.exists());
}

#[test]
fn a_held_fact_that_changed_marks_the_run() {
    let spec =
        |hold: Value| json!({ "schema": 1, "id": "1", "program": { "command": ["true"] }, "threads": 1, "hold": hold });
    let now = record(&["machine", "--json"])["facts"]["transparent_huge_pages"].clone();
    let kept = record_of(&spec(json!({ "transparent_huge_pages": now })));
    assert!(kept.get("changed").is_none(), "{kept}");
    let changed = record_of(&spec(json!({ "transparent_huge_pages": "sometimes", "clock_ns": "1000" })));
    assert_eq!(changed["exit"], json!({ "code": 0 }), "marked, and made all the same");
    let facts: Vec<_> = changed["changed"].as_array().unwrap().iter().map(|one| one["fact"].clone()).collect();
    assert_eq!(facts, ["clock_ns", "transparent_huge_pages"]);
}

#[test]
fn a_runtime_reads_its_own_variables_and_the_user_has_the_last_word() {
    let said = |words: &[&str]| {
        let mut all = vec!["run", "-n", "1", "-p", "cores-close"];
        all.extend(words);
        String::from_utf8(knee(&all).stdout).unwrap()
    };
    let print = ["--", "sh", "-c", "echo $OMP_NUM_THREADS $OMP_PROC_BIND $OMP_PLACES $GOMAXPROCS"];
    let with = |options: &[&str]| said(&[options, &print].concat());
    assert_eq!(with(&["--for", "openmp"]), "1\n");
    assert_eq!(with(&["--for", "openmp", "--bind", "each"]), "1 true {0}\n");
    assert_eq!(with(&["--for", "go"]), "1\n");
    assert_eq!(with(&["--for", "openmp", "--env", "OMP_NUM_THREADS=7"]), "7\n");
}

#[test]
fn a_cold_cache_is_dropped_or_refused() {
    let record = record(&["run", "--json", "--cache", "cold", "--", "true"]);
    let error = record["exit"]["error"].as_str().unwrap_or("");
    assert!(record["exit"] == json!({ "code": 0 }) || error.contains("drop_caches"), "{record}");
}

#[test]
fn pages_of_a_command_are_counted_over_time() {
    let samples = tempfile::tempdir().unwrap();
    let program = "import time; m = bytearray(50_000_000); time.sleep(1)";
    let folder = samples.path().to_str().unwrap();
    let record = record(&["run", "--json", "--census-ms", "50", "--samples", folder, "--", "python3", "-c", program]);
    let pages: u64 = record["pages"].as_object().unwrap().values().map(|n| n.as_u64().unwrap()).sum();
    assert!(pages * 4096 > 50_000_000, "{record}");
    let text = Command::new("zcat").arg(samples.path().join("run.csv.gz")).output().unwrap();
    let text = String::from_utf8(text.stdout).unwrap();
    assert!(text.lines().filter(|line| line.contains(",pages,node:0,")).count() > 1, "{text}");
}

/// Without a queue the script is a plain shell script: stopped in the middle it leaves no record, and a second time it
/// makes one.
#[test]
fn a_batch_script_survives_being_stopped() {
    let folder = tempfile::tempdir().unwrap();
    let seconds = folder.path().join("seconds");
    std::fs::write(&seconds, "30").unwrap();
    let sleep = format!("sleep $(cat {})", seconds.display());
    let script = knee(&["run", "-n", "1", "--slurm", "--", "sh", "-c", &sleep]).stdout;
    let path = folder.path().join("job.sh");
    std::fs::write(&path, script).unwrap();
    let start = || Command::new("bash").arg(&path).current_dir(folder.path()).spawn().unwrap();
    let mut job = start();
    // The script runs when its part of a record is there: the trap is set before.
    let (partial, begin) = (folder.path().join("knee-run-local.json.partial"), std::time::Instant::now());
    while !partial.exists() && begin.elapsed().as_secs() < 30 {
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    std::thread::sleep(std::time::Duration::from_millis(500));
    let stop = Command::new("kill").args(["-TERM", &job.id().to_string()]).status().unwrap();
    assert!(stop.success());
    assert_eq!(job.wait().unwrap().code(), Some(143));
    let record = folder.path().join("knee-run-local.json");
    assert!(!record.exists());
    std::fs::write(&seconds, "0").unwrap();
    assert!(start().wait().unwrap().success());
    let made: Value = serde_json::from_str(&std::fs::read_to_string(&record).unwrap()).unwrap();
    assert_eq!(made["exit"], json!({ "code": 0 }));
}

#[test]
fn cleanup_comes_after_a_setup_that_failed_and_nothing_of_it_stays() {
    let folder = tempfile::tempdir().unwrap();
    let cleaned = format!("touch {}/cleaned", folder.path().display());
    let done = knee(&["run", "--setup", "sleep 61.5926 & exit 3", "--cleanup", &cleaned, "--", "true"]);
    assert_eq!(done.status.code(), Some(125));
    assert!(folder.path().join("cleaned").exists());
    assert!(!Command::new("pgrep").args(["-f", "sleep 61.592[6]"]).status().unwrap().success());
}

#[test]
fn more_threads_than_places_share_the_set() {
    let record = record(&[
        "run",
        "--json",
        "-n",
        "3",
        "-p",
        "0",
        "--",
        "sh",
        "-c",
        "grep Cpus_allowed_list /proc/self/status >&2",
    ]);
    assert_eq!(record["exit"], json!({ "code": 0 }));
    let refused = knee(&["run", "--memory", "interleave:0,63", "--", "true"]);
    assert!(String::from_utf8(refused.stderr).unwrap().contains("no node 63; this process may use nodes"));
    assert_eq!(knee(&["run", "--slurm", "-n", "1", "--for", "nope", "--", "true"]).status.code(), Some(125));
    assert!(knee(&["run", "--slurm", "sumeuler"]).status.success());
}

#[test]
fn a_script_for_slurm_may_name_cpus_that_only_the_node_has() {
    for words in
        [&["--placement", "0,4099", "--", "true"][..], &["-n", "4099", "--placement", "cores-close", "sumeuler"]]
    {
        let done = knee(&[&["run", "--slurm"], words].concat());
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
        let here = knee(&[&["run"], words].concat());
        assert_eq!(here.status.code(), Some(125), "there are no such cpus here");
    }
    let wrong = knee(&["run", "--slurm", "--placement", "core-close", "--", "true"]);
    assert!(String::from_utf8_lossy(&wrong.stderr).contains("unknown placement 'core-close'"), "{wrong:?}");
}
