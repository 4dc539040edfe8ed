//! Which plan counts a pattern in this graph with the least reading: the promising ones are tried on the same few roots.

use super::explore::{Matcher, Roots};
use super::sets::common_count;
use crate::Graph;
use crate::pattern::Pattern;
use crate::plan::{Plan, Shape, promising};

/// Pieces of the roots that are tried, and roots in each.
const PIECES: usize = 64;
const ROOTS: usize = 8;
/// Edges whose common neighbours are counted for a graph's shape.
const EDGES: usize = 256;
/// What a partial match costs, in members of a list.
const PER_MATCH: u64 = 8;

pub(super) fn best(graph: &Graph, pattern: &Pattern) -> Plan {
    let plans = promising(pattern, &shape(graph)).into_iter().map(|choice| Plan::new(pattern, &choice));
    let plans: Vec<Plan> = plans.collect();
    // At most a sixteenth of what reading the whole graph costs, for each.
    let most = graph.edges() as u64 / 16 + 10_000;
    let costs: Vec<f64> = plans.iter().map(|plan| tried(graph, plan, most)).collect();
    let least = (0..plans.len()).min_by(|a, b| costs[*a].total_cmp(&costs[*b])).expect("each pattern has a plan");
    plans.into_iter().nth(least).expect("it is one of them")
}

/// What a plan costs as far as a part of its roots tells.
fn tried(graph: &Graph, plan: &Plan, most: u64) -> f64 {
    let roots = Roots::new(graph, plan);
    let mut matcher = Matcher::new(graph, plan);
    let (mut done, pieces) = (0, PIECES.min(roots.count() / ROOTS).max(1));
    for piece in 0..pieces {
        let start = roots.count() / pieces * piece;
        let end = roots.count().min(start + ROOTS);
        matcher.roots(roots, start..end, most);
        done += end - start;
        if matcher.cost() > most {
            break;
        }
    }
    matcher.cost() as f64 / done.max(1) as f64 * roots.count() as f64
}

impl Matcher<'_> {
    fn cost(&self) -> u64 {
        self.read.iter().sum::<u64>() + PER_MATCH * self.matches.iter().sum::<u64>()
    }
}

fn shape(graph: &Graph) -> Shape {
    let (vertices, edges) = (graph.vertices as f64, graph.edges() as f64);
    let ends = (0..graph.vertices).map(|at| (graph.neighbours.of(super::vertex(at)).len() as f64).powi(2)).sum::<f64>();
    let (step, all) = ((graph.edges() / EDGES).max(1), graph.edges());
    let some: Vec<_> = (0..all).step_by(step).flat_map(|at| graph.upward.pairs(at..at + 1)).collect();
    let common = |&(a, b): &(u32, u32)| common_count(graph.neighbours.of(a), graph.neighbours.of(b)) as f64;
    let common = some.iter().map(common).sum::<f64>() / some.len().max(1) as f64;
    Shape { vertices, edges, degree: ends / (2.0 * edges).max(1.0), common }
}
