//! The process tree below knee: signalled, killed and reaped as a whole.

use std::time::{Duration, Instant};

use knee_machine::sys;
use knee_meter::descendants;
use rustix::io::Errno;
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, getpgid, getpid, kill_process, set_child_subreaper, waitid};

use crate::error::Failure;

/// Time after which a killed process that still exists will not end.
const PATIENCE: Duration = Duration::from_secs(2);

/// From here on, processes whose parent ends become our children instead of init's.
pub(crate) fn adopt_orphans() {
    // Fails only on kernels before 3.4; then orphans are out of reach.
    let _ = set_child_subreaper(Some(getpid()));
}

/// Refuses to run if this process has other children (of a shell that was replaced): they would be measured with the
/// program, and ended after it.
pub(crate) fn refuse_others() -> Result<(), Failure> {
    match below().len() {
        0 => Ok(()),
        count => {
            let what = if count == 1 { "a process" } else { "processes" };
            let failure =
                Failure::new(format!("knee replaced (exec) a shell that still has {what} knee did not start"));
            Err(failure.hint("start them in a subshell, as in `(server &)`, or start knee without `exec`"))
        }
    }
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

/// The same but for the processes of this process group.
pub(crate) fn signal_outside(group: Pid, signal: Signal) {
    for pid in below().into_iter().filter(|pid| getpgid(Some(*pid)) != Ok(group)) {
        let _ = kill_process(pid, signal);
    }
}

/// Whether the kernel holds any process below us stopped.
pub(crate) fn any_stopped() -> bool {
    below().into_iter().any(is_stopped)
}

/// Whether the kernel holds this process stopped.
pub(crate) fn is_stopped(pid: Pid) -> bool {
    let stat = std::fs::read(format!("/proc/{}/stat", pid.as_raw_nonzero())).unwrap_or_default();
    // The kernel cuts a name after 15 bytes, perhaps inside a letter.
    String::from_utf8_lossy(&stat).rsplit(')').next().is_some_and(|rest| rest.trim_start().starts_with('T'))
}

/// Time for processes that end by themselves after the program has: `tee` behind a pipe, what Python keeps to clean up.
const ENDING: Duration = Duration::from_millis(200);

/// Time for those that are then asked to end.
const GRACE: Duration = Duration::from_millis(200);

/// Time between two looks.
const LOOK: Duration = Duration::from_millis(1);

/// The processes that were left below us.
#[derive(Debug, Clone, Default)]
pub(crate) struct Left {
    /// Living processes there were.
    pub(crate) living: usize,
    /// Largest resident set among those and the ended ones.
    pub(crate) max_rss_bytes: u64,
    /// Processes that still exist, and why; none if there are none.
    pub(crate) not_ended: Option<String>,
}

/// Lets the processes below us end by themselves for a moment, asks the rest to end, and kills those that have not.
/// `wait` waits for so long, or less, and says whether that was interrupted: then all are killed at once.
pub(crate) fn let_end(mut wait: impl FnMut(Duration) -> bool) -> Left {
    let mut max_rss_bytes = until_none(ENDING, &mut wait);
    let living = below().len();
    if living > 0 {
        signal_all(Signal::TERM);
        max_rss_bytes = max_rss_bytes.max(until_none(GRACE, &mut wait));
    }
    let left = end_all();
    Left { living, max_rss_bytes: left.max_rss_bytes.max(max_rss_bytes), ..left }
}

/// Reaps until no process is left below us, or so much time has passed. Returns the largest resident set.
fn until_none(most: Duration, wait: &mut impl FnMut(Duration) -> bool) -> u64 {
    let begin = Instant::now();
    let mut max_rss_bytes = reap_all();
    while !below().is_empty() && begin.elapsed() < most && !wait(LOOK) {
        max_rss_bytes = max_rss_bytes.max(reap_all());
    }
    max_rss_bytes
}

/// Kills until no process is left below us, or no other can be killed.
pub(crate) fn end_all() -> Left {
    let mut max_rss_bytes = reap_all();
    let living = below().len();
    let begin = Instant::now();
    let mut refused = false;
    while !below().is_empty() && !refused && begin.elapsed() < PATIENCE {
        refused = below().into_iter().all(|pid| kill_process(pid, Signal::KILL) == Err(Errno::PERM));
        max_rss_bytes = max_rss_bytes.max(reap_all());
        std::thread::sleep(Duration::from_micros(200));
    }
    Left { living, max_rss_bytes, not_ended: not_ended(refused) }
}

fn not_ended(refused: bool) -> Option<String> {
    let why = if refused { "this user may not kill it" } else { "killed, but still running" };
    match below().len() {
        0 if has_children() => Some("processes hidden in /proc".into()),
        0 => None,
        count => Some(format!("{count} of its processes ({why})")),
    }
}

/// Asks the kernel, which works even without `/proc`.
fn has_children() -> bool {
    let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
    waitid(WaitId::All, options).is_ok()
}

/// Reaps what has ended below us beside the program, whose end its watcher wants to see: of processes that have lost
/// their parents we are the new one, as init would be, and until we reap them they count against the user's limits.
/// Returns the largest resident set.
pub(crate) fn reap_orphans(program: Pid) -> u64 {
    let program = program.as_raw_nonzero().get();
    let orphan = || sys::ended_child().filter(|pid| *pid != program).and_then(|pid| sys::reap(Some(pid)));
    std::iter::from_fn(orphan).map(|ended| ended.max_rss_bytes).max().unwrap_or(0)
}

fn reap_all() -> u64 {
    std::iter::from_fn(|| sys::reap(None)).map(|ended| ended.max_rss_bytes).max().unwrap_or(0)
}
