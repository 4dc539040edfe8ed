//! Samples a process tree: which threads it has, how much CPU time each took, where each ran, and in which state it was.
//!
//! The sampler has a budget of 1 % of one cpu. Ticks that take longer postpone the next ones, so a tree of a thousand
//! threads is sampled less often instead of being disturbed; the record has the number of samples.

mod looking;
mod reading;
mod seen;
mod thread;

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use knee_machine::CpuSet;
use knee_machine::clock::{nanoseconds, thread_cpu};

pub use self::seen::{Sampling, ThreadUse, Watched};
use self::thread::Thread;
use crate::asleep::Sleepers;
use crate::budget::Budget;
use crate::census::Census;
use crate::gauges::Gauges;
use crate::goroutines::{GoProgram, GoSampler};
use crate::mapped::Mappings;
use crate::moves::Moves;
use crate::proc::Newest;
use crate::samples::Samples;
use crate::throttling::ThrottledProgram;

/// Living threads watched at once. Each holds two open files, and 1024 is the customary limit of a process; CPU time of
/// threads beyond this is still in the totals of the run.
pub const MOST_WATCHED: usize = 400;
/// Open files of others in this process that leave room for those of so many threads.
const OTHER_FILES: usize = 128;
/// Threads watched at once, however many files others have open.
const FEWEST_WATCHED: usize = 50;

/// Threads in a record, those with the most CPU time: a program may start any number, one after the other, and a
/// record is one line that its readers hold as a whole.
const MOST_TOLD: usize = 2048;

/// Source of samples from counters of the program itself.
pub const WORKLOAD: &str = "workload";

/// Reads running counters: calls its argument with each name and value.
pub type Published<'a> = dyn FnMut(&mut dyn FnMut(&str, u64)) + 'a;

/// Samples everything below one process.
pub struct Sampler {
    ancestor: i32,
    begin: Instant,
    period: Duration,
    due: Instant,
    threads: BTreeMap<i32, Thread>,
    /// Threads that have ended, whose numbers others have now.
    replaced: Vec<ThreadUse>,
    most: usize,
    census: Option<Census>,
    mappings: Mappings,
    moves: Moves,
    sleepers: Sleepers,
    go: Option<GoSampler>,
    samples: Samples,
    sampling: Sampling,
    budget: Budget,
    newest: Newest,
    /// The newest thread of the machine at the last look.
    looked_until: Option<u32>,
    /// When that was, and whether there was news then.
    looked: (u64, bool),
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
            replaced: Vec::new(),
            most: MOST_WATCHED,
            census: (census_ms > 0).then(|| Census::new(begin, Duration::from_millis(census_ms))),
            mappings: Mappings::default(),
            moves: Moves::new(PathBuf::from("/")),
            sleepers: Sleepers::default(),
            go: None,
            samples: Samples::default(),
            sampling: Sampling { period_ms, count: 0, cost_ns: 0, ready: Vec::new(), left_out: 0, untold: 0 },
            budget: Budget::default(),
            newest: Newest::open(),
            looked_until: None,
            looked: (0, true),
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

    /// Keeps no series: nobody asked for one.
    pub fn forget_series(&mut self) {
        self.samples.forget();
    }

    /// Reads what the goroutines of this program do as well.
    #[must_use]
    pub fn reading(self, program: Option<GoProgram>) -> Self {
        Self { go: program.map(GoSampler::new), ..self }
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
        // No cost of a sample: it comes once for many of them.
        let before = thread_cpu();
        self.samples.settle();
        self.sampling.cost_ns += nanoseconds(thread_cpu().saturating_sub(before));
    }

    /// CPU time of all threads until they were seen last.
    #[must_use]
    pub fn cpu(&self) -> Duration {
        let seen = self.threads.values().map(|watched| &watched.seen).chain(&self.replaced);
        Duration::from_nanos(seen.map(|thread| thread.cpu_ns).sum())
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
        let seen = self.threads.into_values().map(|watched| watched.seen).chain(self.replaced);
        let seen: Vec<ThreadUse> = seen.filter(|thread| thread.cpu != u32::MAX).collect();
        let untold = seen.len().saturating_sub(MOST_TOLD) as u64;
        Watched {
            threads: told(seen),
            sampling: Sampling { untold, ..self.sampling },
            pages: self.census.and_then(Census::fullest),
            mapped: self.mappings.finish(),
            futex,
            goroutines: self.go.and_then(GoSampler::finish),
            written,
        }
    }
}

/// The threads that a record tells of, by number, and of one number by when they were first seen.
fn told(mut threads: Vec<ThreadUse>) -> Vec<ThreadUse> {
    if threads.len() > MOST_TOLD {
        threads.sort_unstable_by_key(|thread| Reverse(thread.cpu_ns));
        threads.truncate(MOST_TOLD);
    }
    threads.sort_unstable_by_key(|thread| (thread.tid, thread.first_seen_ns));
    threads
}

/// Empty where there is no such cpu; the file is missing, or says `(null)`.
fn tickless() -> CpuSet {
    let list = std::fs::read_to_string("/sys/devices/system/cpu/nohz_full").unwrap_or_default();
    list.trim().parse().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// This process, as it is found.
    fn found() -> Thread {
        let own = std::process::id().cast_signed();
        Thread::open(own, own, 0).expect("it is there")
    }

    #[test]
    fn a_record_tells_of_so_many_threads_and_of_those_that_worked_most() {
        let most = i32::try_from(MOST_TOLD).unwrap();
        let seen = |tid: i32| {
            let cpu_ns = u64::from(tid % 2 == 0) * 10_000 + u64::from(tid.unsigned_abs());
            ThreadUse { tid, cpu_ns, ..found().seen }
        };
        let all: Vec<ThreadUse> = (1..=most + 1000).map(seen).collect();
        let few = all[..10].to_vec();
        assert_eq!(told(few.clone()), few);
        let told = told(all);
        assert_eq!(told.len(), MOST_TOLD);
        assert!(told.is_sorted_by_key(|thread| thread.tid));
        // Even ones have most, and of the odd ones the last.
        let even = told.iter().filter(|thread| thread.tid % 2 == 0).count();
        assert_eq!((even, told[0].tid), (1524, 2));
        assert!(told.iter().filter(|thread| thread.tid % 2 == 1).all(|thread| thread.tid > 2000));
    }

    #[test]
    fn the_thread_that_had_a_number_before_is_kept() {
        let mut sampler = Sampler::new(1, Instant::now(), 10, 0);
        for cpu_ns in [500, 70] {
            let mut thread = found();
            (thread.seen.cpu, thread.seen.cpu_ns) = (0, cpu_ns);
            sampler.watch(7, thread);
        }
        assert_eq!(sampler.cpu(), Duration::from_nanos(570));
        assert_eq!(sampler.finish(None).threads.len(), 2);
    }
}
