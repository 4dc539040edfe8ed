//! Counting copies with labels, one by one.

use super::{Ranks, Search};
use crate::graph::Labels;
use crate::matching::{Told, vertex};
use crate::pattern::{Induced, MOST_VERTICES};
use crate::{Graph, Pattern, Scheduler};

/// Most tasks. Each begins at one vertex where there are no more: few may have the label of the first.
const TASKS: usize = 4096;

/// The copies of a pattern whose labels are those of the graph. Publishes each task's as soon as they are counted.
pub(crate) fn count(
    graph: &Graph,
    labels: &Labels,
    scheduler: &Scheduler,
    pattern: &Pattern,
    induced: Induced,
    told: Told,
) -> u128 {
    let pattern = if induced == Induced::Vertex { pattern.exactly() } else { *pattern };
    let search = Search::new(graph, labels, &pattern);
    let per_task = graph.vertices.div_ceil(TASKS).max(1);
    let task = |number: usize, _: usize| {
        let from = number * per_task;
        let first = |number: usize| vertex(graph.vertices - 1 - number);
        let roots = (from..graph.vertices.min(from + per_task)).map(first);
        let copies: u64 = roots.filter(|root| search.is_labelled(*root, 0)).map(|root| search.copies(root)).sum();
        told.found.add(copies);
        u128::from(copies)
    };
    scheduler.sum(graph.vertices.div_ceil(per_task), task, |a, b| a + b).unwrap_or(0)
}

impl Search<'_> {
    /// Those that begin with a vertex. The last vertex of each is counted where it is found.
    fn copies(&self, root: u32) -> u64 {
        let mut ranks: Ranks = [0; MOST_VERTICES];
        ranks[0] = root;
        let mut found = 0;
        self.extend(&mut ranks, 1, &mut |_| {
            found += 1;
            false
        });
        found
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::graph::EdgeList;
    use crate::oracle;
    use crate::pattern::motifs;

    proptest! {
        #![proptest_config(crate::cases(300))]

        #[test]
        fn labelled_copies_are_counted_as_by_trying_all_placements(
            draws in prop::collection::vec(0.0f64..1.0, 8 * 7 / 2),
            density in 0.2f64..1.0,
            of_vertices in prop::collection::vec(0u16..3, 8),
            of_pattern in prop::collection::vec(0u16..3, 5),
            size in 1usize..6,
            number in 0usize..21,
            forbidden in 0usize..12,
        ) {
            let all = (0..8_u32).flat_map(|a| (a + 1..8).map(move |b| (a, b)));
            let edges: Vec<_> = all.zip(&draws).filter(|(_, draw)| **draw < density).map(|(pair, _)| pair).collect();
            prop_assume!(!edges.is_empty());
            let list = EdgeList::from_pairs(edges.iter().map(|&(a, b)| (a.into(), b.into())).collect());
            let graph = Graph::from_edges(&list);
            let of_vertices = &of_vertices[..list.vertices];
            let mut by_rank = vec![0; list.vertices];
            graph.ranks().iter().zip(of_vertices).for_each(|(rank, label)| by_rank[*rank as usize] = *label);
            let labels = Labels::by_rank(by_rank, ["x", "y"].map(str::to_owned).to_vec());
            let motifs = motifs(size);
            let pattern = motifs[number % motifs.len()].1;
            let apart: Vec<_> = pattern.free().skip(forbidden).take(1).collect();
            let pattern = Pattern::new(size, &pattern.edges().collect::<Vec<_>>(), &apart).unwrap();
            let pattern = pattern.labelled(|at| of_pattern[at]);
            for induced in [Induced::Edge, Induced::Vertex] {
                let expected = oracle::labelled(of_vertices, &list.edges, &pattern, induced);
                for workers in [1, 2] {
                    let scheduler = Scheduler::unpinned(workers).unwrap();
                    let found = count(&graph, &labels, &scheduler, &pattern, induced, Told::default());
                    prop_assert_eq!(found, expected, "{} {:?}", pattern, induced);
                }
            }
        }
    }
}
