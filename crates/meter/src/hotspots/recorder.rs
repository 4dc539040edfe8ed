//! Takes samples of a program while it runs.

use std::os::fd::BorrowedFd;
use std::time::Duration;

use knee_machine::CpuSet;
use knee_machine::clock::{monotonic, nanoseconds, thread_cpu};

use super::event::{Event, Said};
use super::ring::Ring;
use super::tally::{Hotspots, Tally};
use crate::switches::{Merge, SETTLED_NS, Spells, Timed};

/// CPU time between two samples of a thread: a little off the kernel's ticks, so that work in step with those is met
/// everywhere.
const PERIOD_NS: u64 = 997_000;
/// On more cpus than this samples are as many as on these.
const CPUS: u64 = 16;

impl Timed for Event {
    fn t_ns(&self) -> u64 {
        self.t_ns
    }
}

/// Takes samples of one run.
pub struct HotspotRecorder {
    rings: Vec<Ring>,
    unavailable: Option<String>,
    period_ns: u64,
    merge: Merge<Event>,
    tally: Tally,
    lost: u64,
    cost: Duration,
}

impl HotspotRecorder {
    /// Prepares for the program that the calling thread starts next on these cpus.
    #[must_use]
    pub fn open(cpus: &CpuSet) -> Self {
        let period_ns = PERIOD_NS * (cpus.iter().count() as u64).div_ceil(CPUS).max(1);
        let rings: Result<Vec<Ring>, _> = cpus.iter().map(|cpu| Ring::open(cpu, period_ns)).collect();
        let (rings, unavailable) = match rings {
            Ok(rings) => (rings, None),
            Err(refused) => (Vec::new(), Some(refused.explained())),
        };
        Self {
            rings,
            unavailable,
            period_ns,
            merge: Merge::default(),
            tally: Tally::default(),
            lost: 0,
            cost: Duration::ZERO,
        }
    }

    /// Readable when there is something to [`drain`](Self::drain).
    pub fn fds(&self) -> impl Iterator<Item = BorrowedFd<'_>> {
        self.rings.iter().map(Ring::fd)
    }

    /// Reads the rings.
    pub fn drain(&mut self) {
        if self.rings.is_empty() {
            return;
        }
        let (before, now) = (thread_cpu(), nanoseconds(monotonic()));
        self.read(now.saturating_sub(SETTLED_NS));
        self.cost += thread_cpu().saturating_sub(before);
    }

    /// Takes all records, and counts those before a time.
    fn read(&mut self, t_ns: u64) {
        for ring in &mut self.rings {
            self.lost += ring.drain(|said| match said {
                Said::Event(event) => self.merge.push(event),
                Said::Lost(count) => self.lost += count,
                Said::Nothing => {}
            });
        }
        for event in self.merge.before(t_ns) {
            self.tally.note(event);
        }
    }

    /// Reads the rest when the whole tree has ended. `alone` says when exactly one thread could run, where that is known.
    #[must_use]
    pub fn finish(mut self, alone: Option<&Spells>) -> Hotspots {
        let before = thread_cpu();
        self.read(u64::MAX);
        let lost = (self.lost > 0).then(|| format!("{} records were lost", self.lost));
        Hotspots {
            unavailable: self.unavailable.or(lost),
            period_ns: self.period_ns,
            cost_ns: nanoseconds(self.cost + thread_cpu().saturating_sub(before)),
            ..self.tally.finish(alone)
        }
    }
}
