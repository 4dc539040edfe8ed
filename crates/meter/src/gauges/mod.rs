//! Quantities of the machine that are read from files while the program runs: memory traffic and cache occupancy by
//! resctrl, energy by RAPL, page allocations by node.
//!
//! Each is a number that only grows (or a level). The record has its growth while the program ran, the samples the same
//! over time. Only requested ones are read: reading resctrl interrupts a cpu of that cache, and no read is free.

mod numastat;
mod rapl;
mod resctrl;
mod source;
mod tally;

use std::collections::BTreeMap;
use std::path::Path;
use std::time::{Duration, Instant};

use self::resctrl::Group;
use self::source::Source;
use crate::perf::{Counter, CounterRefusal};
use crate::samples::Samples;

pub(crate) use self::numastat::examine as examine_numastat;
pub(crate) use self::rapl::examine as examine_rapl;
pub(crate) use self::resctrl::examine as examine_resctrl;

/// The names of all quantities.
pub const NAMES: [&str; 17] = [
    "mbm_total_bytes",
    "mbm_local_bytes",
    "llc_occupancy",
    "energy-package",
    "energy-core",
    "energy-dram",
    "energy-psys",
    "numa_hit",
    "numa_miss",
    "numa_foreign",
    "interleave_hit",
    "local_node",
    "other_node",
    "numa_pages_migrated",
    "numa_hint_faults",
    "numa_hint_faults_local",
    "numa_pte_updates",
];

/// RAPL's counters wrap around within minutes under load. If two readings are further apart than this, a whole round
/// may be missing.
const ROUND: Duration = Duration::from_mins(1);

/// A quantity with all the places where it is read.
struct Gauge {
    sources: Vec<Source>,
    unit: &'static str,
    scope: String,
    rounds: bool,
}

/// The quantities that one run asked for.
#[derive(Default)]
pub struct Gauges {
    found: BTreeMap<&'static str, Gauge>,
    refused: BTreeMap<&'static str, String>,
    group: Option<Group>,
    read: Option<Instant>,
    longest: Duration,
}

impl Gauges {
    /// Finds the requested quantities, and takes the first reading, just before the program starts. For resctrl, the
    /// calling thread is in a monitoring group of its own until [`Gauges::step_out`], and processes that it starts stay
    /// there.
    #[must_use]
    pub fn open(root: &Path, asked: &[&'static str]) -> Self {
        let mut gauges = Self::default();
        let traffic = asked.iter().any(|name| resctrl::NAMES.contains(name));
        let (group, scope) = if traffic { resctrl::enter(root) } else { (None, String::new()) };
        let monitored = group.as_ref().map(|group| group.path.clone());
        gauges.group = group;
        for &name in asked {
            let found = if resctrl::NAMES.contains(&name) {
                resctrl::sources(root, monitored.as_deref(), name).map(|sources| (sources, "bytes", scope.clone()))
            } else if name.starts_with("energy-") {
                rapl::sources(root, name).map(|sources| (sources, "uJ", rapl::SCOPE.to_owned()))
            } else {
                numastat::sources(root, name).map(|sources| (sources, "", numastat::SCOPE.to_owned()))
            };
            match found {
                Ok((sources, unit, scope)) => {
                    let rounds = name.starts_with("energy-");
                    gauges.found.insert(name, Gauge { sources, unit, scope, rounds });
                }
                Err(refusal) => drop(gauges.refused.insert(name, refusal.reason)),
            }
        }
        gauges.read_all(&mut |_, _, _| ());
        gauges
    }

    /// Whether there is something to read.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.found.is_empty()
    }

    /// Takes the calling thread out of the monitoring group; just after the program has started.
    pub fn step_out(&mut self) {
        if let Some(group) = &mut self.group {
            group.step_out();
        }
    }

    /// Reads everything once and stores it as samples.
    pub(crate) fn sample(&mut self, t_ns: u64, samples: &mut Samples) {
        self.read_all(&mut |source, name, value| samples.push(t_ns, source, name, value));
    }

    /// Takes the last reading; as soon as the program has ended.
    pub fn stop(&mut self) {
        self.read_all(&mut |_, _, _| ());
    }

    fn read_all(&mut self, note: &mut dyn FnMut(&str, &str, u64)) {
        let now = Instant::now();
        let since = self.read.replace(now).map_or(Duration::ZERO, |then| now - then);
        self.longest = self.longest.max(since);
        for (name, gauge) in &mut self.found {
            for source in &mut gauge.sources {
                if let Some(value) = source.read() {
                    note(&source.name, name, value);
                }
            }
        }
    }

    /// The value of each, the sum and its parts (`numa_hit` and `numa_hit@node0`), or why there is none.
    #[must_use]
    pub fn finish(self) -> BTreeMap<String, Counter> {
        let refused = self.refused.iter().map(|(name, reason)| ((*name).to_owned(), Counter::unavailable(reason)));
        let mut found: BTreeMap<String, Counter> = refused.collect();
        for (name, gauge) in &self.found {
            let seldom = (gauge.rounds && self.longest > ROUND).then(|| {
                format!("read only every {} s: whole rounds of the counter may be missing", self.longest.as_secs())
            });
            let counters = gauge.counters(name, seldom.as_deref());
            found.extend(counters);
        }
        found
    }
}

impl Gauge {
    fn counters(&self, name: &str, seldom: Option<&str>) -> Vec<(String, Counter)> {
        let counter = |value: u64, notes: &[&str]| {
            let said = [self.scope.as_str()].into_iter().chain(notes.iter().copied()).chain(seldom);
            let scope = said.filter(|text| !text.is_empty()).collect::<Vec<_>>().join("; ");
            let (value, unit, caution) = (value as f64, self.unit.into(), String::new());
            Counter::Qualified { value, unit, counted_share: None, scope, caution }
        };
        let ends: Vec<_> = self.sources.iter().map(|source| (source.part(), source.tally.end())).collect();
        let whole = ends.iter().try_fold((0_u64, Vec::new()), |(sum, mut notes), (part, end)| match end {
            Ok((value, note)) => {
                notes.extend((!note.is_empty()).then(|| format!("{part}: {note}")));
                Ok((sum.saturating_add(*value), notes))
            }
            // The sum of some parts would not be the machine.
            Err(reason) => Err(format!("{part}: {reason}")),
        });
        let whole = match whole {
            Ok((sum, notes)) => counter(sum, &notes.iter().map(String::as_str).collect::<Vec<_>>()),
            Err(reason) => Counter::unavailable(reason),
        };
        // Counts of the whole machine have no parts.
        let parts = ends.iter().filter(|(part, _)| *part != source::MACHINE).map(|(part, end)| {
            let value = match end {
                Ok((value, note)) => counter(*value, &[note]),
                Err(reason) => Counter::unavailable(reason),
            };
            (format!("{name}@{part}"), value)
        });
        std::iter::once((name.to_owned(), whole)).chain(parts).collect()
    }
}

/// A refusal because something is not there.
fn refuse<T>(reason: impl Into<String>, remedy: impl Into<String>) -> Result<T, CounterRefusal> {
    Err(CounterRefusal::new(reason, remedy))
}
