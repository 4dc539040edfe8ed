//! Expressions of whole numbers: decimals are held with their point moved, dates as days.

use crate::field::Bounds;

/// A whole number for each row.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum Number {
    /// The value of a column.
    Column(usize),
    Constant(i128),
    Add(Box<Number>, Box<Number>),
    Multiply(Box<Number>, Box<Number>),
}

/// A floating-point number for each row.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Floating {
    /// A column of doubles.
    Column(usize),
    /// A column of exact numbers, divided by this power of ten.
    Exact(usize, f64),
    Constant(f64),
    Add(Box<Floating>, Box<Floating>),
    Subtract(Box<Floating>, Box<Floating>),
    Multiply(Box<Floating>, Box<Floating>),
}

/// A sum of columns, each with a factor, and a constant.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Linear {
    pub(crate) terms: Vec<(usize, i128)>,
    pub(crate) constant: i128,
}

impl Number {
    pub(crate) fn add(self, other: Self) -> Self {
        match (self, other) {
            (Self::Constant(0), other) | (other, Self::Constant(0)) => other,
            (one, other) => Self::Add(Box::new(one), Box::new(other)),
        }
    }

    pub(crate) fn multiply(self, other: Self) -> Self {
        match (self, other) {
            (Self::Constant(1), other) | (other, Self::Constant(1)) => other,
            (one, other) => Self::Multiply(Box::new(one), Box::new(other)),
        }
    }

    pub(crate) fn negated(self) -> Self {
        Self::Constant(-1).multiply(self)
    }

    /// The smallest and the largest value it can have, with columns inside their bounds; none beyond 126 bits.
    pub(crate) fn bounds(&self, of: &impl Fn(usize) -> Bounds) -> Option<Bounds> {
        let bounds = match self {
            Self::Column(column) => of(*column),
            Self::Constant(value) => Bounds { low: *value, high: *value },
            Self::Add(one, other) => {
                let (a, b) = (one.bounds(of)?, other.bounds(of)?);
                Bounds { low: a.low.checked_add(b.low)?, high: a.high.checked_add(b.high)? }
            }
            Self::Multiply(one, other) => {
                let (a, b) = (one.bounds(of)?, other.bounds(of)?);
                let corners = [(a.low, b.low), (a.low, b.high), (a.high, b.low), (a.high, b.high)];
                let corners = corners.map(|(a, b)| a.checked_mul(b));
                let low = corners.into_iter().try_fold(i128::MAX, |low, corner| Some(low.min(corner?)))?;
                let high = corners.into_iter().try_fold(i128::MIN, |high, corner| Some(high.max(corner?)))?;
                Bounds { low, high }
            }
        };
        Some(bounds).filter(|bounds| bounds.largest() < 1 << 126)
    }

    /// As a sum of columns, if it is one.
    pub(crate) fn linear(&self) -> Option<Linear> {
        match self {
            Self::Column(column) => Some(Linear { terms: vec![(*column, 1)], constant: 0 }),
            Self::Constant(value) => Some(Linear { terms: Vec::new(), constant: *value }),
            Self::Add(one, other) => one.linear()?.plus(&other.linear()?),
            Self::Multiply(one, other) => {
                let (one, other) = (one.linear()?, other.linear()?);
                if one.terms.is_empty() {
                    other.times(one.constant)
                } else if other.terms.is_empty() {
                    one.times(other.constant)
                } else {
                    None
                }
            }
        }
    }

    /// As a sum of products: each a constant and its factors, of which none is a product or a constant.
    pub(crate) fn products(&self) -> Option<Vec<(i128, Vec<Number>)>> {
        match self {
            Self::Column(_) => Some(vec![(1, vec![self.clone()])]),
            Self::Constant(value) => Some(vec![(*value, Vec::new())]),
            Self::Add(one, other) => {
                let mut all = one.products()?;
                all.extend(other.products()?);
                Some(all)
            }
            Self::Multiply(..) => {
                let mut factors = Vec::new();
                let constant = self.factors(&mut factors)?;
                Some(vec![(constant, factors)])
            }
        }
    }

    fn factors(&self, into: &mut Vec<Number>) -> Option<i128> {
        match self {
            Self::Constant(value) => Some(*value),
            Self::Multiply(one, other) => one.factors(into)?.checked_mul(other.factors(into)?),
            Self::Column(_) | Self::Add(..) => {
                into.push(self.clone());
                Some(1)
            }
        }
    }

    /// Its value in a row; none if it needs more than 128 bits.
    pub(crate) fn value(&self, of: &impl Fn(usize) -> i128) -> Option<i128> {
        match self {
            Self::Column(column) => Some(of(*column)),
            Self::Constant(value) => Some(*value),
            Self::Add(one, other) => one.value(of)?.checked_add(other.value(of)?),
            Self::Multiply(one, other) => one.value(of)?.checked_mul(other.value(of)?),
        }
    }

    pub(crate) fn columns(&self, into: &mut Vec<usize>) {
        match self {
            Self::Column(column) => into.push(*column),
            Self::Constant(_) => {}
            Self::Add(one, other) | Self::Multiply(one, other) => {
                one.columns(into);
                other.columns(into);
            }
        }
    }
}

impl Linear {
    fn plus(mut self, other: &Self) -> Option<Self> {
        self.constant = self.constant.checked_add(other.constant)?;
        for (column, factor) in &other.terms {
            match self.terms.iter_mut().find(|(own, _)| own == column) {
                Some((_, own)) => *own = own.checked_add(*factor)?,
                None => self.terms.push((*column, *factor)),
            }
        }
        Some(self)
    }

    fn times(mut self, factor: i128) -> Option<Self> {
        self.constant = self.constant.checked_mul(factor)?;
        for (_, own) in &mut self.terms {
            *own = own.checked_mul(factor)?;
        }
        Some(self)
    }
}

impl Floating {
    /// Its value in a row.
    pub(crate) fn value(&self, exact: &impl Fn(usize) -> i128, double: &impl Fn(usize) -> f64) -> f64 {
        match self {
            Self::Column(column) => double(*column),
            Self::Exact(column, power) => exact(*column) as f64 / power,
            Self::Constant(value) => *value,
            Self::Add(one, other) => one.value(exact, double) + other.value(exact, double),
            Self::Subtract(one, other) => one.value(exact, double) - other.value(exact, double),
            Self::Multiply(one, other) => one.value(exact, double) * other.value(exact, double),
        }
    }

    pub(crate) fn columns(&self, into: &mut Vec<usize>) {
        match self {
            Self::Column(column) | Self::Exact(column, _) => into.push(*column),
            Self::Constant(_) => {}
            Self::Add(one, other) | Self::Subtract(one, other) | Self::Multiply(one, other) => {
                one.columns(into);
                other.columns(into);
            }
        }
    }
}
