//! Memory to probe: newly mapped, with a requested page size and node, written before it is read, and checked: each
//! figure says which pages and nodes the kernel really gave.

use std::fs;
use std::ptr::{NonNull, null_mut};

use knee_machine::{MemoryPolicy, Policy, room, sys};
use knee_workload::Error;
use rustix::mm::{Advice, MapFlags, ProtFlags, madvise, mmap_anonymous, munmap};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Size of the pages to be asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Page {
    /// The machine's base pages, 4 KiB on most; merging them is switched off.
    Base,
    /// Transparent huge pages, 2 MiB on most.
    Huge,
}

impl Page {
    /// The two, as a parameter's values.
    pub const VALUES: &'static [&'static str] = &["base", "huge"];

    /// The page of a parameter.
    #[must_use]
    pub fn named(name: &str) -> Self {
        if name == "huge" { Self::Huge } else { Self::Base }
    }

    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Base => "base",
            Self::Huge => "huge",
        }
    }
}

/// The nodes and page sizes that the kernel gave.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Found {
    /// Share of the pages on the requested node; absent without a request, or if the kernel does not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub on_node: Option<f64>,
    /// Share of the memory in huge pages; absent if the kernel does not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub huge: Option<f64>,
}

impl Found {
    /// The mean over several arenas.
    #[must_use]
    pub fn mean<'a>(arenas: impl IntoIterator<Item = &'a Arena>) -> Self {
        let smaps = smaps();
        let found: Vec<Self> = arenas.into_iter().map(|arena| arena.found_in(smaps.as_deref())).collect();
        let mean = |of: fn(&Self) -> Option<f64>| {
            let known: Option<Vec<f64>> = found.iter().map(of).collect();
            known.map(|shares| shares.iter().sum::<f64>() / shares.len().max(1) as f64)
        };
        Self { on_node: mean(|found| found.on_node), huge: mean(|found| found.huge) }
    }
}

/// Huge pages are aligned to their size: 2 MiB on most machines.
const HUGE: usize = 2 << 20;

/// Refuses a trial that needs more memory than is left.
pub(crate) fn fits(bytes: usize) -> Result<(), Error> {
    let Some(left) = room::too_little_for(bytes) else { return Ok(()) };
    let what = format!("a trial needs {} MiB of memory, but only {} MiB are left", bytes >> 20, left >> 20);
    Err(Error::new(what).hint("give a smaller --size"))
}

/// Refuses a trial whose threads together need more on a node than is left there.
pub(crate) fn fits_on(node: Option<u32>, bytes: usize) -> Result<(), Error> {
    let Some((node, left)) = node.and_then(|node| Some((node, room::too_little_on(node, bytes)?))) else {
        return Ok(());
    };
    let what = format!("a trial needs {} MiB on node {node}, but only {} MiB are left there", bytes >> 20, left >> 20);
    Err(Error::new(what).hint("give a smaller --size"))
}

/// A private mapping.
#[derive(Debug)]
pub struct Arena {
    start: NonNull<u8>,
    bytes: usize,
    whole: (usize, usize),
    node: Option<u32>,
}

// SAFETY: it owns its memory, like a box of bytes.
unsafe impl Send for Arena {}
// SAFETY: a shared reference gives out addresses only; the code that uses them is responsible.
unsafe impl Sync for Arena {}

impl Arena {
    /// Maps memory without touching it, for `node` if one is given.
    ///
    /// # Errors
    /// The kernel's: no memory, no such node, no transparent huge pages.
    pub fn map(bytes: usize, page: Page, node: Option<u32>) -> Result<Self, Error> {
        let failed = |what: &str, error: std::io::Error| Error::new(format!("cannot {what} {bytes} bytes: {error}"));
        let bytes = bytes.next_multiple_of(if page == Page::Huge { HUGE } else { rustix::param::page_size() });
        let (protection, flags) = (ProtFlags::READ | ProtFlags::WRITE, MapFlags::PRIVATE | MapFlags::NORESERVE);
        // SAFETY: a new mapping at an address of the kernel's choice touches nothing that exists.
        let whole = unsafe { mmap_anonymous(null_mut(), bytes + HUGE, protection, flags) }
            .map_err(|error| failed("map", error.into()))?;
        // SAFETY: the mapping has room for the bytes behind the offset, which is below `HUGE`.
        let start = unsafe { whole.byte_add(whole.align_offset(HUGE)) };
        let arena = Self {
            start: NonNull::new(start.cast()).expect("a mapping is not at 0"),
            bytes,
            whole: (whole as usize, bytes + HUGE),
            node,
        };
        let advice = if page == Page::Huge { Advice::LinuxHugepage } else { Advice::LinuxNoHugepage };
        // SAFETY: the range is inside the mapping, and the advice changes no contents. A kernel without huge pages
        // refuses both; it then has base pages only.
        let advised = unsafe { madvise(start, bytes, advice) };
        if page == Page::Huge {
            advised.map_err(|error| {
                failed("get huge pages for", error.into())
                    .hint("set /sys/kernel/mm/transparent_hugepage/enabled to madvise")
            })?;
        }
        if let Some(node) = node {
            let policy = MemoryPolicy { policy: Policy::Bind, nodes: [node].into_iter().collect() };
            let bound = sys::bind_region(start as usize, bytes, &policy);
            // A kernel without NUMA support has the one node.
            let unable = bound.as_ref().is_err_and(|error| error.raw_os_error() == Some(38) && node == 0);
            if !unable {
                bound.map_err(|error| {
                    let forbidden = error.kind() == std::io::ErrorKind::PermissionDenied;
                    let failed = failed(&format!("put on node {node}"), error);
                    if forbidden { failed.hint("docker run --cap-add SYS_NICE") } else { failed }
                })?;
            }
        }
        Ok(arena)
    }

