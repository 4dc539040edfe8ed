//! Where matching begins, and what is matched from there in which space.

use std::ops::Range;

use super::Matcher;
use super::lists::Lists;
use super::rows::{self, Rows};
use crate::Graph;
use crate::graph::Ends;
use crate::matching::reads::View;
use crate::matching::work::Work;
use crate::matching::{Order, vertex};
use crate::plan::{Bounds, Plan};

/// Where matching begins.
pub(in crate::matching) struct Roots<'a> {
    graph: &'a Graph,
    from: From,
    /// Where the roots of each vertex begin, where vertices follow each other as in the source.
    begins: Option<Vec<usize>>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum From {
    /// At each vertex.
    Vertices,
    /// At each edge in the directions that the conditions allow.
    Pairs(Ends),
}

impl<'a> Roots<'a> {
    pub(in crate::matching) fn new(graph: &'a Graph, plan: &Plan, order: Order) -> Self {
        let bounds = if plan.matched() > 1 { plan.bounds(1) } else { Bounds::default() };
        let from = match (plan.matched(), bounds.above, bounds.below) {
            (1, ..) => From::Vertices,
            (_, 0, 0) => From::Pairs(Ends::Both),
            (_, 0, _) => From::Pairs(Ends::Higher),
            _ => From::Pairs(Ends::Lower),
        };
        let mut roots = Self { graph, from, begins: None };
        if order == Order::Id {
            let mut end = 0;
            let next = |rank: &u32| {
                end += roots.of(*rank);
                end
            };
            roots.begins = Some(std::iter::once(0).chain(graph.ranks().iter().map(next).collect::<Vec<_>>()).collect());
        }
        roots
    }

    /// How many begin at a vertex.
    fn of(&self, vertex: u32) -> usize {
        match self.from {
            From::Vertices => 1,
            From::Pairs(ends) => self.graph.range(ends, vertex).len(),
        }
    }

    pub(in crate::matching) fn count(&self) -> usize {
        match self.from {
            From::Vertices => self.graph.vertices,
            From::Pairs(ends) => self.graph.count(ends),
        }
    }

    /// Calls `each` with every first vertex of a range of roots, and the places of these roots among its neighbours.
    pub(super) fn each(&self, range: Range<usize>, mut each: impl FnMut(u32, Range<usize>)) {
        let mut at = range.start;
        for number in self.first(at).. {
            if at >= range.end {
                break;
            }
            let (source, own) = self.vertex(number);
            let end = own.end.min(range.end);
            if at < end {
                each(source, at - own.start..end - own.start);
                at = end;
            }
        }
    }

    /// The vertex of a number, and its roots.
    fn vertex(&self, number: usize) -> (u32, Range<usize>) {
        match (&self.begins, self.from) {
            (Some(begins), _) => (self.graph.ranks()[number], begins[number]..begins[number + 1]),
            (None, From::Vertices) => (vertex(number), number..number + 1),
            (None, From::Pairs(ends)) => (vertex(number), self.graph.range(ends, vertex(number))),
        }
    }

    /// The number of the vertex at which a root begins.
    fn first(&self, root: usize) -> usize {
        match (&self.begins, self.from) {
            (Some(begins), _) => begins.partition_point(|begin| *begin <= root) - 1,
            (None, From::Vertices) => root,
            (None, From::Pairs(ends)) => self.graph.source(ends, root) as usize,
        }
    }
}

/// What matches ranges of roots: in bitmaps where a plan allows it and they are small enough, else in lists.
pub(in crate::matching) struct Worker<'a> {
    roots: &'a Roots<'a>,
    lists: Matcher<'a, Lists<'a>>,
    rows: Option<Matcher<'a, Rows<'a>>>,
}

impl<'a> Worker<'a> {
    pub(in crate::matching) fn new(graph: View<'a>, plan: &'a Plan, roots: &'a Roots<'a>) -> Self {
        let rows = || Matcher::new(graph, plan, Rows::new(graph, plan));
        Self {
            roots,
            lists: Matcher::new(graph, plan, Lists::new(graph, plan, false)),
            rows: plan.is_around_the_first().then(rows),
        }
    }

    /// The matches that begin at some roots, and how many vertices were tried for them.
    pub(in crate::matching) fn matches(&mut self, range: Range<usize>) -> (u128, u64) {
        let before = self.work().tried();
        self.lists.sum = 0;
        if let Some(rows) = &mut self.rows {
            rows.sum = 0;
        }
        let (graph, plan) = (self.lists.graph, self.lists.plan);
        self.roots.each(range, |first, neighbours| match &mut self.rows {
            Some(in_rows) if rows::fits(&graph, plan, first) => in_rows.around(first, neighbours),
            _ => self.lists.around(first, neighbours),
        });
        let sum = super::plus(self.lists.sum, self.rows.as_ref().map_or(0, |rows| rows.sum));
        (u128::try_from(sum).expect("no negative number of matches"), self.work().tried() - before)
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

        #[test]
        fn each_root_is_met_once_in_any_order(
            pairs in prop::collection::vec((0u64..30, 0u64..30), 1..60),
            size in 1usize..40,
        ) {
            let list = EdgeList::from_pairs(pairs);
            prop_assume!(!list.edges.is_empty());
            let graph = Graph::from_edges(&list);
            let triangle = Pattern::parse("triangle").unwrap();
            for plan in choices(&triangle).iter().map(|choice| Plan::new(&triangle, choice)) {
                let met = |order| {
                    let roots = Roots::new(&graph, &plan, order);
                    let mut met = Vec::new();
                    for start in (0..roots.count()).step_by(size) {
                        let range = start..roots.count().min(start + size);
                        roots.each(range, |first, places| met.extend(places.map(|place| (first, place))));
                    }
                    met.sort_unstable();
                    met
                };
                prop_assert_eq!(met(Order::Id), met(Order::HubsLast));
                prop_assert_eq!(met(Order::Id).len(), Roots::new(&graph, &plan, Order::Id).count());
            }
        }

    }

    proptest! {
        // Each takes seconds, and the slow proofs try more.
        #![proptest_config(ProptestConfig::with_cases(if std::env::var_os("KNEE_PROOFS").is_some() { 30 } else { 3 }))]

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
                let roots = Roots::new(&graph, &plan, Order::HubsLast);
                let mut worker = Worker::new(View::unwatched(&graph), &plan, &roots);
                let all = worker.roots.count();
                let in_rows: u128 = [0..all / 3, all / 3..all].map(|part| worker.matches(part).0).iter().sum();
                worker.rows = None;
                prop_assert_eq!(in_rows, worker.matches(0..all).0, "{}", pattern);
            }
        }
    }
}
