//! Which lists of neighbours workers read, and whether these lie at home: in memory of the worker's own node.
//!
//! Each time a worker reads a list, all its bytes between the ranks that are asked for count, even if they come from a
//! cache, or a search looks at only a few of them.

use std::io;
use std::ops::Deref;
use std::sync::atomic::{AtomicU64, Ordering};

use knee_runtime::{Pages, Reach};

use super::share::Share;
use crate::{Graph, Scheduler};

/// Where the lists of a graph lie, as seen by workers.
pub(crate) enum Lies {
    /// All are at home for every worker.
    AtHome,
    /// The node of each worker, and the pages of lists.
    Pages(Vec<u32>, Vec<Pages>),
    /// Why that is not known.
    Unknown(String),
}

impl Lies {
    /// Asks the kernel for the pages of a graph that the workers of a scheduler read.
    pub(crate) fn of(graph: &Graph, scheduler: &Scheduler) -> Self {
        let pages = |nodes| -> io::Result<Self> { Ok(Self::Pages(nodes, graph.pages()?)) };
        match Reach::of(&scheduler.nodes()) {
            Reach::Everything => Self::AtHome,
            Reach::Nodes(nodes, _) => pages(nodes)
                .unwrap_or_else(|error| Self::Unknown(format!("the kernel does not say where pages lie: {error}"))),
            Reach::Unknown(reason) => Self::Unknown(reason),
        }
    }

    /// Why it is not known.
    pub(crate) fn unknown(&self) -> Option<&str> {
        if let Self::Unknown(reason) = self { Some(reason) } else { None }
    }
}

/// Bytes of lists that a worker read. Apart from those of others, whom each write would hold up.
#[derive(Default)]
#[repr(align(128))]
struct Read {
    home: AtomicU64,
    away: AtomicU64,
}

/// Only its worker adds to it.
#[inline]
fn add(sum: &AtomicU64, bytes: usize) {
    sum.store(sum.load(Ordering::Relaxed) + bytes as u64, Ordering::Relaxed);
}

/// What all workers of a scheduler read of a graph.
pub(crate) struct Readers<'a> {
    graph: &'a Graph,
    lies: Lies,
    workers: Vec<Read>,
    share: Share,
}

impl<'a> Readers<'a> {
    pub(crate) fn new(graph: &'a Graph, scheduler: &Scheduler, lies: Lies) -> Self {
        Self {
            graph,
            lies,
            workers: (0..scheduler.workers()).map(|_| Read::default()).collect(),
            share: Share::default(),
        }
    }

    /// Where nobody asks for it.
    pub(crate) fn unwatched(graph: &'a Graph, scheduler: &Scheduler) -> Self {
        Self::new(graph, scheduler, UNKNOWN)
    }

    /// The same for a share of all tasks.
    pub(crate) fn of_share(self, share: Share) -> Self {
        Self { share, ..self }
    }

    pub(super) fn share(&self) -> Share {
        self.share
    }

    pub(crate) fn graph(&self) -> &'a Graph {
        self.graph
    }

    pub(crate) fn lies(&self) -> &Lies {
        &self.lies
    }

    /// The graph as a worker reads it.
    pub(crate) fn view(&self, worker: usize) -> View<'_> {
        View { graph: self.graph, lies: &self.lies, worker, read: &self.workers[worker] }
    }

    /// Bytes of lists that workers have read since the last call from their own node, and from others.
    pub(crate) fn take_bytes(&self) -> (u64, u64) {
        // Relaxed: all workers have been joined.
        let sum =
            |of: fn(&Read) -> &AtomicU64| self.workers.iter().map(|read| of(read).swap(0, Ordering::Relaxed)).sum();
        (sum(|read| &read.home), sum(|read| &read.away))
    }
}

const UNKNOWN: Lies = Lies::Unknown(String::new());

/// A graph as one worker reads it.
#[derive(Clone, Copy)]
pub(crate) struct View<'a> {
    graph: &'a Graph,
    lies: &'a Lies,
    worker: usize,
    read: &'a Read,
}

impl<'a> View<'a> {
    /// What is read is not counted.
    pub(super) fn unwatched(graph: &'a Graph) -> Self {
        static LIES: Lies = UNKNOWN;
        static NOBODY: Read = Read { home: AtomicU64::new(0), away: AtomicU64::new(0) };
        Self { graph, lies: &LIES, worker: 0, read: &NOBODY }
    }

    /// For what is not counted as read.
    pub(super) fn graph(self) -> &'a Graph {
        self.graph
    }

    /// As of [`Graph::neighbours`].
    #[inline]
    pub(super) fn neighbours(self, vertex: u32) -> &'a [u32] {
        self.take_up(self.graph.neighbours(vertex))
    }

    /// As of [`Graph::upward`].
    #[inline]
    pub(super) fn upward(self, vertex: u32) -> &'a [u32] {
        self.take_up(self.graph.upward(vertex))
    }

    /// As of [`Graph::downward`].
    #[inline]
    pub(super) fn downward(self, vertex: u32) -> &'a [u32] {
        self.take_up(self.graph.downward(vertex))
    }

    /// As of [`Graph::between`].
    #[inline]
    pub(super) fn between(self, vertex: u32, low: u32, high: u32) -> &'a [u32] {
        self.take_up(self.graph.between(vertex, low, high))
    }

    /// Counts a list as read.
    #[inline]
    pub(super) fn take_up(self, list: &'a [u32]) -> &'a [u32] {
        match self.lies {
            Lies::AtHome => add(&self.read.home, size_of_val(list)),
            Lies::Pages(nodes, pages) => self.look_up(nodes[self.worker], pages, list),
            Lies::Unknown(_) => (),
        }
        list
    }

    #[inline(never)]
    fn look_up(self, node: u32, pages: &[Pages], list: &[u32]) {
        let home = pages.iter().find_map(|pages| pages.bytes_on(node, list)).unwrap_or(0);
        add(&self.read.home, home);
        add(&self.read.away, size_of_val(list) - home);
    }
}

/// For all that reads no list.
impl Deref for View<'_> {
    type Target = Graph;

    fn deref(&self) -> &Graph {
        self.graph
    }
}
