//! The layout for counting: vertices renumbered by degree, neighbours sorted, each edge also once in the direction of the
//! higher degree ("degree orientation", which bounds the out-degree by the square root of twice the edges).
//!
//! Twelve bytes for an edge and twenty for a vertex stay. While it is made there are two numbers more for each edge:
//! those it is made of, and the lists before their memory is placed.

use std::hash::Hasher;
use std::io;
use std::ops::Range;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};

use knee_runtime::{Arrangement, NumaVec, Pages, Place};
use rayon::prelude::*;
use twox_hash::XxHash3_64;

use super::EdgeList;

/// A graph ready for counting. Vertices are numbered by rank: by degree, those of the same degree as in the source.
#[derive(Debug)]
pub struct Graph {
    /// Number of vertices.
    pub vertices: usize,
    /// Where the neighbours of each vertex begin, and where the last ones end.
    begins: NumaVec<usize>,
    /// Sorted lists of neighbours, one behind the other (compressed sparse rows).
    neighbours: NumaVec<u32>,
    /// The same for neighbours of higher rank.
    upward_begins: NumaVec<usize>,
    upward: NumaVec<u32>,
    /// The rank of each vertex, in the order of the source.
    ranks: Vec<u32>,
}

/// Edges, each with the end that comes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ends {
    /// Each edge twice, from both of its ends.
    Both,
    /// From the end of lower rank.
    Lower,
    /// From the end of higher rank.
    Higher,
}

/// Lists of neighbours that are neither sorted nor placed.
#[derive(Debug)]
pub struct Unsorted {
    begins: Vec<usize>,
    targets: Vec<AtomicU32>,
    ranks: Vec<u32>,
}

impl Graph {
    /// Lays a list of edges out in memory of no particular node.
    ///
    /// # Panics
    /// When an edge names a vertex that does not exist, or there is no memory.
    #[must_use]
    pub fn from_edges(list: &EdgeList) -> Self {
        let lists = Unsorted::new(list.vertices, list.edges.clone());
        Self::placed(lists, &Arrangement::default()).expect("there is memory")
    }

    /// Sorts lists in memory that is arranged, by the workers of the pool of knee's that this is called on.
    ///
    /// # Errors
    /// The kernel's: no memory, or a node that may not be used.
    pub fn placed(lists: Unsorted, arrangement: &Arrangement) -> io::Result<Self> {
        let Unsorted { begins, targets, ranks } = lists;
        let vertices = begins.len() - 1;
        // Relaxed: all that wrote them has been joined.
        let mut neighbours = arrangement.from_fn(targets.len(), |at| targets[at].load(Ordering::Relaxed))?;
        drop(targets);
        neighbours.each_copy(|lists| each_list(&begins, 0..vertices, lists, &|_, list| list.sort_unstable()));
        Self::of_lists(begins, neighbours, ranks, arrangement)
    }

    /// Lays sorted lists out, in arranged memory already.
    pub(super) fn of_lists(
        begins: Vec<usize>,
        neighbours: NumaVec<u32>,
        ranks: Vec<u32>,
        arrangement: &Arrangement,
    ) -> io::Result<Self> {
        let vertices = begins.len() - 1;
        let behind = |vertex: usize| {
            let list = &neighbours[begins[vertex]..begins[vertex + 1]];
            list.partition_point(|other| (*other as usize) < vertex)
        };
        let mut upward_begins = vec![0; vertices + 1];
        for vertex in 0..vertices {
            let above = begins[vertex + 1] - begins[vertex] - behind(vertex);
            upward_begins[vertex + 1] = upward_begins[vertex] + above;
        }
        let mut upward = arrangement.from_fn(upward_begins[vertices], |_| 0)?;
        let copy = |vertex: usize, list: &mut [u32]| {
            let end = begins[vertex + 1];
            list.copy_from_slice(&neighbours[end - list.len()..end]);
        };
        upward.each_copy(|lists| each_list(&upward_begins, 0..vertices, lists, &copy));
        let place = |begins: Vec<usize>| arrangement.from_fn(begins.len(), |at| begins[at]);
        Ok(Self { vertices, begins: place(begins)?, neighbours, upward_begins: place(upward_begins)?, upward, ranks })
    }

    /// Where the list of each vertex begins, and where the last one ends.
    pub(super) fn begins(&self) -> &[usize] {
        &self.begins
    }

    /// The lists of all vertices, one behind the other.
    pub(super) fn lists(&self) -> &[u32] {
        &self.neighbours
    }

    /// Neighbours of a vertex in ascending order.
    #[must_use]
    pub fn neighbours(&self, vertex: u32) -> &[u32] {
        &self.neighbours[self.begins[vertex as usize]..self.begins[vertex as usize + 1]]
    }

