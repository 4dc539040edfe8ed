//! What is found of a run's context switches, as parts of its record.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::accounts::{Followed, Life, SwitchSums};
use super::merge::SETTLED_NS;
use super::profile::Concurrency;
use crate::sampler::ThreadUse;
use crate::states::{Mechanism, OffCpu};

/// Context switches of the program's tree. Sums and profile cover the time from `begin_ns` to `end_ns`, which is the whole
/// run unless `unavailable` says otherwise.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Switches {
    /// How time off the cpus was measured.
    pub mechanism: Mechanism,
    /// Why there are no records of the whole run.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub unavailable: Option<String>,
    /// Switch records that were read: threads that got or lost a cpu.
    pub count: u64,
    /// Records that the kernel could not write, because a ring was full.
    pub lost: u64,
    /// Records that do not fit those before of the same thread.
    pub odd: u64,
    /// CPU time spent reading them. What the kernel spent writing them is part of the program's.
    pub cost_ns: u64,
    /// When the first event was, since the launch.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub begin_ns: Option<u64>,
    /// When the last one was, or recording ended.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub end_ns: Option<u64>,
    /// All threads together.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub total: Option<SwitchTotal>,
    /// Those that are not among the observed threads: no sample met them, or the record tells only of those with the
    /// most CPU time.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub unsampled: Option<SwitchTotal>,
    /// How many threads ran at once, and how many were ready.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub concurrency: Option<Concurrency>,
}

/// What several threads did together.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SwitchTotal {
    /// How many threads.
    pub threads: u64,
    /// What they did.
    #[serde(flatten)]
    pub sums: SwitchSums,
}

impl Switches {
    /// Adds what was found of all threads, and of those that were sampled to each. `launch` is when their times begin, on
    /// the clock of the events.
    pub(super) fn fill(&mut self, followed: Followed, launch: u64, threads: &mut [ThreadUse]) {
        let Followed { mut lives, threads: number, totals, concurrency, begin_ns, end_ns, odd, .. } = followed;
        self.odd += odd;
        self.begin_ns = Some(begin_ns.saturating_sub(launch));
        self.end_ns = Some(end_ns.saturating_sub(launch));
        let mut unsampled = SwitchTotal { threads: number, sums: totals };
        lives.sort_unstable_by_key(|life| (life.tid, life.begin_ns));
        let mut sampled = vec![false; lives.len()];
        for thread in threads {
            let Some(at) = life_of(&lives, thread, launch) else { continue };
            // Two threads that had one number shortly after each other may be found as one.
            if std::mem::replace(&mut sampled[at], true) {
                continue;
            }
            let life = &lives[at];
            unsampled.without(life);
            if self.mechanism == Mechanism::Records {
                thread.off_ns = Some(OffCpu::recorded(life.sums.ready_ns, life.sums.asleep_ns));
                thread.switches = Some(life.sums);
            }
        }
        self.total = Some(SwitchTotal { threads: number, sums: totals });
        self.unsampled = Some(unsampled);
        self.concurrency = Some(concurrency);
    }
}

impl SwitchTotal {
    fn without(&mut self, life: &Life) {
        self.threads -= 1;
        self.sums.on_ns -= life.sums.on_ns;
        self.sums.ready_ns -= life.sums.ready_ns;
        self.sums.asleep_ns -= life.sums.asleep_ns;
        self.sums.voluntary -= life.sums.voluntary;
        self.sums.involuntary -= life.sums.involuntary;
    }
}

/// Which life is that of the thread of this number when it was sampled; numbers are used again. `lives` are ordered by
/// number and begin.
fn life_of(lives: &[Life], thread: &ThreadUse, launch: u64) -> Option<usize> {
    // A sample has the time at which it began, which may be shortly before the thread did.
    let seen_ns = thread.last_seen_ns.saturating_add(launch + SETTLED_NS);
    let until = lives.partition_point(|life| (life.tid, life.begin_ns) <= (thread.tid, seen_ns));
    until.checked_sub(1).filter(|at| (lives[*at].tid, lives[*at].pid) == (thread.tid, thread.pid))
}
