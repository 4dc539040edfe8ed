//! A counter's reading, as in a record.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::kernel::Raw;

/// A counter's value, or why there is none.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Counter {
    /// The count: all of it was counted, over the whole process tree, with the kernel's work for it.
    Known(u64),
    /// A value that needs one of the qualifications below.
    Qualified {
        /// The value.
        value: f64,
        /// Its unit; absent for a plain number of events.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        unit: String,
        /// Share of the time in which it was really counted, when that was not all; the value is scaled up by it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        counted_share: Option<f64>,
        /// What it covers, when that is not just the process tree with the kernel's work for it.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        scope: String,
        /// What is known to be wrong with it on this part, or why this may be another part.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        caution: String,
    },
    /// Why nothing was counted.
    Unavailable {
        /// The reason.
        unavailable: String,
    },
}

impl Counter {
    /// A counter without a value.
    #[must_use]
    pub fn unavailable(reason: impl Into<String>) -> Self {
        Self::Unavailable { unavailable: reason.into() }
    }

    /// The value without its qualifications.
    #[must_use]
    pub fn value(&self) -> Option<f64> {
        match self {
            Self::Known(count) => Some(*count as f64),
            Self::Qualified { value, .. } => Some(*value),
            Self::Unavailable { .. } => None,
        }
    }
}

/// A count with the share of its time in which it was really counted.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Scaled {
    pub(crate) value: f64,
    /// None when it was all of it.
    pub(crate) share: Option<f64>,
    /// The count as it was read, when nothing had to be scaled.
    pub(crate) exact: Option<u64>,
}

/// Scales a count by the time in which it was counted; without any, returns the reason, not 0.
pub(crate) fn scale(raw: Raw) -> Result<Scaled, String> {
    match (raw.enabled_ns, raw.running_ns) {
        (0, _) => Err("not counted: the program was never under this counter (it did not execute, or it runs with \
                       more rights than its user)"
            .into()),
        (_, 0) => Err("not counted: it never had its turn on the hardware, whose counters others hold (the NMI \
                       watchdog takes one: sysctl kernel.nmi_watchdog=0)"
            .into()),
        (enabled, running) if running >= enabled => {
            Ok(Scaled { value: raw.count as f64, share: None, exact: Some(raw.count) })
        }
        (enabled, running) => {
            let share = running as f64 / enabled as f64;
            Ok(Scaled { value: raw.count as f64 / share, share: Some(share), exact: None })
        }
    }
}

/// Counts of one program, each with its PMU, added up. On a machine with several kinds of cores the program is on one of
/// them at a time, so times on the kinds add up to the time enabled unless the hardware was shared; that share is taken
/// to be the same on all kinds. Events of one PMU each have all of the time on it to be counted in.
pub(crate) fn across_kinds(parts: &[(&str, Raw)]) -> Result<Scaled, String> {
    let enabled_ns = parts.iter().map(|(_, raw)| raw.enabled_ns).max().unwrap_or(0);
    let mut kinds: BTreeMap<&str, u64> = BTreeMap::new();
    for (kind, raw) in parts {
        let longest = kinds.entry(kind).or_default();
        *longest = raw.running_ns.max(*longest);
    }
    let running_ns = kinds.values().sum::<u64>().min(enabled_ns);
    let shared = scale(Raw { count: 0, enabled_ns, running_ns })?.share;
    let mut sum = Scaled { value: 0.0, share: shared, exact: shared.is_none().then_some(0) };
    for (kind, raw) in parts.iter().filter(|(kind, _)| kinds[kind] > 0) {
        let of_kind = scale(Raw { enabled_ns: kinds[kind], ..*raw })?;
        sum.value += of_kind.value / shared.unwrap_or(1.0);
        sum.share = match (shared, of_kind.share) {
            (None, None) => sum.share,
            (all, own) => Some(f64::min(sum.share.unwrap_or(1.0), all.unwrap_or(1.0) * own.unwrap_or(1.0))),
        };
        sum.exact = sum.exact.zip(of_kind.exact).map(|(a, b)| a + b);
    }
    Ok(sum)
}

