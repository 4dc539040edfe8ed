//! Conditions bound to columns.

use super::number::{Floating, Number};
use super::ranges::Ranges;
use crate::sql::Comparison;

/// Which rows count.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Filter {
    /// All.
    Every,
    /// Those where this number is in these ranges.
    Exact(Number, Ranges),
    /// Those where two floating-point numbers compare so.
    Floats(Floating, Comparison, Floating),
    All(Vec<Filter>),
    Any(Vec<Filter>),
    Not(Box<Filter>),
}

impl Filter {
    /// Rows where all of them hold. Conditions on the same number are one set of ranges.
    pub(crate) fn all(parts: Vec<Self>) -> Self {
        let parts = parts.into_iter().filter(|part| *part != Self::Every);
        let mut merged = merge(parts, Ranges::and);
        match merged.len() {
            0 => Self::Every,
            1 => merged.remove(0),
            _ => Self::All(merged),
        }
    }

    /// Rows where any of them holds.
    pub(crate) fn any(parts: Vec<Self>) -> Self {
        if parts.contains(&Self::Every) {
            return Self::Every;
        }
        let mut merged = merge(parts.into_iter(), Ranges::or);
        if merged.len() == 1 { merged.remove(0) } else { Self::Any(merged) }
    }

    /// The other rows.
    pub(crate) fn not(self) -> Self {
        match self {
            Self::Exact(number, ranges) => Self::Exact(number, ranges.not()),
            Self::Not(inner) => *inner,
            other => Self::Not(Box::new(other)),
        }
    }

    pub(crate) fn columns(&self, into: &mut Vec<usize>) {
        match self {
            Self::Every => {}
            Self::Exact(number, _) => number.columns(into),
            Self::Floats(left, _, right) => {
                left.columns(into);
                right.columns(into);
            }
            Self::All(parts) | Self::Any(parts) => parts.iter().for_each(|part| part.columns(into)),
            Self::Not(inner) => inner.columns(into),
        }
    }
}

fn merge(parts: impl Iterator<Item = Filter>, join: impl Fn(&Ranges, &Ranges) -> Ranges) -> Vec<Filter> {
    let mut merged: Vec<Filter> = Vec::new();
    for part in parts {
        let same = merged.iter_mut().find_map(|known| match (known, &part) {
            (Filter::Exact(one, ranges), Filter::Exact(other, more)) if one == other => Some((ranges, more)),
            _ => None,
        });
        match same {
            Some((ranges, more)) => *ranges = join(ranges, more),
            None => merged.push(part),
        }
    }
    merged
}
