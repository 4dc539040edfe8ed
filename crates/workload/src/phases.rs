//! Phases: named parts of a run, timed on the serial side.

use std::collections::BTreeMap;
use std::time::Duration;

use knee_machine::clock::{monotonic, nanoseconds, process_cpu};
use knee_machine::sys::{Usage, own_usage};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Count;

/// One phase as it goes into the record.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Phase {
    /// Its name.
    pub name: String,
    /// Time from begin to end, without what lies in between where it was begun again; of a rehearsal virtual time. Of a
    /// region: the longest of any thread, all calls together.
    pub wall_ns: u64,
    /// CPU time of the whole process in between. Of a region that several threads of a process mark: the CPU time of
    /// those threads in it.
    pub cpu_ns: u64,
    /// When it began, since the launch: the clock of the samples. Of a region: when any thread entered it first.
    pub begin_ns: u64,
    /// When it ended. Of a region: when any thread left it last.
    pub end_ns: u64,
    /// What the workload or its scheduler counted in between, by name. Of a region: `calls`, `threads` that made them, and
    /// the wall and CPU time that these threads spent in it together.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub counters: BTreeMap<String, u64>,
    /// What the kernel counted of the whole process in between; absent of a region and of a rehearsal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kernel: Option<InKernel>,
}

impl Phase {
    /// Adds another one, which follows.
    fn add(&mut self, other: &Self) {
        self.wall_ns += other.wall_ns;
        self.cpu_ns += other.cpu_ns;
        self.end_ns = other.end_ns;
        self.kernel = self.kernel.zip(other.kernel).map(|(own, other)| own.plus(other));
    }
}

/// What the kernel counts of a process.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct InKernel {
    /// The part of the CPU time that is inside the kernel.
    pub system_ns: u64,
    /// Page faults that needed no disk.
    pub minor_faults: u64,
    /// Times a thread gave up its cpu.
    pub voluntary_switches: u64,
    /// Times a thread lost its cpu.
    pub involuntary_switches: u64,
}

impl InKernel {
    fn plus(self, other: Self) -> Self {
        Self {
            system_ns: self.system_ns + other.system_ns,
            minor_faults: self.minor_faults + other.minor_faults,
            voluntary_switches: self.voluntary_switches + other.voluntary_switches,
            involuntary_switches: self.involuntary_switches + other.involuntary_switches,
        }
    }

    fn between(before: Usage, after: Usage) -> Self {
        Self {
            system_ns: nanoseconds(after.system.saturating_sub(before.system)),
            minor_faults: after.minor_faults.saturating_sub(before.minor_faults),
            voluntary_switches: after.voluntary_switches.saturating_sub(before.voluntary_switches),
            involuntary_switches: after.involuntary_switches.saturating_sub(before.involuntary_switches),
        }
    }
}

/// The phases of one run, in order.
pub struct Phases {
    /// The launch of the run, on the clock of [`monotonic`].
    launch: Duration,
    done: Vec<Phase>,
    /// Who else is told of each phase.
    told: Option<Told>,
    /// Reads counters where phases begin and end.
    reader: Option<Box<dyn Fn() -> Readings>>,
    readings: Vec<[Readings; 2]>,
    /// Which of them ended last.
    last: usize,
    /// From which on those of the same name are one.
    joined: Option<usize>,
}

/// What counters had counted at one moment: the count, and the times that each was enabled and running, in ns.
pub type Readings = Vec<[u64; 3]>;

/// What is called with a phase's name as it begins, and as it ends.
type Told = (fn(&str), fn(&str));

impl std::fmt::Debug for Phases {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("Phases").field("done", &self.done).finish_non_exhaustive()
    }
}

impl Default for Phases {
    /// Phases of a run that is launched now.
    fn default() -> Self {
        Self::launched_at(monotonic())
    }
}

impl Phases {
    /// Phases of a run that was launched at this moment of [`monotonic`], perhaps by another process.
    #[must_use]
    pub fn launched_at(launch: Duration) -> Self {
        Self { launch, done: Vec::new(), told: None, reader: None, readings: Vec::new(), last: 0, joined: None }
    }

    /// Also calls `begins` and `ends` with the name of each phase, outside of its times: so that a verb can mark them as
    /// regions.
    #[must_use]
    pub fn telling(self, begins: fn(&str), ends: fn(&str)) -> Self {
        Self { told: Some((begins, ends)), ..self }
    }

    /// Also reads counters, outside of the times of phases.
    #[must_use]
    pub fn reading(self, reader: impl Fn() -> Readings + 'static) -> Self {
        Self { reader: Some(Box::new(reader)), ..self }
    }

    /// From now on, phases of the same name are one: their times and counts are added up. It begins with the first of them and
    /// ends with the last, and others may lie in between.
    pub fn join(&mut self) {
        self.joined = Some(self.done.len());
    }

    /// Forgets what was measured, which came to nothing.
    pub fn forget(&mut self) {
        self.done.clear();
        self.readings.clear();
        self.joined = None;
    }

    /// The readings at the begin and the end of each phase, in their order; none without a reader.
    #[must_use]
    pub fn take_readings(&mut self) -> Vec<[Readings; 2]> {
        std::mem::take(&mut self.readings)
    }

