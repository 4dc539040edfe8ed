//! Finds test data that is not part of the project: captured machines and real graphs. Without it a test is skipped,
//! with a note on standard error and in the file that `KNEE_SKIPS` names.

use std::io::Write;
use std::path::PathBuf;

/// The folder `name` of the shared data, or none after a note that `test` was skipped.
pub(crate) fn folder(test: &str, name: &str) -> Option<PathBuf> {
    let default = || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared");
    let shared = std::env::var_os("KNEE_SHARED").map_or_else(default, PathBuf::from);
    let folder = shared.join(name);
    if folder.is_dir() {
        return Some(folder);
    }
    skipped(test, &format!("no {}: set KNEE_SHARED", folder.display()));
    None
}

/// Notes that `test`, or a part of it, was skipped.
#[allow(dead_code, reason = "not every test that shares this file skips by itself")]
pub(crate) fn skipped(test: &str, why: &str) {
    let note = format!("SKIPPED {test}: {why}");
    eprintln!("{note}");
    if let Some(path) = std::env::var_os("KNEE_SKIPS") {
        let file = std::fs::OpenOptions::new().create(true).append(true).open(path);
        // In one write: other tests write there as well.
        file.and_then(|mut file| file.write_all(format!("{note}\n").as_bytes()))
            .expect("the list of skipped tests can be written");
    }
}
