//! Copies in which some pairs must not be joined, from counts in which they may be.
//!
//! Let inj(P, A) be the number of ways to place a pattern's vertices so that all edges P are there and none of A. By
//! inclusion and exclusion it is the sum over all S ⊆ A of (-1)^|S| inj(P ∪ S, ∅); and a pattern without forbidden
//! pairs has inj = copies × symmetries. Many S give isomorphic patterns. So pairs are moved from A to P one at a time,
//! and what is isomorphic is put together at once: after s moves each S has been reached from s sets with one pair
//! less, hence the division by s.
//!
//! Vertex-induced copies are those in which all pairs that are no edges are forbidden.

use std::collections::BTreeMap;

use knee_workload::Error;

use super::small;
use crate::pattern::{Induced, Pattern};

/// Most patterns that are counted for one answer.
const MOST: usize = 1000;

/// Most patterns in which some pairs are still apart that are looked at in one step: more would take long.
const MOST_BETWEEN: usize = 5000;

/// Edge-induced copies of patterns, of each so many times, that add up to a multiple of the answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Sum {
    pub terms: Vec<(i128, Pattern)>,
    /// By what the sum is divided.
    pub divisor: i128,
}

impl Sum {
    /// The answer from the copies of each pattern; none if they do not add up.
    pub(super) fn of(&self, copies: impl Fn(&Pattern) -> Option<u128>) -> Option<u128> {
        let times = |(times, pattern): &(i128, Pattern)| {
            let copies = small(i128::try_from(copies(pattern)?).ok());
            Some(small(copies.checked_mul(*times)))
        };
        let mut terms = self.terms.iter().map(times);
        let sum = terms.try_fold(0, |sum: i128, term| Some(small(sum.checked_add(term?))))?;
        (sum % self.divisor == 0).then(|| u128::try_from(sum / self.divisor).ok())?
    }
}

/// What adds up to the copies of a pattern.
pub(super) fn of(pattern: &Pattern, induced: Induced) -> Result<Sum, Error> {
    let asked = if induced == Induced::Vertex { pattern.exactly() } else { *pattern };
    let mut layer = BTreeMap::from([(asked.canonical(), 1_i128)]);
    let mut sums: BTreeMap<Pattern, i128> = BTreeMap::new();
    for moved in 1_i128.. {
        let sign = if moved % 2 == 1 { 1 } else { -1 };
        for (class, times) in &layer {
            *sums.entry(class.without_apart().canonical()).or_default() += sign * times;
        }
        let mut next: BTreeMap<Pattern, i128> = BTreeMap::new();
        for (class, times) in &layer {
            for pair in class.apart() {
                *next.entry(class.with(pair).canonical()).or_default() += times;
            }
            if next.len() > MOST_BETWEEN {
                return Err(too_many(pattern, MOST_BETWEEN, "looked at"));
            }
        }
        for times in next.values_mut() {
            *times /= moved;
        }
        if sums.len() > MOST {
            return Err(too_many(pattern, MOST, "counted"));
        }
        if next.is_empty() {
            break;
        }
        layer = next;
    }
    let weighted = |(pattern, times): (Pattern, i128)| (times * symmetries(&pattern), pattern);
    let terms: Vec<_> = sums.into_iter().filter(|(_, times)| *times != 0).map(weighted).collect();
    // In lowest terms, so that no product is larger than it must be.
    let divisor = symmetries(&asked);
    let common = terms.iter().fold(divisor, |common, (times, _)| gcd(common, times.abs()));
    let terms = terms.into_iter().map(|(times, pattern)| (times / common, pattern)).collect();
    Ok(Sum { terms, divisor: divisor / common })
}

fn gcd(a: i128, b: i128) -> i128 {
    if b == 0 { a } else { gcd(b, a % b) }
}

fn symmetries(pattern: &Pattern) -> i128 {
    i128::try_from(pattern.automorphisms().len()).expect("a pattern has at most 8! symmetries")
}

fn too_many(pattern: &Pattern, most: usize, what: &str) -> Error {
    let pairs = "pairs that must not be joined are counted by way of the patterns in which some of them are";
    Error::new(format!("more than {most} patterns would have to be {what} for {pattern}"))
        .hint(format!("{pairs}; use fewer, or a smaller pattern"))
}
