//! How many threads ran at once, and how many were ready to: for how long, and in which pieces.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::spells::Spells;

/// More threads than this at once are counted as this many.
const MOST_AT_ONCE: usize = 1024;
/// Lengths that are kept for a median. When there are more, every second one is dropped, and from then on every second
/// one is kept, and so on.
const MOST_LENGTHS: usize = 1 << 16;

/// How many threads of the tree were on a cpu, or could have been, and for how long.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Concurrency {
    /// Time in which no thread was on a cpu, in which exactly one was, two were, and so on. Exact.
    pub running_ns: Vec<u64>,
    /// The same of threads on a cpu or preempted. A thread that was woken and waits for a cpu is ready too, but the records
    /// do not say so: it counts from when it gets its cpu.
    pub runnable_ns: Vec<u64>,
    /// The time in which exactly one thread was on a cpu or preempted; absent where there was none.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub alone: Option<Alone>,
}

/// The time in which exactly one thread was on a cpu or preempted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Alone {
    /// The thread that had most of it.
    pub tid: i32,
    /// How much that thread had.
    pub most_ns: u64,
    /// Intervals it came in; the next one begins after a time with no thread, or with several.
    pub intervals: u64,
    /// Median of their lengths.
    pub median_ns: u64,
    /// The longest one.
    pub longest_ns: u64,
}

/// Adds up the times while threads begin and stop to run.
#[derive(Debug, Default)]
pub(crate) struct Profile {
    now_ns: u64,
    running: usize,
    runnable: usize,
    /// Sum of the ids of runnable threads: when there is one, this is it.
    tids: i64,
    found: Concurrency,
    /// The newest interval with one runnable thread: when it began, and until when it is known to last.
    spell: Option<(u64, u64)>,
    lengths: Lengths,
    spells: Spells,
}

/// What a thread does, as far as the profile is concerned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Activity {
    /// It is on a cpu.
    Running,
    /// It could be.
    Ready,
    /// It could not be.
    Off,
}

impl Profile {
    /// Begins at this time, with no threads.
    pub(crate) fn from(t_ns: u64) -> Self {
        Self { now_ns: t_ns, ..Self::default() }
    }

    /// The time that was reached.
    pub(crate) fn now_ns(&self) -> u64 {
        self.now_ns
    }

    /// Moves on to a time. Returns the thread that was alone until then, and for how long.
    pub(crate) fn advance(&mut self, t_ns: u64) -> Option<(i32, u64)> {
        let passed = t_ns.saturating_sub(self.now_ns);
        if passed == 0 {
            return None;
        }
        add(&mut self.found.running_ns, self.running, passed);
        add(&mut self.found.runnable_ns, self.runnable, passed);
        let began = std::mem::replace(&mut self.now_ns, t_ns);
        if self.runnable != 1 {
            return None;
        }
        match &mut self.spell {
            Some((_, until)) if *until == began => *until = t_ns,
            spell => {
                let ended = spell.replace((began, t_ns));
                self.keep(ended);
            }
        }
        Some((i32::try_from(self.tids).unwrap_or(0), passed))
    }

    /// A thread does something else from now on.
    pub(crate) fn change(&mut self, tid: i32, from: Activity, to: Activity) {
        match (from, to) {
            (Activity::Off, Activity::Running | Activity::Ready) => {
                self.runnable += 1;
                self.tids += i64::from(tid);
            }
            (Activity::Running | Activity::Ready, Activity::Off) => {
                self.runnable -= 1;
                self.tids -= i64::from(tid);
            }
            _ => {}
        }
        self.running += usize::from(to == Activity::Running);
        self.running -= usize::from(from == Activity::Running);
    }

    /// Keeps an interval that has ended.
    fn keep(&mut self, ended: Option<(u64, u64)>) {
        let Some((begin, end)) = ended else { return };
        self.lengths.add(end - begin);
        self.spells.add((begin, end));
    }

