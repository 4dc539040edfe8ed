//! What is asked, and how it is to be answered.

use std::collections::BTreeMap;

use knee_workload::Error;

use super::counting::{self, Hows};
use super::terms::Sum;
use super::{Method, Order, Readers, Told, explain, formula, terms};
use crate::pattern::{Induced, Pattern};
use crate::{Graph, Scheduler};

/// Why the copies of a pattern follow from what was found.
pub(super) const ADDS_UP: &str = "what was found adds up";

/// What was found of each pattern, from which its copies follow.
pub(crate) type Found = BTreeMap<Pattern, i128>;

/// What is counted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Question {
    pub(super) sums: Vec<Sum>,
    pub(super) method: Method,
    pub(super) order: Order,
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
            if method == Method::Formula && sum.terms.iter().any(|(_, term)| !has_formula(term)) {
                let reason = format!("there is no formula for {pattern}");
                return Err(Error::new(reason).hint("--plan explore counts any pattern"));
            }
            Ok(sum)
        });
        Ok(Self { sums: sums.collect::<Result<_, _>>()?, method, order: Order::HubsFirst })
    }

    /// Whether nothing is matched, since all that is counted has a formula that fits every graph.
    #[must_use]
    pub fn matches_nothing(&self) -> bool {
        let fits = |term: &Pattern| {
            let known = formula::known(term).filter(|_| self.method != Method::Explore);
            term.vertices() == 1
                || known.is_some_and(|known| self.method == Method::Formula || known.fits_every_graph())
        };
        self.sums.iter().flat_map(|sum| &sum.terms).all(|(_, term)| fits(term))
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
        self.count_published(&Readers::unwatched(graph, scheduler), scheduler, Told::default())
    }

    /// The same in a graph that is read by a scheduler's workers. Publishes each task's copies and lists as soon as they
    /// are counted.
    pub(crate) fn count_published(&self, graph: &Readers<'_>, scheduler: &Scheduler, told: Told) -> Vec<u128> {
        // What is put together from several patterns is not found one by one.
        let asked = match &self.sums[..] {
            [Sum { terms, .. }] if terms.len() == 1 => Some(&terms[0].1),
            _ => None,
        };
        let hows = self.decide(graph.graph(), scheduler);
        let found = counting::find(&hows, graph, scheduler, self.order, told, asked);
        self.answers(&hows, &|pattern| found[pattern].raw).expect(ADDS_UP)
    }

    /// How all patterns are counted that have to be.
    pub(crate) fn decide(&self, graph: &Graph, scheduler: &Scheduler) -> Hows {
        counting::decide(self, graph, scheduler)
    }

    /// What is found of each of them in a share of a graph.
    pub(crate) fn find(&self, hows: &Hows, graph: &Readers<'_>, scheduler: &Scheduler, told: Told) -> Found {
        let found = counting::find(hows, graph, scheduler, self.order, told, None);
        found.into_iter().map(|(pattern, found)| (pattern, found.raw)).collect()
    }

    /// The patterns that have to be counted, apart from those that plans take off.
    pub(crate) fn patterns(&self) -> impl Iterator<Item = &Pattern> {
        self.sums.iter().flat_map(|sum| &sum.terms).map(|(_, pattern)| pattern)
    }

    /// The number of copies of each pattern, where all that was found is known; none if it does not add up.
    pub(crate) fn answers(&self, hows: &Hows, raw: &impl Fn(&Pattern) -> i128) -> Option<Vec<u128>> {
        self.sums.iter().map(|sum| sum.of(|pattern| counting::copies(pattern, hows, raw))).collect()
    }
}

/// Whether a formula counts it, as the number of vertices counts a single one.
fn has_formula(pattern: &Pattern) -> bool {
    pattern.vertices() == 1 || formula::known(pattern).is_some()
}
