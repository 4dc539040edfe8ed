//! Sums over edges, from the triangles on each.
//!
//! A vertex has its edges to higher ones. The third vertex of a triangle on such an edge ranks above, between, or below
//! its ends: it is found among the upward neighbours of the higher end, or from a lower vertex that both ends are
//! upward neighbours of. So all that is written lies with one vertex.

use crate::Scheduler;
use crate::matching::marks::{self, Marks};
use crate::matching::reads::View;
use crate::matching::{Readers, small};

/// Lists shorter than this are walked, not searched.
const SHORT: usize = 48;

/// Sums over all edges.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Edges {
    pub diamonds: u128,
    pub paws_twice: u128,
    /// For each triangle and each of its vertices, the neighbours of this vertex that rank above all three, twice.
    pub met_twice: u128,
}

/// Triangles, each once, from its lowest vertex.
pub(super) fn triangles(readers: &Readers<'_>, scheduler: &Scheduler) -> u128 {
    let from = |graph: View<'_>, a: u32, marks: &mut Marks| {
        let own = graph.upward(a);
        marks.number(own);
        own.iter().map(|b| marks.count(graph.upward(*b))).sum::<u64>()
    };
    u128::from(marks::sum(readers, scheduler, || 0, from, |a, b| a + b))
}

/// The sums that need the triangles on each edge.
pub(super) fn edges(readers: &Readers<'_>, scheduler: &Scheduler) -> Edges {
    let from = |graph: View<'_>, a: u32, marks: &mut Marks| {
        let (own, degree) = (graph.upward(a), graph.degree(a));
        let (mut tops, mut others) = (vec![0_u32; own.len()], Vec::with_capacity(own.len()));
        marks.number(own);
        let mut top = |hits: &[u32]| hits.iter().for_each(|position| tops[*position as usize - 1] += 1);
        for &b in own {
            let hits = marks.hits(graph.upward(b));
            others.push(hits.len());
            top(hits);
        }
        for &below in graph.downward(a) {
            let list = graph.graph().upward(below);
            // What ranks below has no number: finding where it ends takes longer than a few looks.
            let from = if list.len() < SHORT { 0 } else { list.partition_point(|other| *other <= a) };
            top(marks.hits(graph.take_up(&list[from..])));
        }
        let mut sum = Edges::default();
        for (at, (&b, (tops, others))) in own.iter().zip(tops.into_iter().zip(others)).enumerate() {
            let (tops, others) = (u128::from(tops), others as u128);
            let (t, ends) = (tops + others, (degree + graph.degree(b)) as u128);
            let above = 2 * (own.len() - at - 1) + graph.out_degree(b);
            sum = sum.plus(Edges {
                diamonds: t * t.saturating_sub(1) / 2,
                // Both ends have two neighbours in a triangle on the edge.
                paws_twice: t * ends.saturating_sub(4),
                met_twice: tops * above as u128,
            });
        }
        sum
    };
    marks::sum(readers, scheduler, Edges::default, from, Edges::plus)
}

/// For each edge, the ways to go on at both of its ends.
pub(super) fn ends(readers: &Readers<'_>, scheduler: &Scheduler) -> u128 {
    let from = |graph: View<'_>, a: u32, _: &mut Marks| {
        let (upward, others) = (graph.upward(a), |vertex: u32| graph.degree(vertex) as u128 - 1);
        if upward.is_empty() { 0 } else { upward.iter().map(|b| others(*b)).sum::<u128>() * others(a) }
    };
    marks::sum(readers, scheduler, || 0, from, |sum: u128, ways| small(sum.checked_add(ways)))
}

impl Edges {
    fn plus(self, other: Self) -> Self {
        let plus = |a: u128, b: u128| small(a.checked_add(b));
        Self {
            diamonds: plus(self.diamonds, other.diamonds),
            paws_twice: plus(self.paws_twice, other.paws_twice),
            met_twice: plus(self.met_twice, other.met_twice),
        }
    }
}
