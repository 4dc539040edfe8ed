//! Regions of real programs in C, C++, Rust and Python, run by the real binary: each is a phase of the record, with
//! possible times; mistakes, floods and kills are reported and lose nothing that was complete.

mod shared;

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use shared::{compile, hand, installed, knee, skipped, source};

/// A command's record, made with these options.
fn record(options: &[&str], command: &[&str]) -> Value {
    let mut run = knee();
    let output = run.args(["run", "--json"]).args(options).arg("--").args(command).stdin(Stdio::null()).output();
    let record = shared::json(&output.unwrap());
    assert!(record["exit"]["error"].is_null(), "{record}");
    record
}

fn names(record: &Value) -> Vec<&str> {
    record["phases"].as_array().unwrap().iter().map(|phase| phase["name"].as_str().unwrap()).collect()
}

/// The phase of this name: its times lie inside the run, and its counts are those given.
fn phase<'a>(record: &'a Value, name: &str, [calls, threads]: [u64; 2]) -> &'a Value {
    let mut found = record["phases"].as_array().unwrap().iter().filter(|phase| phase["name"] == name);
    let phase = found.next().unwrap_or_else(|| panic!("no {name}: {record}"));
    assert!(found.next().is_none(), "{record}");
    assert_eq!(
        [&phase["counters"]["calls"], &phase["counters"]["threads"]],
        [&json!(calls), &json!(threads)],
        "{phase}"
    );
    let [wall, begin, end] = ["wall_ns", "begin_ns", "end_ns"].map(|field| number(phase, field));
    assert!(begin > 0 && begin + wall <= end && end <= number(record, "wall_ns"), "{phase} of {record}");
    let together = number(&phase["counters"], "thread_wall_ns");
    assert!(wall <= together && together <= wall * threads, "{phase}");
    phase
}

fn number(value: &Value, field: &str) -> u64 {
    value[field].as_u64().unwrap_or_else(|| panic!("no {field}: {value}"))
}

fn milliseconds(value: &Value, field: &str) -> f64 {
    number(value, field) as f64 / 1e6
}

fn faults(record: &Value) -> Vec<&str> {
    record["region_faults"].as_array().map_or(Vec::new(), |all| all.iter().map(|one| one.as_str().unwrap()).collect())
}

/// Where the build put `libknee_region`: cargo makes all kinds of a library that a test needs.
fn libraries() -> PathBuf {
    let folder = std::env::current_exe().unwrap().parent().unwrap().to_owned();
    assert!(folder.join("libknee_region.a").is_file(), "no libknee_region.a in {}", folder.display());
    folder
}

/// A program of ours, linked with the library in one way or the other.
fn built(test: &str, compiler: &str, name: &str, link: &[&str], folder: &Path) -> Option<String> {
    let program = folder.join(name).with_extension("out");
    let header = Path::new(env!("CARGO_MANIFEST_DIR")).join("../region/include");
    let mut command = Command::new(installed(test, compiler)?);
    command.args(["-O2", "-Wall", "-Wextra", "-Werror", "-pthread", "-I"]).arg(header).arg("-o").arg(&program);
    compile(command.arg(source(name)).args(link));
    Some(program.to_str().unwrap().to_owned())
}

/// The program in C, linked statically; built once for all tests.
fn in_c(test: &str) -> Option<&'static str> {
    static BUILT: OnceLock<Option<(tempfile::TempDir, String)>> = OnceLock::new();
    let built = BUILT.get_or_init(|| {
        let (folder, library) = (tempfile::tempdir().unwrap(), libraries().join("libknee_region.a"));
        let program = built(test, "gcc", "regions.c", &[library.to_str().unwrap()], folder.path())?;
        Some((folder, program))
    });
    built.as_ref().map(|(_, program)| program.as_str())
}

