//! Threads that have ended. A program may start any number, one after the other, so only those with the most CPU time
//! are kept, and the sums of the others.

use std::cmp::Reverse;

use super::ThreadUse;

/// Threads in a record, those with the most CPU time: a record is one line that its readers hold as a whole.
const MOST_TOLD: usize = 2048;

/// What was seen of threads that have ended.
#[derive(Debug, Default)]
pub(super) struct Ended {
    /// More than a record tells of, so that not every new one makes room.
    kept: Vec<ThreadUse>,
    /// How many others there were that a record could tell of.
    others: u64,
    /// CPU time of all that are not kept.
    cpu_ns: u64,
}

impl Ended {
    pub(super) fn add(&mut self, thread: ThreadUse) {
        if !is_told(&thread) {
            self.cpu_ns += thread.cpu_ns;
            return;
        }
        self.kept.push(thread);
        if self.kept.len() >= 2 * MOST_TOLD {
            self.make_room();
        }
    }

    fn make_room(&mut self) {
        most_first(&mut self.kept);
        for thread in self.kept.drain(MOST_TOLD..) {
            self.others += 1;
            self.cpu_ns += thread.cpu_ns;
        }
    }

    /// CPU time of all of them.
    pub(super) fn cpu_ns(&self) -> u64 {
        self.cpu_ns + self.kept.iter().map(|thread| thread.cpu_ns).sum::<u64>()
    }

    /// The threads that a record tells of, with those that were alive to the end, by number, and of one number by when
    /// they were first seen; and how many it does not tell of.
    pub(super) fn told(mut self, living: impl IntoIterator<Item = ThreadUse>) -> (Vec<ThreadUse>, u64) {
        self.kept.extend(living.into_iter().filter(is_told));
        if self.kept.len() > MOST_TOLD {
            self.make_room();
        }
        self.kept.sort_unstable_by_key(|thread| (thread.tid, thread.first_seen_ns));
        (self.kept, self.others)
    }
}

/// Whether it was ever seen on a cpu.
fn is_told(thread: &ThreadUse) -> bool {
    thread.cpu != u32::MAX
}

/// Moves those with the most CPU time to the front.
fn most_first(threads: &mut [ThreadUse]) {
    threads.select_nth_unstable_by_key(MOST_TOLD - 1, |thread| Reverse(thread.cpu_ns));
}

#[cfg(test)]
mod tests {
    use super::super::thread::Thread;
    use super::*;

    /// This process, as it is found, with another number and CPU time.
    fn seen(tid: i32, cpu_ns: u64) -> ThreadUse {
        let own = std::process::id().cast_signed();
        let found = Thread::open(own, own, 0).expect("it is there").seen;
        ThreadUse { tid, cpu_ns, cpu: 0, ..found }
    }

    /// Of even numbers most, and of both more with each.
    fn mixed(threads: i32) -> Vec<ThreadUse> {
        let one = seen(0, 0);
        let cpu_ns = |tid: i32| u64::from(tid % 2 == 0) * 1_000_000 + u64::from(tid.unsigned_abs());
        (1..=threads).map(|tid| ThreadUse { tid, cpu_ns: cpu_ns(tid), ..one.clone() }).collect()
    }

    #[test]
    fn a_record_tells_of_so_many_threads_and_of_those_that_worked_most() {
        let most = i32::try_from(MOST_TOLD).unwrap();
        let all = mixed(most + 1000);
        let few = all[..10].to_vec();
        assert_eq!(Ended::default().told(few.clone()), (few, 0));
        let (told, others) = Ended::default().told(all);
        assert_eq!((told.len(), others), (MOST_TOLD, 1000));
        assert!(told.is_sorted_by_key(|thread| thread.tid));
        // Even ones have most, and of the odd ones the last.
        let even = told.iter().filter(|thread| thread.tid % 2 == 0).count();
        assert_eq!((even, told[0].tid), (1524, 2));
        assert!(told.iter().filter(|thread| thread.tid % 2 == 1).all(|thread| thread.tid > 2000));
    }

    #[test]
    fn of_any_number_that_ended_few_are_kept_and_nothing_is_lost() {
        let all = mixed(5 * i32::try_from(MOST_TOLD).unwrap() + 7);
        let cpu_ns: u64 = all.iter().map(|thread| thread.cpu_ns).sum();
        let mut largest = all.clone();
        largest.sort_unstable_by_key(|thread| Reverse(thread.cpu_ns));
        largest.truncate(MOST_TOLD);
        largest.sort_unstable_by_key(|thread| thread.tid);
        for living in [0, 10, all.len()] {
            let mut ended = Ended::default();
            for thread in &all[living..] {
                ended.add(thread.clone());
                assert!(ended.kept.len() < 2 * MOST_TOLD);
            }
            let of_living: u64 = all[..living].iter().map(|thread| thread.cpu_ns).sum();
            assert_eq!(ended.cpu_ns() + of_living, cpu_ns);
            let (told, others) = ended.told(all[..living].to_vec());
            assert_eq!(others, (all.len() - MOST_TOLD) as u64);
            assert_eq!(told, largest);
        }
    }

    #[test]
    fn a_thread_that_was_never_seen_on_a_cpu_is_in_the_sum_alone() {
        let mut ended = Ended::default();
        ended.add(ThreadUse { cpu: u32::MAX, ..seen(1, 500) });
        ended.add(seen(2, 70));
        assert_eq!(ended.cpu_ns(), 570);
        let (told, others) = ended.told([ThreadUse { cpu: u32::MAX, ..seen(3, 9) }]);
        assert_eq!((told.len(), told[0].tid, others), (1, 2, 0));
    }
}
