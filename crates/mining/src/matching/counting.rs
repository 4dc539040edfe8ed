//! Counting: each pattern once, by a formula or by the plan that seems the best, over tasks that all workers share.

use std::collections::BTreeMap;
use std::sync::Mutex;

use knee_workload::Counter;

use super::choose::{Chooser, Chosen};
use super::explore::{Roots, Worker};
use super::formula::{self, Formulas, Known};
use super::work::Work;
use super::{Method, Order, Question, Readers, SMALL, Told};
use crate::Scheduler;
use crate::pattern::Pattern;
use crate::plan::Plan;

/// Fewest roots in one task: enough to hide a fork.
const ROOTS_PER_TASK: usize = 128;

/// Most tasks. Each of those that a hub's edges are spread over marks its neighbours again.
const TASKS: usize = 4096;

/// Most tasks of a plan that prepares tables or bitmaps for each of a task's first vertices.
const TASKS_THAT_PREPARE: usize = 256;

/// What has been counted in a graph.
pub(super) struct Counting<'a> {
    readers: &'a Readers<'a>,
    scheduler: &'a Scheduler,
    method: Method,
    order: Order,
    told: Told,
    formulas: Formulas<'a>,
    chooser: Option<Chooser<'a>>,
    pub known: BTreeMap<Pattern, Counted>,
}

/// A pattern's copies, and how they were counted.
#[derive(Clone)]
pub(super) struct Counted {
    pub copies: u128,
    pub how: How,
}

#[derive(Clone)]
pub(super) enum How {
    /// The number of vertices.
    Vertices,
    Formula(Known),
    /// By a plan, with what was done for it.
    Plan(Box<Chosen>, Work),
}

impl<'a> Counting<'a> {
    pub(super) fn new(readers: &'a Readers<'a>, scheduler: &'a Scheduler, question: &Question, told: Told) -> Self {
        let formulas = Formulas::new(readers, scheduler);
        let Question { method, order, .. } = *question;
        Self { readers, scheduler, method, order, told, formulas, chooser: None, known: BTreeMap::new() }
    }

    /// The copies of a pattern in its canonical form.
    pub(super) fn copies(&mut self, pattern: &Pattern) -> u128 {
        if let Some(known) = self.known.get(pattern) {
            return known.copies;
        }
        let counted =
            match formula::known(pattern).filter(|known| self.method != Method::Explore && self.formulas.fit(*known)) {
                Some(known) => {
                    let copies = self.formulas.copies(known);
                    tell(self.told.found, copies);
                    Counted { copies, how: How::Formula(known) }
                }
                _ if pattern.vertices() == 1 => {
                    Counted { copies: self.readers.graph().vertices as u128, how: How::Vertices }
                }
                _ => self.explored(pattern),
            };
        let copies = counted.copies;
        self.known.insert(*pattern, counted);
        if let Some(chooser) = &mut self.chooser {
            chooser.counted(pattern);
        }
        copies
    }

    /// Counts by the plan that seems the best.
    fn explored(&mut self, pattern: &Pattern) -> Counted {
        let (graph, formulas) = (self.readers.graph(), self.method != Method::Explore);
        let chosen = self.chooser.get_or_insert_with(|| Chooser::new(graph, self.scheduler, formulas)).best(pattern);
        let plan = &chosen.plan;
        // What is taken off at the end would have to be taken off what has been told.
        let found = if plan.less.is_empty() { self.told.found } else { Counter::default() };
        let told = Told { found, ..self.told };
        let (matches, work) = by_plan(self.readers, plan, self.scheduler, self.order, told);
        let all = matches.checked_mul(u128::from(plan.times)).expect(SMALL);
        let less: u128 = plan.less.iter().map(|(ways, less)| u128::from(*ways) * self.matches(less)).sum();
        let (matches, symmetries) = (all - less, u128::from(plan.symmetries));
        assert!(matches % symmetries == 0, "{matches} matches are no multiple of {symmetries} symmetries");
        Counted { copies: matches / symmetries, how: How::Plan(Box::new(chosen), work) }
    }

    /// The ways to place a pattern's vertices, without those of others that a plan counts as well.
    fn matches(&mut self, pattern: &Pattern) -> u128 {
        // Patterns that arise from others are not what was asked for.
        let found = std::mem::take(&mut self.told.found);
        let copies = self.copies(pattern);
        self.told.found = found;
        copies.checked_mul(pattern.automorphisms().len() as u128).expect(SMALL)
    }
}

