//! Sizes from inputs and options are checked against the available memory and threads before anything is allocated: one
//! clear error, no abort, no endless wait.

mod shared;

use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use shared::{installed, knee};

/// Runs knee with a limit on its address space.
fn within(kilobytes: u32, words: &[&str]) -> Output {
    let mut shell = Command::new("sh");
    shell.args(["-c", &format!("ulimit -v {kilobytes}; exec \"$0\" \"$@\""), env!("CARGO_BIN_EXE_knee")]);
    shell.args(words).output().unwrap()
}

/// Checks that a command failed with this status and one error that begins with this message.
#[track_caller]
fn refused(output: &Output, status: i32, message: &str) {
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(status), "{said}");
    assert!(said.starts_with(&format!("knee: {message}")), "{said}");
    assert!(said.contains("\n\nhint: ") && !said.contains("panicked"), "{said}");
}

#[test]
fn more_threads_than_fit_are_refused() {
    let begin = Instant::now();
    let many = ["mine", "count", "rmat:4", "-n"];
    let beyond = knee().args(many).arg("1000000000000").output().unwrap();
    refused(&beyond, 2, "cannot start 1000000000000 threads: at most 65536 are possible");
    let limited = |threads: &str| within(4_000_000, &[&many[..], &[threads]].concat());
    refused(&limited("60000"), 2, "cannot start 60000 threads: their stacks need 135000 MiB, but only 3");
    refused(&limited("2000"), 2, "cannot start 2000 threads: their stacks need 4500 MiB");
    assert_eq!(limited("200").status.code(), Some(0));
    let run = knee().args(["run", "-n", "1000000000000", "--", "true"]).output().unwrap();
    refused_run(&run);
    assert!(begin.elapsed() < Duration::from_mins(1));
}

fn refused_run(output: &Output) {
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(125), "{said}");
    assert!(said.contains("1000000000000 threads requested; at most 65536 are possible"), "{said}");
}

#[test]
fn a_graph_larger_than_memory_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let plain = folder.path().join("graph");
    let edges: Vec<_> = (0..2_000_000).map(|vertex| format!("{vertex} {}", vertex + 1)).collect();
    std::fs::write(&plain, edges.join("\n") + "\n").unwrap();
    let counted = |kilobytes, graph: &Path| within(kilobytes, &["mine", "count", graph.to_str().unwrap(), "-n", "1"]);
    for kilobytes in [60_000, 100_000, 130_000] {
        refused(&counted(kilobytes, &plain), 2, "cannot read graph: ");
    }
    for tool in ["gzip", "zstd"] {
        let Some(tool) = installed("bounds", tool) else { continue };
        let packed = folder.path().join("packed");
        let done = Command::new(tool).arg("-c").arg(&plain).stdout(std::fs::File::create(&packed).unwrap()).status();
        assert!(done.unwrap().success());
        for kilobytes in [60_000, 100_000, 130_000] {
            refused(&counted(kilobytes, &packed), 2, "cannot read graph: ");
        }
        assert_eq!(counted(2_000_000, &packed).status.code(), Some(0));
    }
    let drawn = within(4_000_000, &["mine", "count", "rmat:28:1024"]);
    refused(
        &drawn,
        2,
        "cannot read graph: rmat:28:1024: its 268435456 vertices and 274877906944 edges need about 5253120 MiB of memory",
    );
}

#[test]
fn arrays_of_kernels_that_do_not_fit_are_refused() {
    let out = "knee: out of memory: cannot allocate 8000000000 bytes\n\nhint: ";
    let filled = "knee: cannot fill 16384 MiB of memory: ";
    for (words, message) in [("cilksort --n 1000000000", out), ("walk --tables 16 --size 1G", filled)] {
        let words: Vec<_> = ["run", "-n", "1"].into_iter().chain(words.split(' ')).collect();
        let output = within(4_000_000, &words);
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(said.contains(message) && !said.contains("panicked"), "{said}");
    }
}

#[test]
fn running_out_of_memory_is_one_error() {
    // The largest machine that is accepted. How much fits beside the program depends on how it was built.
    let words = ["machine", "--json", "-i", "l3:64 l2:2 core:32 pu:2"];
    let tries = (10..40).rev().map(|mebibytes| within(mebibytes * 1024, &words));
    let first = tries.into_iter().find(|output| !output.status.success()).expect("it needs more than 10 MiB");
    refused(&first, 2, "out of memory: ");
}

#[test]
fn a_device_in_place_of_a_file_is_refused() {
    for words in [
        &["mine", "count", "/dev/zero"][..],
        &["machine", "-i", "/dev/zero"],
        &["run", "--events", "/dev/zero", "--counters", "cycles", "--", "true"],
    ] {
        let output = knee().args(words).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success() && said.contains("it is a device, not a file"), "{said}");
    }
}

#[test]
fn an_endless_run_spec_is_refused() {
    let zero = std::fs::File::open("/dev/zero").unwrap();
    let output = knee().args(["run", "--stdin"]).stdin(Stdio::from(zero)).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(said.lines().next(), Some("knee: cannot read run specs: standard input: a line has more than 16 MiB"));
}

#[test]
fn a_program_that_is_not_python_is_refused() {
    for program in ["true", "yes", "cat", "echo", "sh"] {
        let Some(program) = installed("bounds", program) else { continue };
        let output = knee().args(["report", "nothing"]).env("KNEE_PYTHON", &program).output().unwrap();
        let message =
            format!("`knee report` needs knee's Python part: {}: not a Python interpreter", program.display());
        refused(&output, 2, &message);
    }
}

#[test]
fn an_interrupt_is_held_back_while_python_starts() {
    use std::os::unix::fs::PermissionsExt;
    let Some(real) = installed("bounds", "python3") else { return };
    // A shell would let it in again.
    let says = "import sys\nprint('Python' if sys.argv[1] == '-S' else open('/proc/self/status').read())\n";
    let folder = tempfile::tempdir().unwrap();
    let python = folder.path().join("python");
    std::fs::write(&python, format!("#!{}\n{says}", real.display())).unwrap();
    std::fs::set_permissions(&python, std::fs::Permissions::from_mode(0o755)).unwrap();
    let output = knee().args(["report", "nothing"]).env("KNEE_PYTHON", &python).output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    let blocked = said.lines().find_map(|line| line.strip_prefix("SigBlk:"));
    let blocked = blocked.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    assert!(blocked.is_some_and(|mask| mask & 1 << (2 - 1) != 0), "SIGINT is 2: {output:?}");
}

#[test]
fn threads_that_are_not_sampled_are_counted() {
    let Some(python) = installed("bounds", "python3") else { return };
    // They live for longer than a sampler may wait between two looks.
    let program = "import threading as t, time\nfor _ in range(449): t.Thread(target=time.sleep, args=(8,)).start()";
    let output = knee().args(["run", "--"]).arg(python).args(["-c", program]).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("50 more threads were alive at the same time but not sampled: knee samples"), "{said}");
}
