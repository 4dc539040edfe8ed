//! Triangles on each edge, each found once from its lowest vertex.

use super::table::{Edge, add, get};
use crate::Scheduler;
use crate::graph::Ends;
use crate::matching::Readers;
use crate::matching::marks::{self, Marks};
use crate::matching::reads::View;

/// Counts common neighbours, and adds up their degrees.
pub(super) fn count(readers: &Readers<'_>, scheduler: &Scheduler, edges: &[Edge]) {
    each(readers, scheduler, |graph, [a, b, c], [ab, ac, bc]| {
        for (edge, third) in [(ab, c), (ac, b), (bc, a)] {
            add(&edges[edge].triangles, 1);
            add(&edges[edge].degrees, graph.degree(third) as u64);
        }
    });
}

/// Adds up the triangles on the other edges of each triangle, where these are known.
pub(super) fn beside(readers: &Readers<'_>, scheduler: &Scheduler, edges: &[Edge]) {
    each(readers, scheduler, |_, _, numbers| {
        let counts = numbers.map(|edge| get(&edges[edge].triangles));
        let all: u64 = counts.iter().sum();
        for (edge, own) in numbers.into_iter().zip(counts) {
            add(&edges[edge].beside, all - own);
        }
    });
}

/// Calls `found` with the vertices of each triangle by rank, and with the numbers of the edges from the first to the
/// second, from the first to the third, and from the second to the third.
fn each(readers: &Readers<'_>, scheduler: &Scheduler, found: impl Fn(View<'_>, [u32; 3], [usize; 3]) + Sync) {
    let from = |graph: View<'_>, a: u32, marks: &mut Marks| {
        let (own, first) = (graph.upward(a), graph.range(Ends::Lower, a).start);
        marks.number(own);
        for (ab, &b) in (first..).zip(own) {
            let others = graph.range(Ends::Lower, b);
            for (bc, &c) in others.zip(graph.upward(b)) {
                if let Some(place) = (marks.numbers[c as usize] as usize).checked_sub(1) {
                    found(graph, [a, b, c], [ab, first + place, bc]);
                }
            }
        }
    };
    marks::sum(readers, scheduler, || (), from, |(), ()| ());
}
