//! Which plan counts a pattern in this graph with the least reading: the promising ones are tried on the same few
//! roots.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};

use super::explore::{estimated, shape};
use super::formula;
use super::work::Work;
use crate::pattern::Pattern;
use crate::plan::{Plan, Shape, promising};
use crate::{Graph, Scheduler};

/// Roots that are tried at first.
const ROOTS: usize = 64;
/// What a root costs that is tried.
const PER_ROOT: f64 = 500.0;
/// How many times more it costs to begin at the higher end of an edge: lists of lower neighbours lie scattered, those of
/// higher ones are few and stay in caches.
const SCATTERED: f64 = 1.3;
/// Most that is spent on trying plans, as a part of what the best one seems to cost.
const TRYING: f64 = 0.03;

/// The plans for a graph's patterns.
pub(super) struct Chooser<'a> {
    graph: &'a Graph,
    scheduler: &'a Scheduler,
    shape: OnceCell<Shape>,
    chosen: BTreeMap<Pattern, Chosen>,
    /// Whether what there is a formula for is counted by it.
    formulas: bool,
    /// Patterns that need not be counted again.
    counted: BTreeSet<Pattern>,
}

/// The plan that seems to cost least.
#[derive(Debug, Clone)]
pub(crate) struct Chosen {
    pub plan: Plan,
    /// What it is expected to do.
    pub work: Work,
    /// Its cost, with that of all patterns that are taken off.
    cost: f64,
}

impl Chosen {
    /// One that was chosen before.
    pub(super) fn again(plan: Plan) -> Self {
        Self { plan, work: Work::default(), cost: 0.0 }
    }
}

impl<'a> Chooser<'a> {
    pub(super) fn new(graph: &'a Graph, scheduler: &'a Scheduler, formulas: bool) -> Self {
        Self { graph, scheduler, formulas, shape: OnceCell::new(), chosen: BTreeMap::new(), counted: BTreeSet::new() }
    }

    pub(super) fn best(&mut self, pattern: &Pattern) -> Chosen {
        if let Some(known) = self.chosen.get(pattern) {
            return known.clone();
        }
        let plans = promising(pattern, self.shape.get_or_init(|| shape(self.graph)))
            .into_iter()
            .map(|choice| Plan::new(pattern, &choice));
        let plans = self.sorted(plans.collect());
        let mut best: Option<Chosen> = None;
        for mut plan in plans {
            let least = best.as_ref().map_or(f64::INFINITY, |best| best.cost);
            if plan.cost >= least {
                break;
            }
            plan.cost += plan.plan.less.iter().map(|(_, less)| self.cost(less)).sum::<f64>();
            if plan.cost < least {
                best = Some(plan);
            }
        }
        let best = best.expect("each pattern has a plan");
        self.chosen.insert(*pattern, best.clone());
        best
    }

    /// What it seems to cost to know a pattern's copies; formulas cost little beside plans.
    fn cost(&mut self, pattern: &Pattern) -> f64 {
        let by_formula = self.formulas && formula::known(pattern).is_some();
        let little = by_formula || pattern.vertices() == 1 || self.counted.contains(pattern);
        if little { 0.0 } else { self.best(pattern).cost }
    }

    /// Notes that a pattern is counted.
    pub(super) fn counted(&mut self, pattern: &Pattern) {
        self.counted.insert(*pattern);
    }

    /// Plans by what they seem to cost, least first. All are estimated from a few roots; the better ones from more, as
    /// long as that is cheap beside what the best one costs.
    fn sorted(&self, plans: Vec<Plan>) -> Vec<Chosen> {
        let (mut roots, mut tried) = (ROOTS, 0);
        // Each is tried by one worker, so that it does not matter how many there are.
        let estimated = |plans: Vec<Plan>, roots| {
            let works = self.scheduler.map(plans.len(), |number, _| estimated(self.graph, &plans[number], roots));
            let chosen = |(plan, work): (Plan, Work)| {
                let downward = plan.matched() > 1 && plan.bounds(1).below != 0;
                Chosen { cost: work.cost(&plan) * if downward { SCATTERED } else { 1.0 }, plan, work }
            };
            plans.into_iter().zip(works).map(chosen).collect::<Vec<_>>()
        };
        let mut plans = estimated(plans, roots);
        loop {
            plans.sort_by(|a, b| a.cost.total_cmp(&b.cost));
            tried += plans.len() * roots;
            if plans.len() < 2 || tried as f64 * PER_ROOT > TRYING * plans[0].cost {
                return plans;
            }
            plans.truncate(plans.len().div_ceil(2));
            roots *= 4;
            plans = estimated(plans.into_iter().map(|chosen| chosen.plan).collect(), roots);
        }
    }
}
