//! Pinned threads, one on each cpu, that begin at the same moment: for measurements of the machine itself, without any
//! runtime.

use std::io;
use std::panic::resume_unwind;
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

    fn is_abandoned(&self) -> bool {
        // Acquire pairs with that Release.
        self.abandoned.load(Ordering::Acquire)
    }
}

/// When a panic ends its thread: tells the barrier that this thread will never come.
struct Leaving<'a>(&'a Barrier);

impl Drop for Leaving<'_> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.abandon();
        }
    }
}

/// What unwinds a thread that waits for one that has panicked.
struct Left;

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
    /// Waits until all threads of the team have come. If one of them has panicked, this one unwinds, too.
    pub fn meet(&self) {
        self.barrier.meet();
        if self.barrier.is_abandoned() {
            resume_unwind(Box::new(Left));
        }
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

    /// Runs `work` on all threads at once and returns what each returned. A panic goes on when all have ended.
    ///
    /// # Errors
    /// When a thread cannot be started or pinned: then none begins.
    pub fn run<R: Send>(self, work: impl Fn(&PinnedThread<'_>) -> R + Sync) -> Result<Vec<R>, Error> {
        self.start(&Barrier::new(self.cpus.len()), work, || ()).map(|(results, ())| results)
    }

    /// The same while the calling thread runs `lead`, which begins when all are pinned. A signal that ends `work`
    /// should be owned by `lead`: then it is dropped when `lead` ends, or if it never begins. The leader does not meet
    /// the threads. A `lead` that waits for a thread must notice by itself when that thread has panicked.
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

    /// All meet at `standing` when they are pinned, and as often as they like at a barrier of their own.
    fn start<R: Send, L>(
        self,
        standing: &Barrier,
        work: impl Fn(&PinnedThread<'_>) -> R + Sync,
        lead: impl FnOnce() -> L,
    ) -> Result<(Vec<R>, L), Error> {
        let (work, refused, barrier) = (&work, &AtomicUsize::new(0), &Barrier::new(self.cpus.len()));
        let stand = |index: usize, cpu: u32| {
            move || {
                let pinned = sys::pin(&[cpu]);
                // Relaxed: the barrier orders it.
                refused.fetch_add(usize::from(pinned.is_err()), Ordering::Relaxed);
                standing.meet();
                pinned.map_err(|reason| Error::Pin { cpu, reason })?;
                let all_stand = refused.load(Ordering::Relaxed) == 0;
                let _leaving = Leaving(barrier);
                Ok(all_stand.then(|| work(&PinnedThread { index, cpu, barrier })))
            }
        };
        thread::scope(|scope| {
            let start = |(index, &cpu)| {
                let thread = thread::Builder::new().name(format!("pinned-{cpu}"));
                thread.spawn_scoped(scope, stand(index, cpu)).map_err(|reason| {
                    refused.fetch_add(1, Ordering::Relaxed);
                    standing.abandon();
                    Error::Start { cpu, reason }
                })
            };
            let threads: Vec<_> = self.cpus.iter().enumerate().map(start).collect();
            if standing.expected > self.cpus.len() {
                standing.meet();
            }
            let led = (refused.load(Ordering::Relaxed) == 0).then(lead);
            // A refused thread is an error, so here all have worked.
            let results = joined(threads)?.into_iter().flatten().collect();
            Ok((results, led.expect("no thread was refused")))
        })
    }
}

/// A thread that was started, or why it was not; what it returns is absent if another one was refused.
type Stood<'scope, R> = Result<ScopedJoinHandle<'scope, Result<Option<R>, Error>>, Error>;

/// What all threads returned. When all have ended a panic goes on, but not that of a thread that left because of another.
fn joined<R>(threads: Vec<Stood<'_, R>>) -> Result<Vec<Option<R>>, Error> {
    let (mut results, mut panics) = (Vec::new(), Vec::new());
    for thread in threads {
        match thread.map(ScopedJoinHandle::join) {
            Ok(Ok(result)) => results.push(result),
            Ok(Err(panic)) => panics.push(panic),
            Err(error) => results.push(Err(error)),
        }
    }
    match panics.iter().position(|panic| !panic.is::<Left>()) {
        Some(own) => resume_unwind(panics.swap_remove(own)),
        None => results.into_iter().collect(),
    }
}

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::sync::mpsc;

    use super::*;

    /// What `work` returns, which ends in time.
    fn ends<R: Send + 'static>(work: impl FnOnce() -> R + Send + 'static) -> R {
        let (done, ended) = mpsc::channel();
        thread::spawn(move || done.send(work()));
        ended.recv_timeout(Duration::from_mins(1)).expect("it ends")
    }

    #[test]
    fn a_panic_ends_the_team_and_keeps_its_payload() {
        let cpu = sys::affinity().first().unwrap();
        let work = |thread: &PinnedThread<'_>| {
            assert!(thread.index != 1, "the second one");
            thread.meet();
        };
        let run = move || catch_unwind(AssertUnwindSafe(|| PinnedTeam::on(&[cpu; 3]).run(work))).map(|_| ());
        assert_eq!(ends(run).unwrap_err().downcast_ref::<&str>(), Some(&"the second one"));
    }

    #[test]
    fn threads_that_are_led_meet_without_their_leader() {
        let cpu = sys::affinity().first().unwrap();
        let work = |thread: &PinnedThread<'_>| {
            thread.meet();
            thread.index
        };
        let run = move || PinnedTeam::on(&[cpu; 2]).run_led(work, || ()).unwrap();
        assert_eq!(ends(run), (vec![0, 1], ()));
    }

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
