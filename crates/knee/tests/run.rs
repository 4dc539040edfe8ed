//! `knee run --stdin` through the real binary: what is recorded, and what is left when a process is killed.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

fn knee() -> Command {
    Command::new(env!("CARGO_BIN_EXE_knee"))
}

fn spec(command: &[&str]) -> Value {
    json!({ "schema": 1, "id": "0001", "block": 1, "program": { "command": command }, "threads": 1, "sample_ms": 10 })
}

struct Runner {
    process: Child,
    records: BufReader<std::process::ChildStdout>,
}

impl Runner {
    fn start(samples: Option<&Path>) -> Self {
        let mut command = knee();
        command.args(["run", "--stdin"]).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        if let Some(folder) = samples {
            command.arg("--samples").arg(folder);
        }
        let mut process = command.spawn().unwrap();
        let records = BufReader::new(process.stdout.take().unwrap());
        Self { process, records }
    }

    fn hand(&mut self, spec: &Value) {
        writeln!(self.process.stdin.as_mut().unwrap(), "{spec}").unwrap();
    }

    fn record(&mut self) -> Value {
        let mut line = String::new();
        self.records.read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap()
    }

    fn end(mut self) -> i32 {
        drop(self.process.stdin.take());
        self.process.wait().unwrap().code().unwrap()
    }
}

fn record_of(spec: &Value) -> Value {
    let mut runner = Runner::start(None);
    runner.hand(spec);
    let record = runner.record();
    assert_eq!(runner.end(), 0);
    record
}

#[test]
fn variables_are_set_for_a_workload_and_for_its_copies() {
    // A library of glibc that knee itself does not use.
    let library = "libresolv.so.2";
    for role in ["measure", "copies"] {
        let mut asked = spec(&[]);
        let env = json!({ "LD_PRELOAD": library });
        asked["program"] = json!({ "workload": "mandel", "args": { "size": "512" }, "env": env });
        asked["role"] = json!(role);
        let record = record_of(&asked);
        let libraries = record["mapped"]["libraries"].as_array().unwrap();
        assert!(libraries.iter().any(|name| name == library), "{role}: {record}");
    }
}

#[test]
fn copies_end_as_the_first_of_them_that_failed() {
    for (ends, code) in [("exit 0", 0), ("exit 7", 7), ("kill -9 $$", 137)] {
        let asked = spec(&[env!("CARGO_BIN_EXE_knee"), "copies", "2", "--", "sh", "-c", ends]);
        assert_eq!(record_of(&asked)["exit"], json!({ "code": code }), "{ends}");
    }
}

#[test]
fn samples_that_nobody_takes_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let samples = folder.path().join("samples");
    // A workload counts its pages itself.
    for words in [&["mandel"][..], &["--census-ms", "0", "--", "true"]] {
        let options = ["run", "--sample-ms", "0", "--samples", samples.to_str().unwrap()];
        let output = knee().args(options).args(words).output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(said.contains("there are no samples to write") && !samples.exists(), "{words:?}: {said}");
        assert_eq!(output.status.code(), Some(125));
    }
}

#[test]
fn a_run_is_recorded_whole() {
    let folder = tempfile::tempdir().unwrap();
    let samples = folder.path().join("samples");
    let mut runner = Runner::start(Some(&samples));
    let mut busy = spec(&["sh", "-c", "i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done; echo result 0.25 s"]);
    busy["cpus"] = json!([0]);
    busy["metric"] = json!({ "regex": "result ([0-9.]+)", "unit": "s" });
    busy["check"] = json!({ "stdout": "^result" });
    busy["counters"] = json!(["instructions"]);
    runner.hand(&busy);
    let record = runner.record();
    assert_eq!(runner.end(), 0);
    assert_eq!(record["exit"], json!({ "code": 0 }));
    assert_eq!(record["check"], json!({ "ok": true }));
    assert_eq!(record["metric"]["value"], json!(0.25));
    let number = |value: &Value| value.as_f64().unwrap();
    let cpu = number(&record["user_ns"]) + number(&record["system_ns"]);
    // Against itself, not against the clock: the machine may be busy with something else.
    assert!(cpu > 50e6 && cpu < 1.05 * number(&record["wall_ns"]) + 20e6, "one busy thread: {record}");
    let thread = &record["observed_threads"][0];
    assert_eq!(thread["cpu"], json!(0), "it stayed where it was put: {record}");
    let share = cpu / number(&record["wall_ns"]);
    assert!((number(&record["validity"]["own_share"]) - share).abs() < 0.01, "{record}");
    assert!(record["validity"]["clock_before_ns"].as_f64().unwrap() > 0.0);
    // A counter is a number or a reason, never 0 for "not there".
    let counter = &record["counters"]["instructions"];
    assert!(counter.is_u64() || counter["unavailable"].is_string(), "{counter}");
    assert!(samples.join("0001.csv.gz").exists());
    assert_eq!(record["samples"], json!("samples/0001.csv.gz"));
}

