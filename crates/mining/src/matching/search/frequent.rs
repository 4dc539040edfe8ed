//! Frequent patterns: those that enough vertices take part in.
//!
//! The support of a pattern is its minimum image: for each of its vertices, the number of vertices of the graph that are in
//! its place in some copy; the least of these. No pattern is more frequent than one that it contains, so patterns grow by
//! an edge at a time from those that are frequent. A copy is searched for each vertex and place that no copy was found
//! for before: most are found on the way.
//!
//! Bringmann, Nijssen, *What is frequent in a single graph?*, PAKDD 2008; Elseidy, Abdelhamid, Skiadopoulos, Kalnis,
//! *`GraMi`: frequent subgraph and pattern mining in a single large graph*, VLDB 2014.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicU64, Ordering};

use super::{Ranks, Search};
use crate::graph::Labels;
use crate::matching::vertex;
use crate::pattern::{MOST_VERTICES, members};
use crate::{Graph, Pattern, Scheduler};

/// Most tasks.
const TASKS: usize = 4096;
/// So few vertices are tried by one worker: to wake others would take longer.
const FEW: usize = 256;

/// A pattern and its support.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Frequent {
    pub pattern: Pattern,
    pub support: usize,
}

/// All edge-induced patterns of up to so many edges whose support is not below `least`: few edges first, those of higher
/// support before others. Where vertices have labels, all of a pattern's have one.
pub(crate) fn frequent(
    graph: &Graph,
    labels: &Labels,
    scheduler: &Scheduler,
    edges: usize,
    least: usize,
) -> Vec<Frequent> {
    let mut with_label: BTreeMap<u16, Vec<u32>> = BTreeMap::new();
    // Those of many neighbours first.
    (0..graph.vertices).rev().map(vertex).for_each(|rank| with_label.entry(labels.of(rank)).or_default().push(rank));
    let mining = Mining { graph, labels, with_label, scheduler, least };
    let (mut all, mut candidates, mut pairs) = (Vec::new(), mining.edges(), BTreeSet::new());
    for size in 1..=edges {
        let found: BTreeMap<Pattern, usize> =
            candidates.into_iter().filter_map(|pattern| Some((pattern, mining.support(&pattern)?))).collect();
        if size == 1 {
            let ends = |pattern: &Pattern| (pattern.label(0), pattern.label(1));
            pairs = found.keys().map(ends).flat_map(|(a, b)| [(a, b), (b, a)]).collect();
        }
        // What the largest ones would grow to is not asked for.
        let growing = found.keys().filter(|_| size < edges);
        let larger = growing.flat_map(|pattern| grown(pattern, &pairs));
        candidates = larger.filter(|one| parts(one).all(|part| found.contains_key(&part))).collect();
        let mut found: Vec<_> = found.into_iter().map(|(pattern, support)| Frequent { pattern, support }).collect();
        found.sort_by_key(|one| (std::cmp::Reverse(one.support), one.pattern));
        all.append(&mut found);
    }
    all
}

struct Mining<'a> {
    graph: &'a Graph,
    labels: &'a Labels,
    /// The vertices of each label.
    with_label: BTreeMap<u16, Vec<u32>>,
    scheduler: &'a Scheduler,
    least: usize,
}

