//! Bare threads, one on each cpu, that begin at once: no runtime, nothing to schedule.

use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use knee_machine::sys;
use knee_workload::Error;
use rustix::time::{ClockId, clock_gettime};

/// Spins before a waiting thread lets others have the cpu: a few microseconds.
const PATIENCE: u32 = 1 << 12;

/// Where threads wait for each other. They spin, so that all go on within one cache miss of each other.
struct Barrier {
    seats: usize,
    arrived: AtomicUsize,
    round: AtomicUsize,
    /// Whether somebody will never come, so that nobody waits.
    abandoned: AtomicBool,
}

impl Barrier {
    fn new(seats: usize) -> Self {
        Self { seats, arrived: AtomicUsize::new(0), round: AtomicUsize::new(0), abandoned: AtomicBool::new(false) }
    }

    fn meet(&self) {
        // Relaxed: the exchange below orders it, and nobody can change it before this thread has arrived.
        let round = self.round.load(Ordering::Relaxed);
        // AcqRel: the last one to arrive sees what all did before, and hands it on by the Release below.
        if self.arrived.fetch_add(1, Ordering::AcqRel) + 1 == self.seats {
            self.arrived.store(0, Ordering::Relaxed);
            self.round.store(round + 1, Ordering::Release);
            return;
        }
        let mut spins = 0;
        // Acquire pairs with that Release.
        while self.round.load(Ordering::Acquire) == round && !self.abandoned.load(Ordering::Acquire) {
            spins += 1;
            if spins < PATIENCE { std::hint::spin_loop() } else { thread::yield_now() }
        }
    }
}

/// What all seats of this process have taken so far: time, and CPU time in it. What starting a thread takes is in neither.
static SEATED: Seated = Seated { wall_ns: AtomicU64::new(0), cpu_ns: AtomicU64::new(0) };

struct Seated {
    wall_ns: AtomicU64,
    cpu_ns: AtomicU64,
}

impl Seated {
    fn add(&self, wall: Duration, cpu: Duration) {
        let nanoseconds = |time: Duration| u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
        // Relaxed: read when the threads have been joined.
        self.wall_ns.fetch_add(nanoseconds(wall), Ordering::Relaxed);
        self.cpu_ns.fetch_add(nanoseconds(cpu), Ordering::Relaxed);
    }
}

/// Time that seats of this process have taken so far, and CPU time in it, in nanoseconds.
pub(crate) fn taken() -> [u64; 2] {
    [SEATED.wall_ns.load(Ordering::Relaxed), SEATED.cpu_ns.load(Ordering::Relaxed)]
}

fn own_cpu() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(u64::try_from(time.tv_sec).unwrap_or(0), u32::try_from(time.tv_nsec).unwrap_or(0))
}

/// One of the threads that work together.
pub struct Seat<'a> {
    /// Which one, from 0.
    pub index: usize,
    /// Its cpu.
    pub cpu: u32,
    barrier: &'a Barrier,
}

impl Seat<'_> {
    /// Waits until all have come here.
    pub fn meet(&self) {
        self.barrier.meet();
    }
}

/// Runs `work` on a thread of its own on each of these cpus, all at once, and returns what each returned.
///
/// # Errors
/// When a thread cannot be started or put on its cpu: then none begins.
pub fn together<R: Send>(cpus: &[u32], work: impl Fn(&Seat<'_>) -> R + Sync) -> Result<Vec<R>, Error> {
    let (barrier, work) = (Barrier::new(cpus.len()), &work);
    let refused = AtomicUsize::new(0);
    let (barrier, refused) = (&barrier, &refused);
    let sit = |index: usize, cpu: u32| {
        move || {
            let pinned = sys::pin(&[cpu]);
            // Relaxed: the barrier orders it.
            refused.fetch_add(usize::from(pinned.is_err()), Ordering::Relaxed);
            barrier.meet();
            pinned.map_err(|error| Error::new(format!("cannot pin a thread: cpu {cpu}: {error}")))?;
            let nobody = Error::new("another thread could not begin");
            if refused.load(Ordering::Relaxed) > 0 {
                return Err(nobody);
            }
            let (begin, used) = (Instant::now(), own_cpu());
            let result = work(&Seat { index, cpu, barrier });
            SEATED.add(begin.elapsed(), own_cpu().saturating_sub(used));
            Ok(result)
        }
    };
    let mut results: Vec<Result<R, Error>> = thread::scope(|scope| {
        let start = |(index, &cpu)| {
            thread::Builder::new().spawn_scoped(scope, sit(index, cpu)).map_err(|error| {
                refused.fetch_add(1, Ordering::Relaxed);
                // Release pairs with the Acquire in `meet`: who goes on sees that one was refused.
                barrier.abandoned.store(true, Ordering::Release);
                Error::new(format!("cannot start a thread: cpu {cpu}: {error}"))
            })
        };
        let threads: Vec<_> = cpus.iter().enumerate().map(start).collect();
        let joined = |thread: thread::ScopedJoinHandle<'_, Result<R, Error>>| {
            thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        };
        threads.into_iter().map(|thread| thread.and_then(joined)).collect()
    });
    // The first reason is the one that tells which cpu it was.
    results.sort_by_key(|result| result.as_ref().err().is_some_and(|error| error.to_string().starts_with("another")));
    results.into_iter().collect()
}

/// The same for one thread.
///
/// # Errors
/// As [`together`].
pub fn alone<R: Send>(cpu: u32, work: impl FnOnce() -> R + Send) -> Result<R, Error> {
    let work = std::sync::Mutex::new(Some(work));
    let mut results = together(&[cpu], |_| {
        let work = work.lock().expect("no holder panics").take().expect("there is one thread");
        work()
    })?;
    Ok(results.pop().expect("there is one thread"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_meet_again_and_again() {
        let own: Vec<u32> = sys::affinity().iter().collect();
        let cpus: Vec<u32> = own.iter().copied().cycle().take(4).collect();
        let met = AtomicUsize::new(0);
        let rounds = 200;
        together(&cpus, |seat| {
            for round in 0..rounds {
                met.fetch_add(1, Ordering::Relaxed);
                seat.meet();
                assert!(met.load(Ordering::Relaxed) >= 4 * (round + 1));
                seat.meet();
            }
        })
        .unwrap();
        assert_eq!(met.into_inner(), 4 * rounds);
    }

    #[test]
    fn nobody_waits_for_one_who_will_never_come() {
        let barrier = Barrier::new(2);
        thread::scope(|scope| {
            let waiting = scope.spawn(|| barrier.meet());
            barrier.abandoned.store(true, Ordering::Release);
            waiting.join().unwrap();
        });
    }

    #[test]
    fn a_cpu_that_is_not_there_is_named() {
        let cpu = sys::affinity().first().unwrap();
        let error = together(&[cpu, 60_000], |_| ()).unwrap_err().to_string();
        assert!(error.starts_with("cannot pin a thread: cpu 60000: "), "{error}");
        assert_eq!(alone(cpu, sys::current_cpu).unwrap(), cpu);
    }
}
