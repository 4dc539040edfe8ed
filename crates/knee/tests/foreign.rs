//! `--bind each` on programs of every kind: their threads print their own masks from `/proc` when their work is done,
//! and the record has to agree.

mod shared;

use std::process::{Command, Output};

use knee_machine::CpuSet;
use serde_json::{Value, json};
use shared::{compile, in_c, in_go, in_haskell, installed, knee, skipped, source};

/// What came of a run: the record, and role, thread and cpus of every line that the program printed.
#[derive(Debug)]
struct Seen {
    cpus: CpuSet,
    record: Value,
    said: Vec<(String, i64, CpuSet)>,
}

/// Runs a program on two cpus, each thread on its own; none, after a note, where there is only one.
fn run(test: &str, options: &[&str], program: &[&str]) -> Option<Seen> {
    let placed = knee().args(["place", "cores-close", "-n", "2", "--json"]).output().unwrap();
    if !placed.status.success() {
        skipped(test, "no two cpus");
        return None;
    }
    let placed = shared::json(&placed);
    let cpus =
        placed["places"].as_array().unwrap().iter().map(|place| place["cpu"].to_string().parse::<u32>().unwrap());
    let fixed = ["run", "--json", "-n", "2", "-p", "cores-close", "--bind", "each"];
    let output = knee().args(fixed).args(options).arg("--").args(program).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    let record = shared::json(&output);
    Some(Seen { cpus: cpus.collect(), record, said: lines(&output) })
}

/// With `--json` the program's standard output is on standard error.
fn lines(output: &Output) -> Vec<(String, i64, CpuSet)> {
    let text = String::from_utf8(output.stderr.clone()).unwrap();
    let words = text.lines().map(|line| line.split(' ').collect::<Vec<_>>());
    let said = words.filter_map(|words| match words[..] {
        [role @ ("worker" | "main"), tid, cpus] => Some((role.to_owned(), tid.parse().ok()?, cpus.parse().ok()?)),
        _ => None,
    });
    said.collect()
}

impl Seen {
    fn of(&self, role: &str) -> Vec<&(String, i64, CpuSet)> {
        self.said.iter().filter(|(found, ..)| found == role).collect()
    }

    fn count(&self, field: &str) -> u64 {
        self.record["pinning"][field].as_u64().unwrap()
    }

    /// Cpus of the sampled threads that this is true of, as they were looked at last.
    fn sampled(&self, wanted: impl Fn(&Value) -> bool) -> Vec<CpuSet> {
        let threads = self.record["observed_threads"].as_array().unwrap().iter().filter(|thread| wanted(thread));
        threads.map(|thread| serde_json::from_value(thread["affinity"].clone()).unwrap()).collect()
    }

    /// Two workers, each on a cpu of its own, both cpus used, and the samples saw what the workers say.
    fn workers_are_pinned(&self) {
        let workers = self.of("worker");
        let masks: Vec<&CpuSet> = workers.iter().map(|(.., cpus)| cpus).collect();
        assert!(masks.len() == 2 && masks.iter().all(|mask| mask.len() == 1), "{self:?}");
        let used: CpuSet = masks.iter().flat_map(|mask| mask.iter()).collect();
        // Busy threads cannot be recognised while other programs use the cpus.
        let share = |of: &str| self.record["validity"][of].as_f64().unwrap_or(0.0);
        assert!(used == self.cpus || share("other_busy") + share("steal") > 0.2, "{self:?}");
        for (_, tid, cpus) in workers {
            assert_eq!(self.sampled(|thread| thread["tid"] == *tid), std::slice::from_ref(cpus), "{self:?}");
        }
        assert!(self.count("pinned") >= 2, "{self:?}");
        assert_eq!(self.record["pinning"]["mechanism"], json!("polling of /proc"));
    }

    /// The main thread had the whole set when it said so.
    fn main_has_the_set(&self) {
        assert_eq!(self.of("main")[0].2, self.cpus, "{self:?}");
    }

    fn helper_is_left(&self, name: &str) {
        assert_eq!(self.sampled(|thread| thread["name"] == name), std::slice::from_ref(&self.cpus), "{name}: {self:?}");
    }
}

fn openmp(test: &str, compiler: &str) {
    let folder = tempfile::tempdir().unwrap();
    let Some(program) = in_c(test, compiler, "openmp.c", &["-fopenmp"], folder.path()) else { return };
    let program = program.to_str().unwrap();
    for options in [["--env", "OMP_NUM_THREADS=2"], ["--for", "openmp"]] {
        let Some(seen) = run(test, &options, &[program, "pinned"]) else { return };
        seen.workers_are_pinned();
        assert_eq!((seen.count("pinned"), seen.count("most_at_a_place")), (2, 1), "{seen:?}");
    }
}

