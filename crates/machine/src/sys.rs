//! System calls: the only room of this crate with `unsafe`.

mod allocator;
mod foreign;
mod mapping;
mod signals;

use std::io;
use std::os::unix::process::CommandExt;
use std::process::Command;
use std::time::Duration;

use rustix::process::Signal;

use crate::memory::{MemoryPolicy, Policy};
use crate::{CpuSet, Error};

pub use self::allocator::{OrExit, out_of_memory};
pub use self::foreign::{MOST_SPANS, read_process};
pub use self::mapping::Mapping;
pub use self::signals::{SignalTimer, ignores};

/// Cpus an affinity mask can hold here: more than any kernel numbers (`CONFIG_NR_CPUS` is at most 8192).
const MASK_CPUS: u32 = 1 << 16;
/// Nodes a policy mask can hold: the kernel's own limit (`CONFIG_NODES_SHIFT` = 10).
const MASK_NODES: usize = 1024;
/// Moves pages that no other process maps. In the kernel's ABI and not in libc's list.
const MPOL_MF_MOVE: libc::c_int = 1 << 1;
const BITS: usize = libc::c_ulong::BITS as usize;

/// An affinity mask of any width; rustix's holds 1024 cpus.
type Mask = Vec<libc::c_ulong>;

/// The cpus that the calling thread may run on.
#[must_use]
pub fn affinity() -> CpuSet {
    affinity_of(0).unwrap_or_default()
}

/// The cpus that a thread may run on; 0 is the calling one.
///
/// # Errors
/// The kernel's, when there is no such thread.
pub fn affinity_of(tid: i32) -> io::Result<CpuSet> {
    let mut mask: Mask = vec![0; MASK_CPUS as usize / BITS];
    // SAFETY: the pointer is to `size_of_val(mask)` bytes that live through the call, which writes at most so many.
    let length =
        unsafe { libc::syscall(libc::SYS_sched_getaffinity, tid, size_of_val(mask.as_slice()), mask.as_mut_ptr()) };
    // The kernel's mask has this many bytes; the rest of ours has no meaning.
    let Ok(bytes) = u32::try_from(length) else { return Err(io::Error::last_os_error()) };
    let set = |cpu: &u32| mask[*cpu as usize / BITS] >> (*cpu as usize % BITS) & 1 == 1;
    Ok((0..(bytes * 8).min(MASK_CPUS)).filter(set).collect())
}

/// The nodes that the calling process may have pages on, by its cpuset; none where the kernel does not say.
#[must_use]
pub fn memory_nodes() -> Option<CpuSet> {
    let text = std::fs::read_to_string("/proc/self/status").ok()?;
    text.lines().find_map(|line| line.strip_prefix("Mems_allowed_list:"))?.trim().parse().ok()
}

/// Pins the calling thread to `cpus`.
///
/// # Errors
/// The kernel's, when none of them is allowed.
pub fn pin(cpus: &[u32]) -> io::Result<()> {
    pin_thread(0, cpus)
}

/// Pins a thread of any process of this user to `cpus`; 0 is the calling one.
///
/// # Errors
/// The kernel's: the thread is gone, it is not ours, none of the cpus is allowed.
pub fn pin_thread(tid: i32, cpus: &[u32]) -> io::Result<()> {
    set_affinity(tid, &mask(cpus)?)
}

