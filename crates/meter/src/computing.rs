//! How many threads computed, beside how many the program was asked to use.
//!
//! Two signs, each from what samples saw: more threads than asked for were ready at once, or a thread that was asked for
//! hardly used a cpu. Either is read with care, because threads also read, write, wait for others and start late:
//! `tests/computing` counts how often the answer is wrong in made-up runs.

use crate::sampler::ThreadUse;

/// Samples in which some thread was ready to compute; of fewer nothing is said.
const FEWEST_SAMPLES: u32 = 20;
/// Samples in which more threads were ready than were asked for: at least so many, and at least one in `ONE_IN` of those
/// with as many threads as were asked for, or more. A thread that reads and writes for the others is ready in fewer.
const FEWEST_ABOVE: u32 = 10;
const ONE_IN: u32 = 3;
/// One thread more than was asked for has at least half of the CPU time of the one before it. Beside other programs a thread
/// that hardly computes is ready for long as well, because it waits for a cpu.
const HALF: u64 = 2;
/// CPU time that each thread could have had, at least, where fewer computed than were asked for.
const ENOUGH_NS: u64 = 100_000_000;
/// A thread computes when it has this much CPU time, and one in so many of what each would have if all had the same.
/// Starting and waiting take less.
const COMPUTES_NS: u64 = 10_000_000;
const SHARES: u64 = 100;

/// What samples saw of the threads of a run.
#[derive(Debug, Clone, Copy)]
pub struct Observed<'a> {
    /// Every thread that was seen.
    pub threads: &'a [ThreadUse],
    /// In how many samples no thread of the program itself was ready, in how many one was, two were, and so on.
    pub ready: &'a [u32],
    /// CPU time of the whole run, also of threads that were not seen.
    pub cpu_ns: u64,
}

impl Observed<'_> {
    /// The number of threads that computed: as many as were asked for where no sign tells of others, none where it cannot
    /// be told. `cpus` is how many the run could use.
    #[must_use]
    pub fn computing(&self, asked: usize, cpus: usize) -> Option<usize> {
        if asked == 0 || self.ready.iter().skip(1).sum::<u32>() < FEWEST_SAMPLES {
            return None;
        }
        self.more(asked).or_else(|| self.fewer(asked, cpus)).or(Some(asked))
    }

    /// How many were ready at once and computed, where there were more of them than were asked for.
    fn more(&self, asked: usize) -> Option<usize> {
        let mut used: Vec<u64> = self.own().map(|thread| thread.cpu_ns).collect();
        used.sort_unstable_by(|one, other| other.cmp(one));
        let (last, next) = (used.get(asked - 1)?, used.get(asked)?);
        ready_above(self.ready, asked).filter(|_| HALF * next >= *last)
    }

    /// How many computed at any time, where fewer did than were asked for. Threads that take turns, at a lock or at a cpu,
    /// are as many as they are. There may be more where some CPU time belongs to threads that were not seen, and where
    /// threads outnumber the cpus: some may come too late to compute at all.
    fn fewer(&self, asked: usize, cpus: usize) -> Option<usize> {
        let seen: u64 = self.threads.iter().map(|thread| thread.cpu_ns).sum();
        let each = self.cpu_ns / asked as u64;
        if asked > cpus || each < ENOUGH_NS || seen < self.cpu_ns / 10 * 9 {
            return None;
        }
        let computes = COMPUTES_NS.max(each / SHARES);
        let threads = self.own().filter(|thread| thread.cpu_ns >= computes).count();
        Some(threads).filter(|threads| (1..asked).contains(threads))
    }

    /// Threads of the program itself, without helpers of its runtime.
    fn own(&self) -> impl Iterator<Item = &ThreadUse> {
        self.threads.iter().filter(|thread| !thread.helper)
    }
}

