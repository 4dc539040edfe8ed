//! Continues knee's Python process, the parent of the runner, when a program has stopped it.

use std::cell::Cell;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, getppid, kill_process};

use super::super::tree;

/// Least time between two checks of the parent.
const PAUSE: Duration = Duration::from_millis(900);

/// knee's Python process, the parent of a runner.
pub(super) struct Parent {
    pid: Pid,
    stopped: Cell<bool>,
    last: Cell<Instant>,
}

impl Parent {
    pub(super) fn new(pid: i32) -> Option<Self> {
        Pid::from_raw(pid).map(|pid| Self { pid, stopped: Cell::default(), last: Cell::new(Instant::now()) })
    }

    /// Continues the parent if two checks in a row find it stopped. After Ctrl-Z there is no second check, because this
    /// process is stopped as well.
    pub(super) fn look(&self) {
        if self.last.get().elapsed() < PAUSE {
            return;
        }
        self.last.set(Instant::now());
        // Once the parent is gone, another process may have its id.
        let stopped = getppid() == Some(self.pid) && tree::is_stopped(self.pid);
        if self.stopped.replace(stopped) && stopped {
            let _ = kill_process(self.pid, Signal::CONT);
        }
    }
}
