//! In how many copies of each small pattern a vertex or an edge takes which part: its orbits, as graphlet counts have
//! them.
//!
//! An orbit is a pattern and one of its vertices or edges, of those that its symmetries exchange. All edge-induced counts
//! follow from degrees and from five numbers for each edge ([`Table`]); vertex-induced ones from these, as each
//! edge-induced copy lies in one vertex-induced copy of a pattern with the same edges or more.
//!
//! Pržulj, *Biological network comparison using graphlet degree distribution*, Bioinformatics 2007; Hočevar, Demšar, *A
//! combinatorial approach to graphlet counting* (Orca), Bioinformatics 2014.

mod cliques;
mod induced;
mod names;
mod squares;
mod sums;
mod table;
mod triangles;

use std::ops::Range;

use crate::Scheduler;
use crate::pattern::Induced;

use super::reads::View;
use super::{Readers, vertex};
use induced::Inversion;
pub(crate) use names::Of;
use names::{Orbit, orbits};
use sums::Sums;
use table::Table;

/// What is known of the orbits in patterns of up to some size.
pub(crate) struct Orbits {
    of: Of,
    columns: Vec<Orbit>,
    /// The number of each vertex in the source, by rank.
    sources: Vec<u32>,
    table: Table,
    sums: Vec<Sums>,
    inversion: Inversion,
}

/// Whether the same was counted.
impl PartialEq for Orbits {
    fn eq(&self, other: &Self) -> bool {
        self.table == other.table
    }
}

impl Orbits {
    pub(crate) fn new(readers: &Readers<'_>, scheduler: &Scheduler, of: Of, size: usize, induced: Induced) -> Self {
        let table = Table::new(readers, scheduler, size);
        let sums = sums::all(readers, &table, scheduler);
        let columns = orbits(of, size);
        let inversion = Inversion::new(&columns, induced);
        let sources = readers.graph().sources();
        Self { of, columns, sources, table, sums, inversion }
    }

    /// The names of the orbits.
    pub(crate) fn names(&self) -> impl Iterator<Item = &'static str> {
        self.columns.iter().map(|orbit| orbit.name)
    }

    /// Calls `each` with each of some vertices by its number in the source, or with both ends of each edge from one of
    /// these to a higher number; and with the counts of all orbits. In ascending order. `graph` is the one that they were
    /// counted in.
    pub(crate) fn each(&self, graph: View<'_>, sources: Range<usize>, mut each: impl FnMut(&[u32], Vec<u128>)) {
        for source in sources.map(vertex) {
            let rank = graph.ranks()[source as usize];
            match self.of {
                Of::Vertices => {
                    each(&[source], self.inversion.of(sums::vertex(graph, &self.table, &self.sums, rank)));
                }
                Of::Edges => self.each_edge(graph, source, rank, &mut each),
            }
        }
    }

    fn each_edge(&self, graph: View<'_>, source: u32, rank: u32, each: &mut impl FnMut(&[u32], Vec<u128>)) {
        let others = graph.neighbours(rank).iter().map(|other| (self.sources[*other as usize], *other));
        let mut others: Vec<_> = others.filter(|(other, _)| *other > source).collect();
        others.sort_unstable();
        for (other, end) in others {
            let (low, high) = (rank.min(end), rank.max(end));
            let place = graph.upward(low).binary_search(&high).expect("each edge stands in both lists");
            let counts = sums::edge(&graph, &self.table, &self.sums, (low, high), place);
            each(&[source, other], self.inversion.of(counts));
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::graph::EdgeList;
    use crate::matching::Lies;
    use crate::{Graph, oracle};

    proptest! {
        #![proptest_config(crate::cases(250))]

        #[test]
        fn every_orbit_is_counted_as_by_trying_all_placements(
            density in 0.1f64..1.0,
            draws in prop::collection::vec(0.0f64..1.0, 8 * 7 / 2),
            size in 3usize..5,
            workers in 1usize..3,
        ) {
            let pairs = (0..8_u32).flat_map(|a| (a + 1..8).map(move |b| (a, b)));
            let edges: Vec<_> = pairs.zip(&draws).filter(|(_, draw)| **draw < density).map(|(pair, _)| pair).collect();
            prop_assume!(!edges.is_empty());
            let list = EdgeList::from_pairs(edges.iter().map(|&(a, b)| (a.into(), b.into())).collect());
            let graph = Graph::from_edges(&list);
            let scheduler = Scheduler::unpinned(workers).unwrap();
            for (of, induced) in [Of::Vertices, Of::Edges].into_iter().flat_map(|of| [Induced::Edge, Induced::Vertex].map(|induced| (of, induced))) {
                let readers = Readers::unwatched(&graph, &scheduler);
                let orbits = Orbits::new(&readers, &scheduler, of, size, induced);
                let mut all = 0;
                orbits.each(readers.view(0), 0..list.vertices, |who, counts| {
                    assert_eq!(counts.len(), orbits.columns.len());
                    for (orbit, count) in orbits.columns.iter().zip(counts) {
                        let expected = oracle::in_orbit(list.vertices, &list.edges, (&orbit.pattern, &orbit.who), who, induced);
                        assert_eq!(count, expected, "{} of {who:?}, {induced:?}", orbit.name);
                    }
                    all += 1;
                });
                prop_assert_eq!(all, if of == Of::Vertices { list.vertices } else { list.edges.len() });
            }
        }
    }

    #[test]
    fn all_lists_that_are_read_are_counted() {
        // A triangle, whose ranks are those of its numbers: lists upward of 2, 1 and 0 neighbours.
        let graph = Graph::from_edges(&EdgeList::from_pairs(vec![(0, 1), (0, 2), (1, 2)]));
        let scheduler = Scheduler::unpinned(2).unwrap();
        let read = |of, size| {
            let readers = Readers::new(&graph, &scheduler, Lies::AtHome);
            let orbits = Orbits::new(&readers, &scheduler, of, size, Induced::Edge);
            let counted = readers.take_bytes();
            orbits.each(readers.view(0), 0..3, |_, _| ());
            [counted, readers.take_bytes()].map(|(home, away)| (home / 4, away))
        };
        // Triangles read lists upward and those of their members; sums all neighbours, and both sides of them with the
        // lists in which edges to lower ones stand.
        let (triangles, sums) = ((2 + 1) + 1, (2 + 2) + (2 + 1 + 2 + 1) + (2 + 2 + 2 + 1));
        assert_eq!(read(Of::Vertices, 3), [(triangles + sums, 0), (0, 0)]);
        assert_eq!(read(Of::Edges, 3), [(triangles + sums, 0), (3 * 2 + (2 + 2 + 1), 0)]);
        // Squares read what lies below each vertex three times, and lists below these vertices, and are then joined.
        let (squares, joined) = (3 * (1 + 2) + 3 * (1 + 1), (2 + 1) + (2 + 2 + 2));
        assert_eq!(read(Of::Vertices, 4), [(2 * triangles + sums + squares + joined, 0), (sums - 3 * 2, 0)]);
    }
}
