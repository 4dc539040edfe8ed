//! A note for what had to be skipped, and where captured machines lie.

use std::io::Write;
use std::path::PathBuf;

/// Notes that `test`, or a part of it, was skipped: on standard error, and in the file that `KNEE_SKIPS` names.
pub(crate) fn skipped(test: &str, why: &str) {
    let note = format!("SKIPPED {test}: {why}");
    eprintln!("{note}");
    if let Some(path) = std::env::var_os("KNEE_SKIPS") {
        let file = std::fs::OpenOptions::new().create(true).append(true).open(path);
        file.and_then(|mut file| writeln!(file, "{note}")).expect("the list of skipped tests can be written");
    }
}

/// The folder of captured machines, or none after a note that `test` was skipped.
#[allow(dead_code, reason = "not every test that shares this file reads captured machines")]
pub(crate) fn captures(test: &str) -> Option<PathBuf> {
    let default = || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared");
    let shared = std::env::var_os("KNEE_SHARED").map_or_else(default, PathBuf::from);
    let folder = shared.join("topologies/captures");
    if folder.is_dir() {
        return Some(folder);
    }
    skipped(test, &format!("no {}: set KNEE_SHARED", folder.display()));
    None
}
