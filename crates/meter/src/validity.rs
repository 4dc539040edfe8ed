//! Validity of a run: how much of its cpus it got, and how much other programs took.

use std::fs;
use std::time::{Duration, Instant};

use knee_machine::CpuSet;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Evidence on the quality of one run. Fractions are of the time of its cpus; unknown values are absent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Validity {
    /// CPU time of the run over wall time × the cpus it could use at once.
    #[schemars(range(min = 0.0))]
    pub own_share: f64,
    /// Time its cpus were busy with something else: by the ticks that found them busy, or by their time less what they
    /// were idle, whichever is less. From ticks of 10 ms, so rough below a second: of less than three ticks nothing
    /// follows. Absent below 20 ms.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    #[schemars(range(min = 0.0))]
    pub other_busy: Option<f64>,
    /// Time a hypervisor took its cpus away. From the same ticks.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    #[schemars(range(min = 0.0))]
    pub steal: Option<f64>,
    /// Fraction of the wall time in which some task of the machine waited for a cpu (pressure stall information).
    #[serde(skip_serializing_if = "Option::is_none", default)]
    #[schemars(range(min = 0.0))]
    pub psi_cpu: Option<f64>,
    /// The clock proxy before the run, ns per link.
    #[schemars(range(min = 0.0))]
    pub clock_before_ns: f64,
    /// The clock proxy after the run, ns per link.
    #[schemars(range(min = 0.0))]
    pub clock_after_ns: f64,
}

/// The state of the machine when a run begins.
#[derive(Debug)]
pub struct Baseline {
    begin: Instant,
    cpus: CpuSet,
    ticks: Option<Ticks>,
    stalled: Option<Duration>,
    clock_before_ns: f64,
    known: Duration,
}

/// What the kernel has counted of some cpus since it started.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Ticks {
    pub(crate) busy: u64,
    pub(crate) steal: u64,
    pub(crate) idle: u64,
}

impl Ticks {
    fn since(self, then: Self) -> Self {
        Self {
            busy: self.busy.saturating_sub(then.busy),
            steal: self.steal.saturating_sub(then.steal),
            idle: self.idle.saturating_sub(then.idle),
        }
    }

    /// Seconds in which cpus were busy, of so many in all.
    ///
    /// A tick counts whole for what it finds a cpu doing. That is too much of a program whose threads wake up in step with
    /// ticks: up to a seventh of the time was seen. Idle time is measured instead, from when a cpu goes idle until it no
    /// longer is, on kernels that stop ticks on idle cpus; on others both counts are the same.
    fn busy_s(self, capacity: f64, tick: f64) -> f64 {
        (self.busy as f64 * tick).min(capacity - (self.idle + self.steal) as f64 * tick)
    }
}

/// Fewest ticks for a share. Of the shares of short runs only large ones say more than rounding.
const TICKS_THAT_TELL: f64 = 2.0;

impl Baseline {
    /// Notes the state of `cpus`, those the run may use.
    #[must_use]
    pub fn take(cpus: CpuSet, clock_before_ns: f64) -> Self {
        let (ticks, stalled) = (ticks(&cpus), stalled());
        Self { begin: Instant::now(), cpus, ticks, stalled, clock_before_ns, known: Duration::ZERO }
    }

    /// Leaves this much CPU time on these cpus out of what others used: it was used on purpose, beside the run.
    #[must_use]
    pub fn known(self, cpu: Duration) -> Self {
        Self { known: cpu, ..self }
    }

