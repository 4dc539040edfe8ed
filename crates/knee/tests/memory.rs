//! `knee memory` from the command line.

use std::process::{Command, Output, Stdio};
use std::time::Duration;

mod shared;

fn knee(words: &[&str]) -> Output {
    let folder = tempfile::tempdir().unwrap();
    shared::knee().arg("memory").args(words).current_dir(folder.path()).output().unwrap()
}

fn errors(words: &[&str]) -> String {
    let output = knee(words);
    assert_eq!(output.status.code(), Some(2), "{words:?}");
    assert!(output.stdout.is_empty());
    String::from_utf8(output.stderr).unwrap()
}

#[test]
fn a_probe_prints_figures_as_json() {
    let output = knee(&["latency", "--size", "64K", "--page=base", "--quick", "--json", "--out", "kept.json"]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(String::from_utf8_lossy(&output.stderr).ends_with("wrote kept.json\n"), "said beside JSON, too");
    let found: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let figures = found["figures"].as_array().unwrap();
    assert_eq!(figures.len(), 1);
    let figure = &figures[0];
    assert_eq!((&figure["at"]["bytes"], &figure["unit"]), (&"65536".into(), &"ns".into()));
    assert!(figure["value"].as_f64().is_some_and(|ns| ns > 0.1 && ns < 1000.0), "{figure}");
    assert!(figure["validity"]["own_share"].as_f64().is_some_and(|share| share > 0.0), "{figure}");
    assert_eq!(figure["memory"]["huge"], 0.0);
}

#[test]
fn an_interrupted_sweep_keeps_what_was_measured_and_replaces_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("all.json");
    let interrupted = || {
        let mut words = Command::new(env!("CARGO_BIN_EXE_knee"));
        words.args(["memory", "--out"]).arg(&file).current_dir(folder.path());
        let running = words.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        // By then some are measured; the whole takes minutes.
        std::thread::sleep(Duration::from_secs(4));
        let told = Command::new("kill").args(["-INT", &running.id().to_string()]).status().unwrap();
        assert!(told.success());
        let output = running.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(130), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stderr).unwrap()
    };
    assert!(interrupted().ends_with(&format!("wrote {}\n", file.display())));
    let kept = std::fs::read(&file).unwrap();
    let found: serde_json::Value = serde_json::from_slice(&kept).unwrap();
    assert!(!found["figures"].as_array().unwrap().is_empty());
    assert!(found["unavailable"].as_object().unwrap().values().any(|why| why == "interrupted before its end"));
    assert!(interrupted().ends_with(&format!("interrupted: {} stays as it was\n", file.display())));
    assert_eq!(std::fs::read(&file).unwrap(), kept);
}

#[test]
fn a_sweep_is_kept_where_it_is_asked_to_be() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("smt.json");
    let output = knee(&["smt", "--quick", "--out", file.to_str().unwrap()]);
    assert!(output.status.success());
    assert!(String::from_utf8_lossy(&output.stderr).ends_with(&format!("wrote {}\n", file.display())));
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("smt rate, additions/ns") && text.lines().all(|line| line.chars().count() <= 80), "{text}");
    let kept: serde_json::Value = serde_json::from_slice(&std::fs::read(file).unwrap()).unwrap();
    let rate = |work: &str| {
        let mut figures = kept["figures"].as_array().unwrap().iter();
        figures.find(|figure| figure["at"]["work"] == work).and_then(|figure| figure["value"].as_f64()).unwrap()
    };
    assert!(rate("independent") > rate("chain"), "a core adds more than one number in a cycle");
}

/// As in a container, whose filter of system calls forbids policies of memory.
#[test]
fn only_memory_on_a_given_node_needs_leave_to_be_bound() {
    let folder = tempfile::tempdir().unwrap();
    let test = "memory without policies";
    let Some(refuse) = shared::in_c(test, "cc", "refuse.c", &[], folder.path()) else { return };
    let refused = |words: &[&str]| {
        let mut command = Command::new(&refuse);
        command.args(["memory", env!("CARGO_BIN_EXE_knee")]).args(words);
        command.current_dir(folder.path()).output().unwrap()
    };
    for probe in ["latency", "bandwidth", "loaded", "random", "allocate"] {
        let words = ["memory", probe, "--size", "1M", "--quick", "--page", "base"];
        let output = refused(&words);
        assert!(output.status.success(), "{probe}: {}", String::from_utf8_lossy(&output.stderr));
    }
    assert!(refused(&["memory", "core-to-core", "--quick"]).status.success());
    let output = refused(&["memory", "latency", "--size", "64K", "--quick", "--page", "base", "--node", "0"]);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("cannot put on node 0 65536 bytes: Operation not permitted"), "{said}");
    assert!(said.contains("\nhint: docker run --cap-add SYS_NICE\n"), "{said}");
}

#[test]
fn more_lines_than_can_be_named_are_refused_before_memory_is_written() {
    let said = errors(&["latency", "--size", "32G", "--stride", "8", "--quick"]);
    assert!(said.contains("knee: bad argument: size 32G: at most 2^32 - 1 lines\n"), "{said}");
    assert!(said.contains("hint: give a smaller size or a larger stride"), "{said}");
}

#[test]
fn mistakes_are_named() {
    let unknown = errors(&["latencies"]);
    assert!(unknown.starts_with("knee: unknown probe 'latencies'; expected latency, bandwidth"), "{unknown}");
    assert!(unknown.contains("hint: did you mean latency?"), "{unknown}");
    let size = errors(&["latency", "--size", "many"]);
    assert!(size.starts_with("knee: bad size 'many'; "), "{size}");
    let kernel = errors(&["bandwidth", "--kernel", "swap"]);
    assert!(kernel.contains("; expected read, write, "), "{kernel}");
    let node = errors(&["latency", "--size", "64K", "--node", "900", "--quick"]);
    assert!(node.contains("cannot put on node 900"), "{node}");
    for (out, reason) in [("missing/x.json", "folder does not exist"), (".", "is a folder")] {
        let kept = errors(&["--quick", "--out", out]);
        assert_eq!(kept, format!("knee: cannot write {out}: {reason}\n\nhint: choose another file with --out FILE\n"));
    }
    let argument = errors(&["smt", "--size", "1G"]);
    assert!(argument.contains("unknown argument 'size'"), "{argument}");
    let stride = errors(&["sequential", "--stride", "64", "--loop", "wide", "--size", "64K", "--quick"]);
    assert!(stride.contains("stride '64': the wide loop reads every number"), "{stride}");
    let readers = errors(&["random", "--readers", "quarters", "--size", "64K", "--quick"]);
    assert!(readers.contains("readers 'quarters': it goes with --owners all"), "{readers}");
}
