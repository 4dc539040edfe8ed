//! What a worker has found so far, and how two of them become one.

use knee_workload::Error;

use super::{Scan, Source, Total};
use crate::answer::{Answer, Found, Group, Partial};
use crate::error::too_large;
use crate::plan::Plan;

/// Partial results, for each group.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct State {
    /// Rows.
    pub(crate) counts: Vec<u64>,
    /// Sums of products: those of a group lie together.
    pub(crate) terms: Vec<i128>,
    /// Wide sums, one list for each.
    pub(crate) sums: Vec<Vec<Total>>,
    /// Extremes, one list for each.
    pub(crate) extremes: Vec<Vec<i128>>,
    /// Aggregates of doubles by morsel, as their order matters: for each of them one list.
    pub(crate) doubles: Vec<(usize, Vec<Vec<f64>>)>,
    /// Whether a number needed more than 128 bits, so that there is no answer.
    pub(crate) overflow: bool,
    /// Bytes that were read at home, and from other nodes.
    pub(crate) read: (u64, u64),
}

impl State {
    pub(crate) fn new(scan: &Scan<'_>) -> Self {
        // One more for rows that do not count.
        let groups = scan.groups.combinations + 1;
        Self {
            counts: vec![0; groups],
            terms: vec![0; groups * scan.terms],
            sums: vec![vec![Total::default(); groups]; scan.wide.len()],
            extremes: scan.extremes.iter().map(|extreme| vec![extreme.none(); groups]).collect(),
            doubles: Vec::new(),
            overflow: false,
            read: (0, 0),
        }
    }

    /// Adds what another worker found.
    pub(crate) fn add(&mut self, other: Self, scan: &Scan<'_>) {
        let mut overflow = self.overflow | other.overflow;
        let mut plus = |own: &mut Vec<i128>, other: Vec<i128>| {
            for (own, other) in own.iter_mut().zip(other) {
                let (sum, over) = own.overflowing_add(other);
                (*own, overflow) = (sum, overflow | over);
            }
        };
        self.counts.iter_mut().zip(other.counts).for_each(|(own, other)| *own += other);
        plus(&mut self.terms, other.terms);
        for (own, other) in self.sums.iter_mut().zip(other.sums) {
            own.iter_mut().zip(other).for_each(|(own, other)| *own = own.and(other));
        }
        self.overflow = overflow;
        for ((own, other), extreme) in self.extremes.iter_mut().zip(other.extremes).zip(&scan.extremes) {
            own.iter_mut().zip(other).for_each(|(own, other)| *own = extreme.better(*own, other));
        }
        self.doubles.extend(other.doubles);
        self.read = (self.read.0 + other.read.0, self.read.1 + other.read.1);
    }

    /// The answer, where these are all rows.
    ///
    /// # Errors
    /// Where a number needs more than 128 bits, or a date more than four digits for its year.
    pub(crate) fn answer(self, plan: &Plan, scan: &Scan<'_>) -> Result<Answer, Error> {
        Ok(Answer::new(plan, self.partial(scan)?.rows(plan)?))
    }

    /// What was found, by value.
    ///
    /// # Errors
    /// Where a number needs more than 128 bits.
    pub(crate) fn partial(mut self, scan: &Scan<'_>) -> Result<Partial, Error> {
        if self.overflow {
            return Err(too_large());
        }
        self.doubles.sort_by_key(|(morsel, _)| *morsel);
        let doubles = self.joined_doubles(scan);
        let mut partial = Partial::default();
        for group in (0..scan.groups.combinations).filter(|group| self.counts[*group] > 0) {
            let found = scan.values.iter().map(|source| self.found(source, group, scan, &doubles));
            let found = found.collect::<Option<Vec<_>>>().ok_or_else(too_large)?;
            partial.insert(scan.groups.keys(group, scan.table), Group { count: self.counts[group], found });
        }
        Ok(partial)
    }

    /// The aggregates of doubles of all morsels, added in their order.
    fn joined_doubles(&self, scan: &Scan<'_>) -> Vec<Vec<f64>> {
        let groups = scan.groups.combinations;
        let mut joined: Vec<_> = scan.doubles.iter().map(|doubles| vec![doubles.none(); groups]).collect();
        for (_, morsel) in &self.doubles {
            for ((own, part), doubles) in joined.iter_mut().zip(morsel).zip(&scan.doubles) {
                own.iter_mut().zip(part).for_each(|(own, part)| *own = doubles.join(*own, *part));
            }
        }
        joined
    }

    /// None where a sum needs more than 128 bits.
    fn found(&self, source: &Source, group: usize, scan: &Scan<'_>, doubles: &[Vec<f64>]) -> Option<Found> {
        Some(match source {
            Source::Products(recipe) => {
                let terms = &self.terms[group * scan.terms..][..scan.terms];
                Found::Exact(recipe.value(terms, self.counts[group].into()))
            }
            Source::Wide(at) => Found::Exact(self.sums[*at][group].value()?),
            Source::Extreme(at) => scan.extremes[*at].found(self.extremes[*at][group]),
            Source::Double(at) => Found::Double(doubles[*at][group]),
        })
    }
}