/// Checks of both the statically and the dynamically linked program.
fn threads_are_recorded(program: &str, options: &[&str]) {
    let record = record(options, &[program, "threads"]);
    assert_eq!(names(&record), ["load", "all", "work", "inner"], "in the order of their first begins");
    let load = phase(&record, "load", [1, 1]);
    assert!(milliseconds(load, "wall_ns") >= 20.0 && milliseconds(load, "cpu_ns") < 20.0, "it sleeps: {load}");
    let (work, inner) = (phase(&record, "work", [9, 3]), phase(&record, "inner", [18, 3]));
    for phase in [work, inner] {
        let cpu = milliseconds(phase, "cpu_ns");
        assert!(cpu >= 90.0 && cpu <= 1.02 * milliseconds(&phase["counters"], "thread_wall_ns"), "{phase}");
        assert!(milliseconds(phase, "wall_ns") >= 30.0, "{phase}");
    }
    assert!(number(inner, "wall_ns") <= number(work, "wall_ns"), "{record}");
    let all = phase(&record, "all", [1, 1]);
    assert!(milliseconds(all, "cpu_ns") >= 90.0, "the main thread alone marks it: all threads count: {all}");
    assert!(milliseconds(&all["counters"], "thread_cpu_ns") < 90.0, "{all}");
    assert!(number(all, "begin_ns") < number(work, "begin_ns"), "{record}");
    assert!(faults(&record).is_empty(), "{record}");
}

#[test]
fn a_program_in_c() {
    let Some(program) = in_c("a_program_in_c") else { return };
    threads_are_recorded(program, &[]);
    // Without a sampler, without a place.
    threads_are_recorded(program, &["--sample-ms", "0"]);
}

#[test]
fn a_program_in_c_with_the_shared_library() {
    let (folder, libraries) = (tempfile::tempdir().unwrap(), libraries());
    let link = ["-L", libraries.to_str().unwrap(), "-l:libknee_region.so"];
    let test = "a_program_in_c_with_the_shared_library";
    let Some(program) = built(test, "gcc", "regions.c", &link, folder.path()) else { return };
    threads_are_recorded(&program, &["--env", &format!("LD_LIBRARY_PATH={}", libraries.display())]);
}

#[test]
fn phases_of_knee_query_run_as_a_command() {
    let query = [env!("CARGO_BIN_EXE_knee"), "query", "q6", "--scale", "0.01", "--repeat", "3", "-n", "1"];
    let record = record(&[], &query);
    assert_eq!(names(&record), ["load", "encode", "plan", "scan"], "{record}");
    phase(&record, "scan", [1, 1]);
    assert!(faults(&record).is_empty(), "{record}");
}

#[test]
fn guards_of_cpp() {
    let (folder, library) = (tempfile::tempdir().unwrap(), libraries().join("libknee_region.a"));
    let Some(program) = built("guards_of_cpp", "g++", "regions.cpp", &[library.to_str().unwrap()], folder.path())
    else {
        return;
    };
    let record = record(&[], &[&program]);
    assert_eq!(names(&record), ["known", "step", "handled"]);
    phase(&record, "known", [4, 1]);
    phase(&record, "step", [4, 1]);
    phase(&record, "handled", [1, 1]);
    assert!(faults(&record).is_empty(), "{record}");
}

#[test]
fn a_call_inside_a_call_of_the_same_region_is_part_of_it() {
    let Some(program) = in_c("a_call_inside_a_call_of_the_same_region_is_part_of_it") else { return };
    let record = record(&[], &[program, "recurse"]);
    let recurse = phase(&record, "recurse", [10, 1]);
    // 1 ms each; if inner calls counted again it would be 55.
    let cpu = milliseconds(&recurse["counters"], "thread_cpu_ns");
    assert!((10.0..50.0).contains(&cpu), "{recurse}");
    assert!(faults(&record).is_empty(), "{record}");
}

