//! Reading what threads did, at each sample.

use std::time::Instant;

use knee_machine::clock::{nanoseconds, thread_cpu};

use super::Sampler;
use crate::budget::Budget;
use crate::proc::ThreadSite;
use crate::states::{OffCpu, Stand, told};

/// Looking for new threads costs more than reading the files of those that are known. Programs start their threads early,
/// so every one of the first ticks looks, and later every fourth; where no thread of the machine is new since the last
/// look, there is nothing to look for. Where each thread is and what it does is read at every tick as long as that fits
/// into the budget, and otherwise at the ticks that look.
const FIRST_TICKS: u64 = 16;
const LOOK_EVERY: u64 = 4;

impl Sampler {
    /// Takes a sample of all threads.
    pub(super) fn sample(&mut self, now: Instant) {
        let t_ns = nanoseconds(now - self.begin);
        let looks = self.sampling.count < FIRST_TICKS || self.sampling.count.is_multiple_of(LOOK_EVERY);
        if looks {
            self.look(t_ns);
        }
        self.mappings.tick(t_ns);
        self.moves.tick(t_ns);
        if looks || Budget::allows(self.whole_cost, self.period) {
            let before = thread_cpu();
            let sleeping = self.read_whole(t_ns, looks);
            self.whole_cost = thread_cpu().saturating_sub(before);
            self.sleepers.ask(&sleeping, self.period, self.whole_cost);
            if let Some(go) = &mut self.go {
                go.tick(t_ns);
            }
        } else {
            self.read_times(t_ns);
        }
    }

    /// Records CPU time, cpu and state of all threads. Returns process and thread of those that are asleep.
    fn read_whole(&mut self, t_ns: u64, looks: bool) -> Vec<(i32, i32)> {
        let (mut buffer, mut stands, mut sleeping) = ([0; 1024], Vec::new(), Vec::new());
        let (mut ready, mut own_ready, mut ended) = (0, 0, Vec::new());
        for (&tid, watched) in &mut self.threads {
            let site = watched.task.site(&mut buffer);
            let Some(times) = watched.task.times(&mut buffer) else {
                ended.push(tid);
                continue;
            };
            let grown_ns = watched.note(times, t_ns, &mut self.samples);
            if let Some(ThreadSite { name, cpu, letter }) = site {
                watched.stand(cpu, looks.then_some(name), t_ns, &mut self.samples);
                ready += usize::from(letter == b'R');
                if !watched.seen.helper {
                    own_ready += usize::from(letter == b'R');
                    sleeping.extend((letter == b'S').then_some((watched.seen.pid, watched.seen.tid)));
                }
                let known = times.run_delay_ns.is_some() && !self.tickless.contains(cpu);
                stands.push(Stand { tid: watched.seen.tid, letter, cpu, grown_ns: known.then_some(grown_ns) });
            }
        }
        self.sampling.note_ready(ready, own_ready);
        for (stand, state) in stands.iter().zip(told(&stands)) {
            if let Some(watched) = self.threads.get_mut(&stand.tid) {
                watched.seen.states.add(state);
                let passed = t_ns - std::mem::replace(&mut watched.stated_ns, t_ns);
                watched.seen.off_ns.get_or_insert_with(OffCpu::sampled).add(state, passed);
                self.samples.push(t_ns, &watched.source, "state", state as u64);
            }
        }
        self.part_with(ended);
        sleeping
    }

    /// Records CPU time of all threads.
    fn read_times(&mut self, t_ns: u64) {
        let (mut buffer, mut ended) = ([0; 1024], Vec::new());
        for (&tid, watched) in &mut self.threads {
            match watched.task.times(&mut buffer) {
                Some(times) => {
                    watched.note(times, t_ns, &mut self.samples);
                }
                None => ended.push(tid),
            }
        }
        self.part_with(ended);
    }
}
