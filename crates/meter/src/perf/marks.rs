//! Counters of single threads, which a program opens and reads itself in regions: which to open, and the results of its
//! readings.

use std::collections::BTreeMap;

use super::kernel::Raw;
use super::pmu::Encoding;
use super::reading::across_kinds;
use super::{linux, sys};

/// One event, as a thread counts it for itself.
#[derive(Debug)]
struct Part {
    name: String,
    event: Encoding,
    user_only: bool,
    scale: f64,
}

/// The events that threads are to count.
#[derive(Debug, Default)]
pub struct Marks {
    parts: Vec<Part>,
    left_out: Vec<String>,
}

/// The result for a name.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Counted {
    /// The value, scaled up where others had the hardware's counters for a part of the time.
    pub value: f64,
    /// The share of its time in which it was counted, when that was not all of it.
    pub share: Option<f64>,
}

impl Marks {
    /// Adds a name whose value is the sum of events, if they fit into `most`.
    pub(super) fn add(&mut self, name: &str, events: &[Encoding], user_only: bool, scale: f64, most: usize) {
        if self.parts.len() + events.len() > most {
            self.left_out.push(name.to_owned());
            return;
        }
        let part = |event: &Encoding| Part { name: name.to_owned(), event: event.clone(), user_only, scale };
        self.parts.extend(events.iter().map(part));
    }

    /// Names that did not fit.
    #[must_use]
    pub fn left_out(&self) -> &[String] {
        &self.left_out
    }

    /// Each event as the kernel takes it: a `perf_event_attr` that counts from its opening on, and whose every read has the
    /// times that it was enabled and running.
    #[must_use]
    pub fn attributes(&self) -> Vec<Vec<u8>> {
        self.parts.iter().map(|part| sys::bytes(&linux::of_a_thread(&part.event, part.user_only))).collect()
    }

    /// The values from one thread's readings, in the order of [`Marks::attributes`], by name; or why there is none.
    #[must_use]
    pub fn sums(&self, readings: &[Raw]) -> BTreeMap<&str, Result<Counted, String>> {
        let sum = |name: &str| {
            let own = self.parts.iter().zip(readings).filter(|(part, _)| part.name == name);
            let raws: Vec<(&str, Raw)> =
                own.clone().map(|(part, reading)| (part.event.pmu.as_str(), *reading)).collect();
            if raws.iter().any(|(_, raw)| raw.enabled_ns == 0) {
                return Err("a thread could not open it".into());
            }
            // All parts of a name have one unit.
            let scale = own.map(|(part, _)| part.scale).next().unwrap_or(1.0);
            across_kinds(&raws).map(|sum| Counted { value: sum.value * scale, share: sum.share })
        };
        self.parts.iter().map(|part| (part.name.as_str(), sum(&part.name))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(pmu: &str, config: u64) -> Encoding {
        Encoding { pmu: pmu.into(), kind: 4, config, config1: 0, config2: 0 }
    }

    fn marks() -> Marks {
        let mut marks = Marks::default();
        marks.add("instructions", &[event("cpu", 0xc0)], false, 1.0, 3);
        marks.add("remote_cache", &[event("cpu", 0x04d3), event("cpu", 0x10d3)], true, 64.0, 3);
        marks.add("cycles", &[event("cpu", 0x76)], false, 1.0, 3);
        marks
    }

    #[test]
    fn each_event_is_an_attribute_of_its_own_length() {
        let attributes = marks().attributes();
        assert_eq!((attributes.len(), marks().left_out()), (3, &["cycles".to_owned()][..]));
        for (attribute, config) in attributes.iter().zip([0xc0_u64, 0x04d3, 0x10d3]) {
            let word = |at: usize| u32::from_ne_bytes(attribute[at..at + 4].try_into().unwrap());
            assert_eq!((word(0), word(4) as usize), (4, attribute.len()), "type and size");
            assert_eq!(attribute[8..16], config.to_ne_bytes());
        }
    }

    #[test]
    fn readings_are_added_by_name_and_what_was_never_counted_is_a_reason() {
        let raw = |count, running_ns| Raw { count, enabled_ns: 1000, running_ns };
        let marks = marks();
        let found = marks.sums(&[raw(7, 1000), raw(2, 500), raw(3, 1000)]);
        assert_eq!(found["instructions"], Ok(Counted { value: 7.0, share: None }));
        assert_eq!(found["remote_cache"], Ok(Counted { value: 64.0 * 7.0, share: Some(0.5) }));
        let nothing = marks.sums(&[Raw { count: 0, enabled_ns: 0, running_ns: 0 }; 3]);
        assert!(nothing.values().all(|sum| *sum == Err("a thread could not open it".into())), "{nothing:?}");
        let starved = marks.sums(&[raw(0, 0); 3]);
        assert!(starved.values().all(|sum| sum.as_ref().is_err_and(|why| why.contains("never had its turn"))));
    }
}
