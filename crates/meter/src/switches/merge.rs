//! Brings the events of several rings, each in order of time, into one order.

/// A record is written shortly after its time was taken, and a hypervisor may take the cpu in between; so an event is
/// passed on when it is this old.
pub(crate) const SETTLED_NS: u64 = 10_000_000;

/// What happened at a time of the kernel's monotonic clock.
pub(crate) trait Timed {
    fn t_ns(&self) -> u64;
}

/// Events that wait for those of other rings.
#[derive(Debug)]
pub(crate) struct Merge<Event> {
    waiting: Vec<Event>,
}

impl<Event> Default for Merge<Event> {
    fn default() -> Self {
        Self { waiting: Vec::new() }
    }
}

impl<Event: Timed> Merge<Event> {
    /// Adds an event; those of one ring come in order.
    pub(crate) fn push(&mut self, event: Event) {
        self.waiting.push(event);
    }

    /// All events before a time, in order. Those of one ring at the same time keep theirs.
    pub(crate) fn before(&mut self, t_ns: u64) -> Vec<Event> {
        // Stable, and fast on a few sorted runs one after the other.
        self.waiting.sort_by_key(Timed::t_ns);
        let settled = self.waiting.partition_point(|event| event.t_ns() < t_ns);
        let later = self.waiting.split_off(settled);
        std::mem::replace(&mut self.waiting, later)
    }
}

#[cfg(test)]
mod tests {
    use super::super::event::{Event, What};
    use super::*;

    #[test]
    fn rings_are_merged_by_time_and_young_events_wait() {
        let mut merge = Merge::default();
        let event = |t_ns, tid| Event { t_ns, pid: 1, tid, what: What::In };
        for (t_ns, tid) in [(1, 1), (4, 2), (9, 3), (2, 4), (4, 5), (7, 6)] {
            merge.push(event(t_ns, tid));
        }
        let tids = |events: Vec<Event>| events.iter().map(|event| event.tid).collect::<Vec<_>>();
        assert_eq!(tids(merge.before(7)), [1, 4, 2, 5]);
        merge.push(event(8, 7));
        assert_eq!(tids(merge.before(u64::MAX)), [6, 7, 3]);
        assert!(merge.before(u64::MAX).is_empty());
    }
}
