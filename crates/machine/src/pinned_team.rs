//! Pinned threads, one on each cpu, that begin at the same moment: for measurements of the machine itself, without any
//! runtime.

use std::io;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread::{self, ScopedJoinHandle};
use std::time::{Duration, Instant};

use crate::sys;

/// Spins before a waiting thread yields its cpu: a few microseconds.
const SPINS: u32 = 1 << 12;

/// Why a team did not begin.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A thread could not be started.
    #[error("cannot start a thread: cpu {cpu}: {reason}")]
    Start {
        /// The cpu it was for.
        cpu: u32,
        /// The system's reason.
        reason: io::Error,
    },
    /// A thread could not be pinned.
    #[error("cannot pin a thread: cpu {cpu}: {reason}")]
    Pin {
        /// The cpu.
        cpu: u32,
        /// The system's reason.
        reason: io::Error,
    },
}

/// A reusable barrier. Threads spin, so that all go on within one cache miss of each other.
#[derive(Debug)]
pub struct Barrier {
    expected: usize,
    arrived: AtomicUsize,
    round: AtomicUsize,
    /// Whether a thread failed and will never arrive, so that the others must not wait.
    abandoned: AtomicBool,
}

impl Barrier {
    /// A barrier for so many threads.
    #[must_use]
    pub fn new(expected: usize) -> Self {
        Self { expected, arrived: AtomicUsize::new(0), round: AtomicUsize::new(0), abandoned: AtomicBool::new(false) }
    }

    /// Waits until all have come.
    pub fn meet(&self) {
        let mut spins = 0;
        self.wait(|| {
            spins += 1;
            if spins < SPINS {
                std::hint::spin_loop();
            } else {
                thread::yield_now();
            }
            true
        });
    }

    /// Repeats `meanwhile` until all have come, and returns whether they have, at most for `patience`.
    pub fn meet_within(&self, patience: Duration, mut meanwhile: impl FnMut()) -> bool {
        let begin = Instant::now();
        self.wait(|| {
            meanwhile();
            begin.elapsed() <= patience
        })
    }

    /// Waits while `go_on` is true; returns whether all have come.
    fn wait(&self, mut go_on: impl FnMut() -> bool) -> bool {
        // Relaxed: the exchange below orders it, and it cannot change before this thread has arrived.
        let round = self.round.load(Ordering::Relaxed);
        // AcqRel: the last one to arrive sees what all did before, and passes it on by the Release below.
        if self.arrived.fetch_add(1, Ordering::AcqRel) + 1 == self.expected {
            self.arrived.store(0, Ordering::Relaxed);
            self.round.store(round + 1, Ordering::Release);
            return true;
        }
        // Acquire pairs with that Release.
        while self.round.load(Ordering::Acquire) == round && !self.abandoned.load(Ordering::Acquire) {
            if !go_on() {
                return false;
            }
        }
        true
    }

    fn abandon(&self) {
        // Release pairs with the Acquire in `wait`: the threads that go on see what was written before.
        self.abandoned.store(true, Ordering::Release);
    }
}

/// One thread of a team.
#[derive(Debug)]
pub struct PinnedThread<'a> {
    /// Which one, from 0.
    pub index: usize,
    /// Its cpu.
    pub cpu: u32,
    barrier: &'a Barrier,
}

impl PinnedThread<'_> {
    /// Waits until all threads of the team have come.
    pub fn meet(&self) {
        self.barrier.meet();
    }
}

/// A thread for each of some cpus.
#[derive(Debug, Clone, Copy)]
pub struct PinnedTeam<'a> {
    cpus: &'a [u32],
}

impl<'a> PinnedTeam<'a> {
    /// A team with one thread on each of these cpus, in their order.
    #[must_use]
    pub fn on(cpus: &'a [u32]) -> Self {
        Self { cpus }
    }