#[test]
fn the_child_of_a_fork_has_its_own_and_what_is_executed_too() {
    let Some(program) = in_c("the_child_of_a_fork_has_its_own_and_what_is_executed_too") else { return };
    let forked = record(&[], &[program, "fork"]);
    assert_eq!(names(&forked), ["outer", "child"]);
    let (outer, child) = (phase(&forked, "outer", [1, 1]), phase(&forked, "child", [1, 1]));
    assert!(number(child, "wall_ns") < number(outer, "wall_ns"), "{forked}");
    assert!(milliseconds(child, "cpu_ns") >= 5.0 && faults(&forked).is_empty(), "{forked}");
    let executed = record(&[], &[program, "exec"]);
    assert_eq!(names(&executed), ["before", "recurse"]);
    assert!(faults(&executed).is_empty(), "{executed}");
}

/// Counters of the kernel: hardware has none on every machine.
const COUNTED: [&str; 2] = ["--counters", "minor-faults,task-clock,no_such_pmu/event=1/"];

#[test]
fn threads_count_for_themselves_what_the_run_counts() {
    let Some(program) = in_c("threads_count_for_themselves_what_the_run_counts") else { return };
    let record = record(&COUNTED, &[program, "touch"]);
    assert!(faults(&record).is_empty(), "{record}");
    let [touch, rest] = ["touch", "rest"].map(|name| &phase(&record, name, [8, 4])["counters"]);
    // Eight times a hundred pages; beside them some of the stack, the library, and a page of the table.
    let [faulted, idle] = [touch, rest].map(|region| number(region, "thread_minor-faults"));
    assert!((800..840).contains(&faulted) && idle < 40, "{record}");
    assert!(number(&record["counters"], "minor-faults") >= faulted + idle, "{record}");
    // Two milliseconds each time, and the readings themselves.
    assert!(milliseconds(rest, "thread_task-clock") >= 15.9, "{rest}");
    assert!(
        record["counters"]["no_such_pmu/event=1/"]["unavailable"].is_string()
            && rest["thread_no_such_pmu/event=1/"].is_null()
    );
}

#[test]
fn a_thread_that_may_open_no_more_files_counts_nothing_and_says_so() {
    let test = "a_thread_that_may_open_no_more_files_counts_nothing_and_says_so";
    let Some(program) = in_c(test) else { return };
    let few = "ulimit -n 4; exec \"$0\" touch";
    let record = record(&COUNTED, &["sh", "-c", few, program]);
    let touch = &phase(&record, "touch", [8, 4])["counters"];
    assert!(touch["thread_minor-faults"].is_null(), "{touch}");
    let said = faults(&record).join("; ");
    assert!(
        said.contains("counters that a thread could not open")
            && said.contains("region touch: thread_minor-faults: a thread could not open it"),
        "{said}"
    );
}

#[test]
fn a_program_that_closes_what_it_does_not_know_keeps_its_own_files() {
    let test = "a_program_that_closes_what_it_does_not_know_keeps_its_own_files";
    let Some(program) = in_c(test) else { return };
    let closed = record(&[&COUNTED[..], &["--timeout", "20"]].concat(), &[program, "closes"]);
    assert_eq!(closed["exit"], json!({ "code": 0 }), "{closed}");
    phase(&closed, "step", [7, 2]);
    assert!(faults(&closed).join("; ").contains("counters that a thread could not open"), "{closed}");
}

#[test]
fn marks_leave_a_program_files_to_open() {
    let Some(program) = in_c("marks_leave_a_program_files_to_open") else { return };
    let few = "ulimit -Sn 128; exec \"$0\" opens";
    let crowded = record(&COUNTED, &["sh", "-c", few, program]);
    assert_eq!(crowded["exit"], json!({ "code": 0 }), "{crowded}");
    assert!(faults(&crowded).join("; ").contains("counters that a thread could not open"), "{crowded}");
}

