//! Made-up cpus on which made-up threads take turns, with samples of them like those of the sampler.

use fastrand::Rng;
use knee_meter::{Observed, StateCounts, ThreadUse};

/// A tick is a millisecond; as on Linux, a thread that is ready gets a cpu after a few of them.
const TICK_NS: u64 = 1_000_000;
const TURN: u64 = 4;
const SAMPLED: u64 = 10;
/// New threads are looked for at each of the first samples, later at every fourth.
const FIRST_SAMPLES: u64 = 16;
const LOOK_EVERY: u64 = 4;
/// No run takes longer.
const LONGEST: u64 = 20_000;

/// Whose thread it is.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Of {
    Program,
    /// The program's runtime: one that knee knows by its name.
    Runtime,
    /// Another program, which computes all the time.
    Another,
}

/// What a thread does. Times are in ticks.
#[derive(Clone)]
pub(crate) struct Thread {
    pub(crate) of: Of,
    /// CPU time after which it ends.
    pub(crate) work: f64,
    /// When it starts, and after the end of which other thread.
    pub(crate) begins: u64,
    pub(crate) after: Option<usize>,
    /// It computes for so long on average, then it sleeps for so long.
    pub(crate) computes: f64,
    pub(crate) sleeps: f64,
    /// It computes only with the lock that all of its kind share.
    pub(crate) locks: bool,
    /// Of every so many ticks it takes part in those from .. to.
    pub(crate) phase: Option<(u64, u64, u64)>,
}

impl Thread {
    /// One that computes without a pause.
    pub(crate) fn steady(work: f64) -> Self {
        let of = Of::Program;
        Self { of, work, begins: 0, after: None, computes: work, sleeps: 0.0, locks: false, phase: None }
    }

    /// One that computes for this share of the time, in pieces of so many ticks.
    pub(crate) fn in_pieces(work: f64, share: f64, computes: f64) -> Self {
        Self { computes, sleeps: computes * (1.0 - share) / share, ..Self::steady(work) }
    }
}

struct Task {
    thread: Thread,
    used: u64,
    /// CPU time when it was sampled last; none before it was found.
    seen: Option<u64>,
    /// CPU time at which it goes to sleep, and the tick at which it wakes up.
    until: u64,
    wakes: u64,
    /// CPU time by which the next to run is chosen; a thread that slept gains nothing by it.
    fair: u64,
    begun: bool,
    ended: bool,
}

/// A run as the record has it.
pub(crate) struct Run {
    threads: Vec<ThreadUse>,
    ready: Vec<u32>,
    cpu_ns: u64,
    cpus: usize,
}

impl Run {
    /// How many threads of it computed, when so many were asked for.
    pub(crate) fn computing(&self, asked: usize) -> Option<usize> {
        Observed { threads: &self.threads, ready: &self.ready, cpu_ns: self.cpu_ns }.computing(asked, self.cpus)
    }
}

/// Runs threads on so many cpus until those of the program have ended.
pub(crate) fn run(random: &mut Rng, threads: Vec<Thread>, cpus: usize) -> Run {
    let mut tasks: Vec<Task> = threads
        .into_iter()
        .map(|thread| {
            let until = length(random, thread.computes);
            Task { thread, used: 0, seen: None, until, wakes: 0, fair: 0, begun: false, ended: false }
        })
        .collect();
    let (mut ready, mut holder) = (Vec::new(), None);
    let begin = random.u64(..SAMPLED);
    for now in 0..LONGEST {
        if tasks.iter().all(|task| task.ended || task.thread.of != Of::Program) {
            break;
        }
        begin_due(&mut tasks, now);
        let mut runnable = runnable(&tasks, now, &mut holder);
        if now % SAMPLED == begin {
            sample(&mut tasks, &runnable, now, &mut ready);
        }
        runnable.sort_by_key(|&one| tasks[one].fair / TURN);
        let least = runnable.first().map_or(0, |&one| tasks[one].fair);
        for &one in runnable.iter().take(cpus) {
            compute(random, &mut tasks[one], now, least);
            if holder == Some(one) && (tasks[one].wakes > now || tasks[one].ended) {
                holder = None;
            }
        }
    }
    let program = || tasks.iter().filter(|task| task.thread.of != Of::Another);
    Run {
        threads: program().filter_map(thread_use).collect(),
        ready,
        cpu_ns: program().map(|task| task.used).sum::<u64>() * TICK_NS,
        cpus,
    }
}

fn begin_due(tasks: &mut [Task], now: u64) {
    for one in 0..tasks.len() {
        let Thread { begins, after, .. } = tasks[one].thread;
        tasks[one].begun = now >= begins && after.is_none_or(|other| tasks[other].ended);
    }
}

/// Threads that run or wait for a cpu. One of those that need the lock gets it.
fn runnable(tasks: &[Task], now: u64, holder: &mut Option<usize>) -> Vec<usize> {
    let ready = |&one: &usize| {
        let Task { thread, wakes, begun, ended, .. } = &tasks[one];
        let takes_part = thread.phase.is_none_or(|(of, from, to)| (from..to).contains(&(now % of)));
        *begun && !ended && takes_part && now >= *wakes
    };
    let mut all: Vec<usize> = (0..tasks.len()).filter(ready).collect();
    let next = all.iter().copied().filter(|&one| tasks[one].thread.locks).min_by_key(|&one| tasks[one].fair);
    *holder = holder.or(next);
    all.retain(|&one| !tasks[one].thread.locks || *holder == Some(one));
    all
}

fn sample(tasks: &mut [Task], runnable: &[usize], now: u64, ready: &mut Vec<u32>) {
    let number = now / SAMPLED;
    let looks = number < FIRST_SAMPLES || number.is_multiple_of(LOOK_EVERY);
    for task in tasks.iter_mut().filter(|task| !task.ended && (task.seen.is_some() || looks && task.begun)) {
        task.seen = Some(task.used);
    }
    let counts = |task: &Task| task.thread.of == Of::Program && task.seen.is_some();
    let at_once = runnable.iter().filter(|&&one| counts(&tasks[one])).count();
    if ready.len() <= at_once {
        ready.resize(at_once + 1, 0);
    }
    ready[at_once] += 1;
}

/// Gives a thread a cpu for one tick.
fn compute(random: &mut Rng, task: &mut Task, now: u64, least: u64) {
    task.used += 1;
    task.fair = task.fair.max(least.saturating_sub(TURN)) + 1;
    task.ended = task.used as f64 >= task.thread.work;
    if task.used >= task.until {
        task.until = task.used + length(random, task.thread.computes);
        if task.thread.sleeps > 0.0 {
            task.wakes = now + 1 + length(random, task.thread.sleeps);
        }
    }
}

/// A random length with this mean.
fn length(random: &mut Rng, mean: f64) -> u64 {
    (-mean * (1.0 - random.f64()).ln()).round().max(1.0) as u64
}

/// What the record says of a thread; nothing where it ended before it was found.
fn thread_use(task: &Task) -> Option<ThreadUse> {
    let seen = task.seen?;
    Some(ThreadUse {
        tid: 0,
        pid: 0,
        cpu: 0,
        affinity: None,
        looked: None,
        name: String::new(),
        helper: task.thread.of == Of::Runtime,
        cpu_ns: seen * TICK_NS,
        run_delay_ns: None,
        off_ns: None,
        switches: None,
        states: StateCounts::default(),
        migrations: 0,
        first_seen_ns: 0,
        last_seen_ns: 0,
    })
}
