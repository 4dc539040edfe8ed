//! What a process may use: the cpuset of its control group, generation 1 or 2.

use std::path::{Path, PathBuf};

use crate::CpuSet;
use crate::kernel_files::text;

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
/// file system of its own), then generation 2. A group without files of its own has its parent's.
fn folders(root: &Path) -> Vec<PathBuf> {
    let own = text(&root.join("proc/self/cpuset"));
    let groups = text(&root.join("proc/self/cgroup")).unwrap_or_default();
    let group_of = |wanted: &dyn Fn(&str) -> bool| {
        let line = groups.lines().find_map(|line| {
            let (controllers, group) = line.split_once(':')?.1.split_once(':')?;
            wanted(controllers).then(|| group.to_owned())
        });
        line.or_else(|| own.clone())
    };
    let first = group_of(&|controllers| controllers.split(',').any(|name| name == "cpuset"));
    let second = group_of(&str::is_empty);
    let mut found = Vec::new();
    for (top, generation) in mounts(root) {
        let Some(group) = (if generation == 1 { &first } else { &second }) else { continue };
        let own = top.join(group.trim_start_matches('/'));
        found.extend(own.ancestors().take_while(|folder| folder.starts_with(&top)).map(Path::to_path_buf));
    }
    found
}

/// Where cpusets are mounted, with their generation; the usual places if there is no list of mounts.
fn mounts(root: &Path) -> Vec<(PathBuf, u32)> {
    let table = text(&root.join("proc/mounts")).unwrap_or_default();
    let mount = |line: &str| {
        let mut words = line.split(' ').skip(1);
        let (place, kind, options) = (words.next()?, words.next()?, words.next()?);
        let generation = match kind {
            "cpuset" => 1,
            "cgroup" if options.split(',').any(|option| option == "cpuset") => 1,
            "cgroup2" => 2,
            _ => return None,
        };
        Some((root.join(place.trim_start_matches('/')), generation))
    };
    let mut found: Vec<_> = table.lines().filter_map(mount).collect();
    found.sort_by_key(|(_, generation)| *generation);
    if found.is_empty() {
        let usual =
            [("dev/cpuset", 1), ("sys/fs/cgroup/cpuset", 1), ("sys/fs/cgroup", 2), ("sys/fs/cgroup/unified", 2)];
        found.extend(usual.map(|(place, generation)| (root.join(place), generation)));
    }
    found
}
