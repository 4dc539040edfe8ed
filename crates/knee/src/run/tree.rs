//! The process tree below us: signalled whole, ended whole, reaped whole.

use std::time::Duration;

use knee_machine::sys;
use knee_meter::descendants;
use rustix::process::{Pid, Signal, getpid, kill_process, set_child_subreaper};

/// From here on, processes whose parent ends become our children instead of init's.
pub(crate) fn adopt_orphans() {
    // Fails only on kernels before 3.4; then orphans are out of reach, as they were for everybody.
    let _ = set_child_subreaper(Some(getpid()));
}

fn below() -> Vec<Pid> {
    descendants(getpid().as_raw_nonzero().get()).into_iter().filter_map(Pid::from_raw).collect()
}

/// Sends a signal to every process below us.
pub(crate) fn signal_all(signal: Signal) {
    for pid in below() {
        let _ = kill_process(pid, signal);
    }
}

/// What was left below us.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Left {
    /// Living processes there were.
    pub(crate) living: usize,
    /// Largest resident set among those and the ended ones.
    pub(crate) max_rss_bytes: u64,
}

/// Kills until nothing is left below us.
pub(crate) fn end_all() -> Left {
    let mut max_rss_bytes = reap_all();
    let living = below().len();
    while !below().is_empty() {
        signal_all(Signal::KILL);
        max_rss_bytes = max_rss_bytes.max(reap_all());
        std::thread::sleep(Duration::from_micros(200));
    }
    Left { living, max_rss_bytes }
}

fn reap_all() -> u64 {
    std::iter::from_fn(|| sys::reap(None)).map(|ended| ended.max_rss_bytes).max().unwrap_or(0)
}