impl Mining<'_> {
    /// The single edges that there are, by their ends' labels.
    fn edges(&self) -> BTreeSet<Pattern> {
        let of = |low: u32| {
            let own = self.labels.of(low);
            let pair = move |high: &u32| (own.min(self.labels.of(*high)), own.max(self.labels.of(*high)));
            self.graph.upward(low).iter().map(pair)
        };
        let all: Vec<u32> = (0..self.graph.vertices).rev().map(vertex).collect();
        let seen = |some: &[u32]| some.iter().copied().flat_map(of).collect::<BTreeSet<_>>();
        let pairs: BTreeSet<_> = self.each_task(&all, seen).into_iter().flatten().collect();
        let edge = Pattern::new(2, &[(0, 1)], &[]).expect("it is one");
        let labelled = |(a, _): &(u16, u16)| self.labels.is_none() || *a != 0;
        pairs.into_iter().filter(labelled).map(|(a, b)| edge.labelled(|at| [a, b][at]).canonical()).collect()
    }

    /// Calls `task` with a part of some vertices at a time.
    fn each_task<R: Send>(&self, vertices: &[u32], task: impl Fn(&[u32]) -> R + Sync) -> Vec<R> {
        let parts: Vec<&[u32]> = vertices.chunks(vertices.len().div_ceil(TASKS).max(1)).collect();
        if vertices.len() < FEW {
            return parts.into_iter().map(task).collect();
        }
        self.scheduler.map(parts.len(), |number, _| task(parts[number]))
    }

    /// The support of a pattern; none if it is too low.
    fn support(&self, pattern: &Pattern) -> Option<usize> {
        let like = exchanged(pattern);
        let images: Vec<Image> = like.iter().map(|_| Image::new(self.graph.vertices)).collect();
        let with_label = |place: usize| self.with_label.get(&pattern.label(place)).map_or(&[][..], Vec::as_slice);
        let mut places: Vec<usize> = (0..pattern.vertices()).filter(|place| like[*place] == *place).collect();
        // A place that few vertices can be in decides soonest.
        places.sort_by_key(|place| with_label(*place).len());
        let mut support = usize::MAX;
        for place in places {
            if with_label(place).len() < self.least {
                return None;
            }
            let search = Search::from(self.graph, self.labels, pattern, place);
            self.each_task(with_label(place), |roots: &[u32]| {
                for &root in roots.iter().filter(|root| !images[place].has(**root)) {
                    search.first_from(root, |copy| {
                        like.iter().zip(copy).for_each(|(place, rank)| images[*place].put(*rank));
                    });
                }
            });
            support = support.min(images[place].size());
            if support < self.least {
                return None;
            }
        }
        Some(support)
    }
}

impl Search<'_> {
    /// Calls `found` with the vertices of a match that begins with a vertex, in the pattern's own order, if there is one.
    fn first_from(&self, root: u32, mut found: impl FnMut(&Ranks)) {
        let mut ranks: Ranks = [0; MOST_VERTICES];
        ranks[0] = root;
        self.extend(&mut ranks, 1, &mut |ranks| {
            found(&self.own_order(ranks));
            true
        });
    }
}

/// The vertices in one place of a pattern, a bit for each rank. Relaxed: what another worker has just put here is looked
/// for again at worst, and sizes are asked behind a join.
struct Image(Vec<AtomicU64>);

impl Image {
    fn new(vertices: usize) -> Self {
        Self((0..vertices.div_ceil(64)).map(|_| AtomicU64::new(0)).collect())
    }

    fn has(&self, rank: u32) -> bool {
        self.0[rank as usize / 64].load(Ordering::Relaxed) >> (rank % 64) & 1 == 1
    }

    fn put(&self, rank: u32) {
        if !self.has(rank) {
            self.0[rank as usize / 64].fetch_or(1 << (rank % 64), Ordering::Relaxed);
        }
    }

    fn size(&self) -> usize {
        self.0.iter().map(|word| word.load(Ordering::Relaxed).count_ones() as usize).sum()
    }
}

/// For each vertex of a pattern, the first of those that symmetries exchange it with.
fn exchanged(pattern: &Pattern) -> Vec<usize> {
    let all = pattern.automorphisms();
    let first = |vertex: usize| all.iter().map(|to| usize::from(to[vertex])).min().expect("the identity is one");
    (0..pattern.vertices()).map(first).collect()
}

/// All patterns with one edge more, between labels that frequent edges join.
fn grown(pattern: &Pattern, pairs: &BTreeSet<(u16, u16)>) -> Vec<Pattern> {
    let vertices = pattern.vertices();
    let edges: Vec<_> = pattern.edges().collect();
    let labels: Vec<u16> = (0..vertices).map(|at| pattern.label(at)).collect();
    let with = |vertices: usize, edge: (usize, usize), labels: &[u16]| {
        let more: Vec<_> = edges.iter().copied().chain([edge]).collect();
        let larger = Pattern::new(vertices, &more, &[]).expect("it is connected");
        larger.labelled(|at| labels[at]).canonical()
    };
    let closed = pattern.free().filter(|(a, b)| pairs.contains(&(labels[*a], labels[*b])));
    let mut all: Vec<_> = closed.map(|edge| with(vertices, edge, &labels)).collect();
    if vertices < MOST_VERTICES {
        for from in 0..vertices {
            for (_, label) in pairs.range((labels[from], 0)..=(labels[from], u16::MAX)) {
                let more: Vec<u16> = labels.iter().copied().chain([*label]).collect();
                all.push(with(vertices + 1, (from, vertices), &more));
            }
        }
    }
    all
}