#[test]
fn a_workload_reports_phases_pages_and_its_check() {
    let program = json!({ "workload": "sumeuler", "args": { "n": "3000" }, "params": { "runtime": "serial" } });
    let record = record_of(&json!({ "schema": 1, "id": "w", "program": program, "threads": 1,
        "cpus": [0], "bind": "each", "metric": { "phase": "sum" } }));
    let phase = &record["phases"][0];
    assert_eq!(phase["name"], json!("sum"));
    let [begin, end, wall] = [&phase["begin_ns"], &phase["end_ns"], &record["wall_ns"]].map(|ns| ns.as_u64().unwrap());
    assert!(0 < begin && begin < end && end <= wall, "{record}");
    assert_eq!(record["check"], json!({ "ok": true }));
    assert!(record["metric"]["value"].as_f64().unwrap() > 0.0);
    assert!(record["pages"].is_object());
    assert_eq!(record["output"]["stdout_tail"], json!("2736188"));
    assert!(record["output"]["stdout_xxh3"].is_string());
}

#[test]
fn options_of_the_study_stay_beside_those_of_the_runtime() {
    let program = json!({ "command": ["sh", "-c", "echo $GHCRTS"], "for": "ghc", "env": { "GHCRTS": "-A8m" } });
    let record = record_of(&json!({ "schema": 1, "id": "g", "program": program, "threads": 1 }));
    assert_eq!(record["output"]["stdout_tail"], json!("-A8m -N1"), "{record}");
}

#[test]
fn what_a_probe_prints_is_not_to_be_compared() {
    let program = json!({ "workload": "latency", "args": { "size": "1M" } });
    let record = record_of(&json!({ "schema": 1, "id": "p", "program": program, "threads": 1 }));
    assert_eq!((&record["exit"], &record["output"]["stdout_xxh3"]), (&json!({ "code": 0 }), &Value::Null), "{record}");
}

#[test]
fn the_record_says_how_threads_are_pinned() {
    let bind = |placement: &str, program: &[&str]| {
        let options = ["run", "--json", "--sample-ms", "0", "--threads", "1", "--placement", placement];
        let output = knee().args(options).args(program).output().unwrap();
        serde_json::from_slice::<Value>(&output.stdout).unwrap()["bind"].clone()
    };
    let (workload, command) = (["fib", "--n", "5"], ["--", "true"]);
    assert_eq!((bind("cores-close", &workload), bind("cores-close", &command)), (json!("each"), json!("set")));
    assert_eq!(bind("none", &workload), json!("set"), "no thread has a cpu of its own");
}

#[test]
fn what_goes_wrong_is_a_record_that_says_so() {
    let exit = |command: &[&str]| record_of(&spec(command))["exit"].clone();
    assert_eq!(exit(&["sh", "-c", "exit 7"]), json!({ "code": 7 }));
    assert_eq!(exit(&["sh", "-c", "kill -SEGV $$"]), json!({ "signal": 11 }));
    assert!(exit(&["/nonexistent"])["error"].as_str().unwrap().starts_with("cannot run /nonexistent: "));
    let mut stubborn = spec(&["sh", "-c", "trap '' TERM; while :; do sleep 0.05; done"]);
    stubborn["timeout_s"] = json!(0.2);
    assert_eq!(record_of(&stubborn)["exit"]["timeout_s"], json!(0.2));
    let mut nonsense = spec(&["printf", "no\\377sense"]);
    nonsense["metric"] = json!({ "regex": "took (.*)", "unit": "s" });
    assert!(record_of(&nonsense)["metric"]["unavailable"].is_string());
    let mut refused = spec(&["true"]);
    refused["cpus"] = json!([9999]);
    assert!(record_of(&refused)["exit"]["error"].as_str().unwrap().starts_with("cpus 9999 are not allowed"));
}

