//! One launch: what was asked, how it is timed, what is printed.

use std::hint::{black_box, spin_loop};
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::{self, ThreadId};
use std::time::{Duration, Instant};

use rustix::time::{ClockId, clock_gettime};

use crate::data::{Node, numbers};

/// No sample is added once so much time is spent and three are there.
const BUDGET: Duration = Duration::from_millis(500);
/// A forked closure that has not been started by now is run by the thread that forked it.
const PATIENCE: Duration = Duration::from_millis(100);
const NUMBERS: usize = 100_000_000;

/// What the command line asked for.
pub struct Call {
    side: &'static str,
    /// The test's name, with the variant of the side after a slash where it has several.
    pub test: String,
    /// How many workers, the one that forks included.
    pub threads: usize,
    /// The cpu of each worker; empty where nothing is to be pinned.
    pub cpus: Vec<usize>,
    repeats: usize,
}

impl Call {
    /// Reads the command line, and answers `list` itself.
    #[must_use]
    pub fn read(side: &'static str, tests: &[&str]) -> Self {
        let words: Vec<String> = std::env::args().skip(1).collect();
        match words.iter().map(String::as_str).collect::<Vec<_>>()[..] {
            ["list"] => {
                println!("{}", tests.join("\n"));
                std::process::exit(0)
            }
            [test, threads, repeats, cpus] if tests.contains(&test) => {
                let number = |word: &str| word.parse().ok().filter(|&number| number > 0);
                let cpus =
                    if cpus == "-" { Some(vec![]) } else { cpus.split(',').map(|cpu| cpu.parse().ok()).collect() };
                let (Some(threads), Some(repeats), Some(cpus)) = (number(threads), number(repeats), cpus) else {
                    usage()
                };
                Self { side, test: test.to_owned(), threads, cpus, repeats }
            }
            _ => usage(),
        }
    }

    /// Naive Fibonacci: nanoseconds per spawn, the serial call beside it included.
    pub fn fib(&self, n: u32, mut fib: impl FnMut(u32) -> u64) {
        let (mut value, mut next) = (0_u64, 1_u64);
        for _ in 0..n {
            (value, next) = (next, value + next);
        }
        self.time((next - 1) as f64, 1, || assert_eq!(fib(black_box(n)), value));
    }

    /// The sum over a balanced binary tree: nanoseconds per node. `again` sums make one sample.
    pub fn tree(&self, levels: u32, again: u32, mut sum: impl FnMut(&Node) -> u64) {
        let tree = Node::balanced(levels);
        let nodes = (1_u64 << levels) - 1;
        self.time(nodes as f64, again, || assert_eq!(sum(black_box(&tree)), nodes));
    }

    /// A parallel loop whose body only looks at its index: nanoseconds per whole loop.
    pub fn empty_loop(&self, iterations: usize, again: u32, mut run: impl FnMut(usize)) {
        self.time(1.0, again, || run(black_box(iterations)));
    }

    /// The sum of 1e8 doubles: nanoseconds per sum.
    pub fn sum(&self, mut sum: impl FnMut(&[f64]) -> f64) {
        let numbers = numbers(NUMBERS);
        self.time(1.0, 1, || assert_eq!(sum(black_box(&numbers)).to_bits(), (NUMBERS as f64).to_bits()));
    }

    /// How long a fork takes to reach the other worker, after this one was busy alone for so long: nanoseconds.
    pub fn wake(&self, alone: Duration, mut fork: impl FnMut(&Probe)) {
        let mut samples = Vec::new();
        let (mut others, mut missed) = (Duration::ZERO, 0);
        let begin = Instant::now();
        for _ in 0..=self.repeats {
            let before = (processor_time(), own_time());
            let idle = Instant::now();
            while idle.elapsed() < alone {
                spin_loop();
            }
            let used = processor_time().saturating_sub(before.0);
            others += used.saturating_sub(own_time().saturating_sub(before.1));
            let probe = Probe::new();
            fork(&probe);
            missed += u32::from(probe.ran_here());
            samples.push(probe.waited().as_nanos() as f64);
        }
        let share = others.as_secs_f64() / begin.elapsed().as_secs_f64();
        samples.remove(0);
        self.print("ns", &samples, &format!(",\"missed\":{missed},\"idle_share\":{share:.4}"));
    }

