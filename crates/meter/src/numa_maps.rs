//! Resident pages by node, from `numa_maps`, of one process or of several that share some.

use std::collections::BTreeMap;
use std::fs;

/// Base pages of some processes. The kernel says of each mapping in how many processes a page of it is at most
/// (`mapmax`), and lists such a page in each of them.
#[derive(Debug, Default)]
pub(crate) struct Resident {
    /// By that number and by node, as listed.
    listed: BTreeMap<(u64, u32), u64>,
    processes: u64,
}

impl Resident {
    /// Adds a process; false where its file cannot be read.
    pub(crate) fn add(&mut self, pid: &str) -> bool {
        let Ok(text) = fs::read_to_string(format!("/proc/{pid}/numa_maps")) else { return false };
        self.add_text(&text, rustix::param::page_size() as u64 / 1024);
        true
    }

    fn add_text(&mut self, text: &str, base_kib: u64) {
        // One that is ending has no mappings any more, and shares none.
        self.processes += u64::from(!text.is_empty());
        for line in text.lines() {
            let number = |name: &str| line.split(' ').find_map(|word| word.strip_prefix(name)?.parse::<u64>().ok());
            let scale = number("kernelpagesize_kB=").unwrap_or(base_kib) / base_kib;
            let sharers = number("mapmax=").unwrap_or(1).max(1);
            for word in line.split(' ') {
                let counted = word.strip_prefix('N').and_then(|rest| rest.split_once('='));
                if let Some((node, count)) = counted
                    && let (Ok(node), Ok(count)) = (node.parse::<u32>(), count.parse::<u64>())
                {
                    *self.listed.entry((sharers, node)).or_insert(0) += count * scale;
                }
            }
        }
    }

    /// Pages by node. A page that so many of these processes share counts as one; processes that were not added may be
    /// among those that the kernel counts.
    pub(crate) fn by_node(&self) -> BTreeMap<u32, u64> {
        let mut pages = BTreeMap::new();
        for (&(sharers, node), &listed) in &self.listed {
            let times = sharers.min(self.processes).max(1);
            *pages.entry(node).or_insert(0) += (listed + times / 2) / times;
        }
        pages
    }
}

/// Pages of a process by node, in units of the base page size, from `numa_maps`; none where it cannot be read.
#[must_use]
pub fn pages_by_node(pid: &str) -> Option<BTreeMap<u32, u64>> {
    let mut resident = Resident::default();
    resident.add(pid).then(|| resident.by_node())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn by_node(texts: &[&str]) -> Vec<(u32, u64)> {
        let mut resident = Resident::default();
        for text in texts {
            resident.add_text(text, 4);
        }
        resident.by_node().into_iter().collect()
    }

    #[test]
    fn pages_that_processes_share_are_counted_once() {
        let own = "7f00 default anon=100 dirty=100 N0=60 N1=40 kernelpagesize_kB=4\n";
        let shared = "7f10 default file=/dev/shm/x dirty=300 mapmax=3 N0=300 kernelpagesize_kB=4\n";
        let both = format!("{own}{shared}");
        assert_eq!(by_node(&[&both, &both, &both]), [(0, 3 * 60 + 300), (1, 3 * 40)]);
        // Of one process alone, all is its own.
        assert_eq!(by_node(&[&both]), [(0, 360), (1, 40)]);
        // A library that the whole machine uses, by two processes of the tree and one that has ended.
        let library = "7f20 default file=/lib/libc.so.6 mapped=401 mapmax=90 N1=401 kernelpagesize_kB=4\n";
        assert_eq!(by_node(&[library, library, ""]), [(1, 401)]);
    }

    #[test]
    fn shares_are_rounded_together_and_large_pages_are_many() {
        // A page in each of a thousand mappings, in two processes.
        let small = "7f00 default file=/x mapmax=2 N0=1 kernelpagesize_kB=4\n".repeat(1000);
        assert_eq!(by_node(&[&small, &small]), [(0, 1000)]);
        let large = "7f00 default anon=2 N3=2 kernelpagesize_kB=2048\n7f01 default\n";
        assert_eq!(by_node(&[large]), [(3, 1024)]);
        assert_eq!(by_node(&["7f00 default mapmax=0 N0=5\n", "7f00 default mapmax=2 N0=4\n"]), [(0, 5 + 2)]);
    }
}
