//! Conditions bound to columns.

use std::collections::BTreeMap;

use super::number::{Floating, Number};
use super::ranges::Ranges;
use crate::field::Bounds;
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

    /// Whether it holds for all rows, or for none, with columns inside of bounds where these are known; none if it depends on
    /// the row, or if some of it may need more than 128 bits: that is an error in whatever order conditions are asked.
    pub(crate) fn decided(&self, of: &impl Fn(usize) -> Option<Bounds>) -> Option<bool> {
        match self {
            Self::Every => Some(true),
            Self::Exact(number, ranges) => {
                let Bounds { low, high } = known(number, of)?;
                ranges.decided(low, high)
            }
            Self::Floats(..) => None,
            Self::All(parts) => decided(parts, false, of),
            Self::Any(parts) => decided(parts, true, of),
            Self::Not(inner) => inner.decided(of).map(|holds| !holds),
        }
    }

    /// Whether a number in it may need more than 128 bits.
    fn may_overflow(&self, of: &impl Fn(usize) -> Option<Bounds>) -> bool {
        match self {
            Self::Every | Self::Floats(..) | Self::Exact(Number::Column(_) | Number::Constant(_), _) => false,
            Self::Exact(number, _) => known(number, of).is_none(),
            Self::All(parts) | Self::Any(parts) => parts.iter().any(|part| part.may_overflow(of)),
            Self::Not(inner) => inner.may_overflow(of),
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

/// The bounds of a number, if those of its columns are known.
fn known(number: &Number, of: &impl Fn(usize) -> Option<Bounds>) -> Option<Bounds> {
    let mut columns = Vec::new();
    number.columns(&mut columns);
    let known = columns.into_iter().map(|column| Some((column, of(column)?)));
    let known: BTreeMap<usize, Bounds> = known.collect::<Option<_>>()?;
    number.bounds(&|column| known[&column])
}

/// Whether one of the parts decides the whole by being `so`, or none can.
fn decided(parts: &[Filter], so: bool, of: &impl Fn(usize) -> Option<Bounds>) -> Option<bool> {
    if parts.iter().any(|part| part.may_overflow(of)) {
        return None;
    }
    let mut open = false;
    for part in parts {
        match part.decided(of) {
            Some(holds) if holds == so => return Some(so),
            Some(_) => {}
            None => open = true,
        }
    }
    (!open).then_some(!so)
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

    #[test]
    fn what_bounds_decide_holds_for_every_value_inside() {
        let of = |column: usize, low, high| Filter::Exact(Number::Column(column), Ranges::between(low, high));
        let sum = Number::Column(0).add(Number::Column(1));
        let texts = Filter::Exact(Number::Column(2), Ranges::none());
        let filters = [
            Filter::Every,
            of(0, 2, 4),
            of(0, 0, 9).not(),
            Filter::Exact(Number::Column(0), Ranges::between(3, 3).not()),
            Filter::Exact(sum.clone(), Ranges::between(4, 6)),
            Filter::Not(Box::new(Filter::All(vec![of(0, 1, 4), of(1, 2, 2)]))),
            Filter::Any(vec![of(0, 1, 2), of(1, 3, 9), texts.clone()]),
            Filter::All(vec![of(0, 1, 2), texts.clone()]),
            texts,
        ];
        let holds = |filter: &Filter, values: [i128; 3]| {
            let at = |column: usize| Some(Bounds { low: values[column], high: values[column] });
            filter.decided(&at).expect("one value decides")
        };
        for (low, high, other) in
            (0..6).flat_map(|low| (low..6).flat_map(move |high| (0..4).map(move |o| (low, high, o))))
        {
            let known = [Some(Bounds { low, high }), Some(Bounds { low: other, high: other }), None];
            for filter in &filters {
                let mut each = (low..=high).map(|value| holds(filter, [value, other, 7]));
                match filter.decided(&|column| known[column]) {
                    Some(decided) => assert!(each.all(|one| one == decided), "{filter:?} in {low}..={high}, {other}"),
                    None => assert!(
                        low < high || format!("{filter:?}").contains("Column(2)"),
                        "{filter:?} at {low}, {other}"
                    ),
                }
            }
        }
    }
}
