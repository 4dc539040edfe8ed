//! Slices of work: some pinned threads work at the same moment, the others of the team sleep.

use std::collections::BTreeMap;
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use knee_machine::clock::thread_cpu;
use knee_machine::pinned_team::{Barrier, Error, PinnedTeam, PinnedThread};

use super::loops::Loop;

/// What is measured at once: shorter than a scheduler's time slice, so that many slices pass undisturbed.
const SLICE: Duration = Duration::from_millis(2);
/// Worked before it counts: the cpu leaves its sleep and its clock settles.
const WARM: Duration = Duration::from_micros(300);
/// Longest time that a worker waits for the others: a cpu that another program keeps must not hold up the test.
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
pub(super) struct Workers {
    workers: BTreeMap<u32, Worker>,
    answers: Receiver<Answer>,
}

#[derive(Debug)]
struct Worker {
    slices: Sender<Slice>,
    /// CPU time it has used so far.
    spent: Duration,
}

#[derive(Debug)]
struct Answer {
    cpu: u32,
    /// None when the others did not come in time.
    reading: Option<Reading>,
    spent: Duration,
}

impl Workers {
    /// Starts a worker on each of `cpus`, tests with them, and ends them.
    pub(super) fn with<T>(cpus: &[u32], test: impl FnOnce(Self) -> T) -> Result<T, Error> {
        let (report, answers) = mpsc::channel();
        let (slices, inboxes): (Vec<_>, Vec<_>) = cpus.iter().map(|_| mpsc::channel::<Slice>()).unzip();
        let worker = |(&cpu, slices)| (cpu, Worker { slices, spent: Duration::ZERO });
        let workers = Self { workers: cpus.iter().zip(slices).map(worker).collect(), answers };
        let threads: Vec<_> = inboxes.into_iter().map(|inbox| Mutex::new((inbox, report.clone()))).collect();
        drop(report);
        let serve = |thread: &PinnedThread<'_>| {
            let own = threads[thread.index].lock().expect("each thread has its own");
            let (inbox, answers) = &*own;
            let answer = |slice: Slice| Answer { cpu: thread.cpu, reading: slice.work(), spent: thread_cpu() };
            // It ends when the other end of either channel is gone.
            inbox.iter().map(answer).try_for_each(|answer| answers.send(answer)).unwrap_or_default();
        };
        PinnedTeam::on(cpus).run_led(serve, || test(workers)).map(|(_, result)| result)
    }

    /// Runs some cpus at the same moment, each in its loop, while all others sleep. The readings come in the order of
    /// `shift`; none when the workers did not all come together.
    pub(super) fn work(&mut self, shift: &[(u32, Loop)]) -> Option<Vec<Reading>> {
        let meeting = Arc::new(Barrier::new(shift.len()));
        for (cpu, work) in shift {
            let slice = Slice { work: *work, meeting: meeting.clone() };
            self.workers[cpu].slices.send(slice).expect("a worker serves as long as the test");
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

/// One worker's part of a slice.
#[derive(Debug)]
struct Slice {
    work: Loop,
    /// Where the workers of this slice come together, before it and after.
    meeting: Arc<Barrier>,
}

impl Slice {
    fn work(&self) -> Option<Reading> {
        // They spin: sleeping would let them start apart.
        if !self.meeting.meet_within(PATIENCE, std::hint::spin_loop) {
            return None;
        }
        self.work_for(WARM);
        let (begin, before) = (Instant::now(), thread_cpu());
        let batches = self.work_for(SLICE);
        let (wall, cpu) = (begin.elapsed().as_secs_f64(), thread_cpu().saturating_sub(before).as_secs_f64());
        // No worker stops before all have measured: one that still measures must not lose its neighbour.
        self.meeting.meet_within(PATIENCE, || self.work.batch());
        Some(Reading { rate: f64::from(batches) / wall, share: cpu / wall })
    }

    fn work_for(&self, span: Duration) -> u32 {
        let begin = Instant::now();
        let mut batches = 0;
        // One at the least: a rate of 0 would be no rate.
        loop {
            self.work.batch();
            batches += 1;
            if begin.elapsed() >= span {
                return batches;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shift_is_answered_in_its_order_and_cpu_time_is_kept() {
        let cpus: Vec<u32> = knee_machine::sys::affinity().iter().take(2).collect();
        let shift: Vec<_> = cpus.iter().rev().map(|&cpu| (cpu, Loop::Port)).collect();
        let test = |mut workers: Workers| {
            // A machine that is very busy may not bring the workers together; then there is nothing to look at.
            if let Some(readings) = workers.work(&shift) {
                assert_eq!(readings.len(), cpus.len());
                assert!(readings.iter().all(|reading| reading.rate > 0.0 && reading.share <= 1.1));
                assert!(cpus.iter().all(|&cpu| workers.spent(cpu) > Duration::ZERO));
            }
        };
        Workers::with(&cpus, test).unwrap();
    }

    #[test]
    fn a_cpu_that_is_not_there_is_named() {
        let error = Workers::with(&[1023], |_| ()).unwrap_err().to_string();
        assert!(error.starts_with("cannot pin a thread: cpu 1023: "), "{error}");
    }
}
