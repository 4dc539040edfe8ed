//! Parts of a query as SQL again, for messages.

use std::fmt::{self, Display, Formatter};

use super::{Comparison, Constant, Function, Scalar};
use crate::kind::{Exact, Value};

impl Display for Function {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Sum => "sum",
            Self::Min => "min",
            Self::Max => "max",
            Self::Count => "count",
            Self::Avg => "avg",
        })
    }
}

impl Display for Comparison {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Equal => "=",
            Self::NotEqual => "<>",
            Self::Less => "<",
            Self::LessOrEqual => "<=",
            Self::Greater => ">",
            Self::GreaterOrEqual => ">=",
        })
    }
}

impl Display for Constant {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number { digits, scale } => Exact { digits: *digits, scale: *scale }.fmt(f),
            Self::Date(days) => write!(f, "DATE '{}'", Value::Date(*days)),
            Self::Text(text) => write!(f, "'{}'", text.replace('\'', "''")),
        }
    }
}

impl Display for Scalar {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let joined = |f: &mut Formatter<'_>, one: &Self, op, other: &Self| {
            one.inner(f)?;
            write!(f, " {op} ")?;
            other.inner(f)
        };
        match self {
            Self::Column(name) => f.write_str(name),
            Self::Constant(constant) => constant.fmt(f),
            Self::Add(one, other) => joined(f, one, '+', other),
            Self::Subtract(one, other) => joined(f, one, '-', other),
            Self::Multiply(one, other) => joined(f, one, '*', other),
        }
    }
}

impl Scalar {
    /// As a part of a larger expression.
    fn inner(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Column(_) | Self::Constant(_) => self.fmt(f),
            _ => write!(f, "({self})"),
        }
    }
}
