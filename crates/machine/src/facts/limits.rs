//! Limits of control groups, generation 1 and 2: CPU time, memory, threads, and how often the kernel killed for lack of
//! memory.

use std::path::{Path, PathBuf};

use crate::files;

/// CPU time limit of the control group this process is in, in cpus; none where there is no limit.
#[must_use]
pub fn quota_cpus(root: &Path) -> Option<f64> {
    let groups = groups(root);
    // The tightest limit up to the root of a hierarchy: a parent's quota binds its children.
    let limits =
        groups.iter().filter_map(|group| group.chain("cpu").iter().filter_map(|dir| quota(dir)).reduce(f64::min));
    limits.reduce(f64::min)
}

/// A control group that may limit CPU time.
#[derive(Debug, Clone, PartialEq)]
pub struct CpuGroup {
    /// Its folder.
    pub dir: PathBuf,
    /// Its path in its hierarchy, `/` for the top one.
    pub name: String,
    /// Its limit, in cpus; none where it has none of its own.
    pub quota_cpus: Option<f64>,
}

/// The control groups that may limit the CPU time of this process: its own, and then those above it. Groups whose folder
/// this process cannot see are left out. Of the hierarchy that counts periods, where there are two.
#[must_use]
pub fn cpu_groups(root: &Path) -> Vec<CpuGroup> {
    cpu_groups_of(root, "self")
}

/// The same of another process, by its number.
#[must_use]
pub fn cpu_groups_of(root: &Path, process: &str) -> Vec<CpuGroup> {
    let chains = groups_of(root, process).into_iter().map(|group| {
        let dirs = group.chain("cpu").into_iter().filter(|dir| dir.join("cpu.stat").is_file());
        let top = group.top("cpu");
        let name = |dir: &Path| {
            let rest = top.as_ref().and_then(|top| dir.strip_prefix(top).ok());
            format!("/{}", rest.map(Path::to_string_lossy).unwrap_or_default())
        };
        dirs.map(|dir| CpuGroup { name: name(&dir), quota_cpus: quota(&dir), dir }).collect::<Vec<_>>()
    });
    chains.max_by_key(Vec::len).unwrap_or_default()
}

fn quota(dir: &Path) -> Option<f64> {
    if let Ok(text) = files::text(&dir.join("cpu.max")) {
        let (quota, period) = text.trim().split_once(' ')?;
        return Some(quota.parse::<f64>().ok()? / period.parse::<f64>().ok()?);
    }
    let number = |file: &str| files::text(&dir.join(file)).ok()?.trim().parse::<f64>().ok();
    let (quota, period) = (number("cpu.cfs_quota_us")?, number("cpu.cfs_period_us")?);
    (quota > 0.0).then_some(quota / period)
}

/// How many processes the kernel has killed for lack of memory, in the control group this process is in, or on the whole
/// machine where no group counts them; none where the kernel does not say.
#[must_use]
pub fn memory_kills(root: &Path) -> Option<u64> {
    let groups = groups(root);
    let counts = ["memory.events", "memory.oom_control"].map(|file| {
        let mut dirs = groups.iter().flat_map(|group| group.chain("memory"));
        dirs.find_map(|dir| named(&dir.join(file), "oom_kill"))
    });
    counts.into_iter().flatten().next().or_else(|| named(&root.join("proc/vmstat"), "oom_kill"))
}

/// Bytes of memory that the control group of this process and the groups above it may use, whichever has least; none
/// where that is no less than the machine has.
pub(crate) fn memory_limit(root: &Path) -> Option<u64> {
    let limit = |dir: &Path| ["memory.max", "memory.limit_in_bytes"].iter().find_map(|file| number(&dir.join(file)));
    let whole = super::total_memory_bytes(root);
    least(root, "memory", limit).filter(|limit| whole.is_none_or(|whole| *limit < whole))
}

/// Bytes of memory left in the control group of this process or in a group above it, whichever has least. File pages
/// that were not used lately do not count: the kernel drops them first.
pub(crate) fn memory_left(root: &Path) -> Option<u64> {
    least(root, "memory", |dir| {
        let current = number(&dir.join("memory.max")).zip(number(&dir.join("memory.current")));
        let first = || number(&dir.join("memory.limit_in_bytes")).zip(number(&dir.join("memory.usage_in_bytes")));
        let (most, used) = current.or_else(first)?;
        let cached = ["inactive_file", "total_inactive_file"].map(|name| named(&dir.join("memory.stat"), name));
        Some(most.saturating_sub(used.saturating_sub(cached.into_iter().flatten().max().unwrap_or(0))))
    })
}

/// Threads and processes that may still start in the control group of this process and in the groups above it.
pub(crate) fn threads_left(root: &Path) -> Option<u64> {
    least(root, "pids", |dir| Some(number(&dir.join("pids.max"))?.saturating_sub(number(&dir.join("pids.current"))?)))
}

/// The least of what is left in each group.
fn least(root: &Path, controller: &str, left: impl Fn(&Path) -> Option<u64>) -> Option<u64> {
    groups(root).iter().flat_map(|group| group.chain(controller)).filter_map(|dir| left(&dir)).min()
}

