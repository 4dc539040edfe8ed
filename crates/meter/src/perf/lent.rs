//! Counters of a whole program that it reads itself, where its phases begin and end: the launcher opens them, and lends
//! their descriptors to the process that it starts. One read has what all threads and children counted so far.

use std::collections::BTreeMap;
use std::io;
use std::os::fd::{AsRawFd, OwnedFd, RawFd};

use super::kernel::Raw;
use super::reading::across_kinds;
use super::sys;

/// A reading of one event: what it counted, and the times that it was enabled and running, in ns.
pub type Reading = [u64; 3];

/// One event.
struct Part {
    name: String,
    pmu: String,
    scale: f64,
    file: OwnedFd,
}

/// Counters that a program may read.
#[derive(Default)]
pub struct Lent {
    parts: Vec<Part>,
}

impl Lent {
    /// Adds an event of a name, whose descriptor survives an exec.
    pub(super) fn add(&mut self, name: &str, pmu: &str, scale: f64, file: &impl AsRawFd) -> io::Result<()> {
        let file = sys::inheritable(file.as_raw_fd())?;
        self.parts.push(Part { name: name.to_owned(), pmu: pmu.to_owned(), scale, file });
        Ok(())
    }

    /// The descriptors, which have the same numbers in the program.
    #[must_use]
    pub fn files(&self) -> Vec<RawFd> {
        self.parts.iter().map(|part| part.file.as_raw_fd()).collect()
    }

    /// What was counted between two readings, by name. Names that never had their turn on the hardware are left out.
    #[must_use]
    pub fn between(&self, from: &[Reading], to: &[Reading]) -> BTreeMap<String, u64> {
        let since = |(from, to): (&Reading, &Reading)| {
            let [count, enabled_ns, running_ns] = std::array::from_fn(|at| to[at].saturating_sub(from[at]));
            Raw { count, enabled_ns, running_ns }
        };
        let raws: Vec<Raw> = from.iter().zip(to).map(since).collect();
        let mut found = BTreeMap::new();
        for part in &self.parts {
            let own = self.parts.iter().zip(&raws).filter(|(other, _)| other.name == part.name);
            let own: Vec<(&str, Raw)> = own.map(|(other, raw)| (other.pmu.as_str(), *raw)).collect();
            if let Ok(sum) = across_kinds(&own) {
                #[expect(
                    clippy::cast_possible_truncation,
                    clippy::cast_sign_loss,
                    reason = "a count, which saturates"
                )]
                found.insert(part.name.clone(), (sum.value * part.scale).round() as u64);
            }
        }
        found
    }
}

/// Reads counters that this process was lent; zeros where the kernel refuses.
#[must_use]
pub fn read_lent(files: &[RawFd]) -> Vec<Reading> {
    files.iter().map(|&file| sys::read_counter(file).unwrap_or_default()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lent(names: &[(&str, f64)]) -> Lent {
        let mut lent = Lent::default();
        let file = std::fs::File::open("/dev/zero").unwrap();
        for (name, scale) in names {
            lent.add(name, "cpu", *scale, &file).unwrap();
        }
        lent
    }

    #[test]
    fn what_is_counted_is_a_difference_by_name_scaled_up_where_others_had_the_hardware() {
        let lent = lent(&[("faults", 1.0), ("lines", 64.0), ("lines", 64.0), ("never", 1.0)]);
        let from = [[5, 100, 100], [1, 100, 50], [2, 100, 100], [7, 100, 0]];
        let to = [[8, 300, 300], [3, 300, 150], [4, 300, 300], [7, 300, 0]];
        let found = lent.between(&from, &to);
        assert_eq!(found.keys().collect::<Vec<_>>(), ["faults", "lines"]);
        assert_eq!(found["faults"], 3);
        assert!(found["lines"] >= 4 * 64 && found["lines"] <= 8 * 64, "{found:?}");
    }

    #[test]
    fn a_descriptor_that_is_no_counter_reads_as_zeros() {
        let lent = lent(&[("faults", 1.0)]);
        assert_eq!(read_lent(&lent.files()), [[0; 3]]);
        assert_eq!(read_lent(&[-1]), [[0; 3]]);
    }
}
