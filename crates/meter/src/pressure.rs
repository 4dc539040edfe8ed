//! Pressure stall information (PSI): for how long tasks waited for cpus, disks and memory during a run.

use std::io;
use std::path::{Path, PathBuf};

use knee_machine::facts::cpu_groups;
use knee_machine::files;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// For how long tasks waited during a run, or why it is not known.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Pressure {
    /// Times over the run. They include everything else that is in `of`.
    Known {
        /// Whose tasks: `machine`, or the path of the program's control group.
        of: String,
        /// Waits for a cpu.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        cpu: Option<Stall>,
        /// Waits for input and output.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        io: Option<Stall>,
        /// Waits for memory: reclaim, swap, and pages that were thrown out and are read again.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        memory: Option<Stall>,
    },
    /// There are no times.
    Unavailable {
        /// The reason.
        unavailable: String,
    },
}

/// For how long tasks waited for one thing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Stall {
    /// Time in which at least one task waited.
    pub some_us: u64,
    /// Time in which all that were not idle waited; absent where the kernel does not count it (cpu before Linux 5.13).
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub full_us: Option<u64>,
}

/// The times when a run begins.
#[derive(Debug)]
pub struct PressureBefore {
    source: Source,
    before: [io::Result<Stall>; 3],
}

#[derive(Debug)]
struct Source {
    of: String,
    files: [PathBuf; 3],
}

impl PressureBefore {
    /// The times now: of this process's control group, or of the whole machine where that has none of its own.
    #[must_use]
    pub fn take(root: &Path) -> Self {
        let source = Source::under(root);
        Self { before: source.read(), source }
    }

    /// What has been added since.
    #[must_use]
    pub fn since(self) -> Pressure {
        let reason = self.before[0].as_ref().err().map(|error| format!("{}: {error}", self.source.files[0].display()));
        let mut now = self.source.read().into_iter();
        let [cpu, io, memory] = self
            .before
            .map(|before| now.next().and_then(Result::ok).zip(before.ok()).map(|(now, then)| now.less(then)));
        if let (None, None, None) = (cpu, io, memory) {
            let reason = reason.unwrap_or_else(|| "it could be read before the run, and not after it".into());
            let unavailable = format!("no pressure stall information (CONFIG_PSI, psi=1): {reason}");
            return Pressure::Unavailable { unavailable };
        }
        Pressure::Known { of: self.source.of, cpu, io, memory }
    }
}

impl Source {
    fn under(root: &Path) -> Self {
        let own = cpu_groups(root).into_iter().next().filter(|group| group.name != "/");
        let of_group = |dir: &Path| ["cpu", "io", "memory"].map(|name| dir.join(format!("{name}.pressure")));
        let own = own.map(|group| (group.name, of_group(&group.dir))).filter(|(_, files)| stall(&files[0]).is_ok());
        let machine = || ["cpu", "io", "memory"].map(|name| root.join("proc/pressure").join(name));
        let (of, files) = own.unwrap_or_else(|| ("machine".into(), machine()));
        Self { of, files }
    }

    fn read(&self) -> [io::Result<Stall>; 3] {
        self.files.each_ref().map(|file| stall(file))
    }
}

impl Stall {
    fn less(self, before: Self) -> Self {
        let full_us = self.full_us.zip(before.full_us).map(|(now, then)| now.saturating_sub(then));
        Self { some_us: self.some_us.saturating_sub(before.some_us), full_us }
    }
}

fn stall(file: &Path) -> io::Result<Stall> {
    let text = files::text(file)?;
    let total = |kind: &str| -> Option<u64> {
        let line = text.lines().find_map(|line| line.strip_prefix(kind)?.strip_prefix(' '))?;
        line.split(' ').find_map(|word| word.strip_prefix("total="))?.trim().parse().ok()
    };
    let some_us = total("some").ok_or_else(|| io::Error::new(io::ErrorKind::InvalidData, "it has no total of some"))?;
    Ok(Stall { some_us, full_us: total("full") })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(root: &Path, files: &[(&str, &str)]) {
        for (file, text) in files {
            let path = root.join(file);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
    }

    /// What was added between two states of the files.
    fn added(before: &[(&str, &str)], after: &[(&str, &str)]) -> Pressure {
        let root = tempfile::tempdir().unwrap();
        write(root.path(), before);
        let taken = PressureBefore::take(root.path());
        write(root.path(), after);
        taken.since()
    }

    const CPU: &str =
        "some avg10=1.50 avg60=0.00 avg300=0.00 total=1000\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=7\n";
    const LATER: &str =
        "some avg10=1.50 avg60=0.00 avg300=0.00 total=1500\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=9\n";
    const OLD: &str = "some avg10=1.50 avg60=0.00 avg300=0.00 total=40\n";

    #[test]
    fn the_own_group_counts_where_it_has_files() {
        let group = [("proc/self/cgroup", "0::/a\n"), ("sys/fs/cgroup/a/cpu.stat", "usage_usec 1\n")];
        let own = [("sys/fs/cgroup/a/cpu.pressure", CPU), ("sys/fs/cgroup/a/memory.pressure", OLD)];
        let machine = [("proc/pressure/cpu", OLD)];
        let stall = Stall { some_us: 500, full_us: Some(2) };
        let still = Stall { some_us: 0, full_us: None };
        let found = added(&[&group[..], &own, &machine].concat(), &[("sys/fs/cgroup/a/cpu.pressure", LATER)]);
        assert_eq!(found, Pressure::Known { of: "/a".into(), cpu: Some(stall), io: None, memory: Some(still) });
        let found = added(&[&group[..], &machine].concat(), &[]);
        assert_eq!(found, Pressure::Known { of: "machine".into(), cpu: Some(still), io: None, memory: None });
    }

    #[test]
    fn without_files_there_is_a_reason() {
        for files in [&[][..], &[("proc/pressure/cpu", "")], &[("proc/pressure/cpu", "some total=-3\n")]] {
            let Pressure::Unavailable { unavailable } = added(files, &[]) else { panic!("{files:?}") };
            assert!(unavailable.contains("proc/pressure/cpu: "), "{unavailable}");
        }
        let Pressure::Unavailable { unavailable } = added(&[("proc/pressure/cpu", CPU)], &[("proc/pressure/cpu", "")])
        else {
            panic!()
        };
        assert!(unavailable.contains("not after it"), "{unavailable}");
    }
}