fn set_affinity(tid: i32, mask: &[libc::c_ulong]) -> io::Result<()> {
    // SAFETY: the pointer is to `size_of_val(mask)` bytes that live through the call, which only reads them.
    let done = unsafe { libc::syscall(libc::SYS_sched_setaffinity, tid, size_of_val(mask), mask.as_ptr()) };
    if done == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

fn mask(cpus: &[u32]) -> io::Result<Mask> {
    let highest = cpus.iter().max().copied().unwrap_or(0);
    if highest >= MASK_CPUS {
        let error = Error::CpuList { text: highest.to_string(), reason: format!("beyond cpu {}", MASK_CPUS - 1) };
        return Err(io::Error::new(io::ErrorKind::InvalidInput, error));
    }
    let mut mask: Mask = vec![0; highest as usize / BITS + 1];
    for &cpu in cpus {
        mask[cpu as usize / BITS] |= 1 << (cpu as usize % BITS);
    }
    Ok(mask)
}

/// Makes `command` start with SIGINT held back, until it lets that in: just before exec, since the standard library lets
/// all signals in before.
pub fn hold_interrupts(command: &mut Command) {
    let hook = || {
        // SAFETY: an all-zero set is a valid one, and all three calls get pointers to it, or a null pointer for what is not
        // asked for. Blocking a signal runs no code of ours.
        let failed = unsafe {
            let mut interrupts: libc::sigset_t = std::mem::zeroed();
            libc::sigemptyset(&raw mut interrupts);
            libc::sigaddset(&raw mut interrupts, libc::SIGINT);
            libc::pthread_sigmask(libc::SIG_BLOCK, &raw const interrupts, std::ptr::null_mut())
        };
        if failed == 0 { Ok(()) } else { Err(io::Error::from_raw_os_error(failed)) }
    };
    // SAFETY: the hook makes one system call on memory of its own; it neither allocates nor locks.
    unsafe { command.pre_exec(hook) };
}

/// Makes `command` start pinned and with a memory policy: both are set between fork and exec. The kernel kills it when
/// the thread that spawned it ends.
///
/// # Errors
/// When a cpu or node is too large for a mask.
pub fn place_on_exec(command: &mut Command, cpus: &[u32], memory: Option<&MemoryPolicy>) -> io::Result<()> {
    let mask = if cpus.is_empty() { None } else { Some(mask(cpus)?) };
    let policy = memory.map(raw_policy).transpose()?;
    let hook = move || {
        rustix::process::set_parent_process_death_signal(Some(Signal::KILL))?;
        if let Some(mask) = &mask {
            set_affinity(0, mask)?;
        }
        if let Some((mode, nodes)) = &policy {
            set_mempolicy(*mode, nodes)?;
        }
        Ok(())
    };
    // SAFETY: between fork and exec only async-signal-safe work is allowed. The hook makes three system calls on
    // memory that was allocated before the fork; it neither allocates nor locks.
    unsafe { command.pre_exec(hook) };
    Ok(())
}

type NodeMask = [libc::c_ulong; MASK_NODES / 64];

fn raw_policy(memory: &MemoryPolicy) -> io::Result<(libc::c_int, NodeMask)> {
    let mut nodes: NodeMask = [0; MASK_NODES / 64];
    for node in memory.nodes.iter().map(|node| node as usize) {
        let word = nodes.get_mut(node / 64).ok_or_else(|| io::Error::other(format!("node {node} is too large")))?;
        *word |= 1 << (node % 64);
    }
    // MPOL_LOCAL (4) and MPOL_WEIGHTED_INTERLEAVE (6) are in the kernel's ABI and not in libc's list.
    let mode = match memory.policy {
        Policy::Local => 4,
        Policy::WeightedInterleave => 6,
        Policy::Bind => libc::MPOL_BIND,
        Policy::Interleave => libc::MPOL_INTERLEAVE,
        Policy::Preferred => libc::MPOL_PREFERRED,
    };
    Ok((mode, nodes))
}

fn set_mempolicy(mode: libc::c_int, nodes: &NodeMask) -> io::Result<()> {
    let empty = nodes.iter().all(|word| *word == 0);
    let (pointer, bits) = if empty { (std::ptr::null(), 0) } else { (nodes.as_ptr(), MASK_NODES + 1) };
    // SAFETY: `pointer` is null with 0 bits, or points to MASK_NODES bits that live through the call (the kernel reads
    // one bit less than the number says). The call changes only the policy of this thread.
    let done = unsafe { libc::syscall(libc::SYS_set_mempolicy, mode, pointer, bits) };
    if done == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// Tests whether the kernel accepts this policy, by setting it for the calling thread and then the default again.
///
/// # Errors
/// The kernel's: a node that does not exist, or a container that forbids the call.
pub fn try_memory_policy(memory: &MemoryPolicy) -> io::Result<()> {
    let (mode, nodes) = raw_policy(memory)?;
    set_mempolicy(mode, &nodes)?;
    set_mempolicy(libc::MPOL_DEFAULT, &[0; MASK_NODES / 64])
}

/// Sets the memory policy of a region of this process, which places pages at their first touch. Pages that were touched
/// before stay.
///
/// # Errors
/// The kernel's: no such node, one that is not allowed, or a region that is not mapped or does not begin at a page.
pub fn bind_region(start: usize, bytes: usize, memory: &MemoryPolicy) -> io::Result<()> {
    let (mode, nodes) = raw_policy(memory)?;
    let no_flags: libc::c_uint = 0;
    // SAFETY: the node mask has MASK_NODES bits that live through the call, which changes where pages will be, and none of
    // their contents; the kernel refuses addresses that are not this process's.
    let done = unsafe { libc::syscall(libc::SYS_mbind, start, bytes, mode, nodes.as_ptr(), MASK_NODES + 1, no_flags) };
    if done == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// Where the pages of a region of this process lie: one entry for each page from `start` on, none for a page that was
/// never touched (or is the shared zero page). Nothing is read through the address: one that is not mapped has no nodes.
///
/// # Errors
/// The kernel's: built without NUMA support, or a container forbids the call.
pub fn nodes_of_pages(start: usize, bytes: usize) -> io::Result<Vec<Option<u32>>> {
    let page = rustix::param::page_size();
    let first = start / page * page;
    let pages: Vec<*const libc::c_void> =
        (first..start + bytes).step_by(page).map(|at| at as *const libc::c_void).collect();
    let mut status: Vec<libc::c_int> = vec![-libc::ENOENT; pages.len()];
    let (no_nodes, no_flags): (*const libc::c_int, libc::c_int) = (std::ptr::null(), 0);
    // SAFETY: both arrays have as many entries as the call's count says and live through it. Without target nodes the
    // call moves nothing: it writes the node of each page, or a negative error number, into `status`.
    let done = unsafe {
        libc::syscall(libc::SYS_move_pages, 0, pages.len(), pages.as_ptr(), no_nodes, status.as_mut_ptr(), no_flags)
    };
    if done != 0 {
        return Err(io::Error::last_os_error());
    }
    Ok(status.into_iter().map(|node| u32::try_from(node).ok()).collect())
}

/// Moves the pages of a region that only this process maps to a node. Untouched pages stay untouched; some pages may
/// not move, as [`nodes_of_pages`] shows.
///
/// # Errors
/// The kernel's: no such node, one that is not allowed, a kernel without NUMA support.
pub fn move_region(start: usize, bytes: usize, node: u32) -> io::Result<()> {
    let page = rustix::param::page_size();
    let first = start / page * page;
    let pages: Vec<*const libc::c_void> =
        (first..start + bytes).step_by(page).map(|at| at as *const libc::c_void).collect();
    let to = libc::c_int::try_from(node).map_err(|_| io::Error::from(io::ErrorKind::InvalidInput))?;
    let nodes = vec![to; pages.len()];
    let mut status: Vec<libc::c_int> = vec![0; pages.len()];
    // SAFETY: all three arrays have as many entries as the call's count says and live through it. Where a page lies
    // changes none of its contents.
    let done = unsafe {
        libc::syscall(
            libc::SYS_move_pages,
            0,
            pages.len(),
            pages.as_ptr(),
            nodes.as_ptr(),
            status.as_mut_ptr(),
            MPOL_MF_MOVE,
        )
    };
    // A positive number counts pages that stayed.
    if done >= 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// A child that has ended.
#[derive(Debug, Clone, Copy)]
pub struct Ended {
    /// Its process id.
    pub pid: i32,
    /// How it ended.
    pub status: std::process::ExitStatus,
    /// Largest resident set of it and of the children that it had waited for.
    pub max_rss_bytes: u64,
}

/// The number of a child that has ended and was not reaped yet; none if there is none.
#[must_use]
pub fn ended_child() -> Option<i32> {
    let options = libc::WEXITED | libc::WNOHANG | libc::WNOWAIT;
    let mut info = std::mem::MaybeUninit::<libc::siginfo_t>::zeroed();
    // SAFETY: the pointer is to a whole object that lives through the call, and all zeroes are a valid one, so it may be
    // read whether or not the call wrote it. Of children, the kernel writes the member that `si_pid` reads.
    let (done, pid) = unsafe {
        let done = libc::waitid(libc::P_ALL, 0, info.as_mut_ptr(), options);
        (done, info.assume_init().si_pid())
    };
    (done == 0 && pid > 0).then_some(pid)
}

/// Reaps an ended child: this one, or any with `None`. None when none has ended yet, or there is none.
#[must_use]
pub fn reap(pid: Option<i32>) -> Option<Ended> {
    let mut status = 0;
    let mut usage = std::mem::MaybeUninit::<libc::rusage>::zeroed();
    // SAFETY: both pointers are to whole objects that live through the call, and all zeroes are a valid rusage, so it
    // may be read whether or not the call wrote it.
    let (ended, usage) = unsafe {
        let ended = libc::wait4(pid.unwrap_or(-1), &raw mut status, libc::WNOHANG, usage.as_mut_ptr());
        (ended, usage.assume_init())
    };
    let max_rss_bytes = u64::try_from(usage.ru_maxrss).unwrap_or(0) * 1024;
    let status = std::os::unix::process::ExitStatusExt::from_raw(status);
    (ended > 0).then_some(Ended { pid: ended, status, max_rss_bytes })
}

/// Resources that processes used.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Usage {
    /// CPU time outside the kernel.
    pub user: Duration,
    /// CPU time inside the kernel.
    pub system: Duration,
    /// Page faults that needed no disk.
    pub minor_faults: u64,
    /// Page faults that did.
    pub major_faults: u64,
    /// Times one gave up its cpu.
    pub voluntary_switches: u64,
    /// Times one lost its cpu.
    pub involuntary_switches: u64,
}

/// The resources that all reaped children of this process used together, with the children that they had waited for.
#[must_use]
pub fn children_usage() -> Usage {
    usage_of(libc::RUSAGE_CHILDREN)
}

/// The resources that this process has used, all its threads.
#[must_use]
pub fn own_usage() -> Usage {
    usage_of(libc::RUSAGE_SELF)
}

fn usage_of(who: libc::c_int) -> Usage {
    let mut raw = std::mem::MaybeUninit::<libc::rusage>::zeroed();
    // SAFETY: the pointer is to a whole rusage that lives through the call, and all zeroes are a valid rusage, so it
    // may be read even if the call had failed (it cannot: both arguments are valid).
    let raw = unsafe {
        libc::getrusage(who, raw.as_mut_ptr());
        raw.assume_init()
    };
    let count = |number: libc::c_long| u64::try_from(number).unwrap_or(0);
    let time = |value: libc::timeval| {
        Duration::from_secs(u64::try_from(value.tv_sec).unwrap_or(0))
            + Duration::from_micros(u64::try_from(value.tv_usec).unwrap_or(0))
    };
    Usage {
        user: time(raw.ru_utime),
        system: time(raw.ru_stime),
        minor_faults: count(raw.ru_minflt),
        major_faults: count(raw.ru_majflt),
        voluntary_switches: count(raw.ru_nvcsw),
        involuntary_switches: count(raw.ru_nivcsw),
    }
}
