//! Records context switches while a program runs.

use std::os::fd::BorrowedFd;
use std::time::Duration;

use knee_machine::CpuSet;
use knee_machine::clock::{monotonic, nanoseconds, thread_cpu};

use super::accounts::Accounts;
use super::event::{Event, Said};
use super::found::Switches;
use super::merge::{Merge, SETTLED_NS};
use super::refused::Refused;
use super::ring::{Read, Ring};
use super::spells::Spells;
use crate::sampler::ThreadUse;
use crate::states::Mechanism;

/// Switch records a second, a thread that goes and one that comes, above which recording ends.
pub const MOST_A_SECOND: u64 = 200_000;
/// Time over which they are counted.
const WINDOW_NS: u64 = 20_000_000;

/// Records the context switches of one run.
pub struct SwitchRecorder {
    /// None once recording has ended, and where it never began.
    rings: Vec<Ring>,
    ended: Option<String>,
    ended_ns: Option<u64>,
    merge: Merge<Event>,
    accounts: Accounts,
    count: u64,
    lost: u64,
    odd: u64,
    cost: Duration,
    /// When the present window began, and how many records there were.
    window: (u64, u64),
}

impl SwitchRecorder {
    /// Prepares for the program that the calling thread starts next on these cpus.
    #[must_use]
    pub fn open(cpus: &CpuSet) -> Self {
        let rings: Result<Vec<Ring>, Refused> = match too_old(&kernel_release()) {
            Some(reason) => return Self::with(Vec::new(), Some(reason)),
            None => cpus.iter().map(Ring::open).collect(),
        };
        match rings {
            Ok(rings) => Self::with(rings, None),
            Err(refused) => Self::with(Vec::new(), Some(refused.explained())),
        }
    }

    fn with(rings: Vec<Ring>, ended: Option<String>) -> Self {
        Self {
            rings,
            ended,
            ended_ns: None,
            merge: Merge::default(),
            accounts: Accounts::default(),
            count: 0,
            lost: 0,
            odd: 0,
            cost: Duration::ZERO,
            window: (0, 0),
        }
    }