    /// Measures `work` as the phase `name`.
    pub fn measure<T>(&mut self, name: &str, work: impl FnOnce() -> T) -> T {
        if let Some((begins, _)) = self.told {
            begins(name);
        }
        let first = self.reader.as_ref().map(|read| read());
        let before = own_usage();
        let (begin, cpu) = (monotonic(), process_cpu());
        let result = work();
        let (end, cpu_end) = (monotonic(), process_cpu());
        let after = own_usage();
        if let (Some(first), Some(read)) = (first, &self.reader) {
            self.readings.push([first, read()]);
        }
        if let Some((_, ends)) = self.told {
            ends(name);
        }
        let since = |then: Duration, now: Duration| nanoseconds(now.saturating_sub(then));
        let phase = Phase {
            name: name.to_owned(),
            wall_ns: since(begin, end),
            cpu_ns: since(cpu, cpu_end),
            begin_ns: since(self.launch, begin),
            end_ns: since(self.launch, end),
            counters: BTreeMap::new(),
            kernel: Some(InKernel::between(before, after)),
        };
        let from = self.joined.unwrap_or(self.done.len());
        if let Some(at) = self.done[from..].iter().position(|own| own.name == name) {
            self.last = from + at;
            self.done[self.last].add(&phase);
        } else {
            self.last = self.done.len();
            self.done.push(phase);
        }
        result
    }

    /// Adds a count to the phase that ended last; [`COUNTS`](crate::COUNTS) says what it means.
    ///
    /// # Panics
    /// In a build with debug assertions, when the name is not in that list.
    pub fn count(&mut self, name: &str, value: u64) {
        debug_assert!(Count::named(name).is_some(), "{name} is not in the list of counts");
        if let Some(phase) = self.done.get_mut(self.last) {
            *phase.counters.entry(name.to_owned()).or_default() += value;
        }
    }

    /// Replaces the times of the phase that ended last by virtual ones: it was a rehearsal. When it began and ended stays.
    pub fn rehearsed(&mut self, wall_ns: u64, cpu_ns: u64) {
        if let Some(phase) = self.done.get_mut(self.last) {
            (phase.wall_ns, phase.cpu_ns, phase.kernel) = (wall_ns, cpu_ns, None);
        }
    }

    /// What was measured.
    #[must_use]
    pub fn done(self) -> Vec<Phase> {
        self.done
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counters_are_read_once_before_and_once_after_each_phase() {
        let moments = std::cell::Cell::new(0);
        let mut phases = Phases::default().reading(move || {
            moments.set(moments.get() + 1);
            vec![[moments.get(); 3]]
        });
        phases.measure("first", || ());
        phases.measure("second", || ());
        assert_eq!(phases.take_readings(), [[vec![[1; 3]], vec![[2; 3]]], [vec![[3; 3]], vec![[4; 3]]]]);
        assert!(Phases::default().take_readings().is_empty());
    }

    #[test]
    fn phases_stand_one_after_the_other_on_the_clock_of_the_launch() {
        let pause = Duration::from_millis(2);
        let launch = monotonic();
        std::thread::sleep(pause);
        let mut phases = Phases::launched_at(launch);
        phases.measure("first", || {
            std::thread::sleep(pause);
            std::hint::black_box(vec![1_u8; 64 << 20]);
        });
        phases.measure("second", || std::thread::sleep(pause));
        phases.count("matches", 3);
        phases.count("matches", 4);
        let done = phases.done();
        let [first, second] = &done[..] else { panic!("{done:?}") };
        assert!(first.begin_ns >= 2_000_000 && first.end_ns <= second.begin_ns, "{done:?}");
        assert!(second.end_ns <= nanoseconds(monotonic().saturating_sub(launch)), "{done:?}");
        assert!(done.iter().all(|phase| phase.end_ns - phase.begin_ns == phase.wall_ns && phase.wall_ns >= 2_000_000));
        assert_eq!((first.counters.len(), second.counters["matches"]), (0, 7));
        let [first, second] = [first, second].map(|phase| phase.kernel.expect("it is no rehearsal"));
        assert!(first.voluntary_switches > 0 && second.voluntary_switches > 0, "{done:?}");
        assert!(first.minor_faults > second.minor_faults, "{done:?}");
    }

    #[test]
    fn phases_of_one_name_are_added_up_where_they_are_joined() {
        let pause = Duration::from_millis(2);
        let mut phases = Phases::default();
        phases.measure("first", || ());
        phases.join();
        for _ in 0..2 {
            phases.measure("second", || ());
            phases.measure("first", || std::thread::sleep(pause));
            phases.measure("second", || ());
            phases.count("matches", 3);
        }
        let done = phases.done();
        let [before, second, first] = &done[..] else { panic!("{done:?}") };
        assert!(before.wall_ns < 4_000_000 && before.end_ns <= second.begin_ns, "{done:?}");
        assert!(first.wall_ns >= 4_000_000 && first.kernel.unwrap().voluntary_switches >= 2, "{done:?}");
        assert!(first.wall_ns < first.end_ns - first.begin_ns && first.end_ns < second.end_ns, "{done:?}");
        assert_eq!(second.counters["matches"], 6);
    }
}