/// How many were ready at once, in a telling part of the samples, where there were more than were asked for.
fn ready_above(ready: &[u32], asked: usize) -> Option<usize> {
    let [enough, above] = [asked, asked + 1].map(|threads| ready.iter().skip(threads).sum::<u32>());
    if above < FEWEST_ABOVE || ONE_IN * above < enough {
        return None;
    }
    let mut samples = ready.iter().enumerate().skip(asked + 1).scan(0, |sum, (threads, samples)| {
        *sum += samples;
        Some((threads, *sum))
    });
    samples.find(|(_, sum)| 2 * sum >= above).map(|(threads, _)| threads)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use knee_machine::clock::nanoseconds;

    use super::*;
    use crate::states::StateCounts;

    fn thread(cpu_s: f64) -> ThreadUse {
        ThreadUse {
            tid: 1,
            pid: 1,
            cpu: 0,
            affinity: None,
            looked: None,
            name: String::new(),
            helper: false,
            cpu_ns: nanoseconds(Duration::from_secs_f64(cpu_s)),
            run_delay_ns: None,
            off_ns: None,
            switches: None,
            states: StateCounts::default(),
            migrations: 0,
            first_seen_ns: 0,
            last_seen_ns: 0,
        }
    }

    /// What is said of a run on eight cpus, from its samples by ready threads and the CPU seconds of each thread.
    fn said(ready: &[u32], cpu_s: &[f64], asked: usize) -> Option<usize> {
        let threads: Vec<ThreadUse> = cpu_s.iter().copied().map(thread).collect();
        let cpu_ns = threads.iter().map(|thread| thread.cpu_ns).sum();
        Observed { threads: &threads, ready, cpu_ns }.computing(asked, 8)
    }

    #[test]
    fn more_threads_than_asked_for() {
        assert_eq!(said(&[2, 5, 95], &[1.0, 1.0], 1), Some(2), "a caller that computes beside its worker");
        assert_eq!(said(&[2, 60, 40], &[1.0, 0.6], 1), Some(2), "the same after it worked alone for a while");
        assert_eq!(said(&[0, 5, 0, 0, 0, 0, 0, 0, 90], &[0.9; 8], 2), Some(8), "a thread for each cpu");
        assert_eq!(said(&[0, 60, 10, 5, 70, 6], &[2.0, 1.5, 1.4, 1.2, 0.1], 3), Some(4), "a serial part before");
    }

    #[test]
    fn as_many_as_asked_for() {
        assert_eq!(said(&[2, 98], &[1.0], 1), Some(1));
        assert_eq!(said(&[2, 3, 75, 20], &[0.9, 0.9, 0.2], 2), Some(2), "a third reads and writes for them");
        assert_eq!(said(&[0, 50, 40, 10], &[0.5, 0.1], 1), Some(1), "a writer waits for a cpu beside other programs");
        assert_eq!(said(&[0, 16, 37, 25], &[0.3, 0.3, 0.1, 0.1], 2), Some(2), "two threads hand out the work");
        assert_eq!(said(&[5, 90, 5], &[0.5, 0.5], 2), Some(2), "they take turns at a lock");
        assert_eq!(said(&[0, 190, 2, 2, 6], &[1.9, 0.05, 0.05, 0.05], 4), Some(4), "a short parallel part");
        assert_eq!(said(&[2, 40, 58], &[0.3; 5], 2), Some(2), "jobs one after the other and side by side");
        assert_eq!(said(&[0, 25], &[0.25], 4), Some(4), "too little work for all to begin");
    }

    #[test]
    fn fewer_threads_than_asked_for() {
        assert_eq!(said(&[2, 98], &[1.0, 0.001], 4), Some(1), "a serial program");
        assert_eq!(said(&[2, 10, 88], &[0.9, 0.9, 0.001, 0.001], 4), Some(2), "two blocks of work for four threads");
        assert_eq!(said(&[2, 98], &[1.0], 9), Some(9), "more than the cpus may come too late to compute");
    }

    #[test]
    fn few_samples_tell_nothing() {
        assert_eq!(said(&[0, 2, 15], &[0.16, 0.16], 1), None);
        assert_eq!(said(&[], &[], 1), None);
        assert_eq!(said(&[2, 98], &[1.0], 0), None, "no count was asked for");
    }

    #[test]
    fn threads_that_were_not_seen_may_have_computed() {
        let threads = [thread(1.0)];
        let seen = Observed { threads: &threads, ready: &[2, 98], cpu_ns: 1_000_000_000 };
        assert_eq!(seen.computing(4, 8), Some(1));
        assert_eq!(Observed { cpu_ns: 2_000_000_000, ..seen }.computing(4, 8), Some(4));
    }

    #[test]
    fn helpers_of_runtimes_do_not_count() {
        let threads = [thread(1.0), ThreadUse { helper: true, ..thread(0.5) }];
        assert_eq!(Observed { threads: &threads, ready: &[2, 98], cpu_ns: 1_500_000_000 }.computing(2, 8), Some(1));
    }
}
