//! CPU bandwidth control: how often a control group's quota was used up during a run, and for how long its threads were
//! then kept off the cpus.

use std::path::Path;

use knee_machine::facts::{CpuGroup, cpu_groups_of};
use knee_machine::files;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What quotas did to a run, or why it is not known.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Throttling {
    /// Counts over the run. They include everything else in the same group.
    Known {
        /// The launcher's group, in which the program begins; for a container the outermost one that it can see.
        own: GroupThrottling,
        /// The group above it with the smallest quota; absent where none above has one.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        above: Option<GroupThrottling>,
        /// Another group, into which the program was put; absent where samples show none.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        program: Option<ThrottledProgram>,
    },
    /// There are no counts of the launcher's group.
    Unavailable {
        /// The reason.
        unavailable: String,
        /// Another group, into which the program was put; absent where samples show none.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        program: Option<ThrottledProgram>,
    },
}

impl Throttling {
    /// The same with the group into which the program was put.
    #[must_use]
    pub fn and_program(mut self, found: Option<ThrottledProgram>) -> Self {
        let (Self::Known { program, .. } | Self::Unavailable { program, .. }) = &mut self;
        *program = found;
        self
    }
}

/// A group into which the program was put, with counts from the sample that found it there. Of several such groups the
/// one that was throttled longest.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ThrottledProgram {
    /// The group.
    #[serde(flatten)]
    pub group: GroupThrottling,
    /// The group above it with the smallest quota, perhaps also above the launcher's; absent where none above has one.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub above: Option<GroupThrottling>,
}

impl ThrottledProgram {
    /// For how long the program was kept off the cpus: a quota above it throttles it, too.
    pub(crate) fn throttled_ns(&self) -> u64 {
        self.above.as_ref().map_or(0, |above| above.throttled_ns).max(self.group.throttled_ns)
    }
}

/// What the quota of one group did over a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct GroupThrottling {
    /// The group's path in its hierarchy.
    pub group: String,
    /// Its quota in cpus; absent where it has none, and then it is never throttled.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    #[schemars(range(min = 0.0))]
    pub quota_cpus: Option<f64>,
    /// Periods in which some thread of it wanted to run.
    pub nr_periods: u64,
    /// Periods in which it used up its quota.
    pub nr_throttled: u64,
    /// Time it was kept off a cpu, all cpus together.
    pub throttled_ns: u64,
}

/// The counts when a run begins.
#[derive(Debug)]
pub struct ThrottlingBefore(Vec<(CpuGroup, Counts)>);

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Counts {
    periods: u64,
    throttled: u64,
    throttled_ns: u64,
}

impl ThrottlingBefore {
    /// The counts now.
    #[must_use]
    pub fn take(root: &Path) -> Self {
        Self::of(root, "self")
    }

    /// The counts now, of the groups of another process.
    pub(crate) fn of(root: &Path, process: &str) -> Self {
        let counted = |group: CpuGroup| Counts::of(&group.dir).map(|counts| (group, counts));
        Self(cpu_groups_of(root, process).into_iter().filter_map(counted).collect())
    }

    /// What has been added since.
    #[must_use]
    pub fn since(&self) -> Throttling {
        match self.added() {
            Some(ThrottledProgram { group, above }) => Throttling::Known { own: group, above, program: None },
            None => Throttling::Unavailable {
                unavailable: "no control group of this process counts periods (cpu.stat): the cpu controller is off, or not mounted"
                    .into(),
                program: None,
            },
        }
    }

    /// The folder of the group itself, if any counts.
    pub(crate) fn group(&self) -> Option<&Path> {
        self.0.first().map(|(group, _)| group.dir.as_path())
    }

    /// The group itself and the tightest above; none where no group counts, or the group has gone.
    pub(crate) fn added(&self) -> Option<ThrottledProgram> {
        let mut groups = self.0.iter().map(|(group, before)| {
            let now = Counts::of(&group.dir)?;
            Some(GroupThrottling {
                group: group.name.clone(),
                quota_cpus: group.quota_cpus,
                nr_periods: now.periods.saturating_sub(before.periods),
                nr_throttled: now.throttled.saturating_sub(before.throttled),
                throttled_ns: now.throttled_ns.saturating_sub(before.throttled_ns),
            })
        });
        let group = groups.next()??;
        let above = groups.flatten().filter_map(|group| Some((group.quota_cpus?, group)));
        let above = above.min_by(|(one, _), (other, _)| one.total_cmp(other)).map(|(_, group)| group);
        Some(ThrottledProgram { group, above })
    }
}

