//! State of a sampled thread: running, waiting for a cpu, or asleep.
//!
//! `/proc/PID/task/TID/stat` says `R` for a running thread and for a ready one that waits for a cpu. This tells them
//! apart:
//!
//! - Of the ready threads of the tree on the same cpu at most one runs: the one whose CPU time has grown most since the
//!   sample before. So the number of running threads is right; which one of them it was is a guess where they take
//!   turns faster than samples come.
//! - A thread whose CPU time has not grown had no cpu: another program runs there. The kernel brings that time up to
//!   date at its tick, which comes every 1 to 10 ms, so growth is judged over at least 10 ms. A thread that began to
//!   run since the last tick is taken for a waiting one, one that lost its cpu since the sample before for a running
//!   one. Where the kernel keeps no schedstat, CPU time is known in ticks only, and on cpus without a tick
//!   (`nohz_full`) once a second only: there this second rule is left out.
//!
//! The total waiting time is exact: schedstat's run delay.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Time after which the kernel has updated a thread's CPU time.
const TELLING_NS: u64 = 10_000_000;

/// The state of a thread. The number is the value of samples named `state`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum State {
    /// On a cpu.
    Running = 0,
    /// Ready, waiting for a cpu.
    Runnable = 1,
    /// Asleep until something happens (`S`, and `I` of the kernel).
    Sleeping = 2,
    /// Asleep and not to be woken by a signal, usually for a disk (`D`).
    Disk = 3,
    /// Stopped, traced, ended but not yet taken off the list.
    Other = 4,
}

/// In how many samples a thread was seen in each state.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct StateCounts {
    /// On a cpu.
    pub running: u32,
    /// Ready, waiting for a cpu.
    pub runnable: u32,
    /// Asleep until something happens.
    pub sleeping: u32,
    /// Asleep and not to be woken by a signal, usually for a disk.
    pub disk: u32,
    /// Stopped, traced, or ended.
    pub other: u32,
}

impl StateCounts {
    /// Counts one more sample.
    pub(crate) fn add(&mut self, state: State) {
        let count = match state {
            State::Running => &mut self.running,
            State::Runnable => &mut self.runnable,
            State::Sleeping => &mut self.sleeping,
            State::Disk => &mut self.disk,
            State::Other => &mut self.other,
        };
        *count += 1;
    }
}

/// How time off the cpus was measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Mechanism {
    /// By the kernel's records of context switches.
    Records,
    /// By samples of the threads' states.
    Samples,
}

/// Time of a thread on no cpu, in nanoseconds, by what it did meanwhile.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct OffCpu {
    /// How it was measured. A time from samples counts from one sample to the next.
    pub source: Mechanism,
    /// Ready to go on. Records: preempted, or it yielded. Samples: also woken and waiting for a cpu.
    pub ready: u64,
    /// Asleep. Records: everything else off the cpu, waits for a disk, stops and waits for a cpu after waking among it.
    pub asleep: u64,
    /// Asleep and not to be woken by a signal, usually for a disk; absent where records do not tell.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub disk: Option<u64>,
    /// Stopped, traced, or ended and not taken off the list; absent where records do not tell.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub stopped: Option<u64>,
}

impl OffCpu {
    /// From records of context switches.
    pub(crate) fn recorded(ready: u64, asleep: u64) -> Self {
        Self { source: Mechanism::Records, ready, asleep, disk: None, stopped: None }
    }

    /// Nothing yet, from samples.
    pub(crate) fn sampled() -> Self {
        Self { source: Mechanism::Samples, ready: 0, asleep: 0, disk: Some(0), stopped: Some(0) }
    }

    /// Adds the time before a sample that found the thread in this state.
    pub(crate) fn add(&mut self, state: State, passed_ns: u64) {
        let time = match state {
            State::Running => return,
            State::Runnable => &mut self.ready,
            State::Sleeping => &mut self.asleep,
            State::Disk => self.disk.get_or_insert(0),
            State::Other => self.stopped.get_or_insert(0),
        };
        *time += passed_ns;
    }
}

/// The recent CPU time of a thread.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Growth {
    /// Time and CPU time of the newest sample that is kept, and of one before it.
    newer: [u64; 2],
    older: [u64; 2],
}

