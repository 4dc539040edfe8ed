//! Where matching begins, and what is matched from there in which space.

use std::ops::Range;

use super::Matcher;
use super::lists::Lists;
use super::rows::{self, Rows};
use crate::Graph;
use crate::graph::Adjacency;
use crate::matching::vertex;
use crate::matching::work::Work;
use crate::plan::Plan;

/// Where matching begins.
#[derive(Clone, Copy)]
pub(in crate::matching) enum Roots<'a> {
    /// At each vertex.
    Vertices(usize),
    /// At each edge in the directions that the conditions allow.
    Pairs(&'a Adjacency),
}

impl<'a> Roots<'a> {
    pub(in crate::matching) fn new(graph: &'a Graph, plan: &Plan) -> Self {
        if plan.matched() == 1 {
            return Self::Vertices(graph.vertices);
        }
        let bounds = plan.bounds(1);
        Self::Pairs(match (bounds.above, bounds.below) {
            (0, 0) => &graph.neighbours,
            (0, _) => &graph.downward,
            _ => &graph.upward,
        })
    }

    pub(in crate::matching) fn count(&self) -> usize {
        match self {
            Self::Vertices(count) => *count,
            Self::Pairs(pairs) => pairs.len(),
        }
    }

    /// Calls `each` with every first vertex of a range of roots, and the places of these roots among its neighbours.
    pub(super) fn each(self, range: Range<usize>, mut each: impl FnMut(u32, Range<usize>)) {
        match self {
            Self::Vertices(_) => range.for_each(|first| each(vertex(first), 0..0)),
            Self::Pairs(pairs) => {
                let mut at = range.start;
                for source in pairs.source(at).. {
                    if at >= range.end {
                        break;
                    }
                    let own = pairs.range(source);
                    let end = own.end.min(range.end);
                    if at < end {
                        each(source, at - own.start..end - own.start);
                        at = end;
                    }
                }
            }
        }
    }
}

/// What matches ranges of roots: in bitmaps where a plan allows it and they are small enough, else in lists.
pub(in crate::matching) struct Worker<'a> {
    roots: Roots<'a>,
    lists: Matcher<'a, Lists<'a>>,
    rows: Option<Matcher<'a, Rows<'a>>>,
}

impl<'a> Worker<'a> {
    pub(in crate::matching) fn new(graph: &'a Graph, plan: &'a Plan) -> Self {
        let rows = || Matcher::new(graph, plan, Rows::new(graph, plan));
        Self {
            roots: Roots::new(graph, plan),
            lists: Matcher::new(graph, plan, Lists::new(graph, plan, false)),
            rows: plan.is_around_the_first().then(rows),
        }
    }

    /// The matches that begin at some roots.
    pub(in crate::matching) fn matches(&mut self, range: Range<usize>) -> u128 {
        self.lists.sum = 0;
        if let Some(rows) = &mut self.rows {
            rows.sum = 0;
        }
        let (graph, plan) = (self.lists.graph, self.lists.plan);
        self.roots.each(range, |first, neighbours| match &mut self.rows {
            Some(in_rows) if rows::fits(graph, plan, first) => in_rows.around(first, neighbours),
            _ => self.lists.around(first, neighbours),
        });
        let sum = super::plus(self.lists.sum, self.rows.as_ref().map_or(0, |rows| rows.sum));
        u128::try_from(sum).expect("no negative number of matches")
    }

    /// What all of it took.
    pub(in crate::matching) fn work(&self) -> Work {
        self.rows.as_ref().map_or(Work::default(), |rows| rows.work).plus(self.lists.work)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::graph::EdgeList;
    use crate::plan::{Choice, choices};
    use crate::{Pattern, pattern};

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(8))]

        // With so many neighbours that their bitmaps have several words.
        #[test]
        fn bitmaps_and_lists_find_the_same(
            draws in prop::collection::vec(0.0f64..1.0, 150 * 149 / 2),
            density in 0.3f64..0.9,
            number in 0usize..21,
        ) {
            let pairs = (0..150_u64).flat_map(|a| (a + 1..150).map(move |b| (a, b))).zip(&draws);
            let edges: Vec<_> = pairs.filter(|(_, draw)| **draw < density / 2.0).map(|(pair, _)| pair).collect();
            let graph = Graph::from_edges(&EdgeList::from_pairs(edges));
            let pattern: Pattern = pattern::motifs(5)[number].1;
            let turned = choices(&pattern).into_iter().flat_map(|choice| [false, true].map(|turned| Choice { turned, ..choice.clone() }));
            for plan in turned.map(|choice| Plan::new(&pattern, &choice)).filter(Plan::is_around_the_first).take(6) {
                let mut worker = Worker::new(&graph, &plan);
                let all = worker.roots.count();
                let in_rows: u128 = [0..all / 3, all / 3..all].map(|part| worker.matches(part)).iter().sum();
                worker.rows = None;
                prop_assert_eq!(in_rows, worker.matches(0..all), "{}", pattern);
            }
        }
    }
}
