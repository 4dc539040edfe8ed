//! Counts that workloads, schedulers and regions make themselves: every name with its unit and meaning. Hardware and
//! kernel counters are elsewhere.
//!
//! A name is written here once. Records hold it with a phase's counters, samples with the source `workload`; responses,
//! figures and reference pages take unit and meaning from this list.

/// Something that is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Count {
    /// Its name in records, samples and responses.
    pub name: &'static str,
    /// Its unit; words are in the plural.
    pub unit: &'static str,
    /// What one unit of it is.
    pub meaning: &'static str,
}

/// All of them.
pub const COUNTS: &[Count] = &[
    count("matches", "matches", "copies of the pattern that were found, sum of all repetitions"),
    count("lists", "lists", "lists of neighbours that matching took up, one for each vertex it tried"),
    count("rows", "rows", "rows that a query went through, sum of all repetitions"),
    count("local-read-bytes", "bytes", "bytes read from the worker's own node, counted by the program"),
    count("remote-read-bytes", "bytes", "bytes read from other nodes, counted by the program"),
    count("busy-ns", "ns", "time in jobs, sum over workers"),
    count("searching-ns", "ns", "time searching for work to steal, sum over workers"),
    count("idle-ns", "ns", "time asleep, sum over workers"),
    count("steals-core", "jobs", "jobs stolen from a worker on the same core"),
    count("steals-cache", "jobs", "jobs stolen from a worker that shares the last-level cache, on another core"),
    count("steals-node", "jobs", "jobs stolen from a worker on the same node, beyond the last-level cache"),
    count("steals-far", "jobs", "jobs stolen from a worker on another node"),
    count("steals-anywhere", "jobs", "jobs stolen where workers are not pinned, so that nobody knows how far"),
    count("missed-steals", "attempts", "failed steal attempts"),
    count("pushes", "jobs", "stolen jobs that the thief passed on to a worker nearer to their place"),
    count("run-away-from-home", "jobs", "jobs with a place, run by a worker of another node"),
    count("home-bytes", "bytes", "bytes that tasks worked on, on the worker's own node, counted by the program"),
    count("away-bytes", "bytes", "bytes that tasks worked on, on other nodes, counted by the program"),
    count("calls", "calls", "times a thread entered and left the region"),
    count("threads", "threads", "threads that entered the region"),
    count("thread_wall_ns", "ns", "wall time in the region, sum over threads"),
    count("thread_cpu_ns", "ns", "CPU time in the region, sum over threads"),
];

const fn count(name: &'static str, unit: &'static str, meaning: &'static str) -> Count {
    Count { name, unit, meaning }
}

impl Count {
    /// The one of this name.
    #[must_use]
    pub fn named(name: &str) -> Option<&'static Self> {
        COUNTS.iter().find(|count| count.name == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_stands_once_and_has_a_unit_and_a_meaning() {
        for (at, count) in COUNTS.iter().enumerate() {
            assert!(!count.unit.is_empty() && !count.meaning.is_empty(), "{count:?}");
            assert!(COUNTS[at + 1..].iter().all(|other| other.name != count.name), "{count:?}");
            assert_eq!(Count::named(count.name), Some(count));
        }
        assert_eq!(Count::named("remote-bytes"), None, "that is what the hardware counts");
    }
}