#[test]
fn threads_that_look_at_once_all_find_the_listener_where_one_file_may_be_open() {
    let test = "threads_that_look_at_once_all_find_the_listener_where_one_file_may_be_open";
    let Some(program) = in_c(test) else { return };
    for _ in 0..20 {
        let record = record(&["--sample-ms", "0"], &["sh", "-c", "ulimit -n 4; exec \"$0\" crowd", program]);
        phase(&record, "step", [8, 8]);
        assert!(faults(&record).is_empty(), "{record}");
    }
}

#[test]
fn what_was_complete_survives_a_kill() {
    let Some(program) = in_c("what_was_complete_survives_a_kill") else { return };
    let killed = record(&[], &[program, "killed"]);
    // The child that killed it may still be ending, and then counts as left behind.
    assert_eq!(killed["exit"]["signal"], 9, "{killed}");
    assert_eq!(names(&killed), ["step"]);
    phase(&killed, "step", [1000, 1]);
    let open = |name: &str| format!("region {name}: calls that never ended (not in its times): 1");
    assert_eq!(faults(&killed), [open("last"), open("step")]);
    for _ in 0..20 {
        let record = record(&[], &[program, "killed-anywhere"]);
        assert_eq!(record["exit"], json!({ "signal": 9 }));
        let calls = number(&record["phases"][0]["counters"], "calls");
        let step = phase(&record, "step", [calls, 1]);
        // The active copy is consistent: a torn one would have more or fewer calls than its time allows.
        assert!(number(step, "wall_ns") >= calls, "{record}");
        assert!(faults(&record).iter().all(|fault| *fault == open("step")), "{record}");
    }
}

#[test]
fn mistakes_are_told_and_end_nothing() {
    let Some(program) = in_c("mistakes_are_told_and_end_nothing") else { return };
    let record = record(&[], &[program, "wrong"]);
    assert_eq!(record["exit"], json!({ "code": 0 }));
    assert_eq!(names(&record), ["first", "second", "one", "two", "three", "(no name)"]);
    assert_eq!(
        faults(&record),
        [
            "region first: ends while a later region was still open: 1",
            "region left open: calls that never ended (not in its times): 1",
            "region never begun: ends without a beginning: 2",
            "region one: ends while a later region was still open: 1",
            "region two: ends while a later region was still open: 1",
        ]
    );
}

#[test]
fn what_finds_no_room_is_counted() {
    let Some(program) = in_c("what_finds_no_room_is_counted") else { return };
    let record = record(&["--sample-ms", "0"], &[program, "flood"]);
    assert_eq!(record["phases"].as_array().unwrap().len(), 1000);
    let calls: u64 = record["phases"].as_array().unwrap().iter().map(|one| number(&one["counters"], "calls")).sum();
    assert_eq!(calls, 65536, "every slot was used: {:?}", faults(&record));
    let [fault] = faults(&record)[..] else { panic!("{:?}", faults(&record)) };
    assert!(fault.starts_with("regions: calls dropped for lack of space (65536 "), "{fault}");
    assert!(fault.ends_with(&format!(": {}", 70_000 + 100 - 65536)), "{fault}");
}

#[test]
fn a_metric_of_a_study_may_be_a_region_and_samples_show_when() {
    let Some(program) = in_c("a_metric_of_a_study_may_be_a_region_and_samples_show_when") else { return };
    let folder = tempfile::tempdir().unwrap();
    let mut spec = json!({ "schema": 1, "id": "1", "program": { "command": [program, "threads"] }, "threads": 1,
        "sample_ms": 10, "metric": { "phase": "load" } });
    let mut runner = knee();
    let known = hand(runner.args(["run", "--stdin", "--samples"]).arg(folder.path()), &[&spec]);
    let known = shared::json(&known);
    assert_eq!(known["metric"]["unit"], json!("s"));
    let metric = known["metric"]["value"].as_f64().unwrap();
    assert!((metric - number(phase(&known, "load", [1, 1]), "wall_ns") as f64 / 1e9).abs() < 1e-9);
    let lines = Command::new("gzip").arg("-dc").arg(folder.path().join("1.csv.gz")).output().unwrap().stdout;
    let lines = String::from_utf8(lines).unwrap();
    let begins = lines.lines().filter(|line| line.contains(",region:work,begin,")).count();
    assert_eq!((begins, lines.matches(",region:load,end,").count()), (3, 1), "{lines}");
    spec["metric"] = json!({ "phase": "nothing" });
    let unknown = shared::json(&hand(knee().args(["run", "--stdin"]), &[&spec]));
    assert_eq!(unknown["metric"]["unavailable"], json!("the program reported no such phase"));
}