    /// Compares with the state now. `at_once` is how many cpus the run could use at the same time.
    #[must_use]
    pub fn compare(self, wall: Duration, cpu: Duration, at_once: usize, clock_after_ns: f64) -> Validity {
        let span = self.begin.elapsed().as_secs_f64().max(1e-9);
        let capacity = span * self.cpus.len().max(1) as f64;
        let tick = 1.0 / rustix::param::clock_ticks_per_second().max(1) as f64;
        let now = ticks(&self.cpus).zip(self.ticks).filter(|_| span >= TICKS_THAT_TELL * tick);
        let spent = now.map(|(now, then)| now.since(then));
        let other = spent.map(|spent| spent.busy_s(capacity, tick) - (cpu + self.known).as_secs_f64());
        let steal = spent.map(|spent| spent.steal as f64 * tick);
        let stall = stalled().zip(self.stalled).map(|(now, then)| now.saturating_sub(then).as_secs_f64());
        Validity {
            own_share: rounded(cpu.as_secs_f64() / (wall.as_secs_f64().max(1e-9) * at_once.max(1) as f64)),
            other_busy: other.map(|seconds| rounded((seconds / capacity).clamp(0.0, 1.0))),
            steal: steal.map(|seconds| rounded((seconds / capacity).clamp(0.0, 1.0))),
            psi_cpu: stall.map(|seconds| rounded((seconds / span).clamp(0.0, 1.0))),
            clock_before_ns: self.clock_before_ns,
            clock_after_ns,
        }
    }
}

/// Four digits are more than ticks can carry, and keep records readable.
pub(crate) fn rounded(fraction: f64) -> f64 {
    (fraction * 1e4).round() / 1e4
}

pub(crate) fn ticks(cpus: &CpuSet) -> Option<Ticks> {
    parse_ticks(&fs::read_to_string("/proc/stat").ok()?, cpus)
}

fn parse_ticks(text: &str, cpus: &CpuSet) -> Option<Ticks> {
    let mut sum = Ticks::default();
    let mut found = false;
    for line in text.lines() {
        let mut words = line.split_ascii_whitespace();
        let number = words.next().and_then(|name| name.strip_prefix("cpu")).and_then(|n| n.parse::<u32>().ok());
        if !number.is_some_and(|cpu| cpus.contains(cpu)) {
            continue;
        }
        // user nice system idle iowait irq softirq steal
        let ticks: Vec<u64> = words.filter_map(|word| word.parse().ok()).collect();
        let at = |field: usize| ticks.get(field).copied().unwrap_or(0);
        sum.busy += at(0) + at(1) + at(2) + at(5) + at(6);
        sum.steal += at(7);
        sum.idle += at(3) + at(4);
        found = true;
    }
    found.then_some(sum)
}

/// Total time in which some task waited for a cpu.
pub(crate) fn stalled() -> Option<Duration> {
    let text = fs::read_to_string("/proc/pressure/cpu").ok()?;
    let some = text.lines().find(|line| line.starts_with("some"))?;
    let total = some.split(' ').find_map(|word| word.strip_prefix("total="))?;
    total.trim().parse().ok().map(Duration::from_micros)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_cpus_of_the_run_are_counted() {
        let text =
            "cpu 9 9 9 9 9 9 9 9 0 0\ncpu0 1 2 3 100 100 4 5 6 0 0\ncpu1 10 0 0 0 0 0 0 1 0 0\ncpu10 7 0 0 0 0 0 0 7\n";
        let ticks = parse_ticks(text, &"0,1".parse().unwrap()).unwrap();
        assert_eq!((ticks.busy, ticks.steal, ticks.idle), (25, 7, 200));
        assert!(parse_ticks(text, &"7".parse().unwrap()).is_none());
    }

    #[test]
    fn the_smaller_of_two_counts_of_busy_time_holds() {
        let of = |busy, idle, steal| Ticks { busy, steal, idle }.busy_s(1.0, 0.01);
        // Of 100 ticks in all, 70 found a cpu busy that was idle for 0.4 s.
        assert!((of(70, 40, 0) - 0.6).abs() < 1e-9);
        assert!((of(60, 30, 0) - 0.6).abs() < 1e-9);
        assert!((of(70, 20, 20) - 0.6).abs() < 1e-9);
        // A kernel that counts no idle time.
        assert!((of(70, 0, 0) - 0.7).abs() < 1e-9);
    }
}
