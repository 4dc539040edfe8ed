//! Programs beside a run: the record has what they did, the run's own numbers do not, and nothing of them stays.

mod shared;

use std::io::Write;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use shared::{hand, knee, skipped};

fn nap(seconds: &str, beside: &Value) -> Value {
    json!({ "schema": 1, "id": "b", "block": 1, "program": { "command": ["sleep", seconds] }, "threads": 1, "cpus": [0],
        "sample_ms": 10, "test": "beside", "role": "co-runner", "beside": beside })
}

fn record(spec: &Value) -> Value {
    let output = hand(knee().args(["run", "--stdin"]), &[spec]);
    shared::json(&output)
}

/// Whether cpus 0 and 1 may be used; a note if not.
fn two_cpus(test: &str) -> bool {
    let allowed = knee_machine::sys::affinity();
    let enough = allowed.contains(0) && allowed.contains(1);
    if !enough {
        skipped(test, "cpus 0 and 1 are not both allowed");
    }
    enough
}

#[test]
fn the_record_holds_what_they_did_and_the_run_is_not_charged_for_it() {
    if !two_cpus("the_record_holds_what_they_did_and_the_run_is_not_charged_for_it") {
        return;
    }
    let found = record(&nap(
        "0.5",
        &json!([
            { "workload": "spin", "cpus": [0] },
            { "workload": "stream", "cpus": [0, 1], "bytes": 20_000_000 },
            { "workload": "pirate", "cpus": [1], "bytes": 1_000_000 },
        ]),
    ));
    assert_eq!(found["exit"], json!({ "code": 0 }), "{found}");
    let beside = found["beside"].as_array().unwrap();
    let names: Vec<_> = beside.iter().map(|one| one["workload"].as_str().unwrap()).collect();
    assert_eq!(names, ["spin", "stream", "pirate"]);
    let number = |value: &Value| value.as_f64().unwrap();
    for one in beside {
        assert!(number(&one["cpu_ns"]) > 1e7 && number(&one["rate"]) > 1e6, "{one}");
        assert!(number(&one["wall_ns"]) >= number(&found["wall_ns"]), "from before until after: {one}");
        assert!((0.05..100.0).contains(&number(&one["clock_ns"])), "the clock beside them: {one}");
    }
    assert_eq!((&beside[0]["bytes"], &beside[1]["bytes"]), (&Value::Null, &json!(20_000_000)));
    assert!(number(&found["user_ns"]) + number(&found["system_ns"]) < 1e8, "{found}");
    assert_eq!(found["observed_threads"].as_array().unwrap().len(), 1, "{found}");
    assert_eq!(found["exit"]["left_behind"], Value::Null);
    assert!(number(&found["validity"]["own_share"]) < 0.2, "{found}");
}

#[test]
fn what_they_use_on_purpose_is_not_called_the_work_of_others() {
    if !two_cpus("what_they_use_on_purpose_is_not_called_the_work_of_others") {
        return;
    }
    let found = record(&nap("1", &json!([{ "workload": "spin", "cpus": [0] }])));
    let number = |value: &Value| value.as_f64().unwrap();
    let spun = number(&found["beside"][0]["cpu_ns"]) / number(&found["beside"][0]["wall_ns"]);
    // Others and spin have the one cpu together. If its time were theirs as well, they would have all of it.
    let others = number(&found["validity"]["other_busy"]);
    assert!(spun > 0.05 && others + spun < 1.0 + spun / 2.0, "{others} of a cpu, and {spun} beside: {found}");
}

#[test]
fn mistakes_are_refused() {
    let refusal = |beside: Value| {
        let output = hand(knee().args(["run", "--stdin"]), &[&nap("0", &beside)]);
        String::from_utf8(output.stderr).unwrap()
    };
    for (beside, reason) in [
        (json!([{ "workload": "spin", "cpus": [] }]), "needs between 1 and"),
        (json!([{ "workload": "spin", "cpus": [0, 0] }]), "each of them once"),
        (json!([{ "workload": "spin", "cpus": [0], "bytes": 5000 }]), "takes no bytes"),
        (json!([{ "workload": "pirate", "cpus": [0], "bytes": 1 }]), "not 1"),
        (json!([{ "workload": "stream", "cpus": [0], "bytes": u64::MAX }]), "not 18446744073709551615"),
        (json!([{ "workload": "stream", "cpus": [0], "bytes": -1 }]), "bad run spec"),
        (json!([{ "workload": "stream", "cpus": [-1] }]), "bad run spec"),
        (json!([{ "workload": "bash", "cpus": [0] }]), "bad run spec"),
        (json!([{ "workload": "spin", "cpus": [0], "threads": 3 }]), "bad run spec"),
    ] {
        let said = refusal(beside.clone());
        assert!(said.contains(reason), "{beside}: {said}");
    }
    let error = |beside: Value| record(&nap("0", &beside))["exit"]["error"].as_str().unwrap().to_owned();
    assert!(error(json!([{ "workload": "spin", "cpus": [9999] }])).contains("cpus 9999 are not allowed"));
    let huge = error(json!([{ "workload": "pirate", "cpus": [0], "bytes": 1_u64 << 45 }]));
    assert!(huge.contains("more than half of the"), "{huge}");
}

#[test]
fn nothing_stays_when_the_launcher_or_the_runner_is_killed() {
    if !two_cpus("nothing_stays_when_the_launcher_or_the_runner_is_killed") {
        return;
    }
    for victim in ["launcher", "runner"] {
        let mut command = knee();
        let runner = command.args(["run", "--stdin"]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
        let mut runner = runner.unwrap();
        let spec = nap("67.125", &json!([{ "workload": "spin", "cpus": [1] }, { "workload": "stream", "cpus": [0] }]));
        writeln!(runner.stdin.as_mut().unwrap(), "{spec}").unwrap();
        let spins = || children(runner.id()).into_iter().find(|launcher| threads(*launcher) >= 3);
        let launcher = wait_for(spins).expect("the launcher has threads beside the run");
        // The program itself has started as well.
        assert!(wait_for(|| children(launcher).first().copied()).is_some());
        let program = children(launcher)[0];
        let killed = if victim == "runner" { runner.id() } else { launcher };
        assert!(Command::new("kill").args(["-KILL", &killed.to_string()]).status().unwrap().success());
        drop(runner.stdin.take());
        runner.wait().unwrap();
        for pid in [launcher, program] {
            let gone = wait_for(|| (!running(pid)).then_some(()));
            assert!(gone.is_some(), "process {pid} is left after the {victim} was killed");
        }
    }
}

fn wait_for<T>(mut found: impl FnMut() -> Option<T>) -> Option<T> {
    let begin = Instant::now();
    while begin.elapsed() < Duration::from_secs(20) {
        if let Some(it) = found() {
            return Some(it);
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    None
}

fn children(pid: u32) -> Vec<u32> {
    let text = std::fs::read_to_string(format!("/proc/{pid}/task/{pid}/children")).unwrap_or_default();
    text.split_whitespace().map(|word| word.parse().unwrap()).collect()
}

fn threads(pid: u32) -> usize {
    std::fs::read_dir(format!("/proc/{pid}/task")).map_or(0, Iterator::count)
}

/// Whether it exists and is no zombie that waits for its parent.
fn running(pid: u32) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.rsplit(')').next().is_some_and(|rest| !rest.is_empty() && !rest.trim_start().starts_with('Z'))
}