/// Last and all values of a running counter among the samples, in their order, and the record.
fn counted(program: &[&str], name: &str) -> (Vec<u64>, Value) {
    let folder = tempfile::tempdir().unwrap();
    let record = record(&["--sample-ms", "5", "--samples", folder.path().to_str().unwrap()], program);
    let lines = Command::new("gzip").arg("-dc").arg(folder.path().join("run.csv.gz")).output().unwrap().stdout;
    let lines = String::from_utf8(lines).unwrap();
    let wanted = format!(",workload,{name},");
    let values = lines.lines().filter_map(|line| line.split_once(&wanted));
    let (times, values): (Vec<u64>, Vec<u64>) =
        values.map(|(t_ns, value)| (t_ns.parse::<u64>().unwrap(), value.parse::<u64>().unwrap())).unzip();
    assert!(times.is_sorted() && times.last().is_none_or(|t| *t <= number(&record, "wall_ns")), "{lines}");
    (values, record)
}

#[test]
fn running_counters_are_sampled_and_their_last_value_is_the_sum_of_all_threads_and_processes() {
    let test = "running_counters_are_sampled_and_their_last_value_is_the_sum_of_all_threads_and_processes";
    let Some(program) = in_c(test) else { return };
    let (matches, record) = counted(&[program, "counts"], "matches");
    assert!(matches.is_sorted() && matches.contains(&6000), "four threads, seen while the program slept: {matches:?}");
    assert_eq!(matches.last(), Some(&7500), "and the child of the fork counts from 0: {matches:?}");
    assert_eq!(counted(&[program, "counts"], "lists").0.last(), Some(&5));
    assert!(faults(&record).is_empty() && names(&record).is_empty(), "{record}");
    let (steps, killed) = counted(&[program, "counts-killed"], "steps");
    // The child that killed it may still be ending, and then counts as left behind.
    assert_eq!(killed["exit"]["signal"], 9, "{killed}");
    assert!(steps.is_sorted() && steps.iter().all(|sum| sum % 1_000_000_007 == 0), "a torn sum: {steps:?}");
    assert!(steps.last() > Some(&0) && faults(&killed).is_empty(), "{killed}");
}

#[test]
fn counters_that_find_no_room_are_told() {
    let Some(program) = in_c("counters_that_find_no_room_are_told") else { return };
    let flood = record(&["--sample-ms", "0"], &[program, "counts-flood"]);
    // Two names a thread: half of the threads and ten more found no slot for their thousand additions and the one.
    let lost = ((1 << 13) + 10) * 1001;
    let said = faults(&flood).join("; ");
    assert!(said.ends_with(&format!("1024 names a process), or because they were not numbers: {lost}")), "{said}");
    assert!(
        said.starts_with("regions: additions to running counters dropped for lack of space (16384 threads"),
        "{said}"
    );
}

