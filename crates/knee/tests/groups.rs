//! Control groups of generation 1 on this machine: a record made inside one agrees with the kernel. Generation 2, and
//! machines with several nodes, are proven in the emulator (`ci/numa-vm.sh`).

#[path = "../../machine/tests/shared/mod.rs"]
#[allow(dead_code, reason = "this test skips by itself and reads no shared data")]
mod shared;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::{Value, json};

/// A control group that is gone when the test is over.
struct Group(PathBuf);

impl Group {
    fn make(test: &str, controller: &str, settings: &[(&str, &str)]) -> Option<Self> {
        let folder = Path::new("/sys/fs/cgroup").join(controller).join(format!("knee-{}-{test}", std::process::id()));
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

    /// How knee ends inside.
    fn done(&self, words: &[&str]) -> Output {
        let join = format!("echo $$ > {}/cgroup.procs; exec \"$@\"", self.0.display());
        Command::new("sh").args(["-c", &join, "sh", env!("CARGO_BIN_EXE_knee")]).args(words).output().unwrap()
    }

    /// What knee prints from inside.
    fn knee(&self, words: &[&str]) -> Value {
        let done = self.done(words);
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
    let own = &record["cgroup"]["own"];
    assert_eq!(
        (own["group"].as_str().map(|name| name.ends_with("a_quota_is_seen")), &own["quota_cpus"]),
        (Some(true), &json!(0.5))
    );
    let [periods, throttled, ns] =
        ["nr_periods", "nr_throttled", "throttled_ns"].map(|name| own[name].as_u64().unwrap());
    assert!(throttled > 0 && throttled <= periods && ns > 10_000_000, "{own}");
}

#[test]
fn a_program_that_puts_itself_into_another_group_is_counted_there() {
    let settings = [("cpu.cfs_period_us", "100000"), ("cpu.cfs_quota_us", "50000")];
    let test = "a_program_that_puts_itself_into_another_group_is_counted_there";
    let Some(group) = Group::make(test, "cpu", &settings) else { return };
    let busy = "i=0; while [ $i -lt 400000 ]; do i=$((i+1)); done";
    let program = format!("echo $$ > {}/cgroup.procs; {busy}", group.0.display());
    let knee = Command::new(env!("CARGO_BIN_EXE_knee")).args(["run", "--json", "--", "sh", "-c", &program]).output();
    let record: Value = serde_json::from_slice(&knee.unwrap().stdout).unwrap();
    let found = &record["cgroup"]["program"];
    let name = |group: &Value| group["group"].as_str().is_some_and(|name| name.ends_with(test));
    assert!(name(found) && !name(&record["cgroup"]["own"]), "{record}");
    assert_eq!(found["quota_cpus"], json!(0.5));
    let [periods, throttled, ns] =
        ["nr_periods", "nr_throttled", "throttled_ns"].map(|name| found[name].as_u64().unwrap());
    assert!(throttled > 0 && throttled <= periods && ns > 10_000_000, "{found}");
}

#[test]
fn a_quota_below_the_threads_is_said() {
    let settings = [("cpu.cfs_period_us", "100000"), ("cpu.cfs_quota_us", "150000")];
    let Some(group) = Group::make("a_quota_below_the_threads_is_said", "cpu", &settings) else { return };
    let said = "knee: the control group limits CPU time to 1.5 cpus";
    for (threads, expected) in [("2", true), ("1", false)] {
        let done = group.done(&["run", "-n", threads, "--", "true"]);
        assert_eq!(String::from_utf8_lossy(&done.stderr).contains(said), expected, "{done:?}");
    }
}

#[test]
fn a_program_that_the_kernel_kills_for_lack_of_memory_is_told_from_others() {
    let test = "a_program_that_the_kernel_kills_for_lack_of_memory_is_told_from_others";
    let Some(group) = Group::make(test, "memory", &[("memory.limit_in_bytes", "64M")]) else { return };
    // It keeps the last line, which does not end.
    let record = group.knee(&["run", "--json", "--", "sh", "-c", "exec tail -n 1 /dev/zero"]);
    assert_eq!(record["exit"], json!({ "signal": 9, "memory_kills": 1 }));
    let record = group.knee(&["run", "--json", "--", "sh", "-c", "kill -9 $$"]);
    assert_eq!(record["exit"], json!({ "signal": 9 }));
}
