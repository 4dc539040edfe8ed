//! One thread, from sample to sample.

use std::time::Instant;

use knee_machine::sys;

use super::ThreadUse;
use crate::helpers::is_helper;
use crate::proc::{Task, Times};
use crate::samples::Samples;
use crate::states::{Growth, StateCounts};

/// A thread that is watched.
pub(super) struct Thread {
    pub(super) task: Task,
    pub(super) seen: ThreadUse,
    growth: Growth,
    /// When its state was read last.
    pub(super) stated_ns: u64,
    pub(super) source: String,
}

impl Thread {
    /// A thread that is watched from now on; none where it has gone.
    pub(super) fn open(pid: i32, tid: i32, t_ns: u64) -> Option<Self> {
        let task = Task::open(pid, tid)?;
        let seen = ThreadUse {
            tid,
            pid,
            cpu: u32::MAX,
            affinity: None,
            looked: None,
            name: String::new(),
            helper: false,
            cpu_ns: 0,
            run_delay_ns: None,
            off_ns: None,
            switches: None,
            states: StateCounts::default(),
            migrations: 0,
            first_seen_ns: t_ns,
            last_seen_ns: t_ns,
        };
        let source = format!("thread:{tid}");
        Some(Self { task, seen, growth: Growth::new(t_ns), stated_ns: t_ns, source })
    }

    /// Records CPU time and run delay; returns the CPU time since the sample before.
    pub(super) fn note(&mut self, times: Times, t_ns: u64, samples: &mut Samples) -> u64 {
        let seen = &mut self.seen;
        seen.cpu_ns = times.cpu_ns;
        seen.run_delay_ns = times.run_delay_ns;
        seen.last_seen_ns = t_ns;
        samples.push(t_ns, &self.source, "cpu_ns", times.cpu_ns);
        if let Some(run_delay_ns) = times.run_delay_ns {
            samples.push(t_ns, &self.source, "run_delay_ns", run_delay_ns);
        }
        self.growth.until(t_ns, times.cpu_ns)
    }

    /// Records its cpu, and with its name also its allowed cpus: a program may pin or name its threads at any time.
    pub(super) fn stand(&mut self, cpu: u32, name: Option<String>, t_ns: u64, samples: &mut Samples) {
        let seen = &mut self.seen;
        if let Some(name) = name {
            seen.helper = is_helper(&name);
            seen.name = name;
            if let Ok(affinity) = sys::affinity_of(seen.tid) {
                (seen.affinity, seen.looked) = (Some(affinity), Some(Instant::now()));
            }
        }
        if seen.cpu != u32::MAX && seen.cpu != cpu {
            seen.migrations += 1;
        }
        seen.cpu = cpu;
        samples.push(t_ns, &self.source, "cpu", cpu.into());
    }
}
