//! Threads in `/proc`: new ones, their names, and their CPU use.

use std::fs::{self, File};
use std::os::unix::fs::FileExt;
use std::time::Duration;

use knee_meter::Schedstat;

/// Tells whether the kernel has created any thread or process since the last call.
pub(super) struct News {
    /// None if the kernel was built without it: then there is always news.
    newest: Option<File>,
    last: Vec<u8>,
    again: bool,
}

impl News {
    pub(super) fn new() -> Self {
        Self { newest: File::open("/proc/sys/kernel/ns_last_pid").ok(), last: Vec::new(), again: true }
    }

    /// Whether there may be new threads. True once more after the last news: a thread has a number shortly before it
    /// can be found.
    pub(super) fn any(&mut self) -> bool {
        let mut buffer = [0; 32];
        let length = self.newest.as_ref().and_then(|file| file.read_at(&mut buffer, 0).ok()).unwrap_or(0);
        let new = length == 0 || self.last != buffer[..length];
        self.last = buffer[..length].to_vec();
        std::mem::replace(&mut self.again, new) || new
    }
}

/// The threads of a process, oldest first; none when it is gone.
pub(super) fn of(pid: i32) -> Vec<i32> {
    let entries = fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten();
    let mut tids: Vec<i32> = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect();
    tids.sort_unstable();
    tids
}

/// Whether its name is that of a helper.
pub(super) fn is_helper(pid: i32, tid: i32) -> bool {
    let name = fs::read_to_string(format!("/proc/{pid}/task/{tid}/comm")).unwrap_or_default();
    knee_meter::is_helper(&name)
}

/// Time that a thread has had a cpu, and time that it has waited for one.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Demand {
    pub(super) used: Duration,
    waited: Duration,
}

impl Demand {
    /// None where the kernel keeps no schedstat, or the thread is gone.
    pub(super) fn of(pid: i32, tid: i32) -> Option<Self> {
        let Schedstat { cpu_ns, run_delay_ns } = Schedstat::of(pid, tid)?;
        Some(Self { used: Duration::from_nanos(cpu_ns), waited: Duration::from_nanos(run_delay_ns) })
    }

    /// Whether it wanted a cpu for at least half of the time since then, whether it got one or not.
    pub(super) fn busy_since(self, then: Self, time: Duration) -> bool {
        2 * (self.used + self.waited).saturating_sub(then.used + then.waited) >= time
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_new_thread_is_news_twice_and_then_no_more() {
        let mut news = News::new();
        if news.newest.is_none() {
            return;
        }
        std::thread::spawn(|| ()).join().unwrap();
        assert!(news.any());
        // Other tests and programs start threads, too: there is a quiet moment sooner or later.
        assert!((0..100_000).any(|_| !news.any()));
    }

    #[test]
    fn waiting_for_a_cpu_is_wanting_one() {
        let at = |used, waited| Demand { used: Duration::from_millis(used), waited: Duration::from_millis(waited) };
        let time = Duration::from_millis(20);
        assert!(at(14, 7).busy_since(at(10, 0), time));
        assert!(!at(14, 5).busy_since(at(10, 0), time));
    }
}
