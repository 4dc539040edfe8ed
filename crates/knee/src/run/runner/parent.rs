//! Python above the runner, which a program may have stopped.

use std::cell::Cell;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, getppid, kill_process};

use super::super::tree;

/// Time between two looks at the parent.
const PAUSE: Duration = Duration::from_millis(900);

/// Knee's own process above a runner, which a program may have stopped.
pub(super) struct Parent {
    pid: Pid,
    stopped: Cell<bool>,
    last: Cell<Instant>,
}

impl Parent {
    pub(super) fn new(pid: i32) -> Option<Self> {
        Pid::from_raw(pid).map(|pid| Self { pid, stopped: Cell::default(), last: Cell::new(Instant::now()) })
    }

    /// Continues it when it is found stopped twice in a row: Ctrl-Z has by then stopped us as well.
    pub(super) fn look(&self) {
        if self.last.get().elapsed() < PAUSE {
            return;
        }
        self.last.set(Instant::now());
        // Another process may have got its number once it is gone.
        let stopped = getppid() == Some(self.pid) && tree::is_stopped(self.pid);
        if self.stopped.replace(stopped) && stopped {
            let _ = kill_process(self.pid, Signal::CONT);
        }
    }
}
