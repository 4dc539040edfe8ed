//! Threads that stand one on a cpu, sleep, and on a word work at the same moment.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use rustix::time::{ClockId, clock_gettime};

use super::Error;
use super::loops::Loop;

/// What is measured at once: shorter than a scheduler's time slice, so that many slices pass undisturbed.
const SLICE: Duration = Duration::from_millis(2);
/// Worked before it counts: the cpu leaves its sleep and its clock settles.
const WARM: Duration = Duration::from_micros(300);
/// Nobody waits longer than this for the others: a cpu that somebody else keeps must not hold up the test.
const PATIENCE: Duration = Duration::from_millis(25);
/// A worker that had its cpu for less of a slice than this was preempted, throttled or stolen.
const UNDISTURBED: f64 = 0.97;

/// What one worker saw of a slice.
#[derive(Debug, Clone, Copy)]
pub(super) struct Reading {
    /// Batches per second of wall time.
    pub(super) rate: f64,
    /// CPU time over wall time.
    share: f64,
}

impl Reading {
    /// Whether the worker had its cpu throughout.
    pub(super) fn is_clean(self) -> bool {
        self.share >= UNDISTURBED
    }
}

/// One sleeping worker per cpu.
#[derive(Debug)]
pub(super) struct Crew {
    workers: BTreeMap<u32, Worker>,
    answers: Receiver<Answer>,
}

#[derive(Debug)]
struct Worker {
    orders: Sender<Order>,
    thread: JoinHandle<()>,
    /// CPU time it has used so far.
    spent: Duration,
}

struct Order {
    work: Loop,
    meeting: Arc<Meeting>,
}

struct Answer {
    cpu: u32,
    /// None when the others did not come in time.
    reading: Option<Reading>,
    spent: Duration,
}

impl Crew {
    /// Starts a worker on each of `cpus`.
    pub(super) fn start(cpus: &[u32]) -> Result<Self, Error> {
        let (report, answers) = mpsc::channel();
        let workers = cpus.iter().map(|&cpu| Ok((cpu, Worker::start(cpu, report.clone())?)));
        Ok(Self { workers: workers.collect::<Result<_, Error>>()?, answers })
    }

    /// Lets some cpus work at the same moment, each in its loop, while all others sleep. The readings come in the
    /// order of `shift`; none when the workers did not all come together.
    pub(super) fn work(&mut self, shift: &[(u32, Loop)]) -> Option<Vec<Reading>> {
        let meeting = Arc::new(Meeting { expected: shift.len(), ..Meeting::default() });
        for (cpu, work) in shift {
            let order = Order { work: *work, meeting: meeting.clone() };
            self.workers[cpu].orders.send(order).expect("a worker serves as long as its crew");
        }
        let mut readings = BTreeMap::new();
        for answer in self.answers.iter().take(shift.len()) {
            self.workers.get_mut(&answer.cpu).expect("only workers answer").spent = answer.spent;
            readings.insert(answer.cpu, answer.reading);
        }
        shift.iter().map(|(cpu, _)| readings[cpu]).collect()
    }

    /// CPU time that the worker of `cpu` has used.
    pub(super) fn spent(&self, cpu: u32) -> Duration {
        self.workers[&cpu].spent
    }
}

impl Drop for Crew {
    fn drop(&mut self) {
        for (_, Worker { orders, thread, .. }) in std::mem::take(&mut self.workers) {
            drop(orders);
            // It ends when its orders do; how it ended matters to nobody any more.
            let _ = thread.join();
        }
    }
}

impl Worker {
    fn start(cpu: u32, answers: Sender<Answer>) -> Result<Self, Error> {
        let (orders, inbox) = mpsc::channel::<Order>();
        let (placed, place) = mpsc::channel();
        let serve = move || {
            let pinned = knee_machine::sys::pin(&[cpu]);
            let stays = pinned.is_ok();
            // The one who started this thread waits for the word.
            let _ = placed.send(pinned);
            if stays {
                let answer = |order: Order| Answer { cpu, reading: order.carry_out(), spent: thread_time() };
                inbox.into_iter().map(answer).try_for_each(|answer| answers.send(answer)).unwrap_or_default();
            }
        };
        let started = std::thread::Builder::new().name(format!("contend-{cpu}")).spawn(serve);
        let thread = started.map_err(|reason| Error::Start { cpu, reason })?;
        let pinned = place.recv().expect("a worker says whether it could be pinned");
        pinned.map_err(|reason| Error::Pin { cpu, reason })?;
        Ok(Self { orders, thread, spent: Duration::ZERO })
    }
}

impl Order {
    fn carry_out(&self) -> Option<Reading> {
        if !self.meeting.gather() {
            return None;
        }
        self.work_for(WARM);
        let (begin, before) = (Instant::now(), thread_time());
        let batches = self.work_for(SLICE);
        let (wall, cpu) = (begin.elapsed().as_secs_f64(), thread_time().saturating_sub(before).as_secs_f64());
        // Nobody stops before all have measured: who still measures must not lose his neighbour.
        self.meeting.finish(|| self.work.batch());
        Some(Reading { rate: f64::from(batches) / wall, share: cpu / wall })
    }

    fn work_for(&self, span: Duration) -> u32 {
        let begin = Instant::now();
        let mut batches = 0;
        while begin.elapsed() < span {
            self.work.batch();
            batches += 1;
        }
        batches
    }
}

/// Where the workers of one slice come together, before it and after.
#[derive(Debug, Default)]
struct Meeting {
    expected: usize,
    arrived: AtomicUsize,
    finished: AtomicUsize,
}

impl Meeting {
    /// Spins until all are there: sleeping would let them start apart. False when somebody did not come in time.
    fn gather(&self) -> bool {
        self.arrived.fetch_add(1, SeqCst);
        self.wait(&self.arrived, std::hint::spin_loop)
    }

    fn finish(&self, meanwhile: impl Fn()) {
        self.finished.fetch_add(1, SeqCst);
        self.wait(&self.finished, meanwhile);
    }

    fn wait(&self, count: &AtomicUsize, meanwhile: impl Fn()) -> bool {
        let begin = Instant::now();
        while count.load(SeqCst) < self.expected {
            if begin.elapsed() > PATIENCE {
                return false;
            }
            meanwhile();
        }
        true
    }
}

/// CPU time of the calling thread.
fn thread_time() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(u64::try_from(time.tv_sec).unwrap_or(0), u32::try_from(time.tv_nsec).unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shift_is_answered_in_its_order_and_cpu_time_is_kept() {
        let cpus: Vec<u32> = knee_machine::sys::affinity().iter().take(2).collect();
        let mut crew = Crew::start(&cpus).unwrap();
        let shift: Vec<_> = cpus.iter().rev().map(|&cpu| (cpu, Loop::Port)).collect();
        // A machine that is very busy may not bring the workers together; then there is nothing to look at.
        if let Some(readings) = crew.work(&shift) {
            assert_eq!(readings.len(), cpus.len());
            assert!(readings.iter().all(|reading| reading.rate > 0.0 && reading.share <= 1.1));
            assert!(cpus.iter().all(|&cpu| crew.spent(cpu) > Duration::ZERO));
        }
    }

    #[test]
    fn a_cpu_that_is_not_there_is_named() {
        let error = Crew::start(&[1023]).unwrap_err().to_string();
        assert!(error.starts_with("cannot pin a thread: cpu 1023: "), "{error}");
    }

    #[test]
    fn nobody_waits_for_ever() {
        let meeting = Meeting { expected: 2, ..Meeting::default() };
        assert!(!meeting.gather());
    }
}