impl Growth {
    /// For a new thread: all its CPU time counts as recent.
    pub(crate) fn new(t_ns: u64) -> Self {
        Self { newer: [t_ns, 0], older: [t_ns, 0] }
    }

    /// CPU time since the newest sample that is old enough to tell.
    pub(crate) fn until(&mut self, t_ns: u64, cpu_ns: u64) -> u64 {
        let old_enough = t_ns.saturating_sub(self.newer[0]) >= TELLING_NS;
        let [_, then] = if old_enough { self.newer } else { self.older };
        if old_enough {
            (self.older, self.newer) = (self.newer, [t_ns, cpu_ns]);
        }
        cpu_ns.saturating_sub(then)
    }
}

/// A thread at one sample.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Stand {
    pub(crate) tid: i32,
    /// The letter of `stat`.
    pub(crate) letter: u8,
    pub(crate) cpu: u32,
    /// CPU time since the sample before; none where that is not known closely enough to tell.
    pub(crate) grown_ns: Option<u64>,
}

/// The state of each thread, in the same order.
pub(crate) fn told(stands: &[Stand]) -> Vec<State> {
    let mut on_cpu: BTreeMap<u32, &Stand> = BTreeMap::new();
    for stand in stands.iter().filter(|stand| stand.letter == b'R' && stand.grown_ns != Some(0)) {
        let most = on_cpu.entry(stand.cpu).or_insert(stand);
        if stand.grown_ns > most.grown_ns {
            *most = stand;
        }
    }
    let state = |stand: &Stand| match stand.letter {
        b'R' if on_cpu.get(&stand.cpu).is_some_and(|running| running.tid == stand.tid) => State::Running,
        b'R' => State::Runnable,
        b'S' | b'I' => State::Sleeping,
        b'D' => State::Disk,
        _ => State::Other,
    };
    stands.iter().map(state).collect()
}

#[cfg(test)]
mod tests {
    use super::State::{Disk, Other, Runnable, Running, Sleeping};
    use super::*;

    fn stand(tid: i32, letter: u8, cpu: u32, grown_ns: Option<u64>) -> Stand {
        Stand { tid, letter, cpu, grown_ns }
    }

    #[test]
    fn one_thread_runs_on_a_cpu_and_the_other_ready_ones_wait() {
        let stands = [
            stand(1, b'R', 0, Some(3)),
            stand(2, b'R', 0, Some(7)),
            stand(3, b'R', 1, Some(0)),
            stand(4, b'S', 1, Some(9)),
            stand(5, b'D', 1, Some(9)),
            stand(6, b'Z', 1, Some(9)),
        ];
        assert_eq!(told(&stands), [Runnable, Running, Runnable, Sleeping, Disk, Other]);
    }

    #[test]
    fn without_schedstat_a_ready_thread_alone_on_its_cpu_is_taken_to_run() {
        let stands = [stand(1, b'R', 0, None), stand(2, b'R', 0, None), stand(3, b'R', 1, None)];
        assert_eq!(told(&stands), [State::Running, State::Runnable, State::Running]);
    }

    #[test]
    fn time_off_the_cpu_is_what_passed_before_each_sample() {
        let mut off = OffCpu::sampled();
        for (state, passed) in [(Running, 9), (Runnable, 8), (Sleeping, 7), (Sleeping, 6), (Disk, 5), (Other, 4)] {
            off.add(state, passed);
        }
        assert_eq!((off.ready, off.asleep, off.disk, off.stopped), (8, 13, Some(5), Some(4)));
    }

    #[test]
    fn growth_is_judged_over_ten_milliseconds_at_least() {
        let ms = 1_000_000;
        let mut growth = Growth::new(0);
        assert_eq!(growth.until(0, 5), 5, "a new thread has used it since it began");
        assert_eq!(growth.until(10 * ms, 8), 8);
        assert_eq!(growth.until(20 * ms, 8), 0, "it waited for ten milliseconds");
        assert_eq!(growth.until(21 * ms, 8), 0);
        assert_eq!(growth.until(30 * ms, 9), 1);
        assert_eq!(growth.until(31 * ms, 9), 1, "a millisecond later it still counts");
    }
}
