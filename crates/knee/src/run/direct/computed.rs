//! How many threads computed, beside how many the program was told to use.
//!
//! `python/knee/store/computed.py` asks the same of the runs of a study, with the same numbers.

use crate::record::Record;

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

/// The number of threads that computed: as many as asked where no sign tells of others, none where it cannot be told.
/// `cpus` is how many the run could use.
pub(super) fn computed(record: &Record, asked: usize, cpus: usize) -> Option<usize> {
    let ready = &record.sampling.as_ref()?.ready;
    if ready.iter().skip(1).sum::<u32>() < FEWEST_SAMPLES {
        return None;
    }
    more(record, ready, asked).or_else(|| fewer(record, asked, cpus)).or(Some(asked))
}

/// How many were ready at once and computed, where there were more of them than were asked for.
fn more(record: &Record, ready: &[u32], asked: usize) -> Option<usize> {
    let threads = record.observed_threads.iter().filter(|thread| !thread.helper);
    let mut used: Vec<u64> = threads.map(|thread| thread.cpu_ns).collect();
    used.sort_unstable_by(|one, other| other.cmp(one));
    let (last, next) = (used.get(asked - 1)?, used.get(asked)?);
    ready_above(ready, asked).filter(|_| HALF * next >= *last)
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

/// How many computed at any time, where fewer did than were asked for. Threads that take turns, at a lock or at a cpu, are
/// as many as they are; where some CPU time belongs to threads that nobody saw, there may be more.
fn fewer(record: &Record, asked: usize, cpus: usize) -> Option<usize> {
    let all = record.user_ns + record.system_ns;
    let seen: u64 = record.observed_threads.iter().map(|thread| thread.cpu_ns).sum();
    let each = all / asked as u64;
    if asked > cpus || each < ENOUGH_NS || seen < all / 10 * 9 {
        return None;
    }
    let computes = COMPUTES_NS.max(each / SHARES);
    let threads = record.observed_threads.iter().filter(|thread| !thread.helper && thread.cpu_ns >= computes).count();
    Some(threads).filter(|threads| (1..asked).contains(threads))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_too_many_shows_in_a_telling_share_of_the_samples() {
        assert_eq!(ready_above(&[3, 40, 60], 1), Some(2));
        assert_eq!(ready_above(&[0, 60, 10, 5, 70, 6], 3), Some(4), "it works alone for a while");
        assert_eq!(ready_above(&[0, 5, 0, 0, 0, 30, 40], 1), Some(6));
    }

    #[test]
    fn a_thread_that_reads_and_writes_for_the_others_is_none_too_many() {
        assert_eq!(ready_above(&[0, 5, 80, 15], 2), None);
        assert_eq!(ready_above(&[0, 100, 49], 1), None);
    }

    #[test]
    fn a_few_samples_tell_nothing() {
        assert_eq!(ready_above(&[0, 2, 9], 1), None);
        assert_eq!(ready_above(&[9], 1), None);
    }
}