    /// Readable when there is something to [`drain`](Self::drain).
    pub fn fds(&self) -> impl Iterator<Item = BorrowedFd<'_>> {
        self.rings.iter().map(Ring::fd)
    }

    /// Reads the rings; ends the recording where it costs too much, or is incomplete.
    pub fn drain(&mut self) {
        if self.rings.is_empty() {
            return;
        }
        let (before, now) = (thread_cpu(), nanoseconds(monotonic()));
        self.read();
        for event in self.merge.before(now.saturating_sub(SETTLED_NS)) {
            self.accounts.note(&event);
        }
        self.cost += thread_cpu().saturating_sub(before);
        if let Some(reason) = self.too_much(now) {
            // Closing the events ends them in the whole tree.
            self.rings.clear();
            (self.ended, self.ended_ns) = (Some(reason), Some(now));
        }
    }

    /// Moves all records into the order of events. Whether a ring was full.
    fn read(&mut self) -> bool {
        let mut full = false;
        for ring in &mut self.rings {
            let Read { truncated, full: one } = ring.drain(|said| match said {
                Said::Event(event) => {
                    self.count += u64::from(event.what.is_switch());
                    self.merge.push(event);
                }
                Said::Lost(count) => self.lost += count,
                Said::Nothing => {}
            });
            self.odd += truncated;
            full |= one;
        }
        full
    }

    fn too_much(&mut self, now: u64) -> Option<String> {
        if self.lost > 0 {
            return Some(format!("recording ended: {} records were lost, because a ring was full", self.lost));
        }
        let (begin, before) = self.window;
        let passed = now.saturating_sub(begin);
        if begin != 0 && passed < WINDOW_NS {
            return None;
        }
        self.window = (now, self.count);
        let rate = u128::from(self.count - before) * 1_000_000_000 / u128::from(passed.max(1));
        (begin != 0 && rate > u128::from(MOST_A_SECOND))
            .then(|| format!("recording ended: {rate} switch records a second are more than {MOST_A_SECOND}"))
    }

    /// Reads the rest when the whole tree has ended, and adds what was found to the threads that were sampled. `launch` is
    /// the time of the monotonic clock from which their times count. Also says when exactly one thread could run, where
    /// there are records of the whole run.
    #[must_use]
    pub fn finish(mut self, launch: Duration, threads: &mut [ThreadUse]) -> (Switches, Option<Spells>) {
        let before = thread_cpu();
        // Twice: what the kernel says of lost records waits for room.
        if self.read() && !self.rings.is_empty() {
            let lost = self.lost;
            self.read();
            self.lost += u64::from(self.lost == lost);
        }
        if self.lost > 0 && self.ended.is_none() {
            self.ended = Some(format!("{} records were lost, because a ring was full", self.lost));
        }
        for event in self.merge.before(u64::MAX) {
            self.accounts.note(&event);
        }
        let followed = std::mem::take(&mut self.accounts).finish(self.ended_ns.unwrap_or(0));
        let launch = nanoseconds(launch);
        let mut switches = Switches {
            mechanism: if self.ended.is_none() { Mechanism::Records } else { Mechanism::Samples },
            unavailable: self.ended,
            count: self.count,
            lost: self.lost,
            odd: self.odd,
            cost_ns: 0,
            begin_ns: None,
            end_ns: None,
            total: None,
            unsampled: None,
            concurrency: None,
        };
        let mut spells = None;
        match followed {
            Some(mut followed) => {
                let all = std::mem::take(&mut followed.spells);
                spells = all.whole().filter(|_| switches.mechanism == Mechanism::Records);
                switches.fill(followed, launch, threads);
            }
            None if switches.mechanism == Mechanism::Records => {
                switches.mechanism = Mechanism::Samples;
                switches.unavailable = Some("the kernel wrote no records".into());
            }
            None => {}
        }
        switches.cost_ns = nanoseconds(self.cost + thread_cpu().saturating_sub(before));
        (switches, spells)
    }
}

fn kernel_release() -> String {
    std::fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default()
}

/// Before Linux 4.17 records do not say whether a thread was preempted. Why this kernel cannot serve, if it cannot.
fn too_old(release: &str) -> Option<String> {
    let mut numbers = release.trim().split(['.', '-']).map(str::parse::<u32>);
    let (major, minor) = (numbers.next()?.ok()?, numbers.next()?.ok()?);
    let reason = || format!("Linux {major}.{minor} does not record whether a thread was preempted; 4.17 does");
    ((major, minor) < (4, 17)).then(reason)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn old_kernels_do_not_say_why_a_thread_lost_its_cpu() {
        assert!(too_old("3.10.0-1160.el7.x86_64\n").unwrap().starts_with("Linux 3.10 does not"));
        assert!(too_old("4.16.3").is_some());
        assert_eq!(too_old("4.17.0-rc1"), None);
        assert_eq!(too_old("6.18.44-fc"), None);
        assert_eq!(too_old(""), None, "the kernel's answer counts where its number cannot be read");
    }

    #[test]
    fn recording_ends_at_too_many_records_and_at_the_first_lost_one() {
        let mut recorder = SwitchRecorder::with(Vec::new(), None);
        assert_eq!(recorder.too_much(1_000_000_000), None);
        recorder.count = 3_000;
        assert_eq!(recorder.too_much(1_010_000_000), None, "the window is not over");
        assert_eq!(recorder.too_much(1_020_000_000), None, "150000 a second");
        recorder.count = 9_000;
        let reason = recorder.too_much(1_040_000_000).unwrap();
        assert_eq!(reason, "recording ended: 300000 switch records a second are more than 200000");
        recorder.lost = 5;
        assert!(recorder.too_much(1_041_000_000).unwrap().contains("5 records were lost"));
    }
}
