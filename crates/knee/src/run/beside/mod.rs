//! Programs of knee's own that run beside the measured one: on other cpus to lower the clock, or to fill caches and
//! memory.
//!
//! They are threads of the launcher, each pinned to its cpu. So the measured program's tree, its CPU time and its counters
//! never contain them, they pause when the launcher does, and they cannot outlive it, whatever kills it. Their memory is
//! not inherited by the program ([`knee_machine::sys::Mapping`]), so that starting it takes no longer.

mod work;

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use knee_machine::clock::{nanoseconds, thread_cpu};
use knee_machine::{CpuSet, Topology, room, sys};

use self::work::Work;
use crate::record::BesideUse;
use crate::run_spec::{self, BesideWorkload};

/// Programs beside a run; they end when this is dropped.
pub(super) struct Beside {
    stop: Arc<AtomicBool>,
    programs: Vec<Program>,
}

struct Program {
    asked: run_spec::Beside,
    bytes: Option<u64>,
    begin: Instant,
    threads: Vec<JoinHandle<Done>>,
}

/// What one thread did.
struct Done {
    cpu: Duration,
    amount: u64,
}

impl Beside {
    /// Starts them, and waits until each is at work.
    pub(super) fn start(asked: &[run_spec::Beside]) -> io::Result<Self> {
        let mut beside = Self { stop: Arc::default(), programs: Vec::new() };
        for one in asked {
            let bytes = bytes(one)?;
            let program = Program::start(one, bytes, &beside.stop).map_err(|error| {
                io::Error::new(error.kind(), format!("cannot run {} beside it: {error}", name(one.workload)))
            })?;
            beside.programs.push(program);
        }
        Ok(beside)
    }

    /// Ends them. Returns what each did, with the clock beside them, and the CPU time that they used on these cpus.
    pub(super) fn end(mut self, cpus: &CpuSet, clock_ns: Option<f64>) -> (Vec<BesideUse>, Duration) {
        self.stop.store(true, Ordering::SeqCst);
        let done = self.programs.drain(..).map(|program| program.end(cpus, clock_ns));
        let (uses, times): (Vec<_>, Vec<Duration>) = done.unzip();
        (uses, times.iter().sum())
    }
}

impl Drop for Beside {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::SeqCst);
    }
}

impl Program {
    fn start(asked: &run_spec::Beside, bytes: Option<u64>, stop: &Arc<AtomicBool>) -> io::Result<Self> {
        let share = bytes.unwrap_or(0) / asked.cpus.len() as u64;
        let share = usize::try_from(share).map_err(io::Error::other)?;
        let (ready, started) = channel();
        let start = |&cpu: &u32| {
            let (workload, stop, ready) = (asked.workload, Arc::clone(stop), ready.clone());
            std::thread::Builder::new().name("knee-beside".into()).spawn(move || {
                prepare(workload, cpu, share, &ready).map_or(Done { cpu: Duration::ZERO, amount: 0 }, |mut work| {
                    let before = thread_cpu();
                    let mut amount = 0;
                    while !stop.load(Ordering::Relaxed) {
                        amount += work.batch();
                    }
                    Done { cpu: thread_cpu().saturating_sub(before), amount }
                })
            })
        };
        let threads = asked.cpus.iter().map(start).collect::<io::Result<Vec<_>>>()?;
        // One word of each thread; they keep their senders.
        started.iter().take(threads.len()).collect::<io::Result<()>>()?;
        Ok(Self { asked: asked.clone(), bytes, begin: Instant::now(), threads })
    }

    fn end(self, cpus: &CpuSet, clock_ns: Option<f64>) -> (BesideUse, Duration) {
        let run_spec::Beside { workload, cpus: own, .. } = self.asked;
        let (mut cpu, mut among, mut amount) = (Duration::ZERO, Duration::ZERO, 0);
        for (thread, at) in self.threads.into_iter().zip(&own) {
            let done = thread.join().expect("the loops do not panic");
            cpu += done.cpu;
            among += if cpus.contains(*at) { done.cpu } else { Duration::ZERO };
            amount += done.amount;
        }
        let wall = self.begin.elapsed();
        let unit = if workload == BesideWorkload::Spin { "multiplications/s" } else { "bytes/s" };
        let found = BesideUse {
            workload,
            cpus: own,
            bytes: self.bytes,
            wall_ns: nanoseconds(wall),
            cpu_ns: nanoseconds(cpu),
            rate: amount as f64 / wall.as_secs_f64().max(1e-9),
            unit: unit.into(),
            clock_ns,
        };
        (found, among)
    }
}

/// Pins the calling thread and gets its memory; says how that went.
fn prepare(workload: BesideWorkload, cpu: u32, bytes: usize, ready: &Sender<io::Result<()>>) -> Option<Work> {
    let work = sys::pin(&[cpu]).and_then(|()| Work::new(workload, bytes));
    let (work, went) = match work {
        Ok(work) => (Some(work), Ok(())),
        Err(error) => (None, Err(error)),
    };
    // Nobody listens any more when an earlier one has failed.
    let _ = ready.send(went);
    work
}

/// Memory of a program; none for one that touches none.
fn bytes(asked: &run_spec::Beside) -> io::Result<Option<u64>> {
    let cache = || -> io::Result<u64> {
        let machine = Topology::this_machine().map_err(io::Error::other)?;
        let level = machine.caches.iter().map(|cache| cache.level).max();
        let last = machine.caches.iter().filter(|cache| Some(cache.level) == level);
        let largest = last.map(|cache| cache.size_bytes).max().filter(|bytes| *bytes > 0);
        largest.ok_or_else(|| {
            io::Error::other(format!(
                "the size of the last-level cache is unknown: {} needs bytes",
                name(asked.workload)
            ))
        })
    };
    let bytes = match (asked.workload, asked.bytes) {
        (BesideWorkload::Spin, _) => return Ok(None),
        (_, Some(bytes)) => bytes,
        (BesideWorkload::Stream, None) => 4 * cache()?,
        (BesideWorkload::Pirate, None) => cache()? / 2,
    };
    match room::memory().filter(|room| bytes > room / 2) {
        Some(room) => Err(io::Error::other(format!(
            "{} beside it needs {bytes} bytes, more than half of the {room} that are left",
            name(asked.workload)
        ))),
        None => Ok(Some(bytes)),
    }
}

fn name(workload: BesideWorkload) -> &'static str {
    match workload {
        BesideWorkload::Spin => "spin",
        BesideWorkload::Stream => "stream",
        BesideWorkload::Pirate => "pirate",
    }
}
