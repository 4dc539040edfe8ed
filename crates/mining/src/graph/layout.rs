//! The layout for counting: vertices renumbered by degree, neighbours sorted, each edge once in the direction of the
//! higher degree ("degree orientation", which bounds the out-degree by the square root of twice the edges).

use rayon::prelude::*;

use super::EdgeList;

/// Sorted lists of neighbours, one behind the other (compressed sparse rows).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Adjacency {
    begins: Vec<usize>,
    targets: Vec<u32>,
}

impl Adjacency {
    /// From pairs (source, target) sorted by both.
    fn from_sorted(vertices: usize, pairs: &[(u32, u32)]) -> Self {
        let begin = |vertex: usize| pairs.partition_point(|&(source, _)| (source as usize) < vertex);
        let begins = (0..=vertices).into_par_iter().map(begin).collect();
        Self { begins, targets: pairs.par_iter().map(|&(_, target)| target).collect() }
    }

    /// Neighbours of a vertex in ascending order.
    #[must_use]
    pub fn of(&self, vertex: u32) -> &[u32] {
        &self.targets[self.range(vertex)]
    }

    /// The range of its neighbours among all targets.
    #[must_use]
    pub fn range(&self, vertex: u32) -> std::ops::Range<usize> {
        self.begins[vertex as usize]..self.begins[vertex as usize + 1]
    }

    /// How many pairs there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.targets.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.targets.is_empty()
    }

    /// The pairs in `range` with the position of each, source by source.
    pub fn pairs(&self, range: std::ops::Range<usize>) -> impl Iterator<Item = (u32, u32)> + '_ {
        let mut source = self.source(range.start);
        range.map(move |at| {
            while self.range(source).end <= at {
                source += 1;
            }
            (source, self.targets[at])
        })
    }

    /// The source of the pair at a position.
    #[must_use]
    pub fn source(&self, at: usize) -> u32 {
        let source = self.begins.partition_point(|&begin| begin <= at) - 1;
        u32::try_from(source).expect("vertices fit 32 bits")
    }
}

/// A graph ready for counting.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Graph {
    /// Number of vertices.
    pub vertices: usize,
    /// All neighbours of each vertex.
    pub neighbours: Adjacency,
    /// Neighbours of higher rank only: each edge once.
    pub upward: Adjacency,
    /// Neighbours of lower rank only: each edge once.
    pub downward: Adjacency,
}

impl Graph {
    /// Renumbers by ascending degree (ties by number, so that the layout is the same every time) and sorts.
    ///
    /// # Panics
    /// When an edge names a vertex that does not exist.
    #[must_use]
    pub fn from_edges(list: &EdgeList) -> Self {
        let vertices = list.vertices;
        let rank = ranks(vertices, &list.edges);
        let ranked = |&(a, b): &(u32, u32)| {
            let (a, b) = (rank[a as usize], rank[b as usize]);
            (a.min(b), a.max(b))
        };
        let mut up: Vec<(u32, u32)> = list.edges.par_iter().map(ranked).collect();
        up.par_sort_unstable();
        let mut both: Vec<(u32, u32)> = up.par_iter().flat_map_iter(|&(a, b)| [(a, b), (b, a)]).collect();
        both.par_sort_unstable();
        let down: Vec<(u32, u32)> = both.par_iter().copied().filter(|(a, b)| a > b).collect();
        let [neighbours, upward, downward] = [both, up, down].map(|pairs| Adjacency::from_sorted(vertices, &pairs));
        Self { vertices, neighbours, upward, downward }
    }

    /// Whether two vertices are joined.
    #[must_use]
    pub fn joined(&self, a: u32, b: u32) -> bool {
        let list = self.upward.of(a.min(b));
        list.binary_search(&a.max(b)).is_ok()
    }

    /// Neighbours of a vertex from rank `low` up to below rank `high`.
    #[must_use]
    pub fn between(&self, vertex: u32, low: u32, high: u32) -> &[u32] {
        let (upward, downward) = (low > vertex, high <= vertex);
        let lists = if upward {
            &self.upward
        } else if downward {
            &self.downward
        } else {
            &self.neighbours
        };
        let mut list = lists.of(vertex);
        // The lists of one direction begin or end with the first vertex of that side.
        if low > 0 && !(upward && low == vertex + 1) {
            list = &list[list.partition_point(|member| *member < low)..];
        }
        if high < u32::MAX && !(downward && high == vertex) {
            list = &list[..list.partition_point(|member| *member < high)];
        }
        list
    }

    /// Number of edges.
    #[must_use]
    pub fn edges(&self) -> usize {
        self.upward.len()
    }
}

fn ranks(vertices: usize, edges: &[(u32, u32)]) -> Vec<u32> {
    let mut degrees = vec![0_u32; vertices];
    for &(a, b) in edges {
        degrees[a as usize] += 1;
        degrees[b as usize] += 1;
    }
    let mut order: Vec<u32> = (0..u32::try_from(vertices).expect("vertices fit 32 bits")).collect();
    order.par_sort_unstable_by_key(|&vertex| (degrees[vertex as usize], vertex));
    let mut rank = vec![0; vertices];
    for (place, vertex) in (0..).zip(order) {
        rank[vertex as usize] = place;
    }
    rank
}
