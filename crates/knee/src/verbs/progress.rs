//! A line on a terminal that says how far a long run is. Short runs, pipes and files never see it.

use std::io::{IsTerminal, Write, stderr};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use knee_workload::{Passes, Phases, Progress};

/// Nothing is shown before, so that most runs show nothing.
const LONG: Duration = Duration::from_secs(2);
const EACH: Duration = Duration::from_millis(500);
/// Back to the start of the line, and clear it.
const AGAIN: &str = "\r\x1b[K";

static PASSES: Passes = Passes::none();
/// The phase that is under way.
static PHASE: Mutex<String> = Mutex::new(String::new());

/// What workloads tell their passes.
pub(super) fn progress() -> Progress {
    Progress::to(&PASSES)
}

/// Phases that the line shows, and that are regions where this command is measured.
pub(super) fn phases() -> Phases {
    fn begins(name: &str) {
        PASSES.forget();
        name.clone_into(&mut PHASE.lock().unwrap_or_else(PoisonError::into_inner));
        knee_region::begin(name);
    }
    Phases::default().telling(begins, knee_region::end)
}

/// The line. It is removed when this is dropped.
#[derive(Debug)]
pub(super) struct Line(Option<(Sender<()>, JoinHandle<()>)>);

impl Line {
    /// Shows it from now on, where standard error is a terminal that can.
    pub(super) fn start() -> Self {
        let can = std::env::var_os("TERM").is_some_and(|kind| kind != "dumb") && stderr().is_terminal();
        Self(can.then(|| {
            let (end, ended) = channel();
            (end, std::thread::spawn(move || show(&ended)))
        }))
    }
}

impl Drop for Line {
    fn drop(&mut self) {
        if let Some((end, thread)) = self.0.take() {
            drop(end);
            let _ = thread.join();
        }
    }
}

fn show(ended: &Receiver<()>) {
    let (began, mut wait, mut shown) = (Instant::now(), LONG, false);
    while ended.recv_timeout(wait) == Err(RecvTimeoutError::Timeout) {
        let phase = PHASE.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let _ = write!(stderr(), "{AGAIN}{}", said(&phase, PASSES.now(), began.elapsed()));
        (wait, shown) = (EACH, true);
    }
    if shown {
        let _ = write!(stderr(), "{AGAIN}");
    }
}

/// The line's text. A phase without passes of its own says only how long it takes.
fn said(phase: &str, pass: Option<(usize, f64)>, elapsed: Duration) -> String {
    let done = pass.map_or(String::new(), |(pass, done)| {
        let which = if pass > 1 { format!("pass {pass}, ") } else { String::new() };
        format!(": {which}{:.0} % done", 100.0 * done)
    });
    format!("knee: {phase}{done} ({} s)", elapsed.as_secs())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_says_what_is_known() {
        let after = |seconds: u64| Duration::from_millis(seconds * 1000 + 900);
        assert_eq!(said("load", None, after(2)), "knee: load (2 s)");
        assert_eq!(said("match", Some((1, 0.344)), after(12)), "knee: match: 34 % done (12 s)");
        assert_eq!(said("match", Some((3, 1.0)), after(100)), "knee: match: pass 3, 100 % done (100 s)");
    }
}
