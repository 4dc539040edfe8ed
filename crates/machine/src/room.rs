//! How much memory and how many threads this process may still use. Sizes from inputs and options are checked against
//! this before anything is allocated.

use std::mem::MaybeUninit;
use std::path::Path;

use crate::{facts, files};

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
    [available(), facts::memory_left(Path::new("/")), address_space()].into_iter().flatten().min()
}

/// Memory beyond this is compared with what is left: the kernel promises more than it has, and kills a process that uses it.
const LARGE: usize = 256 << 20;

/// How many bytes are left where so many do not fit; none where they do, or nothing is known.
#[must_use]
pub fn too_little_for(bytes: usize) -> Option<u64> {
    (bytes > LARGE).then(memory).flatten().filter(|left| *left < bytes as u64)
}

/// How many bytes are left on a node to which so many are to be bound, where they do not fit; none where they do, or
/// nothing is known. When a node is full, the kernel takes no other one for pages that are bound to it: it kills.
#[must_use]
pub fn too_little_on(node: u32, bytes: usize) -> Option<u64> {
    let text = || files::text(Path::new(&format!("/sys/devices/system/node/node{node}/meminfo"))).ok();
    (bytes > LARGE).then(text).flatten().and_then(|text| left_on(&text)).filter(|left| *left < bytes as u64)
}

/// Bytes that are free on a node, with those that the kernel gives up for it (files, and what it keeps of them), as its
/// `meminfo` says.
fn left_on(meminfo: &str) -> Option<u64> {
    let kilobytes = |name: &str| {
        let line = meminfo.lines().find_map(|line| line.split_once(name).map(|(_, rest)| rest))?;
        line.trim().strip_suffix(" kB")?.parse::<u64>().ok()
    };
    let kept = ["Active(file):", "Inactive(file):", "SReclaimable:"];
    let kept: u64 = kept.iter().filter_map(|name| kilobytes(&format!(" {name}"))).sum();
    Some((kilobytes(" MemFree:")? + kept) << 10)
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
    let number = |file: &str| files::text(Path::new(file)).ok()?.trim().parse::<u64>().ok();
    let limits = [
        ("vm.max_map_count", number("/proc/sys/vm/max_map_count").map(|most| most / MAPPINGS)),
        ("kernel.threads-max", number("/proc/sys/kernel/threads-max")),
        ("pids.max of the control group", facts::threads_left(Path::new("/"))),
        // Root is exempt.
        ("ulimit -u", limit("Max processes").filter(|_| !is_root())),
    ];
    let (most, name) = limits.into_iter().filter_map(|(name, most)| Some((most?, name))).min()?;
    (threads > most).then(|| format!("the kernel allows about {most} ({name})"))
}

fn available() -> Option<u64> {
    kilobytes("/proc/meminfo", "MemAvailable:")
}

/// Address space left below its limit (`ulimit -v`), if there is one.
fn address_space() -> Option<u64> {
    Some(limit("Max address space")?.saturating_sub(kilobytes("/proc/self/status", "VmSize:")?))
}

/// Whether this process acts as root. From a file, like the limits, since a sandbox may forbid the system calls.
fn is_root() -> bool {
    let status = files::text(Path::new("/proc/self/status")).unwrap_or_default();
    // The numbers are the real, effective, saved and file system's user.
    let users = status.lines().find_map(|line| line.strip_prefix("Uid:"));
    users.and_then(|users| users.split_whitespace().nth(1)) == Some("0")
}

/// A limit of this process, by the kernel's name.
fn limit(name: &str) -> Option<u64> {
    let limits = files::text(Path::new("/proc/self/limits")).ok()?;
    let line = limits.lines().find_map(|line| line.strip_prefix(name))?;
    line.split_whitespace().next()?.parse().ok()
}

fn kilobytes(file: &str, name: &str) -> Option<u64> {
    let text = files::text(Path::new(file)).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    Some(line.trim().strip_suffix(" kB")?.parse::<u64>().ok()? << 10)
}

/// Bytes that an allocation needs to be mapped by itself, and free bytes that are kept; glibc takes no more for the first.
#[cfg(target_env = "gnu")]
const KEPT: (libc::c_int, libc::c_int) = (32 << 20, 64 << 20);

/// Has the allocator keep buffers of some megabytes that are freed, since the next ones are as large. Otherwise the kernel
/// takes them back and clears new pages for each.
pub fn keep_buffers() {
    #[cfg(target_env = "gnu")]
    // SAFETY: both only change when memory is asked of the kernel.
    unsafe {
        libc::mallopt(libc::M_MMAP_THRESHOLD, KEPT.0);
        libc::mallopt(libc::M_TRIM_THRESHOLD, KEPT.1);
    }
}

/// Asks the kernel for huge pages in a buffer, since each small one costs a page fault. It does nothing where the kernel
/// has none.
pub fn huge_pages(buffer: &mut [MaybeUninit<u8>]) {
    let (page, begin) = (rustix::param::page_size(), buffer.as_ptr() as usize);
    let skipped = begin.next_multiple_of(page) - begin;
    let Some(whole) = buffer.get_mut(skipped..) else { return };
    let bytes = whole.len() / page * page;
    // SAFETY: whole pages of a buffer that nobody else uses meanwhile. The advice keeps what is in them.
    unsafe { libc::madvise(whole.as_mut_ptr().cast(), bytes, libc::MADV_HUGEPAGE) };
}

/// Gives the kernel all memory back that [`keep_buffers`] kept.
pub fn give_back() {
    #[cfg(target_env = "gnu")]
    // SAFETY: it only touches memory that is free.
    unsafe {
        libc::malloc_trim(0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_on_a_node_is_what_is_free_and_what_files_have() {
        let meminfo = "Node 1 MemTotal:       4096 kB\nNode 1 MemFree:        1024 kB\nNode 1 Active(file):     10 kB\n\
                       Node 1 Inactive(file):   20 kB\nNode 1 Active:         4000 kB\nNode 1 SReclaimable:      5 kB\n";
        assert_eq!(left_on(meminfo), Some(1059 << 10));
        assert_eq!(left_on("Node 1 MemTotal: 4096 kB\n"), None);
        assert_eq!(too_little_on(0, 1 << 20), None, "little always fits");
        assert!(!Path::new("/sys/devices/system/node/node0").exists() || too_little_on(0, usize::MAX).is_some());
    }

    #[test]
    fn a_few_threads_fit_and_a_million_do_not() {
        assert_eq!(too_many(8), None);
        assert!(too_many(100_000_000).is_some());
        assert!(memory().is_some_and(|bytes| bytes > 1 << 20));
    }
}
