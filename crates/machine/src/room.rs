//! How much memory and how many threads this process may still use. Sizes from inputs and options are checked against
//! this before anything is allocated.

use std::fs;
use std::path::Path;

/// Address space of one Rust thread, in bytes: its stack, its guard pages and its signal stack.
const STACK: u64 = (2 << 20) + (256 << 10);
/// Memory mappings of one thread: its stack, its signal stack, and a guard for each.
const MAPPINGS: u64 = 4;
/// Stacks may use one part in `SHARES` of the address space. The allocator reserves 64 MiB for each of many threads,
/// and a thread that gets a stack but no signal stack ends the process.
const SHARES: u64 = 2;

/// Bytes of memory that this process can still allocate: what the machine has available, within the limits of the
/// control group and of the address space. None if nothing is known.
#[must_use]
pub fn memory() -> Option<u64> {
    [available(), in_group(Path::new("/")), address_space()].into_iter().flatten().min()
}

/// The reason why this many threads cannot be started; none if there is no such reason.
#[must_use]
pub fn too_many(threads: usize) -> Option<String> {
    let (threads, mib) = (threads as u64, |bytes: u64| bytes >> 20);
    let stacks = threads.saturating_mul(STACK);
    if let Some(space) = address_space().filter(|space| stacks > space / SHARES) {
        let left = format!("{} MiB of address space are left (ulimit -v)", mib(space));
        let most = space / SHARES / STACK;
        return Some(format!("their stacks need {} MiB, but only {left}, enough for {most} threads", mib(stacks)));
    }
    let number = |file: &str| fs::read_to_string(file).ok()?.trim().parse::<u64>().ok();
    let mappings = number("/proc/sys/vm/max_map_count").map(|most| ("vm.max_map_count", most / MAPPINGS));
    let tasks = number("/proc/sys/kernel/threads-max").map(|most| ("kernel.threads-max", most));
    let (name, most) = [mappings, tasks].into_iter().flatten().find(|(_, most)| threads > *most)?;
    Some(format!("the kernel allows about {most} ({name})"))
}

fn available() -> Option<u64> {
    kilobytes(&fs::read_to_string("/proc/meminfo").ok()?, "MemAvailable:")
}

/// Address space left below its limit (`ulimit -v`), if there is one.
fn address_space() -> Option<u64> {
    // A file, since a sandbox may forbid the system call.
    let limits = fs::read_to_string("/proc/self/limits").ok()?;
    let line = limits.lines().find_map(|line| line.strip_prefix("Max address space"))?;
    let limit: u64 = line.split_whitespace().next()?.parse().ok()?;
    let used = kilobytes(&fs::read_to_string("/proc/self/status").ok()?, "VmSize:")?;
    Some(limit.saturating_sub(used))
}

fn kilobytes(text: &str, name: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    Some(line.trim().strip_suffix(" kB")?.parse::<u64>().ok()? << 10)
}

/// Memory left in the control group (generation 2) of this process or in a group above it, whichever has least.
fn in_group(root: &Path) -> Option<u64> {
    let groups = fs::read_to_string(root.join("proc/self/cgroup")).ok()?;
    let path = groups.lines().find_map(|line| line.strip_prefix("0::/"))?;
    let top = root.join("sys/fs/cgroup");
    let left = |folder: &Path| {
        let number = |file: &str| fs::read_to_string(folder.join(file)).ok()?.trim().parse::<u64>().ok();
        Some(number("memory.max")?.saturating_sub(number("memory.current")?))
    };
    top.join(path).ancestors().take_while(|folder| folder.starts_with(&top)).filter_map(left).min()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tightest_limit_of_the_control_groups_counts() {
        let root = tempfile::tempdir().unwrap();
        let write = |file: &str, text: &str| {
            let path = root.path().join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        assert_eq!(in_group(root.path()), None);
        write("proc/self/cgroup", "0::/a/b\n");
        write("sys/fs/cgroup/a/memory.max", "5000\n");
        write("sys/fs/cgroup/a/memory.current", "1000\n");
        write("sys/fs/cgroup/a/b/memory.max", "max\n");
        write("sys/fs/cgroup/a/b/memory.current", "1000\n");
        assert_eq!(in_group(root.path()), Some(4000));
    }

    #[test]
    fn a_few_threads_fit_and_a_million_do_not() {
        assert_eq!(too_many(8), None);
        assert!(too_many(100_000_000).is_some());
        assert!(memory().is_some_and(|bytes| bytes > 1 << 20));
    }
}
