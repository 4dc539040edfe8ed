//! Counting: how is decided for all patterns first, then each is counted once, by a formula or by the plan that seems the
//! best, over tasks that all workers share; at last copies follow from what was found.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use knee_workload::Counter;
use serde::{Deserialize, Serialize};

use super::choose::{Chooser, Chosen};
use super::explore::{Roots, Worker};
use super::formula::{self, Formulas, Known};
use super::work::Work;
use super::{Method, Order, Question, Readers, Told, small};
use crate::pattern::Pattern;
use crate::plan::{Choice, Plan, is_choice};
use crate::{Graph, Scheduler};

/// Fewest roots in one task: enough to hide a fork.
const ROOTS_PER_TASK: usize = 128;

/// Most tasks. Each of those that a hub's edges are spread over marks its neighbours again.
const TASKS: usize = 4096;

/// Most tasks of a plan that prepares tables or bitmaps for each of a task's first vertices.
const TASKS_THAT_PREPARE: usize = 256;

/// How a pattern is counted.
#[derive(Debug, Clone)]
pub(crate) enum How {
    /// The number of vertices.
    Vertices,
    Formula(Known),
    Plan(Box<Chosen>),
}

/// How all patterns are counted that a question needs.
pub(crate) type Hows = BTreeMap<Pattern, How>;

/// The same in a few words, for those who have to count in the same way.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum By {
    Vertices,
    Formula,
    Plan(Choice),
}

impl How {
    pub(crate) fn by(&self) -> By {
        match self {
            Self::Vertices => By::Vertices,
            Self::Formula(_) => By::Formula,
            Self::Plan(chosen) => By::Plan(chosen.plan.choice.clone()),
        }
    }

    /// How a pattern in its canonical form is counted by these words; none if it cannot be.
    pub(crate) fn of(pattern: &Pattern, by: By) -> Option<Self> {
        match by {
            By::Vertices => (pattern.vertices() == 1).then_some(Self::Vertices),
            By::Formula => formula::known(pattern).map(Self::Formula),
            By::Plan(choice) => {
                let straight = Choice { turned: false, ..choice.clone() };
                let known = pattern.vertices() > 1 && is_choice(pattern, &straight);
                known.then(|| Self::Plan(Box::new(Chosen::again(Plan::new(pattern, &choice)))))
            }
        }
    }

    /// Patterns that have to be counted for it.
    pub(crate) fn less(&self) -> impl Iterator<Item = &Pattern> {
        let less = if let Self::Plan(chosen) = self { &chosen.plan.less[..] } else { &[] };
        less.iter().map(|(_, less)| less)
    }
}

/// What was found of a pattern: a number that has to be divided, or from which others have to be taken, before it is
/// that of copies; so those of several parts of a graph can be added up.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Found {
    pub raw: i128,
    /// What was done for it by a plan.
    pub work: Work,
}

/// Decides how to count what a question needs in a graph.
pub(super) fn decide(question: &Question, graph: &Graph, scheduler: &Scheduler) -> Hows {
    let Question { sums, method, .. } = question;
    let chooser = Chooser::new(graph, scheduler, *method != Method::Explore);
    let mut deciding = Deciding { graph, method: *method, chooser, hows: Hows::new() };
    sums.iter().flat_map(|sum| &sum.terms).for_each(|(_, pattern)| deciding.decide(pattern));
    deciding.hows
}

struct Deciding<'a> {
    graph: &'a Graph,
    method: Method,
    chooser: Chooser<'a>,
    hows: Hows,
}

impl Deciding<'_> {
    /// Decides for a pattern in its canonical form, and for those that have to be taken off it.
    fn decide(&mut self, pattern: &Pattern) {
        if self.hows.contains_key(pattern) {
            return;
        }
        let by_formula = self.method != Method::Explore;
        let how = match formula::known(pattern).filter(|known| by_formula && formula::fit(self.graph, *known)) {
            Some(known) => How::Formula(known),
            None if pattern.vertices() == 1 => How::Vertices,
            None => {
                let chosen = self.chooser.best(pattern);
                let how = How::Plan(Box::new(chosen));
                how.less().for_each(|less| self.decide(less));
                how
            }
        };
        self.hows.insert(*pattern, how);
        self.chooser.counted(pattern);
    }
}

/// Counts each pattern in the part of a graph that readers share. `asked` is published as it is counted.
pub(super) fn find(
    hows: &Hows,
    readers: &Readers<'_>,
    scheduler: &Scheduler,
    order: Order,
    told: Told,
    asked: Option<&Pattern>,
) -> BTreeMap<Pattern, Found> {
    let mut formulas = Formulas::new(readers, scheduler);
    let find = |(pattern, how): (&Pattern, &How)| {
        let found = match how {
            How::Vertices => Found { raw: readers.share().once(readers.graph().vertices as u128), ..Found::default() },
            How::Formula(known) => {
                let raw = formulas.raw(*known);
                if asked == Some(pattern) {
                    tell(told.found, raw.unsigned_abs() / known.divisor());
                }
                Found { raw, ..Found::default() }
            }
            How::Plan(chosen) => {
                // What is taken off at the end would have to be taken off what has been told.
                let alone = asked == Some(pattern) && chosen.plan.less.is_empty();
                let told = if alone { told } else { Told { found: Counter::default(), ..told } };
                let (matches, work) = by_plan(readers, &chosen.plan, scheduler, order, told);
                Found { raw: small(i128::try_from(matches).ok()), work }
            }
        };
        (*pattern, found)
    };
    hows.iter().map(find).collect()
}

/// The copies of a pattern, where all that was found is known; none if it does not add up.
pub(super) fn copies(pattern: &Pattern, hows: &Hows, raw: &impl Fn(&Pattern) -> i128) -> Option<u128> {
    let found = u128::try_from(raw(pattern)).ok()?;
    let divided = |sum: u128, by: u128| sum.is_multiple_of(by).then_some(sum / by);
    match &hows[pattern] {
        How::Vertices => Some(found),
        How::Formula(known) => divided(found, known.divisor()),
        How::Plan(chosen) => {
            let plan = &chosen.plan;
            let mut matches = small(found.checked_mul(plan.times.into()));
            for (ways, less) in &plan.less {
                let each = u128::from(*ways) * less.automorphisms().len() as u128;
                matches = matches.checked_sub(small(copies(less, hows, raw)?.checked_mul(each)))?;
            }
            divided(matches, plan.symmetries.into())
        }
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
    let (tasks, share) = (count.div_ceil(per_task), readers.share());
    let task = |number: usize, worker: usize| {
        let number = share.number(number);
        // Never held by two: a worker runs one task at a time. Where one found a number that is too large, nothing
        // of what follows counts.
        let mut own = workers[worker].lock().unwrap_or_else(PoisonError::into_inner);
        let own = own.get_or_insert_with(|| Worker::new(readers.view(worker), plan, &roots));
        let number = if order == Order::HubsFirst { tasks - 1 - number } else { number };
        let (matches, lists) = own.matches(number * per_task..count.min((number + 1) * per_task));
        tell(told.found, matches / each);
        told.lists.add(lists);
        (matches, matches / each)
    };
    let plus = |a: (u128, u128), b: (u128, u128)| (small(a.0.checked_add(b.0)), a.1 + b.1);
    let (matches, whole) = scheduler.sum(share.of(tasks), task, plus).unwrap_or_default();
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
    use crate::graph::EdgeList;
    use crate::matching::vertex;
    use crate::oracle;
    use crate::pattern::Induced;
    use crate::plan::choices;

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
        #![proptest_config(crate::cases(100))]

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