    /// Those of higher rank.
    #[must_use]
    pub fn upward(&self, vertex: u32) -> &[u32] {
        &self.upward[self.upward_begins[vertex as usize]..self.upward_begins[vertex as usize + 1]]
    }

    /// Those of lower rank.
    #[must_use]
    pub fn downward(&self, vertex: u32) -> &[u32] {
        let at = vertex as usize;
        let begin = self.begins[at];
        let above = self.upward_begins[at + 1] - self.upward_begins[at];
        &self.neighbours[begin..self.begins[at + 1] - above]
    }

    /// Whether two vertices are joined.
    #[must_use]
    pub fn joined(&self, a: u32, b: u32) -> bool {
        self.upward(a.min(b)).binary_search(&a.max(b)).is_ok()
    }

    /// Neighbours of a vertex from rank `low` up to below rank `high`.
    #[must_use]
    pub fn between(&self, vertex: u32, low: u32, high: u32) -> &[u32] {
        let upward = low > vertex;
        let downward = !upward && high <= vertex;
        let mut list = if upward {
            self.upward(vertex)
        } else if downward {
            self.downward(vertex)
        } else {
            self.neighbours(vertex)
        };
        // The lists of one direction begin or end with the first vertex of that side.
        if low > 0 && !(upward && low == vertex + 1) {
            list = &list[list.partition_point(|member| *member < low)..];
        }
        if high < u32::MAX && !(downward && high == vertex) {
            list = &list[..list.partition_point(|member| *member < high)];
        }
        list
    }

    /// The number of neighbours of a vertex.
    #[must_use]
    pub fn degree(&self, vertex: u32) -> usize {
        self.range(Ends::Both, vertex).len()
    }

    /// The number of its neighbours of higher rank.
    #[must_use]
    pub fn out_degree(&self, vertex: u32) -> usize {
        self.range(Ends::Lower, vertex).len()
    }

    /// Where the lists lie: the pages of each array of them, and of each copy of it.
    ///
    /// # Errors
    /// The kernel's: no NUMA support, or a container that forbids it.
    pub fn pages(&self) -> io::Result<Vec<Pages>> {
        let mut pages = self.neighbours.pages()?;
        pages.append(&mut self.upward.pages()?);
        Ok(pages)
    }

    /// The rank of each vertex, in the order of the source.
    #[must_use]
    pub fn ranks(&self) -> &[u32] {
        &self.ranks
    }

    /// The place of each vertex in the order of the source, by rank.
    #[must_use]
    pub fn sources(&self) -> Vec<u32> {
        let mut sources = vec![0; self.vertices];
        (0..).zip(&self.ranks).for_each(|(source, rank)| sources[*rank as usize] = source);
        sources
    }

    /// A hash of its edges and of the order of its vertices, to recognise the same graph.
    #[must_use]
    pub fn fingerprint(&self) -> u64 {
        let mut hash = XxHash3_64::new();
        hash.write(bytemuck::cast_slice(&self.ranks));
        for vertex in (0..).take(self.vertices) {
            let list = self.upward(vertex);
            hash.write(&(list.len() as u64).to_le_bytes());
            hash.write(bytemuck::cast_slice(list));
        }
        hash.finish()
    }

    /// Number of edges.
    #[must_use]
    pub fn edges(&self) -> usize {
        self.upward.len()
    }

    /// How many times an edge begins at one of these ends.
    #[must_use]
    pub fn count(&self, ends: Ends) -> usize {
        if ends == Ends::Both { self.neighbours.len() } else { self.upward.len() }
    }

    /// The numbers of the edges that begin at a vertex; all are numbered vertex by vertex.
    #[must_use]
    pub fn range(&self, ends: Ends, vertex: u32) -> Range<usize> {
        self.begin(ends, vertex as usize)..self.begin(ends, vertex as usize + 1)
    }

    /// The vertex at which the edge of a number begins.
    #[must_use]
    pub fn source(&self, ends: Ends, number: usize) -> u32 {
        let (mut low, mut high) = (0, self.vertices);
        // The last vertex that begins no later.
        while high - low > 1 {
            let middle = usize::midpoint(low, high);
            if self.begin(ends, middle) <= number {
                low = middle;
            } else {
                high = middle;
            }
        }
        u32::try_from(low).expect("vertices fit 32 bits")
    }

    fn begin(&self, ends: Ends, vertex: usize) -> usize {
        match ends {
            Ends::Both => self.begins[vertex],
            Ends::Lower => self.upward_begins[vertex],
            Ends::Higher => self.begins[vertex] - self.upward_begins[vertex],
        }
    }
}

