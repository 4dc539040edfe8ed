//! Finds the node of an address: by the rule of its array, or else from the kernel, once for each two megabytes.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;
use std::sync::{LazyLock, RwLock};

use knee_machine::{MemoryPolicy, Policy, sys};

/// Where the pages of a [`NumaVec`](crate::NumaVec) are put.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Layout {
    /// Each page on the node of the thread that touches it first.
    #[default]
    Local,
    /// All on one node.
    Node(u32),
    /// One after the other over all nodes; where the kernel makes huge pages by itself, it interleaves those.
    Interleaved,
    /// In as many blocks as there are nodes, one on each.
    Blocked,
    /// One copy on each node: a reader gets that of its own node.
    Replicated,
}

/// The rule by which pages have homes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Homes {
    /// No rule: the kernel is asked.
    Asked,
    One(u32),
    /// Page after page.
    Interleaved {
        page: usize,
        nodes: Vec<u32>,
    },
    /// `pages` of them, in equal blocks. They may be pages in name only: pieces that are not to be torn.
    Blocked {
        page: usize,
        pages: usize,
        nodes: Vec<u32>,
    },
}

impl Homes {
    pub(crate) fn of(layout: Layout, nodes: &[u32], bytes: usize, page: usize) -> Self {
        match layout {
            Layout::Node(node) => Self::One(node),
            Layout::Interleaved if !nodes.is_empty() => {
                let mut nodes = nodes.to_vec();
                nodes.sort_unstable();
                Self::Interleaved { page, nodes }
            }
            Layout::Blocked if !nodes.is_empty() => {
                Self::Blocked { page, pages: bytes.div_ceil(page), nodes: nodes.to_vec() }
            }
            _ => Self::Asked,
        }
    }

    /// The same rule for pages that only pretend to lie so: the region's first page is on the first node, whatever its
    /// address.
    pub(crate) fn dealt_from(mut self, start: usize) -> Self {
        if let Self::Interleaved { page, nodes } = &mut self {
            let first = start / *page % nodes.len();
            nodes.rotate_right(first);
        }
        self
    }

    /// The home of the byte at an address of the region that begins at `start`; none where the kernel has to be asked.
    pub(crate) fn node_at(&self, start: usize, address: usize) -> Option<u32> {
        match self {
            Self::Asked => None,
            Self::One(node) => Some(*node),
            // As the kernel deals them: by the page's number in the address space, not in the region.
            Self::Interleaved { page, nodes } => Some(nodes[address / page % nodes.len()]),
            Self::Blocked { page, pages, nodes } => {
                // The inverse of `block`: the last block that begins at or before this page.
                let (at, pages) = ((address - start) / page, (*pages).max(1));
                let block = ((at + 1) * nodes.len() - 1) / pages;
                Some(nodes[block.min(nodes.len() - 1)])
            }
        }
    }

    /// Where the piece ends that has one home and holds the byte at an address.
    fn end_of_piece(&self, start: usize, bytes: usize, address: usize) -> usize {
        match self {
            Self::Asked | Self::One(_) => start + bytes,
            Self::Interleaved { page, .. } => (address / page + 1) * page,
            Self::Blocked { .. } => {
                let blocks = self.blocks_of_bytes();
                let block = blocks.iter().find(|(_, range)| range.contains(&(address - start)));
                // The rest of the last page, which is in no block.
                start + block.map_or(bytes, |(_, range)| range.end)
            }
        }
    }

    /// The bytes of each block, in order.
    fn blocks_of_bytes(&self) -> Vec<(u32, Range<usize>)> {
        let Self::Blocked { page, pages, nodes } = self else { return Vec::new() };
        let border = |block: usize| block * pages / nodes.len() * page;
        nodes.iter().enumerate().map(|(block, &node)| (node, border(block)..border(block + 1))).collect()
    }

