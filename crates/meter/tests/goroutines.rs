//! Goroutines of running Go programs. Where there is no Go, these tests are skipped, and say so.

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use knee_meter::{Gauges, GoProgram, GoWait, Goroutines, Sampler};
use tempfile::TempDir;

/// Its first argument says what the goroutines do.
const PROGRAM: &str = r#"package main

import ("fmt"; "os"; "runtime"; "sync"; "time")

var lock sync.Mutex
var shared sync.RWMutex
var done = make(chan bool)

func compute(seconds float64) {
	for until := time.Now().Add(time.Duration(seconds * 1e9)); time.Now().Before(until); {}
}

func inTurn() { for { lock.Lock(); compute(0.002); lock.Unlock(); runtime.Gosched() } }
func writing() { for { shared.Lock(); compute(0.002); shared.Unlock(); runtime.Gosched() } }
func computing() { compute(60) }
func waiting() { <-done }

func main() {
	runtime.GOMAXPROCS(2)
	for n := 0; n < 2; n++ {
		switch os.Args[1] {
		case "lock": go inTurn()
		case "write": go writing()
		case "wait": go waiting()
		}
	}
	// One that computes, behind many that wait.
	many := map[string]int{"many": 400, "crowd": 5000}[os.Args[1]]
	for n := 0; n < many; n++ { go waiting() }
	if many > 0 { go computing() }
	fmt.Println("started")
	if os.Args[1] == "wait" { computing() }
	select {}
}
"#;

/// A built program, or none where there is no Go.
fn built(flags: &[&str]) -> Option<(TempDir, PathBuf)> {
    let folder = tempfile::tempdir().unwrap();
    let (source, program) = (folder.path().join("goroutines.go"), folder.path().join("goroutines"));
    std::fs::write(&source, PROGRAM).unwrap();
    let mut go = Command::new("go");
    go.args(["build", "-o"]).arg(&program).args(flags).arg(&source).env("GO111MODULE", "off");
    match go.output() {
        Ok(output) if output.status.success() => Some((folder, program)),
        Ok(output) => panic!("{}", String::from_utf8_lossy(&output.stderr)),
        Err(error) => {
            skipped(&format!("go: {error}"));
            None
        }
    }
}

/// Whether the slow proofs run as well (`ci/nightly.sh`).
fn proofs() -> bool {
    std::env::var_os("KNEE_PROOFS").is_some()
}

/// Notes that a test was skipped: on standard error, and in the file that `KNEE_SKIPS` names.
fn skipped(why: &str) {
    eprintln!("skipped: {why}");
    if let Some(path) = std::env::var_os("KNEE_SKIPS") {
        let mut file = std::fs::File::options().append(true).create(true).open(path).unwrap();
        // In one write: other tests write there as well.
        file.write_all(format!("SKIPPED crates/meter/tests/goroutines.rs: {why}\n").as_bytes()).unwrap();
    }
}

/// A program that is ended at the end of the test.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }
}

/// What samples say of the program while it does this.
fn sampled(program: &Path, what: &str) -> Goroutines {
    let layout = GoProgram::read(program);
    assert!(layout.is_some(), "a Go program with debug information");
    let mut running = Running(Command::new(program).arg(what).stdout(Stdio::piped()).spawn().unwrap());
    // All its goroutines exist before the first sample, however busy the machine is.
    let mut line = String::new();
    BufReader::new(running.0.stdout.take().unwrap()).read_line(&mut line).unwrap();
    assert_eq!(line, "started\n");
    let begin = Instant::now();
    let pid = rustix::process::getpid().as_raw_nonzero().get();
    let mut sampler = Sampler::new(pid, begin, 5, 0).reading(layout);
    let mut gauges = Gauges::open(Path::new("/"), &[]);
    // A sample of many goroutines costs more, and samples may cost only a share of the time. On a slow machine there are
    // fewer in the same time, so it goes on until there are enough. The programs compute for a minute.
    let enough = Duration::from_millis(if what == "many" { 4000 } else { 1200 });
    let (most, mut samples) = (Duration::from_secs(50), 0);
    while begin.elapsed() < enough || (samples < 40 && begin.elapsed() < most) {
        sampler.tick(&mut gauges, &mut |_| samples += 1);
        std::thread::sleep(sampler.pause().min(Duration::from_millis(5)));
    }
    sampler.finish(None).goroutines.unwrap()
}

