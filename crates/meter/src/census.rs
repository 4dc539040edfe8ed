//! Page census: counts the pages of a process tree by node at intervals.
//!
//! The kernel walks every page table to fill `numa_maps`, which takes about 10 ns a page and keeps the program from
//! mapping memory meanwhile. So the census is rare: soon after the start, then at doubling intervals up to its period,
//! and never more than five percent of the time. Pages that processes of the tree share are counted once, as far as the
//! kernel says how many do.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use knee_machine::clock::{nanoseconds, thread_cpu};

use crate::numa_maps::Resident;
use crate::proc::descendants;
use crate::samples::Samples;

/// Time from the start to the first census.
const FIRST: Duration = Duration::from_millis(20);
/// A census may take this fraction of the time until the next one.
const BUDGET: u32 = 20;

pub(crate) struct Census {
    period: Duration,
    distance: Duration,
    due: Instant,
    fullest: Option<BTreeMap<u32, u64>>,
}

impl Census {
    pub(crate) fn new(begin: Instant, period: Duration) -> Self {
        let distance = FIRST.min(period);
        Self { period, distance, due: begin + distance, fullest: None }
    }

    pub(crate) fn due(&self) -> Instant {
        self.due
    }

    /// Counts if a census is due, stores the counts as samples, and returns the CPU time of doing so.
    pub(crate) fn tick(&mut self, now: Instant, ancestor: i32, begin: Instant, samples: &mut Samples) -> u64 {
        if now < self.due {
            return 0;
        }
        let before = thread_cpu();
        let pages = count(ancestor);
        for (node, count) in &pages {
            samples.push(nanoseconds(now - begin), "pages", &format!("node:{node}"), *count);
        }
        // A process that is ending has already freed some pages, so the census with most pages is kept.
        let total = |pages: &BTreeMap<u32, u64>| pages.values().sum::<u64>();
        if total(&pages) > self.fullest.as_ref().map_or(0, total) {
            self.fullest = Some(pages);
        }
        let cost = thread_cpu().saturating_sub(before);
        self.distance = (2 * self.distance).min(self.period);
        self.due = now + self.distance.max(cost * BUDGET);
        nanoseconds(cost)
    }

    pub(crate) fn fullest(self) -> Option<BTreeMap<u32, u64>> {
        self.fullest
    }
}

fn count(ancestor: i32) -> BTreeMap<u32, u64> {
    let mut resident = Resident::default();
    for pid in descendants(ancestor) {
        // One that cannot be read has ended meanwhile.
        let _ = resident.add(&pid.to_string());
    }
    resident.by_node()
}
