//! Phases of built-in workloads, run by the real binary: they lie inside the run, one after the other, on the clock of the
//! samples.

mod shared;

use serde_json::{Value, json};
use shared::{hand, knee};

fn number(value: &Value, field: &str) -> u64 {
    value[field].as_u64().unwrap_or_else(|| panic!("no {field}: {value}"))
}

/// Time, source, name and value of every sample.
fn samples(path: &std::path::Path) -> Vec<(u64, String, String, u64)> {
    let text = std::process::Command::new("gzip").arg("-dc").arg(path).output().unwrap().stdout;
    let line = |line: &str| {
        let [t_ns, source, name, value] = line.split(',').collect::<Vec<_>>()[..] else { panic!("{line}") };
        (t_ns.parse().unwrap(), source.to_owned(), name.to_owned(), value.parse().unwrap())
    };
    String::from_utf8(text).unwrap().lines().skip(1).map(line).collect()
}

#[test]
fn samples_inside_a_phase_show_its_work() {
    let folder = tempfile::tempdir().unwrap();
    let program = json!({ "workload": "mine", "args": { "graph": "rmat:13", "pattern": "diamond", "repeat": "100" } });
    let spec = json!({ "schema": 1, "id": "1", "program": program, "threads": 2, "sample_ms": 5 });
    let record = shared::json(&hand(knee().args(["run", "--stdin", "--samples"]).arg(folder.path()), &[&spec]));
    let phases = record["phases"].as_array().unwrap();
    let names: Vec<_> = phases.iter().map(|phase| phase["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["load", "prepare", "match"], "{record}");
    let mut before = 0;
    for phase in phases {
        let [begin, end] = ["begin_ns", "end_ns"].map(|field| number(phase, field));
        assert!(begin >= before && end - begin == number(phase, "wall_ns"), "{record}");
        before = end;
    }
    assert!(number(&phases[0], "begin_ns") > 0 && before <= number(&record, "wall_ns"), "{record}");
    // What the threads computed from the first sample of the phase to its last, against what the phase itself says.
    let (begin, end) = (number(&phases[2], "begin_ns"), number(&phases[2], "end_ns"));
    let all = samples(&folder.path().join("1.csv.gz"));
    let cpu = |t: u64| -> u64 {
        let latest = |thread: &Value| {
            let source = format!("thread:{}", thread["tid"]);
            let mut of_thread =
                all.iter().filter(|(at, from, name, _)| *at <= t && *from == source && name == "cpu_ns");
            of_thread.next_back().map_or(0, |(.., value)| *value)
        };
        record["observed_threads"].as_array().unwrap().iter().map(latest).sum()
    };
    let inside = cpu(end) - cpu(begin);
    let spent = number(&phases[2], "cpu_ns");
    assert!(spent > 100_000_000, "long enough to be seen: {record}");
    assert!(inside > spent / 2 && inside < spent + spent / 2, "{inside} of {spent}: {record}");
}