/// Idle processors, those of them that a goroutine at a lock would have, and the rest.
struct Found {
    idle: u64,
    at_locks: u64,
    waits: Vec<GoWait>,
    alone: Vec<(String, u64)>,
}

fn known(goroutines: Goroutines) -> Option<Found> {
    match goroutines {
        Goroutines::Known { samples, idle, at_locks, waits, functions, .. } => {
            assert!(samples > 10, "{samples}");
            let alone = functions.into_iter().map(|one| (one.function, one.alone)).collect();
            Some(Found { idle, at_locks, waits, alone })
        }
        Goroutines::Unavailable { unavailable } => {
            skipped(&unavailable);
            None
        }
    }
}

/// Whether goroutines of this function waited for this nearly always when a processor was idle.
fn waited(found: &Found, function: &str, reason: &str) -> bool {
    let seen = found.waits.iter().find(|wait| wait.function == function && wait.reason.starts_with(reason));
    seen.is_some_and(|wait| 10 * wait.goroutines >= 9 * found.idle)
}

#[test]
fn what_goroutines_wait_for_is_told_and_which_one_computes_alone() {
    let Some((_folder, program)) = built(&[]) else { return };
    judge(&program);
}

/// Such a program is another kind of file. Go compiles all its packages once more for it, so this takes long.
#[test]
fn so_it_is_of_a_program_that_may_be_loaded_anywhere() {
    if !proofs() {
        return;
    }
    let Some((_folder, program)) = built(&["-buildmode=pie"]) else { return };
    judge(&program);
}

fn judge(program: &Path) {
    for (what, function) in [("lock", "main.inTurn"), ("write", "main.writing")] {
        let Some(found) = known(sampled(program, what)) else { return };
        assert!(
            found.idle > 10 && 10 * found.at_locks >= 9 * found.idle,
            "{what}: {} of {}",
            found.at_locks,
            found.idle
        );
        assert_eq!(found.alone[0].0, function, "{:?}", found.alone);
        // Releases before 1.20 call all of them by one name.
        assert!(waited(&found, function, "s"), "{:?}", found.waits);
    }
    let Some(found) = known(sampled(program, "wait")) else { return };
    assert_eq!(found.at_locks, 0);
    assert_eq!(found.alone[0].0, "runtime.main", "{:?}", found.alone);
    assert!(found.alone[0].1 > 10 && waited(&found, "main.waiting", "chan receive"), "{:?}", found.waits);
}

#[test]
fn the_newest_of_many_goroutines_is_read_as_well_and_a_crowd_is_refused() {
    let Some((_folder, program)) = built(&[]) else { return };
    let Some(found) = known(sampled(&program, "many")) else { return };
    assert_eq!(found.alone[0].0, "main.computing", "{:?}", found.alone);
    // One processor has nothing to do, and hundreds of goroutines wait.
    let waiting = found.waits.iter().find(|wait| wait.function == "main.waiting").unwrap();
    assert!(waiting.goroutines >= 300 * found.idle, "{:?}", found.waits);
    match sampled(&program, "crowd") {
        Goroutines::Unavailable { unavailable } => {
            assert_eq!(unavailable, "a process had more than 4096 goroutines");
        }
        known @ Goroutines::Known { .. } => panic!("{known:?}"),
    }
}

#[test]
fn programs_without_debug_information_and_those_of_other_languages_are_not_read() {
    let own = std::env::current_exe().unwrap();
    assert!(GoProgram::read(&own).is_none());
    assert!(GoProgram::read(Path::new("/nowhere")).is_none());
    let Some((_folder, program)) = built(&["-ldflags=-w"]) else { return };
    assert!(GoProgram::read(&program).is_none());
}

#[test]
fn a_damaged_program_is_read_or_refused() {
    let Some((folder, program)) = built(&[]) else { return };
    let (whole, damaged) = (std::fs::read(&program).unwrap(), folder.path().join("damaged"));
    let mut draw = fastrand::Rng::with_seed(7);
    // Where headers and debug information are, more often than elsewhere.
    for round in 0..if proofs() { 20_000 } else { 40 } {
        let mut bytes = whole.clone();
        let size = if round % 2 == 0 { 4096 } else { bytes.len() };
        for _ in 0..=draw.usize(0..64) {
            let at = draw.usize(0..size);
            bytes[at] = draw.u8(..);
        }
        bytes.truncate(if round % 5 == 0 { draw.usize(0..bytes.len()) } else { bytes.len() });
        std::fs::write(&damaged, &bytes).unwrap();
        let _ = GoProgram::read(&damaged);
    }
}
