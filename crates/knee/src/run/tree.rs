//! The process tree below us: signalled whole, ended whole, reaped whole.

use std::time::Duration;

use knee_meter::descendants;
use rustix::process::{Pid, Signal, WaitOptions, getpid, kill_process, set_child_subreaper, wait};

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

/// Kills until nothing is left below us, and returns how many living processes there were at first.
pub(crate) fn end_all() -> usize {
    reap();
    let first = below().len();
    while !below().is_empty() {
        signal_all(Signal::KILL);
        reap();
        std::thread::sleep(Duration::from_micros(200));
    }
    first
}

fn reap() {
    while let Ok(Some(_)) = wait(WaitOptions::NOHANG) {}
}
