//! Pinned threads that use memory, and their total so far.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use knee_machine::clock::{nanoseconds, thread_cpu};
use knee_machine::pinned_team::{PinnedTeam, PinnedThread};
use knee_workload::Error;

/// Working time of this process's pinned threads, and CPU time in it. Starting threads is in neither.
static TAKEN_NS: [AtomicU64; 2] = [AtomicU64::new(0), AtomicU64::new(0)];

/// Time that pinned threads of this process have worked so far, and CPU time in it, in nanoseconds.
pub(crate) fn taken() -> [u64; 2] {
    // Relaxed: read when the threads have been joined.
    TAKEN_NS.each_ref().map(|taken| taken.load(Ordering::Relaxed))
}

/// Runs `work` on a thread of its own on each of these cpus, all at once, and returns what each returned.
///
/// # Errors
/// When a thread cannot be started or pinned: then none begins.
pub(crate) fn together<R: Send>(cpus: &[u32], work: impl Fn(&PinnedThread<'_>) -> R + Sync) -> Result<Vec<R>, Error> {
    let timed = |thread: &PinnedThread<'_>| {
        let (begin, used) = (Instant::now(), thread_cpu());
        let result = work(thread);
        let taken = [begin.elapsed(), thread_cpu().saturating_sub(used)];
        for (sum, time) in TAKEN_NS.iter().zip(taken) {
            sum.fetch_add(nanoseconds(time), Ordering::Relaxed);
        }
        result
    };
    PinnedTeam::on(cpus).run(timed).map_err(|error| Error::new(error.to_string()))
}

/// The same for one thread.
///
/// # Errors
/// As [`together`].
pub(crate) fn alone<R: Send>(cpu: u32, work: impl FnOnce() -> R + Send) -> Result<R, Error> {
    let work = Mutex::new(Some(work));
    let mut results = together(&[cpu], |_| {
        let work = work.lock().expect("no holder panics").take().expect("there is one thread");
        work()
    })?;
    Ok(results.pop().expect("there is one thread"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_at_work_is_added_up() {
        let cpu = knee_machine::sys::affinity().first().unwrap();
        let [wall, cpu_time] = taken();
        let spin = || {
            let begin = Instant::now();
            while begin.elapsed().as_millis() < 3 {}
        };
        alone(cpu, spin).unwrap();
        assert!(taken()[0] - wall >= 3_000_000);
        assert!(taken()[1] > cpu_time);
    }
}
