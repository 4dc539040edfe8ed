//! Counting: what a question asks of which patterns, how each is counted, and the one loop over roots that all share.

mod bitmaps;
mod choose;
mod explain;
mod explore;
mod formula;
mod terms;
mod work;

use std::collections::BTreeMap;
use std::sync::Mutex;

use knee_workload::{Counter, Error};

use crate::pattern::{Induced, Pattern};
use crate::plan::Plan;
use crate::{Graph, Scheduler};

use choose::{Chooser, Chosen};
use explore::{Roots, Worker};
use formula::{Formulas, Known};
use terms::Sum;
use work::Work;

/// Fewest roots in one task: enough to hide a fork.
const ROOTS_PER_TASK: usize = 128;

/// Most tasks. Each of those that a hub's edges are spread over marks its neighbours again.
const TASKS: usize = 4096;

/// Most tasks of a plan that prepares tables or bitmaps for each of a task's first vertices.
const TASKS_THAT_PREPARE: usize = 256;

/// Why sums are wide enough; a larger one ends the program instead of being wrong.
const SMALL: &str = "counts are below 2^127";

/// How a pattern is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// By a formula where there is one, else by matching.
    Auto,
    /// Match vertex by vertex, symmetric matches once, the last vertices counted as sets.
    Explore,
    /// By a formula, without matching.
    Formula,
}

impl Method {
    /// Names, in the order of the variants.
    pub const NAMES: &'static [&'static str] = &["auto", "explore", "formula"];

    /// The one of that name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::NAMES.iter().position(|known| *known == name).map(|at| [Self::Auto, Self::Explore, Self::Formula][at])
    }
}

/// Which parts of a graph are matched first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// Vertices of many neighbours.
    HubsFirst,
    /// Vertices in the order of the source.
    Id,
    /// Vertices of few neighbours.
    HubsLast,
}

impl Order {
    /// Names, in the order of the variants.
    pub const NAMES: &'static [&'static str] = &["hubs-first", "id", "hubs-last"];

    /// The one of that name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::NAMES.iter().position(|known| *known == name).map(|at| [Self::HubsFirst, Self::Id, Self::HubsLast][at])
    }
}

/// What is published while matching.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Told {
    /// Copies that were found.
    pub found: Counter,
    /// Lists of neighbours that were taken up.
    pub lists: Counter,
}

/// What is counted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Question {
    sums: Vec<Sum>,
    method: Method,
    order: Order,
}

impl Question {
    /// Asks for the copies of a pattern.
    ///
    /// # Errors
    /// When there is no formula for it, or too many patterns would have to be counted for it.
    pub fn new(pattern: &Pattern, induced: Induced, method: Method) -> Result<Self, Error> {
        Self::all(std::slice::from_ref(pattern), induced, method)
    }

    /// Asks for the copies of each of some patterns. What they have in common is counted once.
    ///
    /// # Errors
    /// As of [`Question::new`].
    pub fn all(patterns: &[Pattern], induced: Induced, method: Method) -> Result<Self, Error> {
        let sums = patterns.iter().map(|pattern| {
            let sum = terms::of(pattern, induced)?;
            if method == Method::Formula && sum.terms.iter().any(|(_, term)| formula::known(term).is_none()) {
                let reason = format!("there is no formula for {pattern}");
                return Err(Error::new(reason).hint("plan explore counts any pattern"));
            }
            Ok(sum)
        });
        Ok(Self { sums: sums.collect::<Result<_, _>>()?, method, order: Order::HubsFirst })
    }

    /// The same, where matching begins with other parts of the graph than its hubs.
    #[must_use]
    pub fn in_order(self, order: Order) -> Self {
        Self { order, ..self }
    }

    /// Counts, and tells how: for each pattern its plan, and what was expected and done at each position.
    #[must_use]
    pub fn explain(&self, graph: &Graph, scheduler: &Scheduler) -> String {
        explain::text(self, graph, scheduler)
    }

    /// The number of copies of each pattern in a graph.
    #[must_use]
    pub fn count(&self, graph: &Graph, scheduler: &Scheduler) -> Vec<u128> {
        self.count_published(graph, scheduler, Told::default())
    }

