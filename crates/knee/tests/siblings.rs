//! The test of siblings on this machine's cpus: checks its output's form, not the measurement.

use std::process::{Command, Output};

use knee_machine::{CpuSet, sys};
use serde_json::Value;

/// Runs the test on the first `number` cpus that are allowed; a child inherits the affinity of this thread.
fn siblings(number: usize, options: &[&str]) -> (CpuSet, Output) {
    let cpus: Vec<u32> = sys::affinity().iter().take(number).collect();
    sys::pin(&cpus).unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_knee")).args(["doctor", "--siblings"]).args(options).output();
    (cpus.into_iter().collect(), output.unwrap())
}

#[test]
fn every_pair_has_a_verdict_or_a_reason() {
    let (cpus, output) = siblings(3, &["--json"]);
    assert_eq!(output.status.code(), Some(0));
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let pairs = report["pairs"].as_array().unwrap();
    assert_eq!(pairs.len(), cpus.len() * (cpus.len() - 1) / 2, "{report}");
    assert_eq!(report["untested"].is_string(), cpus.len() == 1, "{report}");
    for pair in pairs {
        let both: Vec<u32> = serde_json::from_value(pair["cpus"].clone()).unwrap();
        assert!(both[0] < both[1] && both.iter().all(|&cpu| cpus.contains(cpu)), "{pair}");
        assert!(matches!(pair["sysfs"].as_str(), Some("separate" | "siblings")), "{pair}");
        match pair["verdict"].as_str() {
            Some("separate" | "siblings") => assert!(pair["score"].is_f64() && pair["slices"].is_u64(), "{pair}"),
            Some("unknown") => assert!(pair["reason"].is_string(), "{pair}"),
            _ => panic!("{pair}"),
        }
        let hidden = pair["verdict"] == "siblings" && pair["sysfs"] == "separate";
        assert_eq!(report["hidden"].as_array().unwrap().contains(&pair["cpus"]), hidden, "{report}");
    }
}

#[test]
fn a_person_gets_text_that_fits_the_terminal() {
    let (_, output) = siblings(2, &[]);
    assert_eq!(output.status.code(), Some(0));
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(!text.is_empty() && text.lines().all(|line| line.len() <= 80), "{text}");
}

#[test]
fn one_cpu_has_no_siblings_to_test() {
    let (cpus, output) = siblings(1, &[]);
    assert_eq!(output.status.code(), Some(0));
    let expected = format!("siblings not tested: this process may only use cpu {cpus}, so there is no pair\n");
    assert_eq!(String::from_utf8(output.stdout).unwrap(), expected);
}
