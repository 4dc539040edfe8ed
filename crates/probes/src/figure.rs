//! One result of a probe: a number, its conditions, and whether it can be trusted.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::arena::Found;
use crate::size::count;

/// Whether other programs used the probe's cpus while it measured. Fractions are of their time; unknown ones are
/// absent.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ProbeValidity {
    /// CPU time of the probe over its time on all of its cpus.
    pub own_share: f64,
    /// Time its cpus were busy with something else.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub other_busy: Option<f64>,
    /// Time a hypervisor took its cpus away.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub steal: Option<f64>,
    /// A fixed dependent chain before and after, ns a link: when it differs, the clock did.
    pub clock_ns: [f64; 2],
}

/// One number.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Figure {
    /// The probe.
    pub probe: String,
    /// What it measures: `latency`, `bandwidth`, `time`.
    pub measure: String,
    /// Its conditions, by name: reader, memory node, bytes, page, kernel.
    pub at: BTreeMap<String, String>,
    /// The number: the median of the samples.
    pub value: f64,
    /// Its unit.
    pub unit: String,
    /// The quartiles of the samples.
    pub quartiles: [f64; 2],
    /// How many there were.
    pub samples: usize,
    /// The nodes and pages of its memory; absent if no memory was probed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory: Option<Found>,
    /// Whether it can be trusted; absent without a monitor.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub validity: Option<ProbeValidity>,
    /// Reasons for doubt, or what it does not measure. Empty if there are none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub flags: Vec<String>,
}

/// Own share of the time below which a figure is doubtful.
const OWN: f64 = 0.95;
/// Share that others may use.
const OTHERS: f64 = 0.03;
/// How much the clock may differ.
const CLOCK: f64 = 0.05;
/// Share of pages that must be on the requested node and of the requested size.
const PLACED: f64 = 0.99;

impl Figure {
    /// A figure of some samples.
    ///
    /// # Panics
    /// If there are none.
    #[must_use]
    pub fn of(probe: &str, measure: &str, unit: &str, mut samples: Vec<f64>) -> Self {
        samples.sort_by(f64::total_cmp);
        let at = |share: f64| samples[count((samples.len() - 1) as f64 * share)];
        Self {
            probe: probe.into(),
            measure: measure.into(),
            at: BTreeMap::new(),
            value: at(0.5),
            unit: unit.into(),
            quartiles: [at(0.25), at(0.75)],
            samples: samples.len(),
            memory: None,
            validity: None,
            flags: Vec::new(),
        }
    }

    /// Adds a condition.
    #[must_use]
    pub fn at(mut self, name: &str, value: &(impl ToString + ?Sized)) -> Self {
        self.at.insert(name.into(), value.to_string());
        self
    }

    /// Adds where its memory was, and a flag if that was not as requested.
    #[must_use]
    pub fn in_memory(mut self, found: Found, huge: bool) -> Self {
        if let Some(share) = found.on_node.filter(|share| *share < PLACED) {
            self.flags.push(format!("only {:.1} % of its pages lie on the node", 100.0 * share));
        }
        match found.huge {
            Some(share) if huge && share < PLACED => {
                self.flags.push(format!("only {:.1} % of its memory is in huge pages", 100.0 * share));
            }
            Some(share) if !huge && share > 1.0 - PLACED => {
                self.flags.push(format!("{:.1} % of its memory is in huge pages", 100.0 * share));
            }
            _ => {}
        }
        self.memory = Some(found);
        self
    }

    /// Adds its validity, and a flag if others used too much.
    #[must_use]
    pub fn watched(mut self, validity: ProbeValidity) -> Self {
        self.flags.extend(doubts(&validity));
        self.validity = Some(validity);
        self
    }

    /// Adds a reason for doubt, or what it does not measure.
    #[must_use]
    pub fn flagged(mut self, flag: Option<String>) -> Self {
        self.flags.extend(flag);
        self
    }
}

fn doubts(validity: &ProbeValidity) -> Vec<String> {
    let percent = |share: f64| format!("{:.0} %", 100.0 * share);
    let [before, after] = validity.clock_ns;
    let drift = if before > 0.0 { after / before - 1.0 } else { 0.0 };
    let doubt = [
        (validity.own_share < OWN).then(|| format!("had its cpus for {} of the time", percent(validity.own_share))),
        validity.other_busy.filter(|share| *share > OTHERS).map(|share| format!("others had {}", percent(share))),
        validity.steal.filter(|share| *share > OTHERS).map(|share| format!("the hypervisor took {}", percent(share))),
        (drift.abs() > CLOCK).then(|| format!("the clock changed by {:+.0} %", 100.0 * drift)),
    ];
    doubt.into_iter().flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_become_a_figure() {
        let samples = vec![5.0, 1.0, 2.0, 4.0, 3.0];
        let figure = Figure::of("latency", "latency", "ns", samples);
        assert_eq!((figure.value, figure.quartiles, figure.samples), (3.0, [2.0, 4.0], 5));
    }

    #[test]
    fn what_cannot_be_trusted_is_flagged() {
        let good = ProbeValidity { own_share: 0.99, other_busy: Some(0.01), steal: Some(0.0), clock_ns: [1.0, 1.02] };
        let figure = || Figure::of("p", "m", "ns", vec![1.0]);
        assert!(figure().watched(good).flags.is_empty());
        let bad = ProbeValidity { own_share: 0.5, other_busy: Some(0.4), steal: Some(0.1), clock_ns: [1.0, 1.2] };
        let says = figure().watched(bad).flags.join("; ");
        assert_eq!(
            says,
            "had its cpus for 50 % of the time; others had 40 %; the hypervisor took 10 %; the clock changed by +20 %"
        );
        let moved = figure().in_memory(Found { on_node: Some(0.5), huge: Some(0.25) }, true).flags;
        assert_eq!(moved, ["only 50.0 % of its pages lie on the node", "only 25.0 % of its memory is in huge pages"]);
        assert!(figure().in_memory(Found { on_node: Some(1.0), huge: Some(0.0) }, false).flags.is_empty());
    }
}
