//! Records of context switches, of programs of which is known how their threads share the time.

mod shared;

use serde_json::Value;
use shared::{in_c, json, knee, skipped};

/// The record of one of the program's ways; none, after a note, where there is no compiler or the kernel refuses records.
fn record(test: &str, how: &str) -> Option<Value> {
    let folder = tempfile::tempdir().unwrap();
    let program = in_c(test, "cc", "switches.c", &["-pthread"], folder.path())?;
    let output = knee().args(["run", "--json", "--switches", "--"]).arg(program).arg(how).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    let record = json(&output);
    if record["switches"]["mechanism"] != "records" {
        skipped(test, record["switches"]["unavailable"].as_str().unwrap());
        return None;
    }
    // Whatever it does, its time on the cpus is its CPU time, but for the begin of its process and what the kernel does at
    // the end of each thread.
    let on = number(&record["switches"]["total"]["on_ns"]);
    let cpu = number(&record["user_ns"]) + number(&record["system_ns"]);
    let ends = 40e3 * number(&record["switches"]["total"]["threads"]);
    // Records do not see that a hypervisor takes a cpu away, and CPU time leaves it out. It is told in ticks of 10 ms.
    let steal = record["validity"]["steal"].as_f64().unwrap_or(0.0);
    let cpus = std::thread::available_parallelism().unwrap().get() as f64;
    let stolen = if steal > 0.0 { cpus * (1.2 * steal * number(&record["wall_ns"]) + 10e6) } else { 0.0 };
    assert!(on < 1.1 * cpu + 10e6 + stolen && on > 0.9 * cpu - 10e6 - ends, "{on} of {cpu}: {record}");
    assert_eq!((&record["switches"]["lost"], &record["switches"]["odd"]), (&0.into(), &0.into()), "{record}");
    Some(record)
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("no number: {value}"))
}

/// Time with so many threads, in ms.
fn with(record: &Value, list: &str, threads: usize) -> f64 {
    record["switches"]["concurrency"][list].get(threads).map_or(0.0, number) / 1e6
}

#[test]
fn a_serial_part_is_one_interval_of_one_thread() {
    let Some(record) = record("a_serial_part_is_one_interval_of_one_thread", "serial") else { return };
    let alone = &record["switches"]["concurrency"]["alone"];
    assert_eq!(alone["tid"], record["observed_threads"][0]["pid"], "the main thread");
    for field in ["most_ns", "longest_ns"] {
        assert!(number(&alone[field]) >= 95e6, "{field}: {record}");
    }
    assert!(with(&record, "runnable_ns", 1) >= 95.0 && with(&record, "runnable_ns", 2) >= 80.0, "{record}");
    assert_eq!(record["switches"]["total"]["threads"], 3);
}

#[test]
fn at_a_mutex_threads_take_turns() {
    let Some(record) = record("at_a_mutex_threads_take_turns", "mutex") else { return };
    let (one, two) = (with(&record, "running_ns", 1), with(&record, "running_ns", 2));
    assert!(one >= 180.0 && two < one / 10.0, "{one} ms of one thread, {two} of two: {record}");
    // The main thread waits for both. They wait for the mutex, or on one cpu for each other: for half of the time each where
    // they alternate, and only one of them for half of it where the other one keeps the mutex until it ends.
    let total = &record["switches"]["total"];
    assert!(number(&total["asleep_ns"]) >= 180e6, "{record}");
    assert!(number(&total["asleep_ns"]) + number(&total["ready_ns"]) >= 280e6, "{record}");
}

#[test]
fn sleep_is_time_off_the_cpu_and_nothing_else() {
    let Some(record) = record("sleep_is_time_off_the_cpu_and_nothing_else", "sleep") else { return };
    let thread = &record["observed_threads"][0];
    assert_eq!(thread["off_ns"]["source"], "records", "{record}");
    assert!(number(&thread["off_ns"]["asleep"]) >= 200e6, "{record}");
    assert!(number(&thread["switches"]["voluntary"]) >= 20.0, "{record}");
    assert!(with(&record, "runnable_ns", 0) >= 195.0, "{record}");
    assert_eq!(thread["switches"]["asleep_ns"], thread["off_ns"]["asleep"]);
}

#[test]
fn threads_that_no_sample_meets_are_in_the_totals() {
    let Some(record) = record("threads_that_no_sample_meets_are_in_the_totals", "threads") else { return };
    let (total, unsampled) = (&record["switches"]["total"], &record["switches"]["unsampled"]);
    assert_eq!(total["threads"], 3001, "{}", record["switches"]);
    assert!(number(&unsampled["threads"]) > 2000.0, "{}", record["switches"]);
    assert!(number(&unsampled["on_ns"]) > 2000.0 * 20e3, "{}", record["switches"]);
    let observed = record["observed_threads"].as_array().unwrap();
    let sampled: f64 = observed.iter().filter_map(|thread| thread["switches"]["on_ns"].as_f64()).sum();
    assert!((sampled + number(&unsampled["on_ns"]) - number(&total["on_ns"])).abs() < 1.0);
}

#[test]
fn without_records_times_come_from_samples() {
    let run = |options: &[&str]| {
        let nap = ["--", "sh", "-c", "sleep 1"];
        json(&knee().args(["run", "--json"]).args(options).args(nap).output().unwrap())
    };
    let record = run(&[]);
    assert_eq!(record["switches"], Value::Null);
    let off = &record["observed_threads"][0]["off_ns"];
    assert_eq!(off["source"], "samples", "{record}");
    assert!(number(&off["asleep"]) + number(&off["disk"]) > 200e6, "{off}");
    assert_eq!(run(&["--switches", "--sample-ms", "0"])["switches"]["total"]["threads"], 2);
}
