//! Which plan counts a pattern in this graph with the least reading: the promising ones are tried on the same few
//! roots.

use std::collections::BTreeMap;

use super::explore::{Matcher, Roots};
use super::sets::common_count;
use super::work::Work;
use crate::Graph;
use crate::pattern::Pattern;
use crate::plan::{Plan, Shape, promising};

/// Roots that are tried at first.
const ROOTS: usize = 64;
/// What a root costs that is tried.
const PER_ROOT: f64 = 500.0;
/// The golden section in parts of 2^64; the parts behind the point of its multiples lie apart.
const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;
/// Edges whose common neighbours are counted for a graph's shape.
const EDGES: usize = 256;
/// Most that is spent on trying plans, as a part of what the best one seems to cost.
const TRYING: f64 = 0.03;

/// The plans for a graph's patterns.
pub(super) struct Chooser<'a> {
    graph: &'a Graph,
    shape: Shape,
    chosen: BTreeMap<Pattern, Chosen>,
}

/// The plan that seems to cost least.
#[derive(Clone)]
pub(super) struct Chosen {
    pub plan: Plan,
    /// What it is expected to do.
    pub work: Work,
    /// Its cost, with that of all patterns that are taken off.
    cost: f64,
}

impl<'a> Chooser<'a> {
    pub(super) fn new(graph: &'a Graph) -> Self {
        Self { graph, shape: shape(graph), chosen: BTreeMap::new() }
    }

    pub(super) fn best(&mut self, pattern: &Pattern) -> Chosen {
        if let Some(known) = self.chosen.get(pattern) {
            return known.clone();
        }
        let plans = promising(pattern, &self.shape).into_iter().map(|choice| Plan::new(pattern, &choice));
        let plans = self.sorted(plans.collect());
        let mut best: Option<Chosen> = None;
        for mut plan in plans {
            let least = best.as_ref().map_or(f64::INFINITY, |best| best.cost);
            if plan.cost >= least {
                break;
            }
            plan.cost += plan.plan.less.iter().map(|(_, less)| self.best(less).cost).sum::<f64>();
            if plan.cost < least {
                best = Some(plan);
            }
        }
        let best = best.expect("each pattern has a plan");
        self.chosen.insert(*pattern, best.clone());
        best
    }

    /// Plans by what they seem to cost, least first. All are estimated from a few roots; the better ones from more, as
    /// long as that is cheap beside what the best one costs.
    fn sorted(&self, plans: Vec<Plan>) -> Vec<Chosen> {
        let (mut roots, mut tried) = (ROOTS, 0);
        let estimated = |plan, roots| {
            let work = estimated(self.graph, &plan, roots);
            Chosen { cost: work.cost(&plan), plan, work }
        };
        let mut plans: Vec<_> = plans.into_iter().map(|plan| estimated(plan, roots)).collect();
        loop {
            plans.sort_by(|a, b| a.cost.total_cmp(&b.cost));
            tried += plans.len() * roots;
            if plans.len() < 2 || tried as f64 * PER_ROOT > TRYING * plans[0].cost {
                return plans;
            }
            plans.truncate(plans.len().div_ceil(2));
            roots *= 4;
            plans = plans.into_iter().map(|chosen| estimated(chosen.plan, roots)).collect();
        }
    }
}

/// What a plan does as far as a part of its roots tells.
fn estimated(graph: &Graph, plan: &Plan, few: usize) -> Work {
    let (roots, mut matcher) = (Roots::new(graph, plan), Matcher::estimating(graph, plan, 1));
    let (all, few) = (roots.count(), few.min(roots.count()));
    for number in 0..few {
        // Any first few of them are spread evenly.
        let root = (u128::from((number as u64).wrapping_mul(GOLDEN)) * all as u128) >> 64;
        let root = usize::try_from(root).expect("it is below the number of roots");
        matcher.roots(roots, root..root + 1);
    }
    matcher.work.times(all as f64 / few.max(1) as f64)
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
