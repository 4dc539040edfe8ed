//! `knee run --events FILE`: events of the user's own.

use std::process::Command;

fn run(table: &str, counter: &str) -> (Option<i32>, String, String) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("mine.toml");
    std::fs::write(&file, table).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_knee"));
    command.args(["run", "--json", "--counters", counter, "--events"]).arg(&file).args(["--", "true"]);
    let output = command.output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.code(), text(output.stdout), text(output.stderr))
}

const HEAD: &str =
    "name = \"mine\"\ntitle = \"Mine\"\nvendor = \"amd\"\ncpus = [{ family = 25, models = \"0-255\" }]\n";

/// A table of one event.
fn counting(measure: &str) -> String {
    let event = "pmu = \"no_such_pmu\"\nunit = \"cups\"\nmeaning = \"Cups.\"\n\
                 not_counted = \"Tea.\"\nencodings = [{ name = \"CUPS\", code = 1, checked = \"not checked: made up\" }]\n";
    format!("{HEAD}[[event]]\nmeasure = \"{measure}\"\n{event}")
}

/// Why the measure cannot be counted.
fn reason(table: &str, counter: &str) -> String {
    let (status, record, errors) = run(table, counter);
    assert_eq!(status, Some(0), "{errors}");
    let record: serde_json::Value = serde_json::from_str(&record).unwrap();
    record["counters"][counter]["unavailable"].as_str().unwrap().to_owned()
}

#[test]
fn a_measure_of_ones_own_is_asked_for() {
    // It is known, and there is a reason why it cannot be counted: no machine has such a PMU.
    let told = reason(&counting("coffee"), "coffee");
    assert!(told.contains("no_such_pmu"), "{told}");
}

#[test]
fn a_derived_measure_says_what_it_is_made_of_unless_ones_own_table_counts_it() {
    let told = reason(&counting("coffee"), "remote_share");
    assert!(told.contains("computed from") && told.contains("remote_dram"), "{told}");
    let told = reason(&counting("remote_share"), "remote_share");
    assert!(told.contains("no_such_pmu"), "{told}");
}

#[test]
fn a_table_that_cannot_be_read_stops_everything() {
    let (status, record, errors) = run("name = \"mine\"\n[[event]\n", "coffee");
    assert_eq!((status, record.as_str()), (Some(125), ""), "{errors}");
    assert!(errors.contains("mine.toml") && errors.contains("hint: "), "{errors}");
}
