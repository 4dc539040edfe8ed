//! Samples a process tree: which threads it has, how much CPU time each took, where each ran, and in which state it was.
//!
//! The sampler has a budget of 1 % of one cpu. Ticks that take longer postpone the next ones, so a tree of a thousand
//! threads is sampled less often instead of being disturbed; the record has the number of samples.

mod ended;
mod looking;
mod reading;
mod seen;
mod thread;

use std::collections::BTreeMap;
use std::fs::File;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use knee_machine::CpuSet;
use knee_machine::clock::{nanoseconds, thread_cpu};

use self::ended::Ended;
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
const MOST_WATCHED: usize = 400;
/// Open files of others in this process that leave room for those of so many threads.
const OTHER_FILES: usize = 128;
/// Threads watched at once, however many files others have open.
const FEWEST_WATCHED: usize = 50;

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
    /// Those that are alive, as far as is known.
    threads: BTreeMap<i32, Thread>,
    ended: Ended,
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
            ended: Ended::default(),
            most: MOST_WATCHED,
            census: (census_ms > 0).then(|| Census::new(begin, Duration::from_millis(census_ms))),
            mappings: Mappings::default(),
            moves: Moves::new(PathBuf::from("/")),
            sleepers: Sleepers::default(),
            go: None,
            samples: Samples::default(),
            sampling: Sampling { period_ms, ..Sampling::default() },
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
        let living: u64 = self.threads.values().map(|watched| watched.seen.cpu_ns).sum();
        Duration::from_nanos(living + self.ended.cpu_ns())
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

    /// Ends the sampling, and writes the series to a new file if one is given.
    #[must_use]
    pub fn finish(self, file: Option<File>) -> Watched {
        let written = file.map_or(Ok(()), |file| self.samples.write(file));
        let futex = (self.sampling.count > 0).then(|| self.sleepers.finish());
        let (threads, untold) = self.ended.told(self.threads.into_values().map(|watched| watched.seen));
        Watched {
            threads,
            sampling: Sampling { untold, most: self.most, ..self.sampling },
            pages: self.census.and_then(Census::fullest),
            mapped: self.mappings.finish(),
            futex,
            goroutines: self.go.and_then(GoSampler::finish),
            written,
        }
    }
}

/// Empty where there is no such cpu; the file is missing, or says `(null)`.
fn tickless() -> CpuSet {
    let list = std::fs::read_to_string("/sys/devices/system/cpu/nohz_full").unwrap_or_default();
    list.trim().parse().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    /// This process, as it is found.
    fn found() -> Thread {
        let own = std::process::id().cast_signed();
        Thread::open(own, own, 0).expect("it is there")
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

    #[test]
    fn a_tick_reads_living_threads_only_and_what_ended_is_told() {
        // Of no process, so that it finds no other children of this one.
        let mut sampler = Sampler::new(i32::MAX, Instant::now(), 10, 0);
        sampler.watch(std::process::id().cast_signed(), found());
        let mut child = std::process::Command::new("true").stdin(std::process::Stdio::null()).spawn().unwrap();
        let pid = child.id().cast_signed();
        let mut thread = Thread::open(pid, pid, 0).expect("it was not reaped");
        (thread.seen.cpu, thread.seen.cpu_ns) = (0, 500);
        sampler.watch(pid, thread);
        child.wait().unwrap();
        sampler.tick(&mut Gauges::open(Path::new("/"), &[]), &mut |_| {});
        assert_eq!(sampler.threads.len(), 1, "the child has ended");
        assert!(sampler.cpu() > Duration::from_nanos(500));
        assert!(sampler.finish(None).threads.iter().any(|thread| (thread.tid, thread.cpu_ns) == (pid, 500)));
    }

    #[test]
    fn a_helper_that_computes_uses_a_cpu_but_is_no_thread_of_the_program() {
        let helper = std::thread::Builder::new().name("GC Thread#0".into()).spawn(|| {
            let (pid, tid) = (std::process::id().cast_signed(), rustix::thread::gettid().as_raw_nonzero().get());
            let mut sampler = Sampler::new(i32::MAX, Instant::now(), 10, 0);
            sampler.watch(tid, Thread::open(pid, tid, 0).expect("it is this one"));
            sampler.tick(&mut Gauges::open(Path::new("/"), &[]), &mut |_| {});
            sampler.finish(None).sampling
        });
        let sampling = helper.unwrap().join().unwrap();
        assert_eq!((sampling.ready, sampling.own_ready), (vec![0, 1], vec![1]));
    }
}
