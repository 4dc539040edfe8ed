//! Control groups of generation 1 on this machine: a record made inside one agrees with the kernel. Generation 2, and
//! machines with several nodes, are proven in the emulator (`ci/numa-vm.sh`).

#[path = "../../machine/tests/shared/mod.rs"]
#[allow(dead_code, reason = "this test skips by itself and reads no shared data")]
mod shared;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

/// A control group that is gone when the test is over.
struct Group(PathBuf);

impl Group {
    fn make(test: &str, controller: &str, settings: &[(&str, &str)]) -> Option<Self> {
        let folder = Path::new("/sys/fs/cgroup").join(controller).join(format!("knee-{}", std::process::id()));
        let made = fs::create_dir(&folder);
        let group = Self(folder);
        let set = made.and_then(|()| settings.iter().try_for_each(|(file, text)| fs::write(group.0.join(file), text)));
        match set {
            Ok(()) => Some(group),
            Err(error) => {
                shared::skipped(test, &format!("{}: {error}", group.0.display()));
                None
            }
        }
    }

    /// What knee prints from inside.
    fn knee(&self, words: &[&str]) -> Value {
        let join = format!("echo $$ > {}/cgroup.procs; exec \"$@\"", self.0.display());
        let done =
            Command::new("sh").args(["-c", &join, "sh", env!("CARGO_BIN_EXE_knee")]).args(words).output().unwrap();
        serde_json::from_slice(&done.stdout).unwrap_or_else(|_| panic!("{}", String::from_utf8_lossy(&done.stderr)))
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        let _ = fs::remove_dir(&self.0);
    }
}

#[test]
fn a_cpuset_holds_the_run_and_the_record_says_so() {
    let settings = [("cpuset.cpus", "0"), ("cpuset.mems", "0")];
    let Some(group) = Group::make("a_cpuset_holds_the_run_and_the_record_says_so", "cpuset", &settings) else { return };
    let machine = group.knee(&["machine", "--json"]);
    assert_eq!((&machine["allowed"]["cpus"], &machine["allowed"]["nodes"]), (&json!([0]), &json!([0])));
    let busy = "i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done";
    let record = group.knee(&["run", "--json", "-p", "cores-close", "--bind", "each", "--", "sh", "-c", busy]);
    assert_eq!(record["exit"], json!({ "code": 0 }));
    assert_eq!(record["observed_threads"][0]["affinity"], json!([0]));
}

#[test]
fn a_quota_is_seen() {
    let settings = [("cpu.cfs_period_us", "100000"), ("cpu.cfs_quota_us", "50000")];
    let Some(group) = Group::make("a_quota_is_seen", "cpu", &settings) else { return };
    assert_eq!(group.knee(&["machine", "--json"])["allowed"]["quota_cpus"], json!(0.5));
    let busy = "i=0; while [ $i -lt 400000 ]; do i=$((i+1)); done";
    let record = group.knee(&["run", "--json", "-n", "1", "--", "sh", "-c", busy]);
    let share = record["validity"]["own_share"].as_f64().unwrap();
    assert!(share < 0.75, "half a cpu is all it gets: {record}");
}
