//! Counting by formulas instead of matching. Diamonds follow from t(e), the triangles on each edge: an edge is the
//! chord of t(e)·(t(e)-1)/2 diamonds. Cliques have no closed form; theirs are counted in a bitmap of the upward
//! neighbours of one vertex at a time, 64 candidates an instruction.
//!
//! Pinar, Seshadhri, Vishal, *ESCAPE: efficiently counting all 5-vertex subgraphs*, WWW 2017.

use std::sync::atomic::{AtomicU32, Ordering};

use knee_workload::Counter;
use rayon::prelude::*;

use super::{sum_ranges, vertex};
use crate::Graph;
use crate::pattern::Pattern;

/// Vertices in one task: upward lists are short and even, so vertices need not be split.
const VERTICES_PER_TASK: usize = 64;
/// Chords in one task: each costs a load and a product.
const CHORDS_PER_TASK: usize = 4096;

/// What there is a formula for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Known {
    Triangle,
    Diamond,
    Clique4,
}

/// The formula for a pattern.
pub(super) fn known(pattern: &Pattern) -> Option<Known> {
    match (pattern.vertices(), pattern.edges().count()) {
        (3, 3) => Some(Known::Triangle),
        (4, 5) => Some(Known::Diamond),
        (4, 6) => Some(Known::Clique4),
        _ => None,
    }
}

/// Counts copies by it.
pub(super) fn count(graph: &Graph, known: Known, found: Counter) -> u128 {
    match known {
        Known::Triangle => triangles(graph, found),
        Known::Diamond => diamonds(graph, found),
        Known::Clique4 => cliques4(graph, found),
    }
}

/// Which upward neighbours a vertex has, and where, as a table over all vertices: 0 for none, else position + 1.
struct Marks(Vec<u32>);

impl Marks {
    fn with<T>(graph: &Graph, task: impl FnOnce(&mut Self) -> T) -> T {
        thread_local! { static TABLE: std::cell::RefCell<Vec<u32>> = const { std::cell::RefCell::new(Vec::new()) } }
        TABLE.with(|table| {
            let mut marks = Self(table.take());
            marks.0.resize(graph.vertices, 0);
            let result = task(&mut marks);
            table.replace(marks.0);
            result
        })
    }

    /// Marks `list`, does the work, and wipes the marks again.
    fn marked<T>(&mut self, list: &[u32], work: impl FnOnce(&[u32]) -> T) -> T {
        for (position, &vertex) in (1..).zip(list) {
            self.0[vertex as usize] = position;
        }
        let result = work(&self.0);
        for &vertex in list {
            self.0[vertex as usize] = 0;
        }
        result
    }
}

fn triangles(graph: &Graph, found: Counter) -> u128 {
    let up = &graph.upward;
    sum_ranges(graph.vertices, VERTICES_PER_TASK, found, 1, |range| {
        Marks::with(graph, |marks| {
            let at = |a: usize| {
                let own = up.of(vertex(a));
                marks.marked(own, |mark| {
                    let closed = |&b: &u32| up.of(b).iter().filter(|&&c| mark[c as usize] != 0).count();
                    own.iter().map(closed).sum::<usize>()
                })
            };
            range.map(at).sum::<usize>() as u128
        })
    })
}

fn diamonds(graph: &Graph, found: Counter) -> u128 {
    let per_edge = triangles_per_edge(graph);
    let chord = |count: &AtomicU32| {
        // Relaxed: the parallel loop that wrote the counts has been joined.
        let t = u128::from(count.load(Ordering::Relaxed));
        t * t.saturating_sub(1) / 2
    };
    sum_ranges(per_edge.len(), CHORDS_PER_TASK, found, 1, |range| per_edge[range].iter().map(chord).sum())
}

/// Triangles on every edge, in the order of the upward pairs. Each triangle is found once and added to its three edges.
fn triangles_per_edge(graph: &Graph) -> Vec<AtomicU32> {
    let up = &graph.upward;
    let mut counts = Vec::new();
    counts.resize_with(up.len(), AtomicU32::default);
    // Relaxed: sums commute, and none is read before the loop is joined.
    let add = |edge: usize, n: u32| counts[edge].fetch_add(n, Ordering::Relaxed);
    let ranges = 0..graph.vertices.div_ceil(VERTICES_PER_TASK);
    ranges.into_par_iter().with_max_len(1).for_each(|task| {
        Marks::with(graph, |marks| {
            for a in task * VERTICES_PER_TASK..graph.vertices.min((task + 1) * VERTICES_PER_TASK) {
                let base = up.range(vertex(a)).start;
                let own = up.of(vertex(a));
                marks.marked(own, |mark| {
                    for (at, &b) in own.iter().enumerate() {
                        let mut closed = 0;
                        for (edge, &c) in up.range(b).zip(up.of(b)) {
                            let position = mark[c as usize];
                            if position != 0 {
                                closed += 1;
                                add(edge, 1);
                                add(base + position as usize - 1, 1);
                            }
                        }
                        if closed > 0 {
                            add(base + at, closed);
                        }
                    }
                });
            }
        });
    });
    counts
}

fn cliques4(graph: &Graph, found: Counter) -> u128 {
    sum_ranges(graph.vertices, 8, found, 1, |range| {
        Marks::with(graph, |marks| {
            let mut rows = Vec::new();
            range.map(|a| u128::from(cliques_above(graph, vertex(a), marks, &mut rows))).sum()
        })
    })
}

/// 4-cliques whose lowest vertex is `a`: triangles among its upward neighbours, on a bitmap of their edges.
fn cliques_above(graph: &Graph, a: u32, marks: &mut Marks, rows: &mut Vec<u64>) -> u64 {
    let (up, own) = (&graph.upward, graph.upward.of(a));
    let words = own.len().div_ceil(64);
    rows.clear();
    rows.resize(own.len() * words, 0);
    marks.marked(own, |mark| {
        for (row, &b) in rows.chunks_exact_mut(words.max(1)).zip(own) {
            for &c in up.of(b) {
                if let Some(position) = (mark[c as usize] as usize).checked_sub(1) {
                    row[position / 64] |= 1 << (position % 64);
                }
            }
        }
    });
    let row = |b: usize| &rows[b * words..(b + 1) * words];
    (0..own.len()).map(|b| members(row(b)).map(|c| overlap(row(b), row(c))).sum::<u64>()).sum()
}

fn members(row: &[u64]) -> impl Iterator<Item = usize> + '_ {
    row.iter().enumerate().flat_map(|(word, &bits)| {
        std::iter::successors(Some(bits), |bits| Some(bits & bits.wrapping_sub(1)))
            .take_while(|&bits| bits != 0)
            .map(move |bits| word * 64 + bits.trailing_zeros() as usize)
    })
}

fn overlap(a: &[u64], b: &[u64]) -> u64 {
    a.iter().zip(b).map(|(x, y)| u64::from((x & y).count_ones())).sum()
}
