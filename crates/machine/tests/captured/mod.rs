//! Captured machines, read as XML or unpacked as files.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use knee_machine::Topology;
use serde_json::Value;
use tempfile::TempDir;

/// What is known of each machine, by name.
pub(crate) fn expected(topologies: &Path) -> BTreeMap<String, Value> {
    let text = std::fs::read_to_string(topologies.join("expected.json")).unwrap();
    serde_json::from_str(&text).unwrap()
}

/// The machine from hwloc's XML.
pub(crate) fn from_xml(topologies: &Path, expected: &Value) -> Topology {
    Topology::from_input(topologies.join(expected["file"].as_str().unwrap()).to_str().unwrap()).unwrap()
}

/// Files that no reader looks at: half of a capture.
const UNREAD: [&str; 9] = [
    "*/device-tree/*",
    "*/ways_of_associativity",
    "*/number_of_sets",
    "*/coherency_line_size",
    "*/physical_line_partition",
    "*/acpi_cppc/*",
    "*/hugepages/*",
    "*/uevent",
    "*/*_policy",
];

/// Unpacks a capture and reads it; the folder goes away with the first part.
pub(crate) fn from_files(topologies: &Path, name: &str) -> (TempDir, Topology) {
    // In memory if possible: a capture is thousands of small files.
    let memory = Path::new("/dev/shm");
    let unpacked = if memory.is_dir() { TempDir::new_in(memory) } else { TempDir::new() }.unwrap();
    let archive = topologies.join("captures").join(format!("{name}.tar.bz2"));
    let unread = UNREAD.iter().map(|pattern| format!("--exclude={pattern}"));
    let done =
        Command::new("tar").args(unread).arg("-xjf").arg(archive).arg("-C").arg(unpacked.path()).status().unwrap();
    assert!(done.success(), "tar unpacks {name}");
    let topology = Topology::from_sysfs(&unpacked.path().join(name)).unwrap();
    (unpacked, topology)
}
