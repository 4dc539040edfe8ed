//! What matching takes, counted or estimated.

use crate::pattern::MOST_VERTICES;
use crate::plan::Plan;

/// What a partial match costs, in members of a list.
const PER_MATCH: f64 = 8.0;
/// And where it is only looked up in a table.
const PER_LOOK: f64 = 1.5;

/// What a plan does at each position, or is expected to do.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct Work {
    /// Partial matches.
    pub matches: [f64; MOST_VERTICES],
    /// Members of lists read.
    pub read: [f64; MOST_VERTICES],
}

impl Work {
    pub(super) fn plus(self, other: Self) -> Self {
        let sum = |a: [f64; MOST_VERTICES], b: [f64; MOST_VERTICES]| std::array::from_fn(|at| a[at] + b[at]);
        Self { matches: sum(self.matches, other.matches), read: sum(self.read, other.read) }
    }

    pub(super) fn times(self, factor: f64) -> Self {
        Self { matches: self.matches.map(|count| count * factor), read: self.read.map(|count| count * factor) }
    }

    /// Partial matches at all positions.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "they are counted, or parts of one")]
    pub(super) fn tried(&self) -> u64 {
        self.matches.iter().sum::<f64>() as u64
    }

    /// What it costs, in members of lists that are looked up.
    pub(super) fn cost(&self, plan: &Plan) -> f64 {
        let last = self.matches[plan.matched() - 1] * if plan.looks_up() { PER_MATCH - PER_LOOK } else { 0.0 };
        self.read.iter().sum::<f64>() + PER_MATCH * self.matches.iter().sum::<f64>() - last
    }
}
