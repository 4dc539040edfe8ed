//! `--for RUNTIME`: a small program in each of them uses 1, 2 and 3 threads as requested.

mod shared;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use rayon::iter::{IntoParallelIterator, ParallelIterator};
use serde_json::Value;
use shared::{compile, in_c, in_go, in_haskell, installed, knee, skipped, source};

/// Runtimes that have a test here.
const TESTED: &str = "openmp, rayon, go, ghc, tbb, julia, java, duckdb, polars, blas";

/// A thread computes when it has at least this part of an equal share of the CPU time. A watcher that a runtime starts
/// has far less, yet beside other programs it is ready for long, as it waits for a cpu each time it wakes up.
const TELLING: f64 = 0.05;

/// Which cpus limit the runtime's requested number of threads.
#[derive(Clone, Copy, PartialEq)]
enum Counts {
    /// None: it starts as many threads as requested.
    Nothing,
    /// It starts at most as many threads as there are cpus.
    Cpus,
    /// It reads no number and starts a thread for each cpu of its mask.
    Mask,
}

#[test]
fn every_runtime_has_a_test() {
    let refused = knee().args(["run", "--for", "cobol", "--", "true"]).output().unwrap();
    let said = String::from_utf8(refused.stderr).unwrap();
    assert!(said.ends_with(&format!("hint: runtimes are {TESTED}\n")), "{said}");
}

/// Runs a program on 1, 2 and 3 threads, and counts the threads that compute: how many are ready at once most often.
/// CPU time per thread alone would not do, as GHC moves its work from one thread to another; it only tells which threads
/// never compute.
fn as_many_compute_as_asked(runtime: &str, counts: Counts, options: &[&str], program: &[&str]) {
    let cpus = std::thread::available_parallelism().unwrap().get();
    for threads in 1..=3 {
        if threads > cpus && counts != Counts::Nothing {
            skipped(&format!("{runtime} on {threads} threads"), "it starts no more threads than there are cpus");
            continue;
        }
        let number = threads.to_string();
        let mut run = knee();
        run.args(["run", "--json", "-n", &number, "--for", runtime]).args(options);
        if counts == Counts::Mask {
            run.args(["-p", "cores-close"]);
        }
        let output = run.arg("--").args(program).output().unwrap();
        assert!(output.status.success(), "{output:?}");
        let record = shared::json(&output);
        let ready: Vec<u64> = serde_json::from_value(record["sampling"]["ready"].clone()).unwrap();
        let at_once = (1..ready.len()).max_by_key(|threads| ready[*threads]).unwrap_or(0);
        let computed = at_once.min(that_compute(&record, threads));
        assert_eq!(computed, threads, "{runtime}: {record}");
    }
}

/// How many threads have a telling part of the CPU time, if each of `threads` had the same; without helpers of a runtime,
/// which count among those that are ready.
fn that_compute(record: &Value, threads: usize) -> usize {
    let seen = record["observed_threads"].as_array().unwrap();
    let own = seen.iter().filter(|thread| thread["helper"] != true);
    let used: Vec<f64> = own.map(|thread| thread["cpu_ns"].as_f64().unwrap()).collect();
    let equal = used.iter().sum::<f64>() / threads as f64;
    used.iter().filter(|cpu| **cpu >= TELLING * equal).count()
}

#[test]
fn openmp() {
    let folder = tempfile::tempdir().unwrap();
    let Some(program) = in_c("openmp", "gcc", "openmp.c", &["-fopenmp"], folder.path()) else { return };
    as_many_compute_as_asked("openmp", Counts::Nothing, &[], &[program.to_str().unwrap()]);
}

/// Not a test but the measured program: this test's own binary, which works when `KNEE_WORK` is set.
#[test]
fn program() {
    if std::env::var_os("KNEE_WORK").is_none() {
        return;
    }
    (0..400).into_par_iter().for_each(|_| {
        let end = Instant::now() + Duration::from_millis(5);
        while Instant::now() < end {}
    });
}

#[test]
fn rayon() {
    let this = std::env::current_exe().unwrap();
    let words = [this.to_str().unwrap(), "--exact", "program", "--nocapture"];
    as_many_compute_as_asked("rayon", Counts::Nothing, &["--env", "KNEE_WORK=1"], &words);
}

#[test]
fn go() {
    let folder = tempfile::tempdir().unwrap();
    let Some(program) = in_go("go", "parallel.go", folder.path()) else { return };
    as_many_compute_as_asked("go", Counts::Nothing, &[], &[program.to_str().unwrap()]);
}

#[test]
fn ghc() {
    let folder = tempfile::tempdir().unwrap();
    let Some(program) = in_haskell("ghc", "parallel.hs", folder.path()) else { return };
    as_many_compute_as_asked("ghc", Counts::Nothing, &[], &[program.to_str().unwrap()]);
}

#[test]
fn tbb() {
    let Some(compiler) = installed("tbb", "g++") else { return };
    if !Path::new("/usr/include/tbb/parallel_for.h").exists() {
        return skipped("tbb", "no libtbb-dev");
    }
    let folder = tempfile::tempdir().unwrap();
    let program = folder.path().join("parallel");
    let mut build = Command::new(compiler);
    build.args(["-O1", "-Wall", "-Wextra", "-o"]).arg(&program).arg(source("parallel.cpp")).arg("-ltbb");
    compile(&mut build);
    as_many_compute_as_asked("tbb", Counts::Mask, &[], &[program.to_str().unwrap()]);
}

#[test]
fn julia() {
    let Some(julia) = installed("julia", "julia") else { return };
    let program = [julia.to_str().unwrap(), source("parallel.jl").to_str().unwrap()].map(str::to_owned);
    as_many_compute_as_asked("julia", Counts::Nothing, &[], &program.each_ref().map(String::as_str));
}

/// A parallel stream, where the thread that starts it computes too, and a pool of threads, where it only waits.
#[test]
fn java() {
    let (Some(java), Some(javac)) = (installed("java", "java"), installed("java", "javac")) else { return };
    let folder = tempfile::tempdir().unwrap();
    compile(Command::new(javac).arg("-d").arg(folder.path()).arg(source("Parallel.java")));
    for how in ["stream", "pool"] {
        let program = [java.to_str().unwrap(), "-cp", folder.path().to_str().unwrap(), "Parallel", how];
        as_many_compute_as_asked("java", Counts::Nothing, &[], &program);
    }
}

#[test]
fn blas() {
    of_python("blas", "numpy", Counts::Cpus);
}

#[test]
fn duckdb() {
    of_python("duckdb", "duckdb", Counts::Nothing);
}

#[test]
fn polars() {
    of_python("polars", "polars", Counts::Nothing);
}

/// A library of Python's, which brings its own threads.
fn of_python(runtime: &str, module: &str, counts: Counts) {
    let Some(python) = python_with(module) else {
        return skipped(runtime, &format!("no Python with {module}"));
    };
    let program = source("parallel.py");
    let words = [python.to_str().unwrap(), program.to_str().unwrap(), runtime];
    as_many_compute_as_asked(runtime, counts, &[], &words);
}

/// The first Python that has a module: that of the tests, that of the examples, or the machine's.
fn python_with(module: &str) -> Option<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let of_tests = std::env::var_os("KNEE_PYTHON").map(PathBuf::from);
    let of_examples = root.join("examples/build/duckdb/bin/python");
    [of_tests, Some(of_examples), Some("/usr/bin/python3".into())].into_iter().flatten().find(|python| {
        let import = Command::new(python).args(["-c", &format!("import {module}")]).output();
        import.is_ok_and(|output| output.status.success())
    })
}
