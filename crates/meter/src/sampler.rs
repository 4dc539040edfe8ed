//! Samples a process tree: which threads it has, how much CPU time each took, where each ran, and in which state it was.
//!
//! The sampler has a budget of 1 % of one cpu. Ticks that take longer postpone the next ones, so a tree of a thousand
//! threads is sampled less often instead of being disturbed; the record has the number of samples.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use knee_machine::clock::{nanoseconds, thread_cpu};
use knee_machine::{CpuSet, sys};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::asleep::{FutexWaits, Sleepers};
use crate::budget::Budget;
use crate::census::Census;
use crate::gauges::Gauges;
use crate::helpers::is_helper;
use crate::mapped::{Mapped, Mappings};
use crate::moves::Moves;
use crate::proc::{Newest, Task, ThreadSite, Times, descendants, numbered};
use crate::samples::Samples;
use crate::states::{Growth, OffCpu, Stand, StateCounts, told};
use crate::switches::SwitchSums;
use crate::throttling::ThrottledProgram;

/// Looking for new threads costs more than reading the files of those that are known. Programs start their threads early,
/// so every one of the first ticks looks, and later every fourth; where no thread of the machine is new since the last
/// look, there is nothing to look for. Where each thread is and what it does is read at every tick as long as that fits
/// into the budget, and otherwise at the ticks that look.
const FIRST_TICKS: u64 = 16;
const LOOK_EVERY: u64 = 4;
/// Living threads watched at once. Each holds two open files, and 1024 is the customary limit of a process; CPU time of
/// threads beyond this is still in the totals of the run.
pub const MOST_WATCHED: usize = 400;
/// Open files of others in this process that leave room for those of so many threads.
const OTHER_FILES: usize = 128;
/// Threads watched at once, however many files others have open.
const FEWEST_WATCHED: usize = 50;

/// Source of samples from counters of the program itself.
pub const WORKLOAD: &str = "workload";

/// What one thread did, according to samples.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ThreadUse {
    /// Its id.
    pub tid: i32,
    /// The process it belongs to.
    pub pid: i32,
    /// Cpu it was seen on last.
    pub cpu: u32,
    /// Cpus it was allowed to run on when it was last looked for; absent when it ended before.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub affinity: Option<CpuSet>,
    /// When that was.
    #[serde(skip)]
    pub looked: Option<Instant>,
    /// Its name when it was last looked for.
    #[serde(skip_serializing_if = "String::is_empty", default)]
    pub name: String,
    /// Whether that is the name of a helper of its runtime: it collects garbage, compiles or keeps time.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub helper: bool,
    /// CPU time until it was seen last.
    pub cpu_ns: u64,
    /// Time it was ready and waited for a cpu; absent where the kernel keeps no schedstat.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub run_delay_ns: Option<u64>,
    /// Time on no cpu, by what it did meanwhile.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub off_ns: Option<OffCpu>,
    /// What records of context switches say of it; absent where there are none of the whole run.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub switches: Option<SwitchSums>,
    /// In how many samples it was seen in each state.
    pub states: StateCounts,
    /// Times it was seen on another cpu than in the sample before.
    pub migrations: u32,
    /// When it was first and last seen, since the launch.
    pub first_seen_ns: u64,
    /// See `first_seen_ns`.
    pub last_seen_ns: u64,
}

/// How the sampling itself went.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Sampling {
    /// Period asked for.
    pub period_ms: u64,
    /// Samples taken.
    pub count: u64,
    /// CPU time spent taking them.
    pub cost_ns: u64,
    /// In how many samples no thread computed or waited for a cpu, in how many one did, two did, and so on; helpers of
    /// runtimes are left out.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub ready: Vec<u32>,
    /// Largest number of threads alive at once but not sampled, because the limit of sampled threads was reached.
    #[serde(skip_serializing_if = "is_zero", default)]
    pub left_out: u64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_zero(number: &u64) -> bool {
    *number == 0
}

impl Sampling {
    /// Counts a sample in which so many threads were ready.
    fn note_ready(&mut self, threads: usize) {
        if self.ready.len() <= threads {
            self.ready.resize(threads + 1, 0);
        }
        self.ready[threads] += 1;
    }
}

/// Reads running counters: calls its argument with each name and value.
pub type Published<'a> = dyn FnMut(&mut dyn FnMut(&str, u64)) + 'a;

/// What was seen of a tree.
#[derive(Debug)]
pub struct Watched {
    /// What each thread did.
    pub threads: Vec<ThreadUse>,
    /// How the sampling went.
    pub sampling: Sampling,
    /// Pages of the whole tree by node at the census that found most, in base pages; none when there was no census.
    pub pages: Option<BTreeMap<u32, u64>>,
    /// Programs and libraries; none where no process could be read.
    pub mapped: Option<Mapped>,
    /// What sleeping threads waited for; none where no sample was taken.
    pub futex: Option<FutexWaits>,
    /// Whether the series could be written.
    pub written: io::Result<()>,
}

