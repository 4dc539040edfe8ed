//! What sleeping threads wait for, of programs of which is known where they sleep.

mod shared;

use serde_json::Value;
use shared::{in_c, in_go, json, knee, skipped};

/// What the record of one of the program's ways says of futexes, and the hottest one, which must be where the program's
/// threads wait; none, after a note, where there is no compiler or the kernel does not show what threads wait for.
fn hottest(test: &str, how: &str) -> Option<(Value, Value)> {
    let folder = tempfile::tempdir().unwrap();
    let program = in_c(test, "cc", "asleep.c", &["-pthread"], folder.path())?;
    let output = knee().args(["run", "--json", "--"]).arg(program).arg(how).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    let record = json(&output);
    let futex = record["futex"].clone();
    if let Some(reason) = futex["unavailable"].as_str() {
        skipped(test, reason);
        return None;
    }
    let said = String::from_utf8(output.stderr).unwrap();
    let said = said.lines().find(|line| line.starts_with("0x")).unwrap_or_else(|| panic!("no place: {said}"));
    let (address, size) = said.split_once(' ').unwrap();
    let begin = number(address);
    let hot = futex["hottest"][0].clone();
    let at = number(hot["address"].as_str().unwrap_or_else(|| panic!("no futex: {record}")));
    assert!((begin & !7..begin + size.parse::<u64>().unwrap()).contains(&at), "{futex} is not at {said}");
    assert_eq!(hot["pid"], record["observed_threads"][0]["pid"], "{record}");
    Some((futex, hot))
}

fn number(address: &str) -> u64 {
    u64::from_str_radix(address.strip_prefix("0x").unwrap(), 16).unwrap()
}

fn count(of: &Value, field: &str) -> u64 {
    of[field].as_u64().unwrap_or_else(|| panic!("no {field}: {of}"))
}

#[test]
fn threads_at_a_mutex_wait_at_one_futex_without_a_time_limit() {
    let test = "threads_at_a_mutex_wait_at_one_futex_without_a_time_limit";
    let Some((futex, hot)) = hottest(test, "mutex") else { return };
    assert_eq!((count(&hot, "timed"), count(&hot, "threads")), (0, 2), "{futex}");
    assert!(count(&hot, "waits") <= count(&futex, "waits"), "{futex}");
    assert!(count(&futex, "waits") < count(&futex, "asleep"), "the main thread sleeps in another call: {futex}");
}

#[test]
fn threads_at_a_condition_with_a_deadline_wait_with_a_time_limit() {
    let test = "threads_at_a_condition_with_a_deadline_wait_with_a_time_limit";
    let Some((futex, hot)) = hottest(test, "timed") else { return };
    assert_eq!(count(&hot, "threads"), 2, "{futex}");
    assert!(2 * count(&hot, "timed") > count(&hot, "waits"), "{futex}");
    assert!(count(&futex, "timed") >= count(&hot, "timed"), "{futex}");
}

#[test]
fn without_samples_nothing_is_said() {
    let record = json(&knee().args(["run", "--json", "--sample-ms", "0", "--", "true"]).output().unwrap());
    assert_eq!(record["futex"], Value::Null);
}

#[test]
fn goroutines_are_those_of_the_program_that_a_shell_executes() {
    let test = "goroutines_are_those_of_the_program_that_a_shell_executes";
    let folder = tempfile::tempdir().unwrap();
    let Some(program) = in_go(test, "goroutines.go", folder.path()) else { return };
    let program = program.to_str().unwrap();
    let goroutines = |line: &str| {
        let output = knee().args(["run", "--json", "--", "sh", "-c", line]).output().unwrap();
        assert!(output.status.success(), "{output:?}");
        json(&output)["goroutines"].clone()
    };
    let found = goroutines(&format!("GOMAXPROCS=2 '{program}'; true"));
    if let Some(reason) = found["unavailable"].as_str() {
        return skipped(test, reason);
    }
    assert!(count(&found, "samples") >= 3, "{found}");
    // Not the first one: that is the one which is alone most, and a sample of the start finds `runtime.main` alone.
    let ready = |one: &&Value| count(one, "alone") + count(one, "beside");
    let most = found["functions"].as_array().unwrap().iter().max_by_key(ready).unwrap();
    assert_eq!(most["function"], "main.main.func1", "{found}");
    assert_eq!(goroutines(&format!("test -x '{program}'; sleep 0.1")), Value::Null, "nobody executes it");
}
