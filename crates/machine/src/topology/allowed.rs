//! What a process may use: the cpuset of its control group, whichever generation of control groups the machine has.

use std::path::{Path, PathBuf};

use super::sysfs::text;
use crate::CpuSet;

/// Cpus and memory nodes of the cpuset that the process under `root` is in; none of either where nothing limits it or
/// nothing can be read.
pub(super) fn cpuset(root: &Path) -> (Option<CpuSet>, Option<CpuSet>) {
    let folders = folders(root);
    let read = |names: &[&str]| {
        let files = folders.iter().flat_map(|folder| names.iter().map(move |name| folder.join(name)));
        files.filter_map(|file| text(&file)).find_map(|text| {
            let set: CpuSet = text.parse().ok()?;
            (!set.is_empty()).then_some(set)
        })
    };
    let cpus = read(&["cpuset.cpus.effective", "cpuset.effective_cpus", "cpuset.cpus", "cpus"]);
    let nodes = read(&["cpuset.mems.effective", "cpuset.effective_mems", "cpuset.mems", "mems"]);
    (cpus, nodes)
}

/// Folders that may describe the cpuset, the closest first: generation 1 (`cpuset` among the controllers, or the old
/// file system of its own under `/dev/cpuset`), then generation 2. A group without files of its own has its parent's.
fn folders(root: &Path) -> Vec<PathBuf> {
    let groups = text(&root.join("proc/self/cgroup")).unwrap_or_default();
    let mut found = Vec::new();
    let mut add = |top: PathBuf, group: &str| {
        let own = top.join(group.trim().trim_start_matches('/'));
        found.extend(own.ancestors().take_while(|folder| folder.starts_with(&top)).map(Path::to_path_buf));
    };
    if let Some(group) = text(&root.join("proc/self/cpuset")) {
        add(root.join("dev/cpuset"), &group);
    }
    for line in groups.lines() {
        let mut parts = line.splitn(3, ':').skip(1);
        let (Some(controllers), Some(group)) = (parts.next(), parts.next()) else { continue };
        if controllers.split(',').any(|name| name == "cpuset") {
            add(root.join("sys/fs/cgroup/cpuset"), group);
        } else if controllers.is_empty() {
            add(root.join("sys/fs/cgroup"), group);
            add(root.join("sys/fs/cgroup/unified"), group);
        }
    }
    found
}