    /// The elements of each block; an element that crosses a border belongs to the block it begins in.
    pub(crate) fn blocks(&self, size: usize, len: usize) -> Vec<(Option<u32>, Range<usize>)> {
        let whole = |home| vec![(home, 0..len)];
        match self {
            Self::Asked | Self::Interleaved { .. } => whole(None),
            Self::One(node) => whole(Some(*node)),
            Self::Blocked { .. } => {
                let element = |byte: usize| byte.div_ceil(size).min(len);
                let blocks = self.blocks_of_bytes().into_iter();
                blocks.map(|(node, bytes)| (Some(node), element(bytes.start)..element(bytes.end))).collect()
            }
        }
    }

    /// The memory policies to set: one for each range of bytes.
    pub(crate) fn policies(&self, bytes: usize) -> Vec<(Range<usize>, MemoryPolicy)> {
        let bind = |node: u32| MemoryPolicy { policy: Policy::Bind, nodes: std::iter::once(node).collect() };
        match self {
            Self::Asked => Vec::new(),
            Self::One(node) => vec![(0..bytes, bind(*node))],
            Self::Interleaved { nodes, .. } => {
                let nodes = nodes.iter().copied().collect();
                vec![(0..bytes, MemoryPolicy { policy: Policy::Interleave, nodes })]
            }
            Self::Blocked { .. } => {
                // The last block may end inside a page of its own size.
                let blocks = self.blocks_of_bytes().into_iter();
                let blocks = blocks.map(|(node, range)| (node, range.start..range.end.min(bytes)));
                let blocks = blocks.filter(|(_, range)| !range.is_empty());
                blocks.map(|(node, range)| (range, bind(node))).collect()
            }
        }
    }
}

#[derive(Default)]
struct Known {
    /// Arrays by where they begin: their size and their rule.
    arrays: BTreeMap<usize, (usize, Homes)>,
    /// What the kernel said since work came from outside last, by address in units of [`UNIT`].
    asked: HashMap<usize, u32>,
}

impl Known {
    /// The array of an address whose rule says where its pages are, and the node of the address: start, size, rule, node.
    fn ruled(&self, address: usize) -> Option<(usize, usize, &Homes, u32)> {
        let last = self.arrays.range(..=address).next_back();
        let (start, (bytes, homes)) = last.filter(|(start, (bytes, _))| address - **start < *bytes)?;
        Some((*start, *bytes, homes, homes.node_at(*start, address)?))
    }
}

const UNIT: usize = 2 << 20;

static KNOWN: LazyLock<RwLock<Known>> = LazyLock::new(RwLock::default);

pub(crate) fn register(start: usize, bytes: usize, homes: &Homes) {
    let mut known = KNOWN.write().expect("no holder panics");
    known.arrays.insert(start, (bytes, homes.clone()));
    // The kernel's answers for this range are about memory that was mapped here before.
    known.asked.retain(|unit, _| !(start / UNIT..=(start + bytes) / UNIT).contains(unit));
}

pub(crate) fn forget(start: usize) {
    KNOWN.write().expect("no holder panics").arrays.remove(&start);
}

/// The node of an address, as [`node_of`], and where the piece of memory ends that surely has the same. Without `ask`,
/// memory that follows no rule has no node.
pub(crate) fn piece_at(address: usize, ask: bool) -> (Option<u32>, usize) {
    if let Some((start, bytes, homes, node)) = KNOWN.read().expect("no holder panics").ruled(address) {
        return (Some(node), homes.end_of_piece(start, bytes, address));
    }
    (if ask { node_of(address) } else { None }, (address / UNIT + 1) * UNIT)
}

/// Forgets what the kernel said. Memory that it said it of may have been given back, and be other memory now.
pub(crate) fn forget_asked() {
    if !KNOWN.read().expect("no holder panics").asked.is_empty() {
        KNOWN.write().expect("no holder panics").asked.clear();
    }
}

