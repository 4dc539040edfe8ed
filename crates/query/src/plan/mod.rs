//! A query bound to the columns of a table: names are columns, types agree, and constants are in the units of the column
//! that they meet. Nothing here depends on how a column is encoded.

mod bind;
mod filter;
mod number;
mod ranges;

use knee_workload::Error;

use crate::error::{shown, wrong};
use crate::field::Field;
use crate::kind::Kind;
use crate::sql::{self, Order, Select};

pub(crate) use bind::filter;
pub(crate) use filter::Filter;
pub(crate) use number::{Floating, Number};
pub(crate) use ranges::Ranges;

/// A query bound to columns.
#[derive(Debug, Clone)]
pub struct Plan {
    pub(crate) filter: Filter,
    /// Columns whose values make groups.
    pub(crate) keys: Vec<usize>,
    /// What is computed for each group, each once.
    pub(crate) aggregates: Vec<Aggregate>,
    /// Columns of the answer.
    pub(crate) outputs: Vec<Output>,
    pub(crate) order: Vec<Order>,
    pub(crate) limit: Option<u64>,
    /// Every column that is read, in order.
    columns: Vec<usize>,
}

/// A number for each group.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Aggregate {
    Sum(Number),
    Least(Number),
    Greatest(Number),
    /// Sums of doubles: added in the order of morsels.
    FloatSum(Floating),
    FloatLeast(Floating),
    FloatGreatest(Floating),
}

impl Aggregate {
    /// Adds the columns that it reads.
    pub(crate) fn columns(&self, into: &mut Vec<usize>) {
        match self {
            Self::Sum(number) | Self::Least(number) | Self::Greatest(number) => number.columns(into),
            Self::FloatSum(value) | Self::FloatLeast(value) | Self::FloatGreatest(value) => value.columns(into),
        }
    }
}

/// One column of the answer.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Output {
    pub(crate) name: String,
    pub(crate) shown: Shown,
}

/// What it shows.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Shown {
    /// The key of this number, with its type.
    Key(usize, Kind),
    Count,
    /// The aggregate of this number, with the type of its value.
    Value(usize, Kind),
    /// The aggregate of this number over the count; `kind` is that of the sum.
    Average(usize, Kind),
}

impl Plan {
    /// Binds a query to columns.
    ///
    /// # Errors
    /// A column that is not there, types that do not fit, and what is outside of this engine.
    pub fn new(select: &Select, fields: &[Field]) -> Result<Self, Error> {
        bind::plan(select, fields)
    }

    /// The columns that it reads, in order.
    #[must_use]
    pub fn columns(&self) -> &[usize] {
        &self.columns
    }

    /// The columns that keys and aggregates read, in order.
    pub(crate) fn counted(&self) -> Vec<usize> {
        let mut columns = self.keys.clone();
        for aggregate in &self.aggregates {
            aggregate.columns(&mut columns);
        }
        columns.sort_unstable();
        columns.dedup();
        columns
    }
}

/// The column of a name.
pub(crate) fn column(fields: &[Field], name: &str) -> Result<usize, Error> {
    let exactly: Vec<usize> = (0..fields.len()).filter(|at| fields[*at].name == name).collect();
    let alike: Vec<usize> = (0..fields.len()).filter(|at| sql::same(&fields[*at].name, name)).collect();
    let found = if exactly.is_empty() { alike } else { exactly };
    if found.len() > 1 {
        let names: Vec<_> = found.iter().map(|at| shown(&fields[*at].name)).collect();
        let what = format!("{name} may be each of {} columns: {}", found.len(), names.join(", "));
        return Err(wrong(what).hint("write the name as the file has it, or rename a column"));
    }
    found.first().copied().ok_or_else(|| {
        let names: Vec<_> = fields.iter().map(|field| shown(&field.name)).collect();
        let names = knee_workload::one_of(&names);
        wrong(format!("unknown column '{name}'")).hint(format!("columns are {names}; write texts in single quotes"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_that_make_no_group_are_refused() {
        let fields = [Field { name: "a".into(), kind: Kind::Integer, dictionary: None }];
        let said = |text| Plan::new(&sql::parse(text).unwrap(), &fields).unwrap_err().to_string();
        assert_eq!(said("select a from t"), "column a is neither in an aggregate nor in GROUP BY");
        assert_eq!(said("select b from t"), "unknown column 'b'");
    }

    #[test]
    fn groups_are_of_a_column_before_they_are_of_an_output_with_its_name() {
        let field = |name: &str| Field { name: name.into(), kind: Kind::Integer, dictionary: None };
        let fields = [field("a"), field("b")];
        let keys = |text| Plan::new(&sql::parse(text).unwrap(), &fields).unwrap().keys;
        assert_eq!(keys("select a as b, count(*) from t group by a, b"), [0, 1]);
        assert_eq!(keys("select a, b as a, count(*) from t group by a, b"), [0, 1]);
        assert_eq!(keys("select b as c, count(*) from t group by C"), [1]);
        assert_eq!(keys("select b as a, a as c, b, count(*) from t group by t.a, 3"), [0, 1]);
    }

    #[test]
    fn of_columns_with_names_alike_the_one_that_is_written_so_is_meant() {
        let field = |name: &str| Field { name: name.into(), kind: Kind::Integer, dictionary: None };
        let fields = [field("a"), field("A"), field("b"), field("b")];
        let found = |name| column(&fields, name).map_err(|error| error.to_string());
        assert_eq!([found("a"), found("A")], [Ok(0), Ok(1)]);
        assert_eq!(found("b").unwrap_err(), "b may be each of 2 columns: b, b");
        assert_eq!(column(&fields[..3], "B").unwrap(), 2);
    }

    #[test]
    fn a_name_with_control_characters_is_shown_with_escapes() {
        let fields = [Field { name: "a\n\u{1b}[2J".into(), kind: Kind::Integer, dictionary: None }];
        let error = column(&fields, "b").unwrap_err();
        assert_eq!(error.hinted(), Some("columns are a\\n\\u{1b}[2J; write texts in single quotes"));
    }

    #[test]
    fn what_is_counted_is_read_so_that_nulls_are_seen() {
        let field = |name: &str| Field { name: name.into(), kind: Kind::Integer, dictionary: None };
        let fields = [field("a"), field("b"), field("c")];
        let select = sql::parse("select count(c), sum(b), count(*), count(1) from t").unwrap();
        assert_eq!(Plan::new(&select, &fields).unwrap().columns(), [1, 2]);
        assert_eq!(Plan::new(&select.counting_rows(), &fields).unwrap().columns(), [1]);
    }

    #[test]
    fn a_constant_beyond_128_bits_is_on_one_side_of_all_numbers() {
        let fields = [Field { name: "a".into(), kind: Kind::Decimal(2), dictionary: None }];
        let nines = "9".repeat(38);
        for (how, above, below) in [
            ("=", false, false),
            ("<>", true, true),
            ("<", true, false),
            ("<=", true, false),
            (">", false, true),
            (">=", false, true),
        ] {
            for (constant, holds) in [(nines.clone(), above), (format!("-{nines}"), below)] {
                let select = sql::parse(&format!("select count(*) from t where a {how} {constant}")).unwrap();
                let Filter::Exact(_, ranges) = Plan::new(&select, &fields).unwrap().filter else { panic!("{how}") };
                assert_eq!(
                    [i128::MIN, 0, i128::MAX].map(|number| ranges.contains(number)),
                    [holds; 3],
                    "{how} {constant}"
                );
            }
        }
    }
}
