//! NUMA-aware data: [`NumaVec`], an array whose pages are put on nodes by a rule.

mod mapping;
mod pages;
mod reach;

use std::collections::BTreeMap;
use std::io;
use std::mem::MaybeUninit;
use std::ops::{Deref, Range};
use std::sync::OnceLock;

use knee_machine::{Topology, sys};
use mapping::Mapping;
pub use pages::Pages;
pub use reach::Reach;

use crate::homes::{Homes, Layout};
use crate::place::Place;
use crate::worker::Worker;

/// The builder of a [`NumaVec`].
#[derive(Debug, Clone, Default)]
pub struct Arrangement {
    layout: Layout,
    nodes: Vec<u32>,
    huge: bool,
    pretend: bool,
    whole: usize,
}

impl Arrangement {
    /// A layout over these nodes; with none of them, or on a kernel without NUMA, every layout is like [`Layout::Local`].
    #[must_use]
    pub fn new(layout: Layout, nodes: &[u32]) -> Self {
        Self { layout, nodes: nodes.to_vec(), ..Self::default() }
    }

    /// The layout of this name over the nodes of this process's cpus: `contiguous` (each page on the node of the thread
    /// that first writes it), `interleaved`, `blocked`, `one-node` (the first of them) or `replicated`. None for other
    /// names.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        let nodes = nodes();
        let layout = match name {
            "contiguous" => return Some(Self::default()),
            "interleaved" => Layout::Interleaved,
            "blocked" => Layout::Blocked,
            "one-node" => nodes.first().map_or(Layout::Local, |node| Layout::Node(*node)),
            "replicated" => Layout::Replicated,
            _ => return None,
        };
        Some(Self::new(layout, nodes))
    }

    /// Asks the kernel for huge pages (2 MiB on most machines); blocks then end at their borders.
    #[must_use]
    pub fn huge(self, huge: bool) -> Self {
        Self { huge, ..self }
    }

    /// Lets blocks end only at multiples of this many bytes, a multiple of the page size, so that nothing of that size lies
    /// on two nodes. Around such a border the kernel uses small pages.
    #[must_use]
    pub fn whole(self, bytes: usize) -> Self {
        Self { whole: bytes, ..self }
    }

    /// Tells the runtime that pages lie as the layout says and leaves them where they are: for synthetic machines.
    #[must_use]
    pub fn pretend(self, pretend: bool) -> Self {
        Self { pretend, ..self }
    }

    /// An array of `len` elements without values. No page is touched yet.
    ///
    /// # Errors
    /// The kernel's: no memory, or a node that does not exist or may not be used.
    pub fn uninit<T: Copy>(&self, len: usize) -> io::Result<NumaVec<MaybeUninit<T>>> {
        let alone = std::slice::from_ref(&self.layout);
        let copies = match self.layout {
            Layout::Replicated if !self.nodes.is_empty() => {
                self.nodes.iter().map(|&node| self.map(len, Layout::Node(node))).collect::<io::Result<_>>()?
            }
            _ => alone.iter().map(|&layout| self.map(len, layout)).collect::<io::Result<_>>()?,
        };
        let nodes = if self.layout == Layout::Replicated { self.nodes.clone() } else { Vec::new() };
        Ok(NumaVec { len, copies, nodes })
    }

    /// An array of zeros, of which no page is touched yet.
    ///
    /// ```
    /// let zeros = knee_runtime::Arrangement::named("contiguous").expect("it is a layout").zeroed(1000)?;
    /// assert_eq!(zeros[..], [0; 1000]);
    /// # Ok::<(), std::io::Error>(())
    /// ```
    ///
    /// # Errors
    /// As for [`Self::uninit`].
    pub fn zeroed(&self, len: usize) -> io::Result<NumaVec<u64>> {
        // SAFETY: each copy is a new mapping, which the kernel makes of zeros, and any bytes are a number.
        Ok(unsafe { self.uninit(len)?.assume_init() })
    }

    /// An array whose element `i` is `value(i)`, written in parallel by the workers of the pool that this runs on, each
    /// part near its home where it has one.
    ///
    /// # Errors
    /// As for [`Self::uninit`].
    pub fn from_fn<T: Copy + Send + Sync>(
        &self,
        len: usize,
        value: impl Fn(usize) -> T + Sync,
    ) -> io::Result<NumaVec<T>> {
        let mut array = self.uninit(len)?;
        array.each_copy(|slots| fill(slots, 0, &value));
        // SAFETY: `fill` wrote every element of every copy.
        Ok(unsafe { array.assume_init() })
    }

    fn map<T>(&self, len: usize, layout: Layout) -> io::Result<Mapping<T>> {
        let mapping = Mapping::new(len, self.huge)?;
        let homes = match (layout, self.whole) {
            (Layout::Blocked, whole @ 1..) => Homes::of(layout, &self.nodes, len * size_of::<T>(), whole),
            _ => Homes::of(layout, &self.nodes, mapping.bytes(), mapping.page()),
        };
        if self.pretend {
            let begin = mapping.begin();
            return Ok(mapping.register(homes.dealt_from(begin)));
        }
        mapping.bind(&homes)?;
        Ok(mapping.register(homes))
    }
}