    /// The same memory, checked as if requested on this node: where its first touch should have put it.
    #[must_use]
    pub fn expected_on(mut self, node: Option<u32>) -> Self {
        self.node = node;
        self
    }

    /// Maps memory and writes each page, on the calling thread.
    ///
    /// # Errors
    /// As [`Self::map`].
    pub fn written(bytes: usize, page: Page, node: Option<u32>) -> Result<Self, Error> {
        fits(bytes)?;
        fits_on(node, bytes)?;
        let mut arena = Self::map(bytes, page, node)?;
        arena.write();
        Ok(arena)
    }

    /// Writes every byte. (A page that was only read is the kernel's one page of zeroes, which lies in the L1 cache.)
    pub fn write(&mut self) {
        // SAFETY: the mapping is so long and writable, and is otherwise only reachable by raw pointers, whose users are
        // responsible.
        unsafe { self.start.as_ptr().write_bytes(1, self.bytes) };
    }

    /// Where it begins.
    #[must_use]
    pub fn start(&self) -> *mut u8 {
        self.start.as_ptr()
    }

    /// How long it is.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// The node of each page; none for one that was never touched.
    ///
    /// # Errors
    /// The kernel's: built without NUMA support.
    pub fn nodes(&self) -> std::io::Result<Vec<Option<u32>>> {
        sys::nodes_of_pages(self.start.as_ptr() as usize, self.bytes)
    }

    /// Finds out what the kernel gave.
    #[must_use]
    pub fn found(&self) -> Found {
        self.found_in(smaps().as_deref())
    }

    /// The same, with the kernel's account of all mappings.
    fn found_in(&self, smaps: Option<&str>) -> Found {
        let huge = smaps.and_then(|smaps| self.huge_share(smaps));
        Found { on_node: self.node.and_then(|node| self.share_on(node)), huge }
    }

    /// The share of its pages on a node; none if the kernel does not say.
    #[must_use]
    pub fn share_on(&self, node: u32) -> Option<f64> {
        let nodes = self.nodes().ok()?;
        let there = nodes.iter().filter(|found| **found == Some(node)).count();
        Some(there as f64 / nodes.len().max(1) as f64)
    }

    /// The share in huge pages, from the kernel's account of the mapping.
    fn huge_share(&self, smaps: &str) -> Option<f64> {
        let range = self.start.as_ptr() as usize..self.start.as_ptr() as usize + self.bytes;
        Some((huge_bytes(smaps, &range)? as f64 / self.bytes as f64).min(1.0))
    }
}

impl Drop for Arena {
    fn drop(&mut self) {
        // SAFETY: this mapping was made in `map`, and is not used any more. An error leaves it mapped.
        let _ = unsafe { munmap(self.whole.0 as *mut _, self.whole.1) };
    }
}

/// The kernel's account of all mappings. It walks their pages at each reading, so one serves for many arenas.
fn smaps() -> Option<String> {
    fs::read_to_string("/proc/self/smaps").ok()
}

/// Bytes in huge pages of the mappings that overlap a range of addresses.
fn huge_bytes(smaps: &str, range: &std::ops::Range<usize>) -> Option<u64> {
    let mut inside = false;
    let mut sum = None;
    for line in smaps.lines() {
        if let Some((from, to)) = line.split(' ').next().and_then(|word| word.split_once('-')) {
            let address = |text| usize::from_str_radix(text, 16);
            if let (Ok(from), Ok(to)) = (address(from), address(to)) {
                inside = from < range.end && to > range.start;
            }
        }
        if let Some(text) = line.strip_prefix("AnonHugePages:").filter(|_| inside) {
            let kibibytes: u64 = text.split_ascii_whitespace().next()?.parse().ok()?;
            *sum.get_or_insert(0) += kibibytes << 10;
        }
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_overlapping_mappings_count() {
        let text =
            "1000-3000 rw-p 0 0 0 \nRss: 8 kB\nAnonHugePages:      4 kB\n3000-9000 rw-p 0 0 0\nAnonHugePages: 8 kB\n";
        assert_eq!(huge_bytes(text, &(0x1000..0x2000)), Some(4 << 10));
        assert_eq!(huge_bytes(text, &(0x2000..0x4000)), Some(12 << 10));
        assert_eq!(huge_bytes(text, &(0x9000..0xa000)), None);
        assert_eq!(huge_bytes("", &(0..1)), None);
    }

    #[test]
    fn base_pages_stay_base_pages() {
        let arena = Arena::written(8 << 20, Page::Base, None).unwrap();
        assert_eq!(arena.found().huge, Some(0.0));
        assert_eq!(arena.start() as usize % HUGE, 0);
        assert!(arena.nodes().is_ok_and(|nodes| nodes.len() == 2048 && nodes.iter().all(Option::is_some)));
    }

    #[test]
    fn a_node_that_is_not_there_is_refused() {
        let error = Arena::map(1 << 20, Page::Base, Some(900)).unwrap_err().to_string();
        assert!(error.starts_with("cannot put on node 900 1048576 bytes: "), "{error}");
    }
}