fn number(file: &Path) -> Option<u64> {
    files::text(file).ok()?.trim().parse().ok()
}

/// The number after a name, in a file of names and numbers.
fn named(file: &Path, name: &str) -> Option<u64> {
    files::number_after(&files::text(file).ok()?, name)
}

/// A control group of this process: the controllers of its hierarchy (none in generation 2), and its path.
struct Group {
    base: PathBuf,
    controllers: String,
    path: String,
}

impl Group {
    /// The folder of its hierarchy, if that may have this controller.
    fn top(&self, controller: &str) -> Option<PathBuf> {
        match self.controllers.as_str() {
            "" => Some(self.base.clone()),
            list => list.split(',').any(|name| name == controller).then(|| self.base.join(controller)),
        }
    }

    /// Folders of the group and of its parents, where its hierarchy may have this controller.
    fn chain(&self, controller: &str) -> Vec<PathBuf> {
        let Some(top) = self.top(controller) else { return Vec::new() };
        let group = top.join(&self.path);
        group.ancestors().take_while(|dir| dir.starts_with(&top)).map(Path::to_path_buf).collect()
    }
}

fn groups(root: &Path) -> Vec<Group> {
    groups_of(root, "self")
}

fn groups_of(root: &Path, process: &str) -> Vec<Group> {
    let text = files::text(&root.join("proc").join(process).join("cgroup")).unwrap_or_default();
    let groups = text.lines().filter_map(|line| {
        let mut parts = line.splitn(3, ':').skip(1);
        let (controllers, path) = (parts.next()?, parts.next()?);
        let path = path.trim_start_matches('/').to_owned();
        // A group outside of what this container sees has no folder here.
        let visible = !path.split('/').any(|part| part == "..");
        visible.then(|| Group { base: root.join("sys/fs/cgroup"), controllers: controllers.to_owned(), path })
    });
    groups.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn made(files: &[(&str, &str)]) -> tempfile::TempDir {
        let root = tempfile::tempdir().unwrap();
        for (file, text) in files {
            let path = root.path().join(file);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        root
    }

    #[test]
    fn the_group_with_the_least_memory_left_counts_without_its_cache() {
        assert_eq!(memory_left(made(&[]).path()), None);
        let second = made(&[
            ("proc/self/cgroup", "0::/a/b"),
            ("sys/fs/cgroup/a/memory.max", "5000"),
            ("sys/fs/cgroup/a/memory.current", "4900"),
            ("sys/fs/cgroup/a/memory.stat", "anon 100\ninactive_file 3900\nactive_file 900"),
            ("sys/fs/cgroup/a/b/memory.max", "max"),
            ("sys/fs/cgroup/a/b/memory.current", "4900"),
        ]);
        assert_eq!(memory_left(second.path()), Some(4000));
        let first = made(&[
            ("proc/self/cgroup", "7:cpu:/x\n4:memory:/a"),
            ("sys/fs/cgroup/memory/a/memory.limit_in_bytes", "5000"),
            ("sys/fs/cgroup/memory/a/memory.usage_in_bytes", "4000"),
            ("sys/fs/cgroup/memory/a/memory.stat", "inactive_file 100\ntotal_inactive_file 600"),
            ("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712"),
            ("sys/fs/cgroup/memory/memory.usage_in_bytes", "4000"),
        ]);
        assert_eq!(memory_left(first.path()), Some(1600));
    }

    #[test]
    fn another_process_may_be_in_a_group_that_a_container_does_not_see() {
        let root = made(&[
            ("proc/self/cgroup", "0::/"),
            ("proc/7/cgroup", "0::/a"),
            ("proc/8/cgroup", "0::/../b"),
            ("sys/fs/b/cpu.stat", "nr_periods 1"),
            ("sys/fs/cgroup/cpu.stat", "usage_usec 1"),
            ("sys/fs/cgroup/a/cpu.stat", "nr_periods 1"),
        ]);
        let names =
            |process| cpu_groups_of(root.path(), process).into_iter().map(|group| group.name).collect::<Vec<_>>();
        assert_eq!((names("self"), names("7")), (vec!["/".to_owned()], vec!["/a".to_owned(), "/".to_owned()]));
        assert_eq!((names("8"), names("9")), (vec![], vec![]));
    }

    #[test]
    fn threads_that_may_still_start_are_counted() {
        let files = [("sys/fs/cgroup/a/pids.max", "100"), ("sys/fs/cgroup/a/pids.current", "40")];
        let second = made(&[&[("proc/self/cgroup", "0::/a")], &files[..]].concat());
        assert_eq!(threads_left(second.path()), Some(60));
        let files = [("sys/fs/cgroup/pids/a/pids.max", "max"), ("sys/fs/cgroup/pids/a/pids.current", "40")];
        let first = made(&[&[("proc/self/cgroup", "3:pids:/a")], &files[..]].concat());
        assert_eq!(threads_left(first.path()), None);
    }
}
