//! Patterns, plans, and the one loop over edges that all of them share.

mod explore;
mod formula;
mod sets;

use std::ops::Range;

use knee_workload::Counter;
use rayon::prelude::*;

use crate::Graph;

/// Edges in one task. Small enough that a hub's edges are spread over the workers, large enough to hide a fork.
const EDGES_PER_TASK: usize = 128;

/// What is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pattern {
    /// Three vertices, all joined.
    Triangle,
    /// Four vertices, all joined but for one pair: a chordal 4-cycle.
    Diamond,
    /// Four vertices, all joined.
    Clique4,
}

impl Pattern {
    /// Names as they are written.
    pub const NAMES: &'static [&'static str] = &["triangle", "diamond", "4-clique"];

    /// The pattern of that name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        match name {
            "triangle" => Some(Self::Triangle),
            "diamond" => Some(Self::Diamond),
            "4-clique" => Some(Self::Clique4),
            _ => None,
        }
    }
}

/// How to count it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Plan {
    /// Match vertex by vertex, symmetric matches once, the last vertex counted as a set.
    Explore,
    /// Count from triangles per edge, or in bitmaps, without matching.
    Formula,
}

/// Counts the edge-induced copies of `pattern`, on the rayon pool that the caller is in.
#[must_use]
pub fn count(graph: &Graph, pattern: Pattern, plan: Plan) -> u128 {
    count_published(graph, pattern, plan, Counter::default())
}

/// The same; adds each task's copies to `found` as soon as they are counted.
pub(crate) fn count_published(graph: &Graph, pattern: Pattern, plan: Plan, found: Counter) -> u128 {
    match (plan, pattern) {
        (Plan::Explore, Pattern::Triangle) => explore::triangles(graph, found),
        (Plan::Explore, Pattern::Diamond) => explore::diamonds(graph, found),
        (Plan::Explore, Pattern::Clique4) => explore::cliques4(graph, found),
        (Plan::Formula, Pattern::Triangle) => formula::triangles(graph, found),
        (Plan::Formula, Pattern::Diamond) => formula::diamonds(graph, found),
        (Plan::Formula, Pattern::Clique4) => formula::cliques4(graph, found),
    }
}

/// Sums `tasks` ranges of `0..items` in parallel, and adds each to `found`; a participating worker creates its scratch
/// space once per range.
fn sum_ranges(items: usize, per_task: usize, found: Counter, task: impl Fn(Range<usize>) -> u128 + Sync) -> u128 {
    let range = |number: usize| number * per_task..items.min((number + 1) * per_task);
    let told = |number: usize| {
        let sum = task(range(number));
        found.add(u64::try_from(sum).unwrap_or(u64::MAX));
        sum
    };
    (0..items.div_ceil(per_task)).into_par_iter().with_max_len(1).map(told).sum()
}
