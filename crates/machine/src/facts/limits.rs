//! Limits of control groups, generation 1 and 2: CPU time, and how often the kernel killed for lack of memory.

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
        dirs.find_map(|dir| count(&dir.join(file)))
    });
    counts.into_iter().flatten().next().or_else(|| count(&root.join("proc/vmstat")))
}

/// The count of `oom_kill` in a file of names and numbers.
fn count(file: &Path) -> Option<u64> {
    let text = files::text(file).ok()?;
    text.lines().find_map(|line| line.strip_prefix("oom_kill ")?.trim().parse().ok())
}

/// A control group of this process: the controllers of its hierarchy (none in generation 2), and its path.
struct Group {
    base: PathBuf,
    controllers: String,
    path: String,
}

impl Group {
    /// Folders of the group and of its parents, where its hierarchy may have this controller.
    fn chain(&self, controller: &str) -> Vec<PathBuf> {
        let top = match self.controllers.as_str() {
            "" => self.base.clone(),
            list if list.split(',').any(|name| name == controller) => self.base.join(controller),
            _ => return Vec::new(),
        };
        let group = top.join(&self.path);
        group.ancestors().take_while(|dir| dir.starts_with(&top)).map(Path::to_path_buf).collect()
    }
}

fn groups(root: &Path) -> Vec<Group> {
    let text = files::text(&root.join("proc/self/cgroup")).unwrap_or_default();
    let groups = text.lines().filter_map(|line| {
        let mut parts = line.splitn(3, ':').skip(1);
        let (controllers, path) = (parts.next()?, parts.next()?);
        let path = path.trim_start_matches('/').to_owned();
        Some(Group { base: root.join("sys/fs/cgroup"), controllers: controllers.to_owned(), path })
    });
    groups.collect()
}