#[test]
fn a_program_that_leaves_children_behind_is_accounted_and_cleaned_up() {
    let record = record_of(&spec(&["sh", "-c", "sleep 61.4142 & sleep 61.4142 & exit 0"]));
    assert_eq!(record["exit"], json!({ "code": 0, "left_behind": 2 }));
    assert!(!alive("61.4142"));
}

#[test]
fn a_flood_of_output_does_not_outrun_the_time_limit() {
    let mut flood = spec(&["sh", "-c", "yes & yes >&2"]);
    flood["timeout_s"] = json!(1.5);
    let begin = Instant::now();
    let record = record_of(&flood);
    assert_eq!(record["exit"]["timeout_s"], json!(1.5));
    assert!(record["output"]["stdout_bytes"].as_u64().unwrap() > 1_000_000);
    assert!(record["output"]["stdout_tail"].as_str().unwrap().len() <= 2_000);
    assert!(begin.elapsed() < Duration::from_secs(10));
}

#[test]
fn hundreds_of_processes_are_sampled_within_the_limit_of_open_files_and_all_ended() {
    let mut crowd = spec(&["sh", "-c", "i=0; while [ $i -lt 700 ]; do sleep 63.5 & i=$((i+1)); done; sleep 63.5"]);
    crowd["timeout_s"] = json!(4.0);
    let limited = format!("ulimit -n 1024; exec {} run --stdin", env!("CARGO_BIN_EXE_knee"));
    let mut runner = Command::new("sh");
    let mut runner = runner.args(["-c", &limited]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    writeln!(runner.stdin.take().unwrap(), "{crowd}").unwrap();
    let output = runner.wait_with_output().unwrap();
    let record: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(record["exit"]["timeout_s"], json!(4.0), "{record}");
    let seen = record["observed_threads"].as_array().unwrap().len();
    assert!(seen >= 200, "{seen} threads were seen");
    assert!(!alive("63.5"));
}

#[test]
fn the_samplers_own_cpu_is_not_handed_down_to_the_program() {
    let mut free = spec(&["grep", "Cpus_allowed_list", "/proc/self/status"]);
    free["sampler_cpu"] = json!(0);
    let allowed = std::fs::read_to_string("/proc/self/status").unwrap();
    let allowed = allowed.lines().find(|line| line.starts_with("Cpus_allowed_list")).unwrap().to_owned();
    assert_eq!(record_of(&free)["output"]["stdout_tail"], json!(allowed));
}

#[test]
fn a_full_disk_under_standard_output_is_one_error() {
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let output = knee().arg("machine").stdout(full).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(said, "knee: cannot write: standard output: No space left on device (os error 28)\n");
}

#[test]
fn a_spec_of_another_version_is_refused() {
    for (line, reason) in [
        ("{}", "schema none"),
        ("{\"schema\": 2}", "schema 2"),
        ("nonsense", "not JSON"),
        (
            "{\"schema\":1,\"id\":\"a/b\",\"program\":{\"command\":[\"true\"]},\"threads\":1}",
            "an id may only contain letters",
        ),
        ("{\"schema\":1,\"id\":\"a\",\"program\":{\"command\":[\"true\"]},\"threads\":0}", "0 threads requested"),
        (
            "{\"schema\":1,\"id\":\"a\",\"program\":{\"workload\":\"mandel\",\"env\":{\"A=B\":\"c\"}},\"threads\":1}",
            "\"A=B\" is not a variable name",
        ),
        ("{\"schema\":1,\"id\":\"a\",\"program\":{\"command\":[\"true\"]},\"threads\":1,\"x\":1}", "unknown field"),
    ] {
        let mut process = knee().args(["run", "--stdin"]).stdin(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        process.stdin.take().unwrap().write_all(line.as_bytes()).unwrap();
        let output = process.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{line}");
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(said.starts_with("knee: bad run spec: ") && said.contains(reason), "{line}: {said}");
    }
}

/// Whether a process with this word on its command line exists.
fn alive(word: &str) -> bool {
    let processes = std::fs::read_dir("/proc").unwrap().flatten();
    processes.filter_map(|entry| std::fs::read(entry.path().join("cmdline")).ok()).any(|line| {
        let words = String::from_utf8_lossy(&line);
        words.split('\0').any(|found| found == word)
    })
}

fn becomes(wanted: bool, word: &str) -> bool {
    let begin = Instant::now();
    while begin.elapsed() < Duration::from_secs(10) {
        if alive(word) == wanted {
            return true;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    false
}

fn parent_of(word: &str) -> i32 {
    let of = |pid: &str| std::fs::read_to_string(format!("/proc/{pid}/stat")).ok();
    let names = std::fs::read_dir("/proc").unwrap().flatten().filter_map(|entry| entry.file_name().into_string().ok());
    let mut found = names.filter(|pid| {
        std::fs::read(format!("/proc/{pid}/cmdline"))
            .is_ok_and(|line| String::from_utf8_lossy(&line).split('\0').any(|found| found == word))
    });
    let stat = of(&found.next().unwrap()).unwrap();
    stat[stat.rfind(')').unwrap() + 2..].split(' ').nth(1).unwrap().parse().unwrap()
}

fn kill(pid: i32) {
    let pid = rustix::process::Pid::from_raw(pid).unwrap();
    rustix::process::kill_process(pid, rustix::process::Signal::KILL).unwrap();
}

/// A program with a child and a grandchild that would run for a minute; `word` identifies them.
fn family(word: &str) -> Value {
    spec(&["sh", "-c", &format!("sh -c 'sleep {word}; true' & sleep {word}; true")])
}

#[test]
fn nothing_is_left_when_the_runner_is_killed() {
    let mut runner = Runner::start(None);
    runner.hand(&family("62.1"));
    assert!(becomes(true, "62.1"));
    runner.process.kill().unwrap();
    runner.process.wait().unwrap();
    assert!(becomes(false, "62.1"));
}

#[test]
fn nothing_is_left_when_the_launcher_is_killed_and_the_record_says_so() {
    let mut runner = Runner::start(None);
    runner.hand(&family("62.2"));
    assert!(becomes(true, "62.2"));
    let mut launcher = parent_of("62.2");
    let runner_pid = i32::try_from(runner.process.id()).unwrap();
    while parent(launcher) != runner_pid {
        launcher = parent(launcher);
    }
    kill(launcher);
    let record = runner.record();
    assert_eq!(record["exit"]["error"], json!("the launcher of this run died: signal 9"));
    assert!(becomes(false, "62.2"));
    runner.hand(&spec(&["true"]));
    assert_eq!(runner.record()["exit"], json!({ "code": 0 }), "the runner goes on");
    assert_eq!(runner.end(), 0);
}

fn parent(pid: i32) -> i32 {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap();
    stat[stat.rfind(')').unwrap() + 2..].split(' ').nth(1).unwrap().parse().unwrap()
}

#[test]
fn nothing_is_left_when_the_reader_of_records_is_gone() {
    let mut runner = Runner::start(None);
    runner.hand(&family("62.3"));
    assert!(becomes(true, "62.3"));
    let Runner { mut process, records } = runner;
    drop(records);
    assert!(becomes(false, "62.3"));
    assert_eq!(process.wait().unwrap().code(), Some(130));
}

#[test]
fn a_polite_signal_ends_everything_without_a_record() {
    let mut runner = Runner::start(None);
    runner.hand(&family("62.4"));
    assert!(becomes(true, "62.4"));
    let pid = rustix::process::Pid::from_child(&runner.process);
    rustix::process::kill_process(pid, rustix::process::Signal::TERM).unwrap();
    let mut rest = String::new();
    runner.records.read_line(&mut rest).unwrap();
    assert_eq!(rest, "");
    assert_eq!(runner.process.wait().unwrap().code(), Some(130));
    assert!(becomes(false, "62.4"));
}

#[test]
fn memory_policy_reaches_the_program() {
    let mut bound = spec(&["sh", "-c", "cat /proc/self/numa_maps | head -1"]);
    bound["memory"] = json!({ "policy": "bind", "nodes": [0] });
    let text = record_of(&bound)["output"]["stdout_tail"].as_str().unwrap().to_owned();
    assert!(text.contains("bind:0"), "{text}");
    bound["memory"] = json!({ "policy": "bind", "nodes": [999] });
    let error = record_of(&bound)["exit"]["error"].as_str().unwrap().to_owned();
    assert!(error.starts_with("memory policy bind:999"), "{error}");
}
