//! The first copies, up to a limit.
//!
//! What is found is the same for any number of workers: tasks are run in waves, and what a wave finds is kept in the order
//! of its tasks.

use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::Search;
use crate::graph::Labels;
use crate::matching::vertex;
use crate::pattern::MOST_VERTICES;
use crate::{Graph, Induced, Pattern, Scheduler};

/// Vertices at which the matching of one task begins.
const VERTICES_PER_TASK: usize = 16;
/// Most tasks of a wave, for each worker. The first waves have fewer: most limits are reached by the first tasks.
const MOST_PER_WORKER: usize = 256;

/// Most copies that a task finds, and half of what all of a wave may hold.
const MOST_FOUND: usize = 1 << 20;

/// The ranks of the vertices of what was found, in the order of the pattern's.
pub(crate) type Found = [u32; MOST_VERTICES];

/// Finds the first copies of a pattern, up to `limit`. Those of vertices with many neighbours come first.
pub(crate) fn first(
    (graph, labels): (&Graph, &Labels),
    scheduler: &Scheduler,
    pattern: &Pattern,
    induced: Induced,
    limit: usize,
) -> Vec<Found> {
    found((graph, labels), scheduler, pattern, induced, limit, false)
}

/// Whether there is a copy of a pattern. Any that is found ends the search of all workers.
pub(crate) fn exists(graph: (&Graph, &Labels), scheduler: &Scheduler, pattern: &Pattern, induced: Induced) -> bool {
    !found(graph, scheduler, pattern, induced, 1, true).is_empty()
}

/// The first copies, or, where `any` will do, those that are found first.
fn found(
    (graph, labels): (&Graph, &Labels),
    scheduler: &Scheduler,
    pattern: &Pattern,
    induced: Induced,
    limit: usize,
    any: bool,
) -> Vec<Found> {
    let pattern = if induced == Induced::Vertex { pattern.exactly() } else { *pattern };
    let search = Search::new(graph, labels, &pattern);
    let (mut found, mut done, mut wave) = (Vec::new(), 0, 1);
    while done < graph.vertices && found.len() < limit {
        let left = limit - found.len();
        // Each task of a wave may find as many as are left.
        let most = (2 * MOST_FOUND / left).max(scheduler.workers());
        let tasks = (wave * scheduler.workers()).min(most).min((graph.vertices - done).div_ceil(VERTICES_PER_TASK));
        // The first task that finds as many as are left: what later ones find is not needed, nor what others do where any
        // will do.
        let enough = AtomicUsize::new(usize::MAX);
        let of_tasks = scheduler.map(tasks, |number, _| {
            let from = done + number * VERTICES_PER_TASK;
            let (number, ends) = if any { (1, 0) } else { (number, number) };
            let task = Task { search: &search, number, ends, limit: left, enough: &enough };
            task.copies(from..graph.vertices.min(from + VERTICES_PER_TASK))
        });
        found.extend(of_tasks.into_iter().flatten().take(left));
        done += tasks * VERTICES_PER_TASK;
        wave = (2 * wave).min(MOST_PER_WORKER);
    }
    found
}

/// A part of a search.
struct Task<'a> {
    search: &'a Search<'a>,
    /// It is over when `enough` is less.
    number: usize,
    /// What `enough` becomes when it has found as many as it may.
    ends: usize,
    limit: usize,
    enough: &'a AtomicUsize,
}

