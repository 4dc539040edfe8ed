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
        let mut merged = merge(parts, Ranges::all);
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
        let mut merged = merge(parts.into_iter(), Ranges::any);
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

/// Filters of which those on the same number are joined.
fn merge(parts: impl Iterator<Item = Filter>, join: impl Fn(Vec<Ranges>) -> Ranges) -> Vec<Filter> {
    // With more ranges of the same number, which are joined at the end: there may be thousands of them.
    let mut merged: Vec<(Filter, Vec<Ranges>)> = Vec::new();
    for part in parts {
        let same = merged.iter_mut().find_map(|(known, more)| match (known, &part) {
            (Filter::Exact(one, _), Filter::Exact(other, ranges)) if one == other => Some((more, ranges)),
            _ => None,
        });
        match same {
            Some((more, ranges)) => more.push(ranges.clone()),
            None => merged.push((part, Vec::new())),
        }
    }
    let joined = |(part, mut more): (Filter, Vec<Ranges>)| match part {
        Filter::Exact(number, first) if !more.is_empty() => {
            more.push(first);
            Filter::Exact(number, join(more))
        }
        other => other,
    };
    merged.into_iter().map(joined).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conditions_on_the_same_number_are_one_set() {
        let of = |column: usize, low, high| Filter::Exact(Number::Column(column), Ranges::between(low, high));
        // Every third number, the last ones first, between those of another column.
        let parts = |count: i128| (0..count).rev().flat_map(|at| [of(0, 3 * at, 3 * at), of(1, at, at + 1)]);
        let Filter::Any(merged) = Filter::any(parts(20_000).collect()) else { panic!("two columns") };
        let Filter::Exact(Number::Column(0), ranges) = &merged[0] else { panic!("{merged:?}") };
        assert_eq!(ranges.list().len(), 20_000);
        assert!((0..60_000).all(|number| ranges.contains(number) == (number % 3 == 0)));
        assert_eq!(merged[1..], [of(1, 0, 20_000)]);
        let all = [of(0, 0, 9), of(1, 5, 8), of(0, 3, 20), of(0, i128::MIN, 7)];
        assert_eq!(Filter::all(all.to_vec()), Filter::All(vec![of(0, 3, 7), of(1, 5, 8)]));
    }
}
