//! What `knee run` prints when more or fewer threads compute than requested: it warns about programs with the wrong
//! number of threads, and not about those with the right one that do other work, too.

mod shared;

use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::process::Command;

use shared::{compile, in_c, installed, knee, skipped, source};

/// What is printed about the threads of a command that should use so many.
fn said(asked: usize, options: &[&str], command: &[&str]) -> Option<String> {
    let mut run = knee();
    let output = run.args(["run", "-n", &asked.to_string()]).args(options).arg("--").args(command).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    let text = String::from_utf8(output.stderr).unwrap();
    text.lines().find_map(|line| line.strip_prefix("knee: asked for ")).map(str::to_owned)
}

/// So that a slow machine takes enough samples as well.
const LONG: [&str; 2] = ["--env", "PIECES=150"];

const ADVICE: &str = "check how the program reads its thread count";

fn cpus() -> usize {
    std::thread::available_parallelism().unwrap().get()
}

#[test]
fn more_threads_than_asked() {
    let test = "more_threads_than_asked";
    let folder = tempfile::tempdir().unwrap();
    let Some(program) = in_c(test, "gcc", "fixed.c", &["-pthread"], folder.path()) else { return };
    let program = program.to_str().unwrap();
    assert_eq!(said(1, &LONG, &[program, "2"]), Some(format!("1 thread, 2 computed: {ADVICE}")));
    // On a single cpu, too, where they take turns.
    let pinned = [&LONG[..], &["-p", "cores-close"]].concat();
    assert_eq!(said(1, &pinned, &[program, "2"]), Some(format!("1 thread, 2 computed: {ADVICE}")));
    assert_eq!(said(2, &LONG, &[program, "5"]), Some(format!("2 threads, 5 computed: {ADVICE}")));
}

#[test]
fn fewer_threads_than_asked() {
    let test = "fewer_threads_than_asked";
    if cpus() < 2 {
        return skipped(test, "no two cpus");
    }
    let folder = tempfile::tempdir().unwrap();
    let Some(program) = in_c(test, "gcc", "fixed.c", &["-pthread"], folder.path()) else { return };
    let expected = format!("2 threads, 1 computed: {ADVICE}, and whether it has work for so many");
    assert_eq!(said(2, &LONG, &[program.to_str().unwrap(), "1"]), Some(expected));
}

#[test]
fn as_many_as_asked_also_where_they_take_turns() {
    let test = "as_many_as_asked_also_where_they_take_turns";
    let folder = tempfile::tempdir().unwrap();
    let Some(program) = in_c(test, "gcc", "fixed.c", &["-pthread"], folder.path()) else { return };
    for asked in [1, 2, 3] {
        for how in ["together", "turns"] {
            assert_eq!(said(asked, &[], &[program.to_str().unwrap(), &asked.to_string(), how]), None, "{asked} {how}");
        }
    }
}

/// Without a requested number the default is all cpus.
#[test]
fn a_program_that_is_told_no_number_is_not_judged() {
    let test = "a_program_that_is_told_no_number_is_not_judged";
    let folder = tempfile::tempdir().unwrap();
    let Some(program) = in_c(test, "gcc", "fixed.c", &["-pthread"], folder.path()) else { return };
    let output = knee().args(["run", "--"]).arg(&program).arg("5").output().unwrap();
    assert!(!String::from_utf8(output.stderr).unwrap().contains("computed"));
}

/// Threads that collect garbage or compile do not count.
#[test]
fn java_with_much_garbage() {
    let test = "java_with_much_garbage";
    let (Some(java), Some(javac)) = (installed(test, "java"), installed(test, "javac")) else { return };
    let folder = tempfile::tempdir().unwrap();
    compile(Command::new(javac).arg("-d").arg(folder.path()).arg(source("Garbage.java")));
    let program = [java.to_str().unwrap(), "-Xmx256m", "-cp", folder.path().to_str().unwrap(), "Garbage"];
    for collector in ["SerialGC", "ParallelGC", "G1GC", "ZGC", "ShenandoahGC"] {
        let options = format!("JAVA_TOOL_OPTIONS=-XX:+IgnoreUnrecognizedVMOptions -XX:+Use{collector}");
        assert_eq!(said(1, &["--env", &options], &program), None, "{collector}");
    }
}

/// A few million lines of numbers.
fn data(folder: &Path) -> String {
    let path = folder.join("numbers");
    let mut file = std::io::BufWriter::new(File::create(&path).unwrap());
    let mut number = 1_u64;
    for _ in 0..1_500_000 {
        number = number.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        writeln!(file, "{}", number >> 33).unwrap();
    }
    path.to_str().unwrap().to_owned()
}

/// One thread reads and writes, others compute.
#[test]
fn compressors_and_sort() {
    let folder = tempfile::tempdir().unwrap();
    let data = data(folder.path());
    for asked in [1, 2] {
        for line in [
            format!("xz -1 --block-size=1MiB -T{asked} -c {data}"),
            format!("zstd -7 -T{asked} -c {data}"),
            format!("sort --parallel={asked} {data}"),
        ] {
            let program = line.split(' ').next().unwrap();
            if installed("compressors_and_sort", program).is_some() {
                let line = format!("exec {line} >/dev/null");
                assert_eq!(said(asked, &[], &["sh", "-c", &line]), None, "{line}");
            }
        }
    }
}

/// Many processes, one after the other and side by side; those that start others only wait.
#[test]
fn make_with_jobs() {
    let test = "make_with_jobs";
    let folder = tempfile::tempdir().unwrap();
    let Some(program) = in_c(test, "gcc", "fixed.c", &["-pthread"], folder.path()) else { return };
    if installed(test, "make").is_none() {
        return;
    }
    let rule = format!("all: 1 2 3 4\n1 2 3 4:\n\t@{} 1\n", program.display());
    std::fs::write(folder.path().join("Makefile"), rule).unwrap();
    for asked in [1, 2] {
        let jobs = format!("-j{asked}");
        let words = ["make", "-C", folder.path().to_str().unwrap(), &jobs];
        assert_eq!(said(asked, &[], &words), None, "{jobs}");
    }
}

#[test]
fn built_in_workloads_know_their_threads() {
    let output = knee().args(["run", "--json", "-n", "1", "fib", "--n", "35"]).output().unwrap();
    let record: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(record["exit"]["code"], 0, "{record}");
    assert!(record["sampling"]["count"].as_u64() > Some(0) && record.get("computing_threads").is_none(), "{record}");
}