    /// Processor time over wall time, in the second that begins when the work ends.
    pub fn idle(&self, work: impl FnOnce()) {
        work();
        let (begin, before) = (Instant::now(), processor_time());
        thread::sleep(Duration::from_secs(1));
        let share = processor_time().saturating_sub(before).as_secs_f64() / begin.elapsed().as_secs_f64();
        self.print("share", &[share], "");
    }

    fn time(&self, per: f64, again: u32, mut work: impl FnMut()) {
        let mut samples = Vec::new();
        let begin = Instant::now();
        for sample in 0..=self.repeats {
            let start = Instant::now();
            for _ in 0..again {
                work();
            }
            let taken = start.elapsed().as_nanos() as f64 / f64::from(again) / per;
            // The first one warms up.
            if sample > 0 {
                samples.push(taken);
            }
            if samples.len() >= 3 && begin.elapsed() > BUDGET {
                break;
            }
        }
        self.print("ns", &samples, "");
    }

    fn print(&self, unit: &str, samples: &[f64], more: &str) {
        let Self { side, test, threads, cpus, .. } = self;
        let pinned = !cpus.is_empty();
        let value = median(samples);
        println!(
            "{{\"side\":\"{side}\",\"test\":\"{test}\",\"threads\":{threads},\"pinned\":{pinned},\"unit\":\"{unit}\",\
             \"value\":{value},\"samples\":{samples:?}{more}}}"
        );
    }
}

/// Sees when a forked closure starts on another thread.
pub struct Probe {
    start: Instant,
    home: ThreadId,
    // Nanoseconds after the start, and one more: 0 is not yet.
    seen: AtomicU64,
    here: AtomicU64,
}

impl Probe {
    fn new() -> Self {
        let home = thread::current().id();
        Self { seen: AtomicU64::new(0), here: AtomicU64::new(0), home, start: Instant::now() }
    }

    /// The closure that another worker should run.
    pub fn mark(&self) {
        let waited = u64::try_from(self.start.elapsed().as_nanos()).expect("a wait of less than centuries");
        self.here.store(u64::from(thread::current().id() == self.home), Ordering::Relaxed);
        // Release: pairs with the Acquire loads of `wait` and `waited`, which then see `here` too.
        self.seen.store(waited + 1, Ordering::Release);
    }

    /// The closure that stays: looks for the mark, and calls `nudge` meanwhile.
    pub fn wait(&self, mut nudge: impl FnMut()) {
        while self.seen.load(Ordering::Acquire) == 0 && self.start.elapsed() < PATIENCE {
            nudge();
            spin_loop();
        }
    }

    fn ran_here(&self) -> bool {
        self.here.load(Ordering::Relaxed) != 0
    }

    fn waited(&self) -> Duration {
        if self.ran_here() { PATIENCE } else { Duration::from_nanos(self.seen.load(Ordering::Acquire) - 1) }
    }
}

fn usage() -> ! {
    eprintln!("usage: SIDE list | SIDE TEST THREADS REPEATS CPUS, where CPUS is like 0,1 or - for no pinning");
    std::process::exit(2)
}

fn median(samples: &[f64]) -> f64 {
    let mut sorted = samples.to_vec();
    sorted.sort_by(f64::total_cmp);
    f64::midpoint(sorted[(sorted.len() - 1) / 2], sorted[sorted.len() / 2])
}

fn processor_time() -> Duration {
    read(ClockId::ProcessCPUTime)
}

fn own_time() -> Duration {
    read(ClockId::ThreadCPUTime)
}

fn read(clock: ClockId) -> Duration {
    clock_gettime(clock).try_into().expect("processor time is not negative")
}
