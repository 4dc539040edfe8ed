//! SQL text becomes a [`Select`]: names and constants, nothing about types or columns of a table.
//!
//! One table, conditions on it, aggregates, groups, an order, a limit. `sqlparser` reads the text; each clause that this
//! engine does not have is refused by name, and none is ignored.

mod conditions;
mod constants;
mod limits;
mod outputs;
mod qualifiers;
mod queries;
mod scalars;
mod select;
mod written;

pub(crate) use constants::{date, rescaled};
pub use queries::{NAMED, Named, named};
pub use select::parse;
pub(crate) use select::same;

/// A query as it is written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Select {
    /// The table's name; any is taken, as there is one table.
    pub table: String,
    /// What is computed, in order, each with the name of its column in the answer.
    pub outputs: Vec<(Output, String)>,
    /// Which rows count.
    pub filter: Option<Condition>,
    /// Columns whose values make groups.
    pub keys: Vec<String>,
    /// Order of the answer: index of an output, and how.
    pub order: Vec<Order>,
    /// Most rows of the answer.
    pub limit: Option<u64>,
}

impl Select {
    /// Whether a column of this name is anywhere in it.
    #[must_use]
    pub fn names(&self, column: &str) -> bool {
        let output = |(output, _): &(Output, String)| match output {
            Output::Key(name) => same(name, column),
            Output::Aggregate(_, scalar) => scalar.as_ref().is_some_and(|scalar| scalar.names(column)),
        };
        self.outputs.iter().any(output)
            || self.keys.iter().any(|key| same(key, column))
            || self.filter.as_ref().is_some_and(|filter| filter.names(column))
    }

    /// The same query with `count(*)` for each count of an expression: without nulls they are equal, and the columns of the
    /// expression need not be read.
    #[must_use]
    pub fn counting_rows(mut self) -> Self {
        for (output, _) in &mut self.outputs {
            if let Output::Aggregate(Function::Count, argument) = output {
                *argument = None;
            }
        }
        self
    }
}

/// One column of the answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Output {
    /// The value of a column that makes groups.
    Key(String),
    /// A function over the rows of a group; none for `count(*)`.
    Aggregate(Function, Option<Scalar>),
}

/// Aggregate functions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Function {
    /// `SUM`.
    Sum,
    /// `MIN`.
    Min,
    /// `MAX`.
    Max,
    /// `COUNT`; as there are no nulls, of anything.
    Count,
    /// `AVG`: the exact sum over the count.
    Avg,
}

/// One part of `ORDER BY`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Order {
    /// Which output.
    pub output: usize,
    /// Whether large values come first.
    pub descending: bool,
}

/// An expression with one value for each row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Scalar {
    /// A column, by name.
    Column(String),
    /// The same for every row.
    Constant(Constant),
    /// `+`.
    Add(Box<Scalar>, Box<Scalar>),
    /// `-`.
    Subtract(Box<Scalar>, Box<Scalar>),
    /// `*`.
    Multiply(Box<Scalar>, Box<Scalar>),
}

impl Scalar {
    /// Whether a column of this name is in it.
    pub(crate) fn names(&self, column: &str) -> bool {
        match self {
            Self::Column(name) => same(name, column),
            Self::Constant(_) => false,
            Self::Add(one, other) | Self::Subtract(one, other) | Self::Multiply(one, other) => {
                one.names(column) || other.names(column)
            }
        }
    }
}

/// A constant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Constant {
    /// `digits` over 10 to the power of `scale`.
    Number {
        /// All digits, as a whole number.
        digits: i128,
        /// How many of them follow the point.
        scale: u8,
    },
    /// Days since 1970-01-01.
    Date(i32),
    /// Characters.
    Text(String),
}

/// What is true or false for each row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Condition {
    /// Two values, compared.
    Compare(Scalar, Comparison, Scalar),
    /// All of them.
    And(Vec<Condition>),
    /// Any of them.
    Or(Vec<Condition>),
    /// The opposite.
    Not(Box<Condition>),
}

impl Condition {
    fn names(&self, column: &str) -> bool {
        match self {
            Self::Compare(one, _, other) => one.names(column) || other.names(column),
            Self::And(parts) | Self::Or(parts) => parts.iter().any(|part| part.names(column)),
            Self::Not(inner) => inner.names(column),
        }
    }
}

/// How two values are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Comparison {
    /// `=`.
    Equal,
    /// `<>`.
    NotEqual,
    /// `<`.
    Less,
    /// `<=`.
    LessOrEqual,
    /// `>`.
    Greater,
    /// `>=`.
    GreaterOrEqual,
}