impl Task<'_> {
    /// Copies whose first vertex is one of these, counted from that of most neighbours downward.
    fn copies(&self, vertices: Range<usize>) -> Vec<Found> {
        let mut found = Vec::new();
        for number in vertices {
            let mut ranks = [0; MOST_VERTICES];
            ranks[0] = vertex(self.search.graph.vertices - 1 - number);
            if self.search.is_labelled(ranks[0], 0) && self.extend(&ranks, 1, &mut found) {
                break;
            }
        }
        found
    }

    /// Extends a match by all vertices that may be at a position. Whether there are enough.
    fn extend(&self, ranks: &Found, at: usize, found: &mut Vec<Found>) -> bool {
        if at == self.search.pattern.vertices() {
            found.push(self.search.own_order(ranks));
            if found.len() == self.limit {
                self.enough.fetch_min(self.ends, Ordering::Relaxed);
                return true;
            }
            return false;
        }
        let (mut longer, mut over) = (*ranks, self.enough.load(Ordering::Relaxed) < self.number);
        if !over {
            self.search.candidates(ranks, at, |candidate| {
                longer[at] = candidate;
                over = self.extend(&longer, at + 1, found);
                over
            });
        }
        over
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::graph::EdgeList;
    use crate::oracle;
    use crate::pattern::motifs;

    /// Whether a copy's vertices differ and are joined as the pattern asks.
    fn is_one(graph: &Graph, pattern: &Pattern, induced: Induced, copy: &Found) -> bool {
        let pattern = if induced == Induced::Vertex { pattern.exactly() } else { *pattern };
        let joined = |(a, b): (usize, usize)| graph.joined(copy[a], copy[b]);
        let differ = (0..pattern.vertices()).all(|a| !copy[..a].contains(&copy[a]));
        differ && pattern.edges().all(joined) && !pattern.apart().any(joined)
    }

    /// Its vertices and edges, which no other copy has.
    fn key(pattern: &Pattern, copy: &Found) -> Vec<(u32, u32)> {
        let edge = |(a, b): (usize, usize)| (copy[a].min(copy[b]), copy[a].max(copy[b]));
        let mut key: Vec<_> = pattern.edges().map(edge).collect();
        key.sort_unstable();
        key
    }

    proptest! {
        #![proptest_config(crate::cases(60))]

        #[test]
        fn every_copy_is_found_once_whatever_the_number_of_workers(
            draws in prop::collection::vec(0.0f64..1.0, 9 * 8 / 2),
            density in 0.2f64..1.0,
            size in 1usize..6,
            number in 0usize..21,
            forbidden in 0usize..12,
        ) {
            let all = (0..9_u32).flat_map(|a| (a + 1..9).map(move |b| (a, b)));
            let edges: Vec<_> = all.zip(&draws).filter(|(_, draw)| **draw < density).map(|(pair, _)| pair).collect();
            prop_assume!(!edges.is_empty());
            let list = EdgeList::from_pairs(edges.iter().map(|&(a, b)| (a.into(), b.into())).collect());
            let graph = Graph::from_edges(&list);
            let motifs = motifs(size);
            let pattern = motifs[number % motifs.len()].1;
            let apart: Vec<_> = pattern.free().skip(forbidden).take(1).collect();
            let pattern = Pattern::new(size, &pattern.edges().collect::<Vec<_>>(), &apart).unwrap();
            for induced in [Induced::Edge, Induced::Vertex] {
                let expected = oracle::count(list.vertices, &list.edges, &pattern, induced);
                let found = |workers, limit| first((&graph, &Labels::default()), &Scheduler::unpinned(workers).unwrap(), &pattern, induced, limit);
                let every = found(2, usize::MAX);
                prop_assert_eq!(every.len() as u128, expected, "{}", pattern);
                prop_assert!(every.iter().all(|copy| is_one(&graph, &pattern, induced, copy)));
                let mut keys: Vec<_> = every.iter().map(|copy| key(&pattern, copy)).collect();
                keys.sort_unstable();
                keys.dedup();
                prop_assert!(size == 1 || apart.len() == 1 || keys.len() == every.len());
                prop_assert_eq!(&found(1, 3)[..], &every[..every.len().min(3)]);
                let there = |workers| exists((&graph, &Labels::default()), &Scheduler::unpinned(workers).unwrap(), &pattern, induced);
                prop_assert_eq!([there(1), there(3)], [expected > 0; 2]);
            }
        }
    }

    #[test]
    fn conditions_leave_room_for_what_is_matched_later() {
        // Nearly any eight vertices are a copy, but from the lowest ranks up none would be found for ages.
        let all = (0..60_u64).flat_map(|a| (a + 1..60).map(move |b| (a, b))).collect();
        let graph = Graph::from_edges(&EdgeList::from_pairs(all));
        let found = first(
            (&graph, &Labels::default()),
            &Scheduler::unpinned(2).unwrap(),
            &Pattern::parse("cycle-8").unwrap(),
            Induced::Edge,
            100,
        );
        assert_eq!(found.len(), 100);
    }

    #[test]
    fn a_limit_is_kept_over_many_tasks() {
        let ring = (0..1000_u64).map(|at| (at, (at + 1) % 1000)).collect();
        let graph = Graph::from_edges(&EdgeList::from_pairs(ring));
        let wedge = Pattern::parse("wedge").unwrap();
        let found = |workers, limit| {
            first((&graph, &Labels::default()), &Scheduler::unpinned(workers).unwrap(), &wedge, Induced::Edge, limit)
        };
        assert_eq!(found(3, 5000).len(), 1000);
        assert_eq!(found(3, 0).len(), 0);
        assert_eq!(found(1, 300), found(3, 300));
        assert_eq!(found(2, 300)[..], found(2, 5000)[..300]);
    }
}