#[test]
fn a_workload_publishes_where_it_is_sampled_and_its_phase_has_the_same_sum() {
    let folder = tempfile::tempdir().unwrap();
    let samples = folder.path().to_str().unwrap();
    let mine = |options: &[&str]| {
        let run = ["run", "--json", "-n", "2", "--placement", "none", "--sample-ms"];
        let output = knee().args(run).args(options).args(["mine", "count", "rmat:12"]).output();
        let record = shared::json(&output.unwrap());
        let lines = Command::new("gzip").arg("-dc").arg(folder.path().join("run.csv.gz")).output().unwrap().stdout;
        (record, String::from_utf8(lines).unwrap())
    };
    let (record, lines) = mine(&["2", "--samples", samples]);
    let last = lines.lines().rfind(|line| line.contains(",workload,matches,")).unwrap();
    let matches = record["phases"][2]["counters"]["matches"].as_u64().unwrap();
    assert!(last.ends_with(&format!(",{matches}")), "{last} of {record}");
    let (record, _) = mine(&["0"]);
    assert_eq!(record["phases"][2]["counters"]["matches"].as_u64(), Some(matches), "also without samples");
}

/// Run by itself, it marks regions without a listener, and maps nothing for them. The next test runs it under `knee
/// run`, as a program in Rust.
#[test]
fn a_program_that_marks_its_phases() {
    let spin = |duration| {
        let begin = Instant::now();
        while begin.elapsed() < duration {}
    };
    {
        let _all = knee_region::enter("all");
        std::thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| {
                    for _ in 0..5 {
                        let _part = knee_region::region!("part");
                        spin(Duration::from_millis(4));
                    }
                });
            }
        });
    }
    knee_region::begin("last");
    spin(Duration::from_millis(3));
    knee_region::end("last");
    let maps = std::fs::read_to_string("/proc/self/maps").unwrap();
    let listened = std::env::var_os(knee_region::VARIABLE).is_some();
    assert_eq!(maps.contains("memfd:knee-regions"), listened, "{maps}");
}

#[test]
fn a_program_in_rust() {
    let program = std::env::current_exe().unwrap();
    let record = record(&[], &[program.to_str().unwrap(), "--exact", "a_program_that_marks_its_phases"]);
    assert_eq!(record["exit"], json!({ "code": 0 }), "{record}");
    assert_eq!(names(&record), ["all", "part", "last"]);
    let part = phase(&record, "part", [10, 2]);
    assert!(milliseconds(&part["counters"], "thread_wall_ns") >= 40.0, "{part}");
    assert!(number(phase(&record, "all", [1, 1]), "wall_ns") >= number(part, "wall_ns"), "{record}");
    phase(&record, "last", [1, 1]);
    assert!(faults(&record).is_empty(), "{record}");
}

/// The interpreter; none, after a note, where it is older than the package asks for.
fn python(test: &str) -> Option<PathBuf> {
    let python = std::env::var_os("KNEE_PYTHON").map(PathBuf::from).or_else(|| installed(test, "python3"))?;
    let new = Command::new(&python).args(["-c", "import sys; sys.exit(sys.version_info < (3, 11))"]).status();
    if !new.is_ok_and(|status| status.success()) {
        skipped(test, "no Python 3.11");
        return None;
    }
    Some(python)
}