/// The connected patterns with one edge less.
fn parts(pattern: &Pattern) -> impl Iterator<Item = Pattern> {
    let edges: Vec<_> = pattern.edges().collect();
    (0..edges.len()).filter_map(move |left_out| {
        let less: Vec<_> = edges.iter().enumerate().filter(|(at, _)| *at != left_out).map(|(_, edge)| *edge).collect();
        let used = less.iter().fold(0_u8, |used, (a, b)| used | 1 << a | 1 << b);
        let kept: Vec<usize> = members(used).collect();
        let number = |vertex: usize| kept.iter().position(|one| *one == vertex).expect("it is used");
        let less: Vec<_> = less.iter().map(|(a, b)| (number(*a), number(*b))).collect();
        let part = Pattern::new(kept.len(), &less, &[]).ok()?;
        Some(part.labelled(|at| pattern.label(kept[at])).canonical())
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::graph::EdgeList;
    use crate::pattern::motifs;

    /// The minimum image by trying all placements.
    fn support(graph: &Graph, labels: &Labels, pattern: &Pattern) -> usize {
        let mut images = vec![BTreeSet::new(); pattern.vertices()];
        let mut place = |ranks: &[u32]| {
            let labelled = (0..).zip(ranks).all(|(at, rank)| labels.of(*rank) == pattern.label(at));
            if labelled && pattern.edges().all(|(a, b)| graph.joined(ranks[a], ranks[b])) {
                images.iter_mut().zip(ranks).for_each(|(image, rank)| _ = image.insert(*rank));
            }
        };
        tuples(graph.vertices, pattern.vertices(), &mut Vec::new(), &mut place);
        images.iter().map(BTreeSet::len).min().unwrap()
    }

    fn tuples(of: usize, count: usize, begin: &mut Vec<u32>, each: &mut impl FnMut(&[u32])) {
        if begin.len() == count {
            return each(begin);
        }
        for next in (0..of).map(vertex) {
            if !begin.contains(&next) {
                begin.push(next);
                tuples(of, count, begin, each);
                begin.pop();
            }
        }
    }

    proptest! {
        #![proptest_config(crate::cases(100))]

        #[test]
        fn what_is_frequent_is_what_trying_everything_finds(
            draws in prop::collection::vec(0.0f64..1.0, 7 * 6 / 2),
            density in 0.2f64..1.0,
            of_ranks in prop::collection::vec(0u16..3, 7),
            with_labels in prop::bool::ANY,
            least in 1usize..4,
            workers in 1usize..3,
        ) {
            let all = (0..7_u64).flat_map(|a| (a + 1..7).map(move |b| (a, b)));
            let edges: Vec<_> = all.zip(&draws).filter(|(_, draw)| **draw < density).map(|(pair, _)| pair).collect();
            prop_assume!(!edges.is_empty());
            let graph = Graph::from_edges(&EdgeList::from_pairs(edges));
            let words = ["x", "y"].map(str::to_owned).to_vec();
            let labels = if with_labels { Labels::by_rank(of_ranks[..graph.vertices].to_vec(), words) } else { Labels::default() };
            let number = if with_labels { 1..=2_u16 } else { 0..=0 };
            let mut expected = BTreeMap::new();
            for (_, pattern) in (2..=4).flat_map(motifs).filter(|(_, pattern)| pattern.edges().count() <= 3) {
                let mut given = vec![Vec::new()];
                for _ in 0..pattern.vertices() {
                    given = given.into_iter().flat_map(|begin: Vec<u16>| number.clone().map(move |label| [&begin[..], &[label]].concat())).collect();
                }
                for labelled in given {
                    let pattern = pattern.labelled(|at| labelled[at]).canonical();
                    let support = support(&graph, &labels, &pattern);
                    if support >= least {
                        expected.insert(pattern, support);
                    }
                }
            }
            let found = frequent(&graph, &labels, &Scheduler::unpinned(workers).unwrap(), 3, least);
            let found: BTreeMap<_, _> = found.into_iter().map(|one| (one.pattern, one.support)).collect();
            prop_assert_eq!(found, expected);
        }
    }
}
