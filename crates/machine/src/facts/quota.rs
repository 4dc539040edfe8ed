//! CPU time limits of control groups, generation 1 and 2.

use std::path::Path;

use crate::files;

/// CPU time limit of the control group this process is in, in cpus; none where there is no limit.
#[must_use]
pub fn quota_cpus(root: &Path) -> Option<f64> {
    let groups = files::text(&root.join("proc/self/cgroup")).ok()?;
    let limits = groups.lines().filter_map(|line| {
        let mut parts = line.splitn(3, ':').skip(1);
        let (controllers, path) = (parts.next()?, parts.next()?);
        quota_of(root, controllers, path.trim_start_matches('/'))
    });
    limits.reduce(f64::min)
}

/// The tightest limit from a group up to the root of its hierarchy: a parent's quota binds its children.
fn quota_of(root: &Path, controllers: &str, path: &str) -> Option<f64> {
    let base = root.join("sys/fs/cgroup");
    let read = |dir: &Path| -> Option<f64> {
        if controllers.is_empty() {
            let text = files::text(&dir.join("cpu.max")).ok()?;
            let (quota, period) = text.trim().split_once(' ')?;
            return Some(quota.parse::<f64>().ok()? / period.parse::<f64>().ok()?);
        }
        let number = |file: &str| files::text(&dir.join(file)).ok()?.trim().parse::<f64>().ok();
        let (quota, period) = (number("cpu.cfs_quota_us")?, number("cpu.cfs_period_us")?);
        (quota > 0.0).then_some(quota / period)
    };
    let top = match controllers {
        "" => base,
        list if list.split(',').any(|name| name == "cpu") => base.join("cpu"),
        _ => return None,
    };
    let group = top.join(path);
    let chain = group.ancestors().take_while(|dir| dir.starts_with(&top));
    chain.filter_map(read).reduce(f64::min)
}