/// Counts the matches that meet a plan's conditions, and what was done for them. Publishes both as they are counted.
fn by_plan(readers: &Readers<'_>, plan: &Plan, scheduler: &Scheduler, order: Order, told: Told) -> (u128, Work) {
    let roots = Roots::new(readers.graph(), plan, order);
    let count = roots.count();
    let few = count / if plan.prepares() { TASKS_THAT_PREPARE } else { TASKS };
    let per_task = ROOTS_PER_TASK.max(few);
    // Matches for each copy.
    let each = u128::from(plan.symmetries / plan.times);
    let workers: Vec<Mutex<Option<Worker<'_>>>> = (0..scheduler.workers()).map(|_| Mutex::new(None)).collect();
    let tasks = count.div_ceil(per_task);
    let task = |number: usize, worker: usize| {
        // Never held by two: a worker runs one task at a time.
        let mut own = workers[worker].lock().expect("no holder panics");
        let own = own.get_or_insert_with(|| Worker::new(readers.view(worker), plan, &roots));
        let number = if order == Order::HubsFirst { tasks - 1 - number } else { number };
        let (matches, lists) = own.matches(number * per_task..count.min((number + 1) * per_task));
        tell(told.found, matches / each);
        told.lists.add(lists);
        (matches, matches / each)
    };
    let plus = |a: (u128, u128), b: (u128, u128)| (a.0.checked_add(b.0).expect(SMALL), a.1 + b.1);
    let (matches, whole) = scheduler.sum(tasks, task, plus).unwrap_or_default();
    // Copies that several tasks found parts of.
    tell(told.found, matches / each - whole);
    let workers = workers.into_iter().filter_map(|own| own.into_inner().expect("no holder panics"));
    (matches, workers.map(|worker| worker.work()).fold(Work::default(), Work::plus))
}

fn tell(found: Counter, copies: u128) {
    found.add(u64::try_from(copies).unwrap_or(u64::MAX));
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::Graph;
    use crate::graph::EdgeList;
    use crate::matching::vertex;
    use crate::oracle;
    use crate::pattern::Induced;
    use crate::plan::{Choice, choices};

    /// The copies that a plan finds, where an oracle counts what is taken off.
    fn copies(graph: &Graph, plan: &Plan, oracle: impl Fn(&Pattern) -> u128) -> u128 {
        static SCHEDULER: std::sync::LazyLock<Scheduler> = std::sync::LazyLock::new(|| Scheduler::unpinned(2).unwrap());
        let readers = Readers::unwatched(graph, &SCHEDULER);
        let matches = by_plan(&readers, plan, &SCHEDULER, Order::HubsFirst, Told::default()).0 * u128::from(plan.times);
        let of = |less: &Pattern| oracle(less) * less.automorphisms().len() as u128;
        let less: u128 = plan.less.iter().map(|(ways, less)| u128::from(*ways) * of(less)).sum();
        assert_eq!((matches - less) % u128::from(plan.symmetries), 0);
        (matches - less) / u128::from(plan.symmetries)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(100))]

        #[test]
        fn every_plan_of_a_pattern_finds_the_same_copies(
            density in 0.2f64..1.0,
            draws in prop::collection::vec(0.0f64..1.0, 8 * 7 / 2),
            size in 2usize..6,
            joined in prop::collection::vec(prop::bool::ANY, 10),
        ) {
            let pairs = |count: usize| (0..count).flat_map(move |a| (a + 1..count).map(move |b| (a, b)));
            let edges: Vec<_> = pairs(8).zip(&draws).filter(|(_, draw)| **draw < density).map(|(pair, _)| pair).collect();
            prop_assume!(!edges.is_empty());
            let list = edges.iter().map(|&(a, b)| (a as u64, b as u64)).collect();
            let graph = Graph::from_edges(&EdgeList::from_pairs(list));
            let edges: Vec<_> = edges.iter().map(|&(a, b)| (vertex(a), vertex(b))).collect();
            // A path makes it connected.
            let path = (1..size).map(|at| (at - 1, at));
            let all: Vec<_> = pairs(size).zip(&joined).filter(|(_, on)| **on).map(|(pair, _)| pair).chain(path).collect();
            let pattern = Pattern::new(size, &all, &[]).unwrap();
            let oracle = |pattern: &Pattern| oracle::count(8, &edges, pattern, Induced::Edge);
            let expected = oracle(&pattern);
            for choice in choices(&pattern) {
                for turned in [false, true] {
                    let choice = Choice { turned, ..choice.clone() };
                    let found = copies(&graph, &Plan::new(&pattern, &choice), oracle);
                    prop_assert_eq!(found, expected, "{} {:?}", pattern, choice);
                }
            }
        }
    }
}