/// Counts of several boxes of the machine: each is scaled by its own time.
pub(crate) fn across_boxes(parts: &[Raw]) -> Result<Scaled, String> {
    let mut sum = Scaled { value: 0.0, share: None, exact: Some(0) };
    for part in parts {
        let scaled = scale(*part)?;
        sum.value += scaled.value;
        sum.exact = sum.exact.zip(scaled.exact).map(|(a, b)| a + b);
        sum.share = match (sum.share, scaled.share) {
            (Some(a), Some(b)) => Some(f64::min(a, b)),
            (a, b) => a.or(b),
        };
    }
    Ok(sum)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn raw(count: u64, enabled_ns: u64, running_ns: u64) -> Raw {
        Raw { count, enabled_ns, running_ns }
    }

    #[test]
    fn a_quarter_of_the_time_is_scaled_by_four_and_says_so() {
        let scaled = scale(raw(100, 1000, 250)).unwrap();
        assert_eq!((scaled.value, scaled.share, scaled.exact), (400.0, Some(0.25), None));
        assert_eq!(scale(raw(0, 1000, 1000)).unwrap().exact, Some(0), "a true zero stays one");
    }

    #[test]
    fn what_never_ran_is_no_zero() {
        assert!(scale(raw(0, 1000, 0)).unwrap_err().contains("never had its turn"));
        assert!(scale(raw(0, 0, 0)).unwrap_err().contains("never under this counter"));
    }

    #[test]
    fn kinds_of_cores_share_the_time_and_boxes_do_not() {
        // Three quarters of the time on one kind, a quarter on the other, nothing multiplexed.
        let whole = across_kinds(&[("core", raw(30, 100, 75)), ("atom", raw(5, 100, 25))]).unwrap();
        assert_eq!((whole.value, whole.share, whole.exact), (35.0, None, Some(35)));
        let boxes = across_boxes(&[raw(30, 100, 50), raw(5, 100, 100)]).unwrap();
        assert_eq!((boxes.value, boxes.share), (65.0, Some(0.5)));
        assert!(across_boxes(&[raw(30, 100, 100), raw(0, 100, 0)]).is_err(), "a part is not the whole");
    }

    #[test]
    fn two_events_of_one_pmu_each_have_the_whole_time() {
        let halves = across_kinds(&[("cpu", raw(10, 100, 50)), ("cpu", raw(4, 100, 25))]).unwrap();
        assert_eq!((halves.value, halves.share, halves.exact), (36.0, Some(0.25), None));
        let starved = across_kinds(&[("cpu", raw(10, 100, 100)), ("cpu", raw(0, 100, 0))]);
        assert!(starved.unwrap_err().contains("never had its turn"), "a part is not the whole");
        // All of the time on the big cores, where two events took turns; none on the small ones.
        let big = across_kinds(&[("atom", raw(0, 100, 0)), ("core", raw(10, 100, 50)), ("core", raw(3, 100, 50))]);
        assert_eq!(big.map(|sum| (sum.value, sum.share)), Ok((26.0, Some(0.5))));
    }

    #[test]
    fn a_record_holds_a_number_an_object_or_a_reason() {
        let text = |counter: &Counter| serde_json::to_string(counter).unwrap();
        let known = Counter::Known(7);
        let scaled = Counter::Qualified {
            value: 2.5,
            unit: "J".into(),
            counted_share: Some(0.5),
            scope: String::new(),
            caution: String::new(),
        };
        let absent = Counter::unavailable("none here");
        assert_eq!(text(&known), "7");
        assert_eq!(text(&scaled), r#"{"value":2.5,"unit":"J","counted_share":0.5}"#);
        assert_eq!(text(&absent), r#"{"unavailable":"none here"}"#);
        for counter in [known, scaled, absent] {
            assert_eq!(serde_json::from_str::<Counter>(&text(&counter)).unwrap(), counter);
        }
    }
}
