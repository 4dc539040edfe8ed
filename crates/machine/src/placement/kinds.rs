//! Place kinds: threads, cores, caches, nodes, sockets.

use std::collections::BTreeSet;
use std::fmt;

use crate::topology::Core;
use crate::{CpuSet, Topology};

/// Every kind of place, with OpenMP's words. To add one, write an entry here and its orders by hand in
/// `tests/placements.txt`; names, help and reference pages come from this list.
pub const PLACE_KINDS: &[PlaceKind] = &[
    CORES,
    PlaceKind {
        close: ("threads-close", "fill the hardware threads of a core, then the next core"),
        spread: ("threads-spread", "hardware threads evenly over the machine"),
        places: |machine| machine.hardware_threads.iter().map(|thread| thread.cpus.clone()).collect(),
    },
    PlaceKind {
        close: ("ll_caches-close", "one thread per last-level cache, then a second, nearest branch first"),
        spread: ("ll_caches-spread", "one thread per last-level cache, evenly over the machine"),
        places: last_level_caches,
    },
    PlaceKind {
        close: ("numa_domains-close", "one thread per NUMA node, then a second, nearest branch first"),
        spread: ("numa_domains-spread", "one thread per NUMA node, evenly over the machine"),
        places: Topology::node_like,
    },
    SOCKETS,
];

/// Cores, which every placement keeps together inside a place.
pub(super) const CORES: PlaceKind = PlaceKind {
    close: ("cores-close", "one thread per core, nearest first; then siblings"),
    spread: ("cores-spread", "one thread per core, evenly over the machine; then siblings"),
    places: |machine| machine.cores.iter().map(|core| core.cpus.clone()).collect(),
};

/// Sockets, of which `compact` uses few; nodes where the kernel numbers no socket.
pub(super) const SOCKETS: PlaceKind = PlaceKind {
    close: ("sockets-close", "one thread per socket, then a second, nearest first"),
    spread: ("sockets-spread", "one thread per socket, evenly inside each"),
    places: Topology::socket_like,
};

/// What a place is.
#[derive(Clone, Copy)]
pub struct PlaceKind {
    /// The placement over such places, nearest first: its name, which ends in `-close`, and one line for help.
    pub close: (&'static str, &'static str),
    /// The same as evenly over the machine as possible; its name ends in `-spread`.
    pub spread: (&'static str, &'static str),
    /// The places of a machine, allowed or not. Every cpu is in one of them.
    pub places: fn(&Topology) -> Vec<CpuSet>,
}

impl PlaceKind {
    /// Its name: `cores` of `cores-close`.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.close.0.strip_suffix("-close").unwrap_or(self.close.0)
    }
}

impl PartialEq for PlaceKind {
    fn eq(&self, other: &Self) -> bool {
        self.name() == other.name()
    }
}

impl Eq for PlaceKind {}

impl fmt::Debug for PlaceKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The last-level caches; cores if the machine has no caches.
fn last_level_caches(machine: &Topology) -> Vec<CpuSet> {
    let of_core = |core: &Core| {
        let first = core.cpus.first().expect("a core has a cpu");
        machine.last_level_cache(first).map_or_else(|| core.cpus.clone(), |cache| cache.cpus.clone())
    };
    distinct(machine.cores.iter().map(of_core).collect())
}

/// Removes empty and repeated sets.
pub(super) fn distinct(sets: Vec<CpuSet>) -> Vec<CpuSet> {
    let mut seen = BTreeSet::new();
    sets.into_iter().filter(|set| !set.is_empty() && seen.insert(set.clone())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_say_how_places_follow_each_other() {
        for kind in PLACE_KINDS {
            assert_eq!(kind.close.0, format!("{}-close", kind.name()));
            assert_eq!(kind.spread.0, format!("{}-spread", kind.name()));
        }
    }
}