    /// Runs `work` on all threads at once and returns what each returned.
    ///
    /// # Errors
    /// When a thread cannot be started or pinned: then none begins.
    pub fn run<R: Send>(self, work: impl Fn(&PinnedThread<'_>) -> R + Sync) -> Result<Vec<R>, Error> {
        self.start(&Barrier::new(self.cpus.len()), work, || ()).map(|(results, ())| results)
    }

    /// The same while the calling thread runs `lead`, which begins when all are pinned. A signal that ends `work`
    /// should be owned by `lead`: then it is dropped when `lead` ends, or if it never begins.
    ///
    /// # Errors
    /// As [`Self::run`].
    pub fn run_led<R: Send, L>(
        self,
        work: impl Fn(&PinnedThread<'_>) -> R + Sync,
        lead: impl FnOnce() -> L,
    ) -> Result<(Vec<R>, L), Error> {
        self.start(&Barrier::new(self.cpus.len() + 1), work, lead)
    }

    fn start<R: Send, L>(
        self,
        barrier: &Barrier,
        work: impl Fn(&PinnedThread<'_>) -> R + Sync,
        lead: impl FnOnce() -> L,
    ) -> Result<(Vec<R>, L), Error> {
        let (work, refused) = (&work, &AtomicUsize::new(0));
        let stand = |index: usize, cpu: u32| {
            move || {
                let pinned = sys::pin(&[cpu]);
                // Relaxed: the barrier orders it.
                refused.fetch_add(usize::from(pinned.is_err()), Ordering::Relaxed);
                barrier.meet();
                pinned.map_err(|reason| Error::Pin { cpu, reason })?;
                let all_stand = refused.load(Ordering::Relaxed) == 0;
                Ok(all_stand.then(|| work(&PinnedThread { index, cpu, barrier })))
            }
        };
        thread::scope(|scope| {
            let start = |(index, &cpu)| {
                let thread = thread::Builder::new().name(format!("pinned-{cpu}"));
                thread.spawn_scoped(scope, stand(index, cpu)).map_err(|reason| {
                    refused.fetch_add(1, Ordering::Relaxed);
                    barrier.abandon();
                    Error::Start { cpu, reason }
                })
            };
            let threads: Vec<_> = self.cpus.iter().enumerate().map(start).collect();
            if barrier.expected > self.cpus.len() {
                barrier.meet();
            }
            let led = (refused.load(Ordering::Relaxed) == 0).then(lead);
            let results: Result<Vec<Option<R>>, Error> =
                threads.into_iter().map(|thread| thread.and_then(joined)).collect();
            // A refused thread is an error, so here all have worked.
            Ok((results?.into_iter().flatten().collect(), led.expect("no thread was refused")))
        })
    }
}

fn joined<T>(thread: ScopedJoinHandle<'_, T>) -> T {
    thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;

    #[test]
    fn all_meet_again_and_again() {
        let own: Vec<u32> = sys::affinity().iter().collect();
        let cpus: Vec<u32> = own.iter().copied().cycle().take(4).collect();
        let met = AtomicUsize::new(0);
        let rounds = 200;
        let each = |thread: &PinnedThread<'_>| {
            for round in 0..rounds {
                met.fetch_add(1, Ordering::Relaxed);
                thread.meet();
                assert!(met.load(Ordering::Relaxed) >= 4 * (round + 1));
                thread.meet();
            }
            (thread.index, u32::try_from(rustix::thread::sched_getcpu()) == Ok(thread.cpu))
        };
        let seen = PinnedTeam::on(&cpus).run(each).unwrap();
        assert_eq!(seen, (0..4).map(|index| (index, true)).collect::<Vec<_>>());
        assert_eq!(met.into_inner(), 4 * rounds);
    }

    #[test]
    fn a_leader_gives_work_until_it_is_over() {
        let cpu = sys::affinity().first().unwrap();
        let (orders, inbox) = mpsc::channel::<u32>();
        let inbox = std::sync::Mutex::new(inbox);
        let add = |_: &PinnedThread<'_>| inbox.lock().unwrap().iter().sum::<u32>();
        let lead = move || (1..=4).for_each(|number| orders.send(number).unwrap());
        assert_eq!(PinnedTeam::on(&[cpu]).run_led(add, lead).unwrap(), (vec![10], ()));
    }

    #[test]
    fn nobody_waits_for_one_who_will_never_come() {
        let barrier = Barrier::new(2);
        thread::scope(|scope| {
            let waiting = scope.spawn(|| barrier.meet());
            barrier.abandon();
            waiting.join().unwrap();
        });
        assert!(!Barrier::new(2).meet_within(Duration::from_millis(2), std::hint::spin_loop));
    }

    #[test]
    fn a_cpu_that_is_not_there_is_named_and_nobody_begins() {
        let cpu = sys::affinity().first().unwrap();
        let cpus = [cpu, 60_000];
        let worked = AtomicUsize::new(0);
        let work = |_: &PinnedThread<'_>| worked.fetch_add(1, Ordering::Relaxed);
        let error = PinnedTeam::on(&cpus).run(work).unwrap_err().to_string();
        assert!(error.starts_with("cannot pin a thread: cpu 60000: "), "{error}");
        assert!(PinnedTeam::on(&cpus).run_led(work, || panic!("no thread to lead")).is_err());
        assert_eq!(worked.into_inner(), 0);
    }
}
