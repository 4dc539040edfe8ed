//! Counting: what a question asks of which patterns, how each is counted, and the one loop over roots that all share.

mod bits;
mod candidates;
mod choose;
mod explore;
mod formula;
mod sets;
mod terms;

use std::ops::Range;
use std::sync::Mutex;

use knee_workload::{Counter, Error};
use rayon::prelude::*;

use crate::Graph;
use crate::pattern::{Induced, Pattern};
use crate::plan::Plan;

use explore::{Matcher, Roots};

/// Roots in one task. Few enough that a hub's edges are spread over the workers, many enough to hide a fork.
const ROOTS_PER_TASK: usize = 128;

/// Most tasks of a plan with tables, which a task has to fill for each of its first vertices.
const TASKS_WITH_TABLES: usize = 256;

/// How a pattern is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// Match vertex by vertex, symmetric matches once, the last vertices counted as sets.
    Explore,
    /// Count from triangles per edge, or in bitmaps, without matching.
    Formula,
}

/// What is counted: patterns whose edge-induced copies add up to the answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Question {
    terms: Vec<(i128, Pattern)>,
    divisor: i128,
    method: Method,
}

impl Question {
    /// Asks for the copies of a pattern.
    ///
    /// # Errors
    /// When there is no formula for it, or too many patterns would have to be counted for it.
    pub fn new(pattern: &Pattern, induced: Induced, method: Method) -> Result<Self, Error> {
        let (terms, divisor) = terms::of(pattern, induced)?;
        let without = terms.iter().find(|(_, term)| formula::known(term).is_none());
        if let (Method::Formula, Some((_, term))) = (method, without) {
            let reason = format!("there is no formula for the pattern {term}");
            return Err(Error::new(reason).hint("plan explore counts any pattern"));
        }
        Ok(Self { terms, divisor, method })
    }

    /// The number of copies in a graph, on the rayon pool that the caller is in.
    #[must_use]
    pub fn count(&self, graph: &Graph) -> u128 {
        self.count_published(graph, Counter::default())
    }

    /// The same; adds each task's copies to `found` as soon as they are counted.
    pub(crate) fn count_published(&self, graph: &Graph, found: Counter) -> u128 {
        let copies = |pattern: &Pattern| match self.method {
            Method::Explore => explored(graph, pattern, found),
            Method::Formula => formula::count(graph, formula::known(pattern).expect("it was tried"), found),
        };
        let whole = |count: u128| i128::try_from(count).expect("counts are below 2^127");
        let sum: i128 = self.terms.iter().map(|(times, pattern)| times * whole(copies(pattern))).sum();
        assert!(sum % self.divisor == 0, "{sum} is no multiple of {}", self.divisor);
        u128::try_from(sum / self.divisor).expect("there are no fewer than no copies")
    }
}

/// Counts copies by the plan that seems the best.
fn explored(graph: &Graph, pattern: &Pattern, found: Counter) -> u128 {
    if pattern.vertices() == 1 {
        return graph.vertices as u128;
    }
    by_plan(graph, &choose::best(graph, pattern), found)
}

/// Counts copies by a plan. Matchers are handed from task to task: their bitmaps are as long as the graph.
fn by_plan(graph: &Graph, plan: &Plan, found: Counter) -> u128 {
    let roots = Roots::new(graph, plan);
    let idle: Mutex<Vec<Matcher<'_>>> = Mutex::default();
    let few = if plan.tables.is_empty() { 0 } else { roots.count() / TASKS_WITH_TABLES };
    let matches = sum_ranges(roots.count(), ROOTS_PER_TASK.max(few), found, |range| {
        let own = idle.lock().expect("no holder panics").pop();
        let mut matcher = own.unwrap_or_else(|| Matcher::new(graph, plan));
        matcher.sum = 0;
        matcher.roots(roots, range, u64::MAX);
        let sum = u128::try_from(matcher.sum).expect("no negative number of matches");
        idle.lock().expect("no holder panics").push(matcher);
        sum
    });
    let divisor = u128::from(plan.divisor);
    assert!(matches % divisor == 0, "{matches} matches are no multiple of {divisor}");
    matches / divisor
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

fn vertex(number: usize) -> u32 {
    u32::try_from(number).expect("vertices fit 32 bits")
}
