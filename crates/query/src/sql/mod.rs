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
    pub keys: Vec<Grouping>,
    /// Order of the answer: index of an output, and how.
    pub order: Vec<Order>,
    /// Most rows of the answer.
    pub limit: Option<u64>,
}

impl Select {
    /// The names of columns in it, some of them perhaps of outputs.
    #[must_use]
    pub fn names(&self) -> Vec<&str> {
        let mut names = Vec::new();
        for (output, _) in &self.outputs {
            match output {
                Output::Key(name) => names.push(name.as_str()),
                Output::Aggregate(_, scalar) => names.extend(scalar.iter().flat_map(Scalar::names)),
            }
        }
        // What a name of an output stands for is among the outputs.
        names.extend(self.keys.iter().map(|key| key.name.as_str()));
        names.extend(self.filter.iter().flat_map(Condition::names));
        names
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

/// A name in `GROUP BY`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Grouping {
    /// That of a column.
    pub name: String,
    /// If the table has no such column: the column that an output has under this name.
    pub alias_of: Option<String>,
}

impl From<String> for Grouping {
    fn from(name: String) -> Self {
        Self { name, alias_of: None }
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

impl Output {
    /// Whether both are the same: names of columns are, whatever their case.
    pub(crate) fn is(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Key(one), Self::Key(other)) => same(one, other),
            (Self::Aggregate(one, Some(of)), Self::Aggregate(other, Some(and))) => one == other && of.is(and),
            _ => self == other,
        }
    }
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
    fn is(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Column(one), Self::Column(other)) => same(one, other),
            (Self::Add(one, and), Self::Add(other, with))
            | (Self::Subtract(one, and), Self::Subtract(other, with))
            | (Self::Multiply(one, and), Self::Multiply(other, with)) => one.is(other) && and.is(with),
            _ => self == other,
        }
    }

    /// The names of columns in it.
    pub(crate) fn names(&self) -> Vec<&str> {
        match self {
            Self::Column(name) => vec![name],
            Self::Constant(_) => Vec::new(),
            Self::Add(one, other) | Self::Subtract(one, other) | Self::Multiply(one, other) => {
                [one.names(), other.names()].concat()
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
    fn names(&self) -> Vec<&str> {
        match self {
            Self::Compare(one, _, other) => [one.names(), other.names()].concat(),
            Self::And(parts) | Self::Or(parts) => parts.iter().flat_map(Self::names).collect(),
            Self::Not(inner) => inner.names(),
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