#[test]
fn a_program_in_python() {
    let Some(python) = python("a_program_in_python") else { return };
    let path = format!("PYTHONPATH={}/../../python", env!("CARGO_MANIFEST_DIR"));
    let words = [python.to_str().unwrap(), source("regions.py").to_str().unwrap()].map(str::to_owned);
    let words = words.each_ref().map(String::as_str);
    let done = record(&["--env", &path], &words);
    assert_eq!(done["exit"], json!({ "code": 0 }), "{done}");
    assert_eq!(names(&done), ["load", "work", "inner", "recurse", "outer", "both", "touch", "raises"]);
    let load = phase(&done, "load", [1, 1]);
    assert!(milliseconds(load, "wall_ns") >= 20.0, "{load}");
    let (work, inner) = (phase(&done, "work", [6, 2]), phase(&done, "inner", [6, 2]));
    assert!(milliseconds(work, "cpu_ns") >= 30.0 && number(inner, "cpu_ns") <= number(work, "cpu_ns"), "{done}");
    phase(&done, "recurse", [5, 1]);
    phase(&done, "outer", [1, 1]);
    phase(&done, "both", [2, 2]);
    assert_eq!(faults(&done), ["region never begun: ends without a beginning: 1"]);
    let counted = record(&[&["--env", &path], &COUNTED[..]].concat(), &words);
    let faulted = number(&phase(&counted, "touch", [2, 2])["counters"], "thread_minor-faults");
    assert!((400..500).contains(&faulted), "two hundred pages, and again in the child: {counted}");
    assert!(milliseconds(&phase(&counted, "work", [6, 2])["counters"], "thread_task-clock") >= 30.0, "{counted}");
    assert_eq!(faults(&counted).len(), 1, "{counted}");
    let closed = record(&[&["--env", &path], &COUNTED[..]].concat(), &[words[0], words[1], "closes"]);
    assert_eq!(closed["exit"], json!({ "code": 0 }), "{closed}");
    let killed = record(&["--env", &path], &[words[0], words[1], "killed"]);
    // The child that killed it may still be ending, and then counts as left behind.
    assert_eq!(killed["exit"]["signal"], 9, "{killed}");
    phase(&killed, "both", [2, 2]);
    assert_eq!(faults(&killed)[0], "region last: calls that never ended (not in its times): 1");
}

#[test]
fn nobody_listens_outside_of_knee_and_where_the_user_says_so() {
    let Some(program) = in_c("nobody_listens_outside_of_knee_and_where_the_user_says_so") else { return };
    let says = |command: &mut Command| String::from_utf8(command.output().unwrap().stdout).unwrap();
    assert_eq!(says(Command::new(program).arg("wrong").env_remove("KNEE_REGIONS")), "silent\n");
    for nothing in ["", "/nonexistent", "/dev/null", "/proc/self/status", program] {
        assert_eq!(says(Command::new(program).arg("wrong").env("KNEE_REGIONS", nothing)), "silent\n", "{nothing}");
    }
    let record = record(&["--env", "KNEE_REGIONS="], &[program, "wrong"]);
    assert_eq!((names(&record), faults(&record)), (vec![], vec![]));
}

#[test]
fn a_program_that_writes_over_the_file_is_told_of() {
    let over = "import os; open(os.environ['KNEE_REGIONS'], 'r+b').write(b'x' * 100)";
    let Some(python) = python("a_program_that_writes_over_the_file_is_told_of") else { return };
    let overwritten = record(&[], &[python.to_str().unwrap(), "-c", over]);
    assert_eq!(faults(&overwritten), ["the file of regions was overwritten by the program"]);
    let shorter = "import os; os.truncate(os.environ['KNEE_REGIONS'], 10)";
    let refused = record(&[], &[python.to_str().unwrap(), "-c", shorter]);
    assert_eq!((&refused["exit"], faults(&refused)), (&json!({ "code": 1 }), vec![]), "it cannot be made shorter");
}

/// The count of programs that were linked with another version stands where every version finds it.
#[test]
fn a_file_of_another_version_is_left_alone_but_for_a_count() {
    let test = "a_file_of_another_version_is_left_alone_but_for_a_count";
    let (Some(program), Some(python)) = (in_c(test), python(test)) else { return };
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("regions");
    let mut bytes = knee_region::blank(&[]);
    bytes[8..12].copy_from_slice(&2_u32.to_ne_bytes());
    bytes.resize(1 << 16, 0);
    std::fs::write(&path, &bytes).unwrap();
    let packages = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../python");
    let mut in_c = Command::new(program);
    let mut in_python = Command::new(python);
    in_python.arg(source("regions.py")).env("PYTHONPATH", packages);
    for command in [in_c.arg("wrong"), &mut in_python] {
        assert!(command.env("KNEE_REGIONS", &path).output().unwrap().status.success());
    }
    bytes[32..36].copy_from_slice(&2_u32.to_ne_bytes());
    assert!(std::fs::read(&path).unwrap() == bytes);
}
