//! Aggregates of doubles. Sums are approximate: they are added block by block, morsel by morsel, always in that order.

use std::borrow::Cow;

use super::program::{self, Rows};
use crate::lanes::{self, BLOCK, HIDDEN, Isa};
use crate::plan::Floating;
use crate::table::Codes;

/// An aggregate of doubles.
#[derive(Debug)]
pub(super) enum Doubles {
    Sum(Floating),
    Least(Floating),
    Greatest(Floating),
}

impl Doubles {
    /// What it is of.
    pub(super) fn value(&self) -> &Floating {
        match self {
            Self::Sum(value) | Self::Least(value) | Self::Greatest(value) => value,
        }
    }

    /// What a group has before its first row.
    pub(super) fn none(&self) -> f64 {
        match self {
            Self::Sum(_) => 0.0,
            Self::Least(_) => f64::NAN,
            Self::Greatest(_) => f64::NEG_INFINITY,
        }
    }

    /// Two parts together. Not-a-number is larger than all numbers, as in DuckDB.
    pub(super) fn join(&self, one: f64, other: f64) -> f64 {
        match self {
            Self::Sum(_) => one + other,
            Self::Least(_) => one.min(other),
            Self::Greatest(_) if one.is_nan() || other.is_nan() => f64::NAN,
            Self::Greatest(_) => one.max(other),
        }
    }

    /// A group's part in a block.
    pub(super) fn find(&self, isa: Isa, groups: &[u16], group: u16, values: &[f64]) -> f64 {
        match self {
            Self::Sum(_) => lanes::float_sum(isa, groups, group, values),
            Self::Least(_) => lanes::float_extremes(isa, groups, group, values).0,
            Self::Greatest(_) => lanes::float_extremes(isa, groups, group, values).1,
        }
    }

    /// Adds each row of a block to its group.
    pub(super) fn scatter(&self, groups: &[u16], values: &[f64], found: &mut [f64]) {
        for (group, value) in groups.iter().zip(values).filter(|(group, _)| **group != HIDDEN) {
            let own = &mut found[usize::from(*group)];
            *own = self.join(*own, *value);
        }
    }
}

/// Arrays of a block each that nobody computes in.
pub(super) type Free = Vec<Vec<f64>>;

/// An expression's values in a block: those of a column where they lie, others computed. Who is done with them gives
/// them [`back`].
pub(super) fn floats<'a>(isa: Isa, value: &Floating, rows: Rows<'a>, free: &mut Free) -> Cow<'a, [f64]> {
    match value {
        Floating::Column(column) => match rows.codes(*column) {
            Codes::Doubles(values) => Cow::Borrowed(values),
            other => unreachable!("it is a column of doubles: {other:?}"),
        },
        Floating::Exact(column, power) => {
            let (base, step) = rows.morsel.base_and_step(*column);
            let mut numbers = vec![0_u64; BLOCK];
            program::load(isa, rows, *column, step as u64, Some(base as u64), &mut numbers);
            filled(free, numbers.iter().map(|number| *number as i64 as f64 / power))
        }
        Floating::Constant(value) => filled(free, std::iter::repeat_n(*value, BLOCK)),
        Floating::Add(one, other) => joined(isa, (one, other), rows, free, |a, b| a + b),
        Floating::Subtract(one, other) => joined(isa, (one, other), rows, free, |a, b| a - b),
        Floating::Multiply(one, other) => joined(isa, (one, other), rows, free, |a, b| a * b),
    }
}

/// Takes values back that are no longer needed.
pub(super) fn back(values: Cow<'_, [f64]>, free: &mut Free) {
    if let Cow::Owned(values) = values {
        free.push(values);
    }
}

fn filled<'a>(free: &mut Free, values: impl Iterator<Item = f64>) -> Cow<'a, [f64]> {
    let mut own = free.pop().unwrap_or_default();
    own.clear();
    own.extend(values);
    Cow::Owned(own)
}

fn joined<'a>(
    isa: Isa,
    (one, other): (&Floating, &Floating),
    rows: Rows<'a>,
    free: &mut Free,
    join: impl Fn(f64, f64) -> f64,
) -> Cow<'a, [f64]> {
    let (one, other) = (floats(isa, one, rows, free), floats(isa, other, rows, free));
    let values = filled(free, one.iter().zip(other.iter()).map(|(one, other)| join(*one, *other)));
    back(one, free);
    back(other, free);
    values
}