    /// The same; publishes each task's copies and lists as soon as they are counted.
    pub(crate) fn count_published(&self, graph: &Graph, scheduler: &Scheduler, told: Told) -> Vec<u128> {
        // What is put together from several patterns is not found one by one.
        let alone = matches!(&self.sums[..], [sum] if sum.terms.len() == 1);
        let told = if alone { told } else { Told { found: Counter::default(), ..told } };
        let mut counting = Counting::new(graph, scheduler, self, told);
        self.sums.iter().map(|sum| sum.of(|pattern| counting.copies(pattern))).collect()
    }
}

/// What has been counted in a graph.
struct Counting<'a> {
    graph: &'a Graph,
    scheduler: &'a Scheduler,
    method: Method,
    order: Order,
    told: Told,
    formulas: Formulas<'a>,
    chooser: Option<Chooser<'a>>,
    known: BTreeMap<Pattern, Counted>,
}

/// A pattern's copies, and how they were counted.
#[derive(Clone)]
struct Counted {
    copies: u128,
    how: How,
}

#[derive(Clone)]
enum How {
    /// The number of vertices.
    Vertices,
    Formula(Known),
    /// By a plan, with what was done for it.
    Plan(Box<Chosen>, Work),
}

impl<'a> Counting<'a> {
    fn new(graph: &'a Graph, scheduler: &'a Scheduler, question: &Question, told: Told) -> Self {
        let formulas = Formulas::new(graph, scheduler);
        let Question { method, order, .. } = *question;
        Self { graph, scheduler, method, order, told, formulas, chooser: None, known: BTreeMap::new() }
    }

    /// The copies of a pattern in its canonical form.
    fn copies(&mut self, pattern: &Pattern) -> u128 {
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
                _ if pattern.vertices() == 1 => Counted { copies: self.graph.vertices as u128, how: How::Vertices },
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
        let (graph, formulas) = (self.graph, self.method != Method::Explore);
        let chosen = self.chooser.get_or_insert_with(|| Chooser::new(graph, formulas)).best(pattern);
        let plan = &chosen.plan;
        // What is taken off at the end would have to be taken off what has been told.
        let found = if plan.less.is_empty() { self.told.found } else { Counter::default() };
        let told = Told { found, ..self.told };
        let (matches, work) = by_plan(graph, plan, self.scheduler, self.order, told);
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
fn by_plan(graph: &Graph, plan: &Plan, scheduler: &Scheduler, order: Order, told: Told) -> (u128, Work) {
    let roots = Roots::new(graph, plan, order).count();
    let few = roots / if plan.prepares() { TASKS_THAT_PREPARE } else { TASKS };
    let per_task = ROOTS_PER_TASK.max(few);
    // Matches for each copy.
    let each = u128::from(plan.symmetries / plan.times);
    let workers: Vec<Mutex<Option<Worker<'_>>>> = (0..scheduler.workers()).map(|_| Mutex::new(None)).collect();
    let tasks = roots.div_ceil(per_task);
    let task = |number: usize, worker: usize| {
        // Never held by two: a worker runs one task at a time.
        let mut own = workers[worker].lock().expect("no holder panics");
        let own = own.get_or_insert_with(|| Worker::new(graph, plan, order));
        let number = if order == Order::HubsFirst { tasks - 1 - number } else { number };
        let (matches, lists) = own.matches(number * per_task..roots.min((number + 1) * per_task));
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

fn vertex(number: usize) -> u32 {
    u32::try_from(number).expect("vertices fit 32 bits")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::graph::EdgeList;
    use crate::oracle;
    use crate::plan::{Choice, choices};

    /// The copies that a plan finds, where an oracle counts what is taken off.
    fn copies(graph: &Graph, plan: &Plan, oracle: impl Fn(&Pattern) -> u128) -> u128 {
        static SCHEDULER: std::sync::LazyLock<Scheduler> = std::sync::LazyLock::new(|| Scheduler::unpinned(2).unwrap());
        let matches = by_plan(graph, plan, &SCHEDULER, Order::HubsFirst, Told::default()).0 * u128::from(plan.times);
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
