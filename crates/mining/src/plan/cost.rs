//! What a plan costs, by a rough model of the graph: enough to leave out what is far from the best. What is left is
//! tried on a part of the graph.

use super::order::{orders, plain, with_tails};
use super::{Bounds, Choice, Plan, Tail};
use crate::pattern::Pattern;

/// A graph in four numbers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Shape {
    pub vertices: f64,
    pub edges: f64,
    /// Neighbours of the end of an edge, on average.
    pub degree: f64,
    /// Common neighbours of the two ends of an edge, on average.
    pub common: f64,
}

/// A list this many times longer than the other is searched instead of walked.
pub(crate) const SEARCHED: usize = 24;
/// What a number in a table costs, in members of lists that are looked up.
pub(crate) const FILL: f64 = 4.0;
/// What a set costs besides, in members of a list.
const FIXED: f64 = 8.0;

impl Shape {
    /// Common neighbours of so many matched vertices, between ranks.
    fn size(&self, near: u8, bounds: Bounds) -> f64 {
        let further = i32::try_from(near.count_ones()).expect("masks are small") - 1;
        let closing = (self.common / self.degree.max(1.0)).min(1.0);
        self.degree * closing.powi(further) / share(bounds)
    }

    /// What a plan is expected to cost, in members of lists that are looked up.
    fn cost(&self, plan: &Plan) -> f64 {
        let made = |set: &usize| {
            let set = &plan.sets[*set];
            let Some(parent) = set.parent else { return 0.0 };
            let parent = self.size(plan.sets[parent].near, set.bounds) * SEARCHED as f64;
            self.size(1, set.bounds).min(parent) + FIXED
        };
        // Paths of two edges from every vertex.
        let mut cost = FILL * 2.0 * self.edges * self.degree * plan.tables.len() as f64;
        let mut matches = self.vertices;
        for (at, step) in plan.steps.iter().enumerate() {
            match at {
                0 => {}
                1 => matches = 2.0 * self.edges / share(plan.bounds(1)),
                _ => matches *= self.size(plan.sets[step.from].near, plan.bounds(at)),
            }
            cost += matches * (1.0 + step.makes.iter().map(made).sum::<f64>());
        }
        cost
    }
}

/// The part of a list that meets conditions: one of n + 1 where n others rank in any order.
fn share(bounds: Bounds) -> f64 {
    f64::from(bounds.above.count_ones() + bounds.below.count_ones() + 1)
}

/// The choices that may be the best, best first, each also with ranks turned round.
pub(crate) fn promising(pattern: &Pattern, shape: &Shape) -> Vec<Choice> {
    let costing = |choice: Choice| {
        let plan = Plan::new(pattern, &choice);
        let loose = matches!(choice.tail, Tail::Loose(_));
        let different = choice.tables != plan.tables.is_empty() && loose != plan.less.is_empty();
        different.then(|| (shape.cost(&plan), choice))
    };
    let orders = cheapest(pattern, shape, orders(pattern));
    let choices = orders.iter().flat_map(|order| with_tails(pattern, order));
    let mut all: Vec<_> = choices.filter_map(costing).collect();
    all.sort_by(|a, b| a.0.total_cmp(&b.0));
    let least = all[0].0;
    let near = all.into_iter().take(KEPT).take_while(|(cost, _)| *cost <= least * WORSE);
    near.flat_map(|(_, choice)| [Choice { turned: true, ..choice.clone() }, choice]).collect()
}

/// The orders that cost least with a tail of one vertex, where there are so many that all their tails would take minutes:
/// what order is best depends little on the tail.
fn cheapest(pattern: &Pattern, shape: &Shape, mut orders: Vec<Vec<usize>>) -> Vec<Vec<usize>> {
    if orders.len() > MANY_ORDERS {
        orders.sort_by_cached_key(|order| {
            // Costs are positive, so that their bits are in their order.
            shape.cost(&Plan::new(pattern, &plain(order, Tail::Ranked))).to_bits()
        });
        orders.truncate(BEST_ORDERS);
    }
    orders
}

/// More than a pattern of six vertices has.
const MANY_ORDERS: usize = 720;
/// So many of them have all their tails tried.
const BEST_ORDERS: usize = 100;
/// How many choices are tried.
const KEPT: usize = 16;
/// How many times the least cost one may seem to have that is tried.
const WORSE: f64 = 100.0;