struct Thread {
    /// None once the thread is gone: its files are closed, since a program that starts thousands of threads would
    /// exhaust ours.
    task: Option<Task>,
    seen: ThreadUse,
    growth: Growth,
    /// When its state was read last.
    stated_ns: u64,
    source: String,
}

/// Samples everything below one process.
pub struct Sampler {
    ancestor: i32,
    begin: Instant,
    period: Duration,
    due: Instant,
    threads: BTreeMap<i32, Thread>,
    most: usize,
    census: Option<Census>,
    mappings: Mappings,
    moves: Moves,
    sleepers: Sleepers,
    samples: Samples,
    sampling: Sampling,
    budget: Budget,
    newest: Newest,
    /// The newest thread of the machine at the last look.
    looked_until: Option<u32>,
    /// CPU time of reading every file of every thread, when that was last done.
    whole_cost: Duration,
    /// Cpus whose kernel leaves out its tick while one thread runs.
    tickless: CpuSet,
}

impl Sampler {
    /// Watches the descendants of `ancestor` from `begin` on, with one period for threads and one for the census of
    /// their pages. A period of 0 means never.
    #[must_use]
    pub fn new(ancestor: i32, begin: Instant, period_ms: u64, census_ms: u64) -> Self {
        let never = Duration::from_secs(1 << 32);
        let period = if period_ms > 0 { Duration::from_millis(period_ms) } else { never };
        let due = if period_ms > 0 { begin } else { begin + never };
        Self {
            ancestor,
            begin,
            period,
            due,
            threads: BTreeMap::new(),
            most: MOST_WATCHED,
            census: (census_ms > 0).then(|| Census::new(begin, Duration::from_millis(census_ms))),
            mappings: Mappings::default(),
            moves: Moves::new(PathBuf::from("/")),
            sleepers: Sleepers::default(),
            samples: Samples::default(),
            sampling: Sampling { period_ms, count: 0, cost_ns: 0, ready: Vec::new(), left_out: 0 },
            budget: Budget::default(),
            newest: Newest::open(),
            looked_until: None,
            whole_cost: Duration::ZERO,
            tickless: tickless(),
        }
    }

    /// Watches fewer threads where something else in this process has many files open.
    #[must_use]
    pub fn leaving(self, files: usize) -> Self {
        let fewer = files.saturating_sub(OTHER_FILES).div_ceil(2);
        Self { most: MOST_WATCHED.saturating_sub(fewer).max(FEWEST_WATCHED), ..self }
    }

    /// Time until the next sample is due.
    #[must_use]
    pub fn pause(&self) -> Duration {
        let census = self.census.as_ref().map(Census::due);
        let next = census.map_or(self.due, |due| due.min(self.due));
        next.saturating_duration_since(Instant::now())
    }

    /// Takes a sample of the threads, the gauges, and the program's running counters if one is due. The counters come
    /// from `published` and become samples with the source `workload`.
    pub fn tick(&mut self, gauges: &mut Gauges, published: &mut Published<'_>) {
        let start = Instant::now();
        if let Some(census) = &mut self.census {
            self.sampling.cost_ns += census.tick(start, self.ancestor, self.begin, &mut self.samples);
        }
        if start < self.due {
            return;
        }
        let before = thread_cpu();
        self.sample(start);
        let t_ns = nanoseconds(start - self.begin);
        if !gauges.is_empty() {
            gauges.sample(t_ns, &mut self.samples);
        }
        published(&mut |name, sum| self.samples.push(t_ns, WORKLOAD, name, sum));
        // CPU time, not wall time: a sampler that waited itself disturbed no other program.
        let cost = thread_cpu().saturating_sub(before);
        self.sampling.count += 1;
        self.sampling.cost_ns += nanoseconds(cost);
        self.due = start + self.period.max(self.budget.wait_after(cost));
    }