#[test]
fn openmp_of_gcc() {
    openmp("openmp_of_gcc", "gcc");
}

#[test]
fn openmp_of_clang() {
    openmp("openmp_of_clang", "clang");
}

/// No libc, no dynamic loader: preloading would not work.
#[test]
fn static_go() {
    let folder = tempfile::tempdir().unwrap();
    let Some(program) = in_go("static_go", "goroutines.go", folder.path()) else { return };
    let Some(seen) = run("static_go", &["--for", "go"], &[program.to_str().unwrap()]) else { return };
    seen.workers_are_pinned();
}

#[test]
fn haskell() {
    let folder = tempfile::tempdir().unwrap();
    let Some(program) = in_haskell("haskell", "bound.hs", folder.path()) else { return };
    let Some(seen) = run("haskell", &["--for", "ghc"], &[program.to_str().unwrap()]) else { return };
    seen.workers_are_pinned();
    seen.helper_is_left("ghc_ticker");
}

#[test]
fn java() {
    let (Some(java), Some(javac)) = (installed("java", "java"), installed("java", "javac")) else { return };
    let folder = tempfile::tempdir().unwrap();
    compile(Command::new(javac).arg("-d").arg(folder.path()).arg(source("Threads.java")));
    let program = [java.to_str().unwrap(), "-cp", folder.path().to_str().unwrap(), "Threads"];
    let Some(seen) = run("java", &["--for", "java"], &program) else { return };
    seen.workers_are_pinned();
    for helper in ["VM Thread", "Reference Handl", "Signal Dispatch", "C2 CompilerThre"] {
        seen.helper_is_left(helper);
    }
}

#[test]
fn processes_of_python() {
    let Some(python) = python() else { return };
    let program = [python.as_str(), source("processes.py").to_str().unwrap()].map(str::to_owned);
    let program = program.each_ref().map(String::as_str);
    let Some(seen) = run("processes_of_python", &["--skip", "0"], &program) else { return };
    seen.workers_are_pinned();
    seen.main_has_the_set();
    assert!(seen.count("left_on_set") >= 1, "{seen:?}");
}

/// The interpreter itself: what is called python3 may be a shell script that starts many processes to find it.
fn python() -> Option<String> {
    let python = installed("processes_of_python", "python3")?;
    let output = Command::new(python).args(["-c", "import sys; print(sys.executable)"]).output().unwrap();
    Some(String::from_utf8(output.stdout).unwrap().trim().to_owned())
}

/// Both sides of a pipe are processes that the shell forks.
#[test]
fn a_pipeline_of_the_shell() {
    let folder = tempfile::tempdir().unwrap();
    let Some(stage) = in_c("a_pipeline_of_the_shell", "gcc", "stage.c", &[], folder.path()) else { return };
    let line = format!("{0} | {0}; true", stage.display());
    let Some(seen) = run("a_pipeline_of_the_shell", &[], &["sh", "-c", &line]) else { return };
    seen.workers_are_pinned();
}

/// Threads come and go faster than polling: those that stay are pinned, and the rest is counted.
#[test]
fn two_hundred_short_threads() {
    let test = "two_hundred_short_threads";
    let folder = tempfile::tempdir().unwrap();
    let Some(program) = in_c(test, "gcc", "short.c", &["-pthread"], folder.path()) else { return };
    let Some(seen) = run(test, &[], &[program.to_str().unwrap()]) else { return };
    seen.workers_are_pinned();
    let met = seen.count("pinned") + seen.count("left_on_set") + seen.count("missed");
    assert!((3..=203).contains(&met), "{seen:?}");
    assert!(seen.count("most_at_a_place") <= 5, "{seen:?}");
}

/// A thread that takes the place of one that ends leaves the number of threads as it was.
#[test]
fn a_thread_that_replaces_another() {
    let test = "a_thread_that_replaces_another";
    let folder = tempfile::tempdir().unwrap();
    let Some(program) = in_c(test, "gcc", "relay.c", &["-pthread"], folder.path()) else { return };
    let Some(seen) = run(test, &[], &[program.to_str().unwrap()]) else { return };
    seen.workers_are_pinned();
}

/// No mask may be narrowed before the program has counted its cpus.
#[test]
fn the_program_sees_the_whole_set_until_it_has_company() {
    let test = "the_program_sees_the_whole_set_until_it_has_company";
    let folder = tempfile::tempdir().unwrap();
    let Some(program) = in_c(test, "gcc", "late.c", &["-pthread"], folder.path()) else { return };
    let program = program.to_str().unwrap();
    let below_a_shell = format!("{program}; true");
    for program in [&[program][..], &["sh", "-c", &below_a_shell]] {
        let Some(seen) = run(test, &[], program) else { return };
        seen.workers_are_pinned();
        seen.main_has_the_set();
    }
}