/// The node of the page at an address; none if it was never touched or the kernel does not say.
pub(crate) fn node_of(address: usize) -> Option<u32> {
    {
        let known = KNOWN.read().expect("no holder panics");
        if let Some((.., node)) = known.ruled(address) {
            return Some(node);
        }
        if let Some(node) = known.asked.get(&(address / UNIT)) {
            return Some(*node);
        }
    }
    let node = sys::nodes_of_pages(address, 1).ok()?.first().copied()??;
    KNOWN.write().expect("no holder panics").asked.insert(address / UNIT, node);
    Some(node)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_byte_is_in_the_block_of_its_home(pages in 1_usize..60, nodes in 1_usize..9, at in 0_usize..60) {
            let nodes: Vec<u32> = (0..).step_by(3).take(nodes).collect();
            let homes = Homes::of(Layout::Blocked, &nodes, pages * 4096, 4096);
            let offset = at % pages * 4096 + 17;
            let blocks = homes.blocks_of_bytes();
            let block = blocks.iter().find(|(_, range)| range.contains(&offset)).unwrap();
            prop_assert_eq!(homes.node_at(0, offset), Some(block.0));
            prop_assert_eq!(blocks.iter().map(|(_, range)| range.len()).sum::<usize>(), pages * 4096);
            let sizes = blocks.iter().map(|(_, range)| range.len() / 4096);
            prop_assert!(sizes.clone().max().unwrap() - sizes.min().unwrap() <= 1);
        }

        #[test]
        fn every_element_is_in_one_block(len in 0_usize..10_000, size in 1_usize..40, nodes in 1_usize..5) {
            let nodes: Vec<u32> = (0..4).take(nodes).collect();
            // Also where the last page is not a whole one.
            for bytes in [(len * size).next_multiple_of(4096), len * size] {
                let homes = Homes::of(Layout::Blocked, &nodes, bytes, 4096);
                let blocks = homes.blocks(size, len);
                prop_assert_eq!(blocks.first().map(|(_, range)| range.start), Some(0));
                prop_assert_eq!(blocks.last().map(|(_, range)| range.end), Some(len));
                prop_assert!(blocks.windows(2).all(|pair| pair[0].1.end == pair[1].1.start));
                prop_assert!(homes.policies(bytes).iter().all(|(range, _)| range.end <= bytes));
            }
        }
    }

    #[cfg(not(any(knee_loom, knee_shuttle, miri)))]
    #[test]
    fn what_the_kernel_said_is_asked_again_for_work_from_outside() {
        let memory = vec![1_u8; 3 * UNIT];
        let address = memory.as_ptr() as usize + UNIT;
        let pool = crate::Pool::builder().workers(1).build().unwrap();
        // As if memory of another node had been here.
        KNOWN.write().unwrap().asked.insert(address / UNIT, 77);
        assert_ne!(pool.install(|| node_of(address)), Some(77));
    }

    #[test]
    fn a_piece_ends_where_another_home_begins() {
        let of = |layout| Homes::of(layout, &[3, 4], 4 * 4096, 4096);
        let end = |layout, address| of(layout).end_of_piece(8192, 4 * 4096, address) - 8192;
        assert_eq!([0, 8191, 8192].map(|at| end(Layout::Blocked, 8192 + at)), [8192, 8192, 16384]);
        assert_eq!([0, 4095, 4096].map(|at| end(Layout::Interleaved, 8192 + at)), [4096, 4096, 8192]);
        assert_eq!(end(Layout::Node(4), 8192 + 5), 16384);
    }

    #[test]
    fn pages_go_round_when_interleaved() {
        let homes = Homes::of(Layout::Interleaved, &[1, 5], 4 * 4096, 4096);
        let nodes: Vec<_> = (0..4).map(|page| homes.node_at(0, page * 4096 + 4095)).collect();
        assert_eq!(nodes, [Some(1), Some(5), Some(1), Some(5)]);
        assert_eq!(homes.blocks(8, 100), [(None, 0..100)]);
    }

    #[test]
    fn pretended_pages_are_dealt_from_the_begin() {
        for start in [0, 4096, 7 * 4096] {
            let homes = Homes::of(Layout::Interleaved, &[1, 5, 6], 3 * 4096, 4096).dealt_from(start);
            let nodes = [0, 1, 2].map(|page| homes.node_at(start, start + page * 4096));
            assert_eq!(nodes, [Some(1), Some(5), Some(6)]);
        }
    }
}
