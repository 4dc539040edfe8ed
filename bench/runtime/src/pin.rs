//! Which cpu a worker runs on.

use std::fs;

use rustix::process::Pid;
use rustix::thread::{CpuSet, sched_setaffinity};

/// Ties the calling thread to the cpu of worker `worker`; does nothing where the list is empty.
pub fn pin_self(cpus: &[usize], worker: usize) {
    pin(None, cpus, worker);
}

/// Ties the process's other threads, in the order of their birth, to the cpus of workers 1, 2, …, `threads - 1`: for a
/// runtime that runs no user code in its threads. Threads born after these (a heartbeat) stay free.
pub fn pin_others(cpus: &[usize], threads: usize) {
    let own = rustix::thread::gettid();
    let tasks = fs::read_dir("/proc/self/task").expect("the list of threads");
    let number = |name: &str| name.parse().ok().and_then(Pid::from_raw);
    let mut others: Vec<Pid> =
        tasks.filter_map(|task| number(task.ok()?.file_name().to_str()?)).filter(|&thread| thread != own).collect();
    others.sort_by_key(|thread| thread.as_raw_nonzero());
    for (thread, worker) in others.into_iter().zip(1..threads) {
        pin(Some(thread), cpus, worker);
    }
}

fn pin(thread: Option<Pid>, cpus: &[usize], worker: usize) {
    if cpus.is_empty() {
        return;
    }
    let mut set = CpuSet::new();
    set.set(cpus[worker % cpus.len()]);
    sched_setaffinity(thread, &set).expect("a cpu that this process may use");
}