impl Unsorted {
    /// Renumbers by ascending degree (ties by number, so that the layout is the same every time), and writes each edge
    /// to the lists of both of its ends, by the workers of the rayon pool that this is called on.
    ///
    /// # Panics
    /// When an edge names a vertex that does not exist.
    #[must_use]
    pub fn new(vertices: usize, edges: Vec<(u32, u32)>) -> Self {
        let count = || (0..vertices).map(|_| AtomicU32::new(0)).collect::<Vec<_>>();
        let degrees = count();
        // Relaxed, here and below: numbers are added up in any order, and read behind a join.
        edges.par_iter().for_each(|&(a, b)| {
            degrees[a as usize].fetch_add(1, Ordering::Relaxed);
            degrees[b as usize].fetch_add(1, Ordering::Relaxed);
        });
        let degree = |vertex: u32| degrees[vertex as usize].load(Ordering::Relaxed);
        let mut order: Vec<u32> = (0..u32::try_from(vertices).expect("vertices fit 32 bits")).collect();
        order.par_sort_unstable_by_key(|&vertex| (degree(vertex), vertex));
        let mut begins = Vec::with_capacity(vertices + 1);
        begins.push(0);
        let mut ranks = vec![0; vertices];
        for (place, &vertex) in (0..).zip(&order) {
            ranks[vertex as usize] = place;
            begins.push(begins[begins.len() - 1] + degree(vertex) as usize);
        }
        drop(order);
        let ends: Vec<AtomicUsize> = begins.iter().map(|begin| AtomicUsize::new(*begin)).collect();
        let mut targets = Vec::new();
        targets.resize_with(begins[vertices], AtomicU32::default);
        let add = |to: u32, other: u32| {
            let at = ends[to as usize].fetch_add(1, Ordering::Relaxed);
            targets[at].store(other, Ordering::Relaxed);
        };
        edges.into_par_iter().for_each(|(a, b)| {
            let (a, b) = (ranks[a as usize], ranks[b as usize]);
            add(a, b);
            add(b, a);
        });
        Self { begins, targets, ranks }
    }
}

/// Fewest members of lists that are worth a task.
const LEAF: usize = 1 << 14;

/// Calls `work` with the list of each of some vertices, near where it lies. `lists` are those of these vertices.
fn each_list(begins: &[usize], vertices: Range<usize>, lists: &mut [u32], work: &(impl Fn(usize, &mut [u32]) + Sync)) {
    if vertices.len() > 1 && lists.len() > LEAF {
        let middle = usize::midpoint(vertices.start, vertices.end);
        let (left, right) = lists.split_at_mut(begins[middle] - begins[vertices.start]);
        let near = (Place::near_address(left.as_ptr()), Place::near_address(right.as_ptr()));
        let first = || each_list(begins, vertices.start..middle, left, work);
        knee_runtime::join_at(near.0, first, near.1, || each_list(begins, middle..vertices.end, right, work));
        return;
    }
    let mut rest = lists;
    for vertex in vertices {
        let (list, others) = rest.split_at_mut(begins[vertex + 1] - begins[vertex]);
        work(vertex, list);
        rest = others;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edges_have_numbers_from_each_of_their_ends() {
        let pairs = [(0, 1), (0, 2), (0, 3), (2, 3), (7, 3), (7, 9)].to_vec();
        let graph = Graph::from_edges(&EdgeList::from_pairs(pairs));
        for ends in [Ends::Both, Ends::Lower, Ends::Higher] {
            let mut all = 0..graph.count(ends);
            for vertex in 0..u32::try_from(graph.vertices).unwrap() {
                let lists = [graph.neighbours(vertex), graph.upward(vertex), graph.downward(vertex)];
                let list = lists[[Ends::Both, Ends::Lower, Ends::Higher].iter().position(|one| *one == ends).unwrap()];
                assert_eq!(graph.range(ends, vertex).len(), list.len());
                for _ in list {
                    assert_eq!(graph.source(ends, all.next().unwrap()), vertex);
                }
            }
            assert_eq!(all.next(), None);
        }
    }

    #[test]
    fn neighbours_are_cut_at_any_ranks() {
        let pairs = [(0, 1), (0, 2), (0, 3), (2, 3), (7, 3), (7, 9)].to_vec();
        let graph = Graph::from_edges(&EdgeList::from_pairs(pairs));
        for vertex in 0..6 {
            for (low, high) in (0..7).flat_map(|low| (0..7).map(move |high| (low, high))) {
                let expected: Vec<u32> =
                    graph.neighbours(vertex).iter().copied().filter(|other| (low..high).contains(other)).collect();
                assert_eq!(graph.between(vertex, low, high), expected, "{vertex} {low} {high}");
            }
        }
    }
}
