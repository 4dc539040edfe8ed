//! Aggregates of doubles. Sums are approximate: they are added block by block, morsel by morsel, always in that order.

use super::program::Rows;
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
    fn value(&self) -> &Floating {
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

    /// Computes the values of a block.
    pub(super) fn compute(&self, rows: Rows<'_>, values: &mut Vec<f64>) {
        *values = floats(self.value(), rows);
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

/// An expression's values in a block.
fn floats(value: &Floating, rows: Rows<'_>) -> Vec<f64> {
    match value {
        Floating::Column(column) => match rows.codes(*column) {
            Codes::Doubles(values) => values.to_vec(),
            other => unreachable!("it is a column of doubles: {other:?}"),
        },
        Floating::Exact(column, power) => {
            let number = |row: usize| rows.number(*column, row) as f64 / power;
            (0..BLOCK).map(number).collect()
        }
        Floating::Constant(value) => vec![*value; BLOCK],
        Floating::Add(one, other) => joined(one, other, rows, |a, b| a + b),
        Floating::Subtract(one, other) => joined(one, other, rows, |a, b| a - b),
        Floating::Multiply(one, other) => joined(one, other, rows, |a, b| a * b),
    }
}

fn joined(one: &Floating, other: &Floating, rows: Rows<'_>, join: impl Fn(f64, f64) -> f64) -> Vec<f64> {
    let mut values = floats(one, rows);
    values.iter_mut().zip(floats(other, rows)).for_each(|(value, other)| *value = join(*value, other));
    values
}
