//! `knee run --counters` and `knee doctor` through the real binary: values or reasons, never a zero for unknown.

mod shared;

use serde_json::{Value, json};
use shared::{hand, in_c, json as parsed, knee, skipped};

#[test]
fn a_tree_is_counted_whole_thread_and_child_included() {
    let test = "a_tree_is_counted_whole_thread_and_child_included";
    let folder = tempfile::tempdir().unwrap();
    let Some(program) = in_c(test, "gcc", "faults.c", &["-pthread"], folder.path()) else { return };
    let program = program.to_str().unwrap();
    let spec = |id: &str, threads: &str, children: &str| {
        json!({ "schema": 1, "id": id, "program": { "command": [program, "5000", threads, children] }, "threads": 1,
            "warmup": 1, "conclude": "true", "counters": ["minor-faults", "task-clock", "context-switches"] })
    };
    let specs = [spec("alone", "0", "0"), spec("threads", "2", "0"), spec("children", "0", "2")];
    let output = hand(knee().args(["run", "--stdin"]), &specs.iter().collect::<Vec<_>>());
    let records = output.stdout.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
    let records: Vec<Value> = records.map(|line| serde_json::from_slice(line).unwrap()).collect();
    assert_eq!(records.len(), 3, "{output:?}");
    for (record, pages) in records.iter().zip([5000.0, 15000.0, 15000.0]) {
        let counters = &record["counters"];
        if let Some(reason) = counters["minor-faults"]["unavailable"].as_str() {
            return skipped(test, reason);
        }
        let faults = &counters["minor-faults"];
        // A plain number, or one that leaves the kernel's work out.
        let faults = faults.as_f64().or_else(|| faults["value"].as_f64()).unwrap();
        assert!((pages..pages + 5000.0).contains(&faults), "{record}");
        // The kernel's other account of the same tree; it begins at the fork.
        assert!(faults <= record["rusage"]["minor_faults"].as_f64().unwrap(), "{record}");
        assert_eq!(counters["task-clock"]["unit"], json!("ns"));
    }
}

#[test]
fn phases_of_a_workload_are_counted_with_all_their_threads() {
    let words = ["run", "--json", "-n", "2", "--counters", "minor-faults,no_such_pmu/event=1/", "heat"];
    let sizes = ["--rows", "1024", "--columns", "1024", "--steps", "3"];
    let record = parsed(&knee().args(words).args(sizes).output().unwrap());
    let whole = &record["counters"]["minor-faults"];
    if let Some(reason) = whole["unavailable"].as_str() {
        return skipped("phases_of_a_workload_are_counted_with_all_their_threads", reason);
    }
    let whole = whole.as_f64().or_else(|| whole["value"].as_f64()).unwrap();
    let phase = |name: &str| record["phases"].as_array().unwrap().iter().find(|phase| phase["name"] == name).unwrap();
    let faults = |name: &str| phase(name)["counters"]["minor-faults"].as_f64().unwrap();
    // Two arrays of 8 MiB, in pages of 4 KiB or of 2 MiB.
    assert!(faults("fill") >= 8.0 && faults("steps") < faults("fill"), "{record}");
    assert!(faults("fill") + faults("steps") <= whole, "{record}");
    assert!(phase("fill")["counters"]["no_such_pmu/event=1/"].is_null(), "what the kernel refused has no count");
}

#[test]
fn every_name_has_a_value_or_a_reason() {
    let names = [
        "page-faults",
        "instructions",
        "LLC-load-misses",
        "r01d3",
        "cpu/event=0xd3,umask=0x01/",
        "numa_hit",
        "numa_hint_faults",
        "energy-package",
        "mbm_total_bytes",
        "no_such_pmu/event=1/",
    ];
    let output = knee().args(["run", "--json", "--counters", &names.join(","), "--", "sleep", "0.1"]).output().unwrap();
    let counters = &parsed(&output)["counters"];
    for name in names {
        let counter = &counters[name];
        let reason = counter["unavailable"].as_str();
        assert!(
            counter.is_u64() || counter["value"].is_f64() || reason.is_some_and(|text| text.len() > 10),
            "{name}: {counters}"
        );
        assert!(counter.as_u64() != Some(0) || !name.contains("instructions"), "no zero for unknown: {counters}");
    }
    assert!(counters["no_such_pmu/event=1/"]["unavailable"].is_string());
}

/// Where there are no hardware counters, too: whether a name is known does not depend on the machine.
#[test]
fn a_misspelt_counter_is_an_error_before_anything_runs() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("made");
    for more in [&[][..], &["--slurm"]] {
        let mut run = knee();
        run.args(["run", "--counters", "task-clock,cylces"]).args(more).args(["--", "touch"]).arg(&file);
        let output = run.output().unwrap();
        assert_eq!((output.status.code(), output.stdout.as_slice()), (Some(2), &b""[..]), "{output:?}");
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(said, "knee: unknown counter 'cylces'\n\nhint: did you mean cycles?\n");
    }
    assert!(!file.exists());
}

#[test]
fn a_program_that_cannot_start_has_reasons_for_its_counters() {
    let output = knee().args(["run", "--json", "--counters", "page-faults", "--", "/nonexistent"]).output().unwrap();
    assert_eq!(parsed(&output)["counters"]["page-faults"]["unavailable"], json!("the program did not run"));
}

#[test]
fn the_doctor_has_a_reason_and_a_substitute_for_whatever_is_missing() {
    let report = parsed(&knee().args(["doctor", "--json"]).output().unwrap());
    let measures = report["measures"].as_array().unwrap();
    assert!(measures.len() > 8 && report["conditions"].as_array().unwrap().len() > 4, "{report}");
    for measure in measures {
        assert!(!measure["reason"].as_str().unwrap().is_empty(), "{measure}");
        assert_eq!(measure["available"] == json!(true), measure["substitute"].is_null(), "{measure}");
    }
    let text = String::from_utf8(knee().arg("doctor").output().unwrap().stdout).unwrap();
    assert!(text.matches("no hardware PMU").count() <= 1, "it is said once: {text}");
}

#[test]
fn the_ladder_reaches_a_verdict_on_every_rung() {
    let report = parsed(&knee().args(["doctor", "--counters", "--json"]).output().unwrap());
    let rungs = report["rungs"].as_array().unwrap();
    assert_eq!(rungs.len(), 12, "{report}");
    for rung in rungs {
        assert!(["yes", "no", "untried"].contains(&rung["standing"].as_str().unwrap()), "{rung}");
        assert!(!rung["found"].as_str().unwrap().is_empty(), "{rung}");
    }
}