/// The nodes of this process's cpus; empty if there is only one, so that no policy is set.
fn nodes() -> &'static [u32] {
    static NODES: OnceLock<Vec<u32>> = OnceLock::new();
    NODES.get_or_init(|| {
        let Ok(machine) = Topology::this_machine() else { return Vec::new() };
        let allowed = &machine.allowed;
        // Those of the main thread: this one may be a worker that is pinned to one cpu.
        let main = i32::try_from(std::process::id()).ok().and_then(|id| sys::affinity_of(id).ok());
        let cpus = main.as_ref().unwrap_or(&allowed.cpus);
        let used = machine.nodes.iter().filter(|node| !node.cpus.intersection(cpus).is_empty());
        let nodes: Vec<_> = used.map(|node| node.id).filter(|&node| allowed.nodes.contains(node)).collect();
        if nodes.len() > 1 { nodes } else { Vec::new() }
    })
}

/// Fewest elements that a fill splits.
const LEAF: usize = 4096;

fn fill<T: Copy + Send>(slots: &mut [MaybeUninit<T>], from: usize, value: &(impl Fn(usize) -> T + Sync)) {
    if slots.len() <= LEAF {
        return slots.iter_mut().zip(from..).for_each(|(slot, index)| _ = slot.write(value(index)));
    }
    let middle = slots.len() / 2;
    let (left, right) = slots.split_at_mut(middle);
    let near = (Place::near_address(left.as_ptr()), Place::near_address(right.as_ptr()));
    crate::join_at(near.0, || fill(left, from, value), near.1, || fill(right, from + middle, value));
}

/// An array of plain values whose pages are put on nodes by a [`Layout`]. It reads like a slice.
#[derive(Debug)]
pub struct NumaVec<T> {
    len: usize,
    /// One copy, or one for each of `nodes`.
    copies: Vec<Mapping<T>>,
    nodes: Vec<u32>,
}

impl<T> NumaVec<T> {
    /// All elements, to be changed; none where there are several copies: see [`Self::each_copy`].
    pub fn get_mut(&mut self) -> Option<&mut [T]> {
        let len = self.len;
        match &mut self.copies[..] {
            [only] => Some(&mut only.slice_mut()[..len]),
            _ => None,
        }
    }

    /// Calls `work` with each copy of the array, of which there is one in all layouts but [`Layout::Replicated`].
    /// Readers expect them to be equal afterwards.
    pub fn each_copy(&mut self, mut work: impl FnMut(&mut [T])) {
        self.copies.iter_mut().for_each(|copy| work(copy.slice_mut()));
    }

    /// How many copies there are.
    #[must_use]
    pub fn copies(&self) -> usize {
        self.copies.len()
    }

    /// The parts that have one home each, with it, in order. One part without a home where pages are not in blocks.
    #[must_use]
    pub fn blocks(&self) -> Vec<(Option<u32>, Range<usize>)> {
        let copy = &self.copies[0];
        copy.homes().blocks(size_of::<T>().max(1), self.len)
    }

    /// For each copy, where its pages lie. It asks the kernel, page by page.
    ///
    /// # Errors
    /// As of [`Self::census`].
    pub fn pages(&self) -> io::Result<Vec<Pages>> {
        let of = |copy: &Mapping<T>| {
            Ok(Pages::new(copy.slice().as_ptr() as usize, rustix::param::page_size(), copy.pages()?))
        };
        self.copies.iter().map(of).collect()
    }

    /// How many pages lie on each node; under none those that were never touched. It asks the kernel, page by page.
    ///
    /// # Errors
    /// The kernel's: no NUMA support, or a container that forbids it.
    pub fn census(&self) -> io::Result<BTreeMap<Option<u32>, usize>> {
        let mut census = BTreeMap::new();
        for node in self.pages()?.iter().flat_map(Pages::nodes) {
            *census.entry(*node).or_default() += 1;
        }
        Ok(census)
    }
}

impl<T: Copy> NumaVec<MaybeUninit<T>> {
    /// Says that every element of every copy was written.
    ///
    /// # Safety
    /// It was.
    #[must_use]
    pub unsafe fn assume_init(self) -> NumaVec<T> {
        let Self { len, copies, nodes } = self;
        NumaVec { len, copies: copies.into_iter().map(Mapping::cast).collect(), nodes }
    }
}

impl<T> Deref for NumaVec<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        let own = || Worker::current().and_then(Worker::node);
        let copy = match &self.copies[..] {
            [only] => only,
            copies => {
                let node = own();
                &copies[self.nodes.iter().position(|own| Some(*own) == node).unwrap_or(0)]
            }
        };
        copy.slice()
    }
}