    fn sample(&mut self, now: Instant) {
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
        } else {
            self.read_times(t_ns);
        }
    }

    /// Records CPU time, cpu and state of all threads. Returns process and thread of those that are asleep.
    fn read_whole(&mut self, t_ns: u64, looks: bool) -> Vec<(i32, i32)> {
        let (mut buffer, mut stands, mut sleeping, mut ready) = ([0; 1024], Vec::new(), Vec::new(), 0);
        for watched in self.threads.values_mut() {
            let Some(task) = &watched.task else { continue };
            let site = task.site(&mut buffer);
            let Some(times) = task.times(&mut buffer) else {
                watched.task = None;
                continue;
            };
            let grown_ns = watched.note(times, t_ns, &mut self.samples);
            if let Some(ThreadSite { name, cpu, letter }) = site {
                watched.stand(cpu, looks.then_some(name), t_ns, &mut self.samples);
                if !watched.seen.helper {
                    ready += usize::from(letter == b'R');
                    sleeping.extend((letter == b'S').then_some((watched.seen.pid, watched.seen.tid)));
                }
                let known = times.run_delay_ns.is_some() && !self.tickless.contains(cpu);
                stands.push(Stand { tid: watched.seen.tid, letter, cpu, grown_ns: known.then_some(grown_ns) });
            }
        }
        self.sampling.note_ready(ready);
        for (stand, state) in stands.iter().zip(told(&stands)) {
            if let Some(watched) = self.threads.get_mut(&stand.tid) {
                watched.seen.states.add(state);
                let passed = t_ns - std::mem::replace(&mut watched.stated_ns, t_ns);
                watched.seen.off_ns.get_or_insert_with(OffCpu::sampled).add(state, passed);
                self.samples.push(t_ns, &watched.source, "state", state as u64);
            }
        }
        sleeping
    }

    /// Records CPU time of all threads.
    fn read_times(&mut self, t_ns: u64) {
        let mut buffer = [0; 1024];
        for watched in self.threads.values_mut() {
            let Some(task) = &watched.task else { continue };
            match task.times(&mut buffer) {
                Some(times) => {
                    watched.note(times, t_ns, &mut self.samples);
                }
                None => watched.task = None,
            }
        }
    }

    /// Finds new threads and processes.
    fn look(&mut self, t_ns: u64) {
        // Asked first: what begins during the look is found by the next one.
        let newest = self.newest.number();
        if newest.is_some() && newest == self.looked_until {
            return;
        }
        self.looked_until = newest;
        let (mut known, mut new) = (0, Vec::new());
        for pid in descendants(self.ancestor) {
            self.mappings.know(pid, t_ns);
            self.moves.know(pid, t_ns);
            for tid in numbered(&format!("/proc/{pid}/task")) {
                if self.threads.get(&tid).is_some_and(|watched| watched.task.is_some() && watched.seen.pid == pid) {
                    known += 1;
                } else {
                    new.push((pid, tid));
                }
            }
        }
        let room = self.most.saturating_sub(known);
        if new.len() > room {
            // A later look may watch them, after others have ended.
            self.looked_until = None;
        }
        self.sampling.left_out = self.sampling.left_out.max(new.len().saturating_sub(room) as u64);
        for (pid, tid) in new.into_iter().take(room) {
            self.watch(pid, tid, t_ns);
        }
    }

    fn watch(&mut self, pid: i32, tid: i32, t_ns: u64) {
        if let Some(task) = Task::open(pid, tid) {
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
            self.threads
                .insert(tid, Thread { task: Some(task), seen, growth: Growth::new(t_ns), stated_ns: t_ns, source });
        }
    }

    /// Adds a value from another source to the series.
    pub fn mark(&mut self, t_ns: u64, source: &str, name: &str, value: u64) {
        self.samples.push(t_ns, source, name, value);
    }

    /// The control group into which the program was put, if that is not the launcher's, with counts until now.
    #[must_use]
    pub fn throttled_program(&mut self) -> Option<ThrottledProgram> {
        self.moves.most_throttled()
    }

    /// Ends the sampling, and writes the series to `path` if one is given.
    #[must_use]
    pub fn finish(self, path: Option<&Path>) -> Watched {
        let written = path.map_or(Ok(()), |path| self.samples.write(path));
        let futex = (self.sampling.count > 0).then(|| self.sleepers.finish());
        let seen = self.threads.into_values().map(|watched| watched.seen);
        Watched {
            threads: seen.filter(|thread| thread.cpu != u32::MAX).collect(),
            sampling: self.sampling,
            pages: self.census.and_then(Census::fullest),
            mapped: self.mappings.finish(),
            futex,
            written,
        }
    }
}

/// Empty where there is no such cpu; the file is missing, or says `(null)`.
fn tickless() -> CpuSet {
    let list = std::fs::read_to_string("/sys/devices/system/cpu/nohz_full").unwrap_or_default();
    list.trim().parse().unwrap_or_default()
}

impl Thread {
    /// Records CPU time and run delay; returns the CPU time since the sample before.
    fn note(&mut self, times: Times, t_ns: u64, samples: &mut Samples) -> u64 {
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
    fn stand(&mut self, cpu: u32, name: Option<String>, t_ns: u64, samples: &mut Samples) {
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