impl Counts {
    /// None where the group does not count, as the top one of generation 2.
    fn of(dir: &Path) -> Option<Self> {
        let text = files::text(&dir.join("cpu.stat")).ok()?;
        let named = |name: &str| files::number_after(&text, name);
        let throttled_ns = named("throttled_usec").map(|time| time.saturating_mul(1000)).or(named("throttled_time"));
        Some(Self { periods: named("nr_periods")?, throttled: named("nr_throttled")?, throttled_ns: throttled_ns? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A root with these files.
    fn made(files: &[(&str, &str)]) -> tempfile::TempDir {
        let root = tempfile::tempdir().unwrap();
        write(root.path(), files);
        root
    }

    fn write(root: &Path, files: &[(&str, &str)]) {
        for (file, text) in files {
            let path = root.join(file);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
    }

    fn group(name: &str, quota_cpus: Option<f64>, counts: (u64, u64, u64)) -> GroupThrottling {
        let (nr_periods, nr_throttled, throttled_ns) = counts;
        GroupThrottling { group: name.into(), quota_cpus, nr_periods, nr_throttled, throttled_ns }
    }

    #[test]
    fn generation_2_counts_the_own_group_and_the_tightest_above() {
        let root = made(&[
            ("proc/self/cgroup", "0::/a/b/c\n"),
            ("sys/fs/cgroup/cpu.stat", "usage_usec 9\n"),
            ("sys/fs/cgroup/a/cpu.max", "50000 100000\n"),
            ("sys/fs/cgroup/a/cpu.stat", "usage_usec 9\nnr_periods 100\nnr_throttled 10\nthrottled_usec 5000\n"),
            ("sys/fs/cgroup/a/b/cpu.max", "200000 100000\n"),
            ("sys/fs/cgroup/a/b/cpu.stat", "nr_periods 1\nnr_throttled 1\nthrottled_usec 1\n"),
            ("sys/fs/cgroup/a/b/c/cpu.max", "max 100000\n"),
            ("sys/fs/cgroup/a/b/c/cpu.stat", "nr_periods 0\nnr_throttled 0\nthrottled_usec 0\nnr_bursts 3\n"),
        ]);
        let before = ThrottlingBefore::take(root.path());
        write(
            root.path(),
            &[("sys/fs/cgroup/a/cpu.stat", "usage_usec 99\nnr_periods 140\nnr_throttled 30\nthrottled_usec 6500\n")],
        );
        let (own, above) = (group("/a/b/c", None, (0, 0, 0)), group("/a", Some(0.5), (40, 20, 1_500_000)));
        assert_eq!(before.since(), Throttling::Known { own, above: Some(above), program: None });
    }

    #[test]
    fn generation_1_counts_nanoseconds() {
        let stat = "sys/fs/cgroup/cpu/x/cpu.stat";
        let root = made(&[
            ("proc/self/cgroup", "4:memory:/a\n3:cpu:/x\n0::/\n"),
            ("sys/fs/cgroup/cpu/x/cpu.cfs_quota_us", "150000"),
            ("sys/fs/cgroup/cpu/x/cpu.cfs_period_us", "100000"),
            ("sys/fs/cgroup/cpu/cpu.stat", "nr_periods 0\nnr_throttled 0\nthrottled_time 0\n"),
            (stat, "nr_periods 7\nnr_throttled 3\nthrottled_time 1000\n"),
        ]);
        let before = ThrottlingBefore::take(root.path());
        write(root.path(), &[(stat, "nr_periods 9\nnr_throttled 4\nthrottled_time 4321\n")]);
        let own = group("/x", Some(1.5), (2, 1, 3321));
        assert_eq!(before.since(), Throttling::Known { own, above: None, program: None });
    }

    #[test]
    fn without_a_group_that_counts_there_is_a_reason() {
        for files in [
            &[][..],
            &[("proc/self/cgroup", "0::/\n"), ("sys/fs/cgroup/cpu.stat", "usage_usec 5\n")],
            &[("proc/self/cgroup", "0::/a\n"), ("sys/fs/cgroup/a/cpu.stat", "nr_periods x\nnr_throttled -1\n")],
        ] {
            let found = ThrottlingBefore::take(made(files).path()).since();
            assert!(matches!(found, Throttling::Unavailable { .. }), "{found:?}");
        }
    }
}
