//! Kernel clocks: monotonic time for samples, and CPU time.

use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};

/// Time since the machine was started, without sleep (`CLOCK_MONOTONIC`, the clock of [`std::time::Instant`]): the same in
/// every process.
#[must_use]
pub fn monotonic() -> Duration {
    read(ClockId::Monotonic)
}

/// CPU time of the calling thread.
#[must_use]
pub fn thread_cpu() -> Duration {
    read(ClockId::ThreadCPUTime)
}

/// CPU time of this process, all its threads.
#[must_use]
pub fn process_cpu() -> Duration {
    read(ClockId::ProcessCPUTime)
}

/// A duration in whole nanoseconds, of which there is room for 584 years.
#[must_use]
pub fn nanoseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}

fn read(clock: ClockId) -> Duration {
    let time = clock_gettime(clock);
    Duration::new(u64::try_from(time.tv_sec).unwrap_or(0), u32::try_from(time.tv_nsec).unwrap_or(0))
}
