//! `knee run --events FILE`: events of the user's own.

use std::process::Command;

fn run(table: &str) -> (Option<i32>, String, String) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("mine.toml");
    std::fs::write(&file, table).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_knee"));
    command.args(["run", "--json", "--counters", "coffee", "--events"]).arg(&file).args(["--", "true"]);
    let output = command.output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.code(), text(output.stdout), text(output.stderr))
}

const HEAD: &str =
    "name = \"mine\"\ntitle = \"Mine\"\nvendor = \"amd\"\ncpus = [{ family = 25, models = \"0-255\" }]\n";

#[test]
fn a_measure_of_ones_own_is_asked_for() {
    let event = "[[event]]\nmeasure = \"coffee\"\npmu = \"no_such_pmu\"\nunit = \"cups\"\nmeaning = \"Cups.\"\n\
                 not_counted = \"Tea.\"\nencodings = [{ name = \"CUPS\", code = 1, checked = \"not checked: made up\" }]\n";
    let (status, record, errors) = run(&format!("{HEAD}{event}"));
    assert_eq!(status, Some(0), "{errors}");
    let record: serde_json::Value = serde_json::from_str(&record).unwrap();
    // It is known, and there is a reason why it cannot be counted: no machine has such a PMU.
    let reason = record["counters"]["coffee"]["unavailable"].as_str().unwrap();
    assert!(reason.contains("no_such_pmu"), "{reason}");
}

#[test]
fn a_table_that_cannot_be_read_stops_everything() {
    let (status, record, errors) = run("name = \"mine\"\n[[event]\n");
    assert_eq!((status, record.as_str()), (Some(125), ""), "{errors}");
    assert!(errors.contains("mine.toml") && errors.contains("hint: "), "{errors}");
}