    /// The result, and when exactly one thread could run; `most` is the thread that was alone for longest, and for how
    /// long.
    pub(crate) fn finish(mut self, most: Option<(i32, u64)>) -> (Concurrency, Spells) {
        let last = self.spell.take();
        self.keep(last);
        let Lengths { count, longest, .. } = self.lengths;
        self.found.alone = most.filter(|_| count > 0).map(|(tid, most_ns)| Alone {
            tid,
            most_ns,
            intervals: count,
            median_ns: self.lengths.median(),
            longest_ns: longest,
        });
        (self.found, self.spells)
    }
}

fn add(times: &mut Vec<u64>, threads: usize, passed: u64) {
    let at = threads.min(MOST_AT_ONCE);
    if times.len() <= at {
        times.resize(at + 1, 0);
    }
    times[at] += passed;
}

/// Lengths of intervals.
#[derive(Debug, Default)]
struct Lengths {
    kept: Vec<u64>,
    /// One in `1 << thinned` is kept.
    thinned: u32,
    count: u64,
    longest: u64,
}

impl Lengths {
    fn add(&mut self, length: u64) {
        if self.count.is_multiple_of(1 << self.thinned) {
            self.kept.push(length);
        }
        self.count += 1;
        self.longest = self.longest.max(length);
        if self.kept.len() == MOST_LENGTHS {
            let mut keep = [true, false].into_iter().cycle();
            self.kept.retain(|_| keep.next() == Some(true));
            self.thinned += 1;
        }
    }

    /// The lower of the two in the middle where their number is even.
    fn median(&mut self) -> u64 {
        let middle = self.kept.len().saturating_sub(1) / 2;
        if self.kept.is_empty() { 0 } else { *self.kept.select_nth_unstable(middle).1 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_serial_part_is_one_interval_although_threads_take_turns_in_it() {
        let mut profile = Profile::from(100);
        profile.change(1, Activity::Off, Activity::Running);
        assert_eq!(profile.advance(150), Some((1, 50)));
        // At the same moment one stops and another one begins.
        profile.change(1, Activity::Running, Activity::Off);
        profile.change(2, Activity::Off, Activity::Running);
        assert_eq!(profile.advance(170), Some((2, 20)));
        profile.change(2, Activity::Running, Activity::Ready);
        assert_eq!(profile.advance(175), Some((2, 5)), "preempted, it is runnable all the same");
        profile.change(2, Activity::Ready, Activity::Off);
        assert_eq!(profile.advance(180), None);
        profile.change(1, Activity::Off, Activity::Running);
        profile.change(2, Activity::Off, Activity::Running);
        assert_eq!(profile.advance(190), None);
        profile.change(2, Activity::Running, Activity::Off);
        assert_eq!(profile.advance(191), Some((1, 1)));
        let (found, spells) = profile.finish(Some((1, 51)));
        assert_eq!(found.running_ns, [10, 71, 10]);
        assert_eq!(found.runnable_ns, [5, 76, 10]);
        let alone = Alone { tid: 1, most_ns: 51, intervals: 2, median_ns: 1, longest_ns: 75 };
        assert_eq!(found.alone, Some(alone));
        assert_eq!(spells, Spells::of(&[(100, 175), (190, 191)]));
    }

    #[test]
    fn the_median_of_many_lengths_is_that_of_a_regular_choice_of_them() {
        let mut lengths = Lengths::default();
        let many = 5 * MOST_LENGTHS as u64;
        for number in 0..many {
            lengths.add(number * 7919 % many);
        }
        assert_eq!((lengths.count, lengths.longest), (many, many - 1));
        assert!(lengths.kept.len() < MOST_LENGTHS);
        let median = lengths.median();
        assert!(median.abs_diff(many / 2) < many / 100, "{median} of {many}");
    }

    #[test]
    fn more_threads_than_the_list_is_long_are_its_last_entry() {
        let mut profile = Profile::from(0);
        for tid in 1..=2000 {
            profile.change(tid, Activity::Off, Activity::Ready);
        }
        assert_eq!(profile.advance(9), None);
        let (found, _) = profile.finish(None);
        assert_eq!((found.runnable_ns.len(), found.runnable_ns[MOST_AT_ONCE], found.running_ns), (1025, 9, vec![9]));
    }
}
