//! Finding copies vertex by vertex, each vertex where it may be: with labels, with pairs that must not be joined.
//!
//! Conditions on ranks leave one match of each copy. Unlike plans this counts nothing that it does not match.

mod count;
mod frequent;
mod listing;

pub(crate) use count::count;
pub(crate) use frequent::{Frequent, frequent};
pub(crate) use listing::{Found, exists, first};

use crate::graph::Labels;
use crate::pattern::{MOST_VERTICES, members};
use crate::plan::{Bounds, conditions};
use crate::{Graph, Pattern};

/// The ranks of matched vertices, by position.
type Ranks = [u32; MOST_VERTICES];

/// A pattern in the order in which it is matched.
struct Search<'a> {
    graph: &'a Graph,
    labels: &'a Labels,
    pattern: Pattern,
    /// The pattern's own number of the vertex at each position.
    order: Vec<usize>,
    bounds: Vec<Bounds>,
}

impl<'a> Search<'a> {
    /// One that finds each copy once.
    fn new(graph: &'a Graph, labels: &'a Labels, pattern: &Pattern) -> Self {
        let order = order(pattern, None);
        let pattern = in_order(pattern, &order);
        Self { graph, labels, pattern, order, bounds: conditions(&pattern) }
    }

    /// One that begins with a vertex, and finds each copy as often as the pattern has symmetries.
    fn from(graph: &'a Graph, labels: &'a Labels, pattern: &Pattern, first: usize) -> Self {
        let order = order(pattern, Some(first));
        let bounds = vec![Bounds::default(); pattern.vertices()];
        Self { graph, labels, pattern: in_order(pattern, &order), order, bounds }
    }

    /// The vertices of a match in the pattern's own order.
    fn own_order(&self, ranks: &Ranks) -> Ranks {
        let mut copy = [0; MOST_VERTICES];
        self.order.iter().zip(*ranks).for_each(|(vertex, rank)| copy[*vertex] = rank);
        copy
    }

    /// Whether a vertex has the label that one at a position must have.
    fn is_labelled(&self, vertex: u32, at: usize) -> bool {
        let label = self.pattern.label(at);
        label == 0 || self.labels.of(vertex) == label
    }

    /// Calls `each` with the vertices that may be at a position behind the first, until it says that it has enough.
    fn candidates(&self, ranks: &Ranks, at: usize, mut each: impl FnMut(u32) -> bool) {
        let low = members(self.bounds[at].above).map(|other| ranks[other] + 1).max().unwrap_or(0);
        let high = members(self.bounds[at].below).map(|other| ranks[other]).min().unwrap_or(u32::MAX);
        let before = (1 << at) - 1;
        let (near, apart) = (self.pattern.neighbours(at) & before, self.pattern.apart_from(at) & before);
        let lists = members(near).map(|other| (other, self.graph.between(ranks[other], low, high)));
        let (own, shortest) = lists.min_by_key(|(_, list)| list.len()).expect("each vertex is joined to one before it");
        let others = near & !(1 << own);
        // From the highest rank down: conditions ask for lower ones later on, and leave them room.
        for &candidate in shortest.iter().rev() {
            let joined = |other: usize| self.graph.joined(ranks[other], candidate);
            let fits = self.is_labelled(candidate, at) && !ranks[..at].contains(&candidate);
            if fits && members(others).all(joined) && !members(apart).any(joined) && each(candidate) {
                return;
            }
        }
    }

    /// Calls `each` with all matches that begin with the first `at` vertices, until it says that it has enough; whether it
    /// did.
    fn extend(&self, ranks: &mut Ranks, at: usize, each: &mut impl FnMut(&Ranks) -> bool) -> bool {
        if at == self.pattern.vertices() {
            return each(ranks);
        }
        let (mut longer, mut enough) = (*ranks, false);
        self.candidates(ranks, at, |candidate| {
            longer[at] = candidate;
            enough = self.extend(&mut longer, at + 1, each);
            enough
        });
        enough
    }
}

/// A pattern with its vertices numbered by position.
fn in_order(pattern: &Pattern, order: &[usize]) -> Pattern {
    let mut to = [0; MOST_VERTICES];
    (0..).zip(order).for_each(|(position, vertex)| to[*vertex] = position);
    pattern.relabelled(to)
}

/// Vertices in the order of matching: first one with a label and most neighbours, unless it is given, then always one
/// with most neighbours among those before it.
fn order(pattern: &Pattern, first: Option<usize>) -> Vec<usize> {
    let mut order: Vec<usize> = first.into_iter().collect();
    let mut ordered = order.iter().fold(0_u8, |ordered, vertex| ordered | 1 << vertex);
    while order.len() < pattern.vertices() {
        let key = |at: &usize| {
            let near = pattern.neighbours(*at);
            ((near & ordered).count_ones(), pattern.label(*at) != 0, near.count_ones(), usize::MAX - at)
        };
        let next = members(pattern.all() & !ordered).max_by_key(key).expect("some are left");
        order.push(next);
        ordered |= 1 << next;
    }
    order
}
