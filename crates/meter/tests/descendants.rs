//! Counters of the real kernel over a real process tree: a program that touches a known number of pages, in itself, in a
//! thread, and in a child.

use std::io::Write;
use std::path::Path;
use std::process::Command;

use knee_meter::perf::{Counter, Counters, Encoding, Kernel, Linux, Opening, Request, Target};

const PAGES: u64 = 20_000;
/// What starting a program touches is well below this.
const STARTING: u64 = 10_000;

/// Touches fresh pages, one by one.
fn touch() {
    let page = rustix::param::page_size();
    let mut memory = vec![0_u8; usize::try_from(PAGES).unwrap() * page];
    for byte in memory.iter_mut().step_by(page) {
        *byte = 1;
    }
    std::hint::black_box(&mut memory);
}

/// Not a test but the measured program: this test's own binary, which does what `KNEE_TOUCH` says.
#[test]
fn program() {
    let Ok(what) = std::env::var("KNEE_TOUCH") else { return };
    // SAFETY: the call has no pointers; it only forbids huge pages, of which one fault would fill many.
    unsafe { libc::prctl(libc::PR_SET_THP_DISABLE, 1, 0, 0, 0) };
    touch();
    match what.as_str() {
        "thread" => std::thread::spawn(touch).join().unwrap(),
        "child" => drop(this_program("alone").status().unwrap()),
        _ => {}
    }
}

fn this_program(what: &str) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "program", "--test-threads=1"]).env("KNEE_TOUCH", what);
    command.stdout(std::process::Stdio::null());
    command
}

/// Minor faults of a run; none, after a note, where the kernel does not permit counting.
fn faults(test: &str, what: &str) -> Option<f64> {
    let names = ["minor-faults", "major-faults", "page-faults", "task-clock", "context-switches", "cpu-migrations"];
    let asked: Vec<_> = names.map(|name| (name.to_owned(), Request::parse(name).unwrap())).into();
    let counters = Counters::open(Linux::default(), Path::new("/"), &asked, &|_| None);
    // The launcher's own faults, before and after, are not the program's.
    touch();
    assert!(this_program(what).status().unwrap().success());
    touch();
    let found = counters.finish();
    if let Counter::Unavailable { unavailable } = &found["minor-faults"] {
        skipped(test, unavailable);
        return None;
    }
    let value = |name: &str| found[name].value().unwrap_or_else(|| panic!("{name}: {found:?}"));
    // A fault that the kernel had to try again is one more page fault, and no minor or major one.
    let (all, parts) = (value("page-faults"), value("minor-faults") + value("major-faults"));
    assert!(all >= parts && all < 1.05 * parts, "{found:?}");
    assert!(value("task-clock") > 1e6, "at least a millisecond, in ns: {found:?}");
    Some(value("minor-faults"))
}

/// Notes that a test was skipped: on standard error, and in the file that `KNEE_SKIPS` names.
fn skipped(test: &str, why: &str) {
    let note = format!("SKIPPED {test}: {why}");
    eprintln!("{note}");
    if let Some(path) = std::env::var_os("KNEE_SKIPS") {
        let file = std::fs::OpenOptions::new().create(true).append(true).open(path);
        file.and_then(|mut file| writeln!(file, "{note}")).unwrap();
    }
}

/// So many times the pages, and what starting that many programs touches.
fn within(found: f64, times: u64) {
    let (least, most) = ((times * PAGES) as f64, (times * PAGES + times * STARTING) as f64);
    assert!((least..most).contains(&found), "{found} is not within {least} and {most}");
}

#[test]
fn the_program_is_counted_and_its_launcher_is_not() {
    if let Some(found) = faults("the_program_is_counted_and_its_launcher_is_not", "alone") {
        within(found, 1);
    }
}

#[test]
fn threads_are_counted() {
    if let Some(found) = faults("threads_are_counted", "thread") {
        within(found, 2);
    }
}

#[test]
fn children_are_counted() {
    if let Some(found) = faults("children_are_counted", "child") {
        within(found, 2);
    }
}

#[test]
fn a_group_is_inherited_with_its_leader() {
    let event = |config| Encoding { pmu: "software".into(), kind: 1, config, config1: 0, config2: 0 };
    let mut kernel = Linux::default();
    let how = Opening { user_only: true, ..Opening::of(Target::Descendants) };
    let leader = match kernel.open(&event(5), how) {
        Ok(leader) => leader,
        Err(error) => return skipped("a_group_is_inherited_with_its_leader", &error.to_string()),
    };
    let member = kernel.open(&event(2), Opening { leader: Some(leader), ..how }).unwrap();
    touch();
    assert!(this_program("child").status().unwrap().success());
    for counter in [leader, member] {
        let raw = kernel.read(counter).unwrap();
        within(raw.count as f64, 2);
        assert_eq!(raw.enabled_ns, raw.running_ns, "software events always have their turn");
    }
}

#[test]
fn a_program_that_never_ran_has_no_zero() {
    let asked = [("page-faults".to_owned(), Request::parse("page-faults").unwrap())];
    let found = Counters::open(Linux::default(), Path::new("/"), &asked, &|_| None).finish();
    assert!(matches!(&found["page-faults"], Counter::Unavailable { .. }), "{found:?}");
}
