//! The rows of an answer: in order, limited, and written.

mod format;
mod partial;
mod typed;

pub use format::Format;
pub(crate) use partial::{Found, Group, Key, Partial};

use std::cmp::Ordering;

use crate::kind::{Kind, Value};
use crate::plan::{Plan, Shown};

/// The answer to a query.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// Names of its columns.
    pub names: Vec<String>,
    /// Their types; of an average, that of what is written.
    pub kinds: Vec<Kind>,
    /// Its rows.
    pub rows: Vec<Vec<Value>>,
}

impl Answer {
    /// Orders rows and keeps as many as the query wants. Rows that the query does not order are in the order of their
    /// values, so that an answer is the same each time.
    pub(crate) fn new(plan: &Plan, mut rows: Vec<Vec<Value>>) -> Self {
        rows.sort_by(|one, other| {
            let wanted = plan.order.iter().map(|by| directed(&one[by.output], &other[by.output], by.descending));
            let rest = one.iter().zip(other).map(|(one, other)| one.order(other));
            wanted.chain(rest).find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
        });
        let most = plan.limit.map_or(usize::MAX, |limit| usize::try_from(limit).unwrap_or(usize::MAX));
        rows.truncate(most);
        Self {
            names: plan.outputs.iter().map(|output| output.name.clone()).collect(),
            kinds: plan.outputs.iter().map(|output| kind(&output.shown)).collect(),
            rows,
        }
    }

    /// Whether another answer is the same, with doubles compared to nine digits: each order of adding gives other ones.
    pub(crate) fn is_close(&self, other: &Self) -> bool {
        let same = |pair: (&Value, &Value)| match pair {
            (Value::Double(one), Value::Double(other)) => {
                let near = one.is_finite() && (one - other).abs() <= 1e-9 * one.abs().max(1.0);
                // What is not a number may have a sign.
                one.to_bits() == other.to_bits() || (one.is_nan() && other.is_nan()) || near
            }
            (one, other) => one == other,
        };
        self.rows.len() == other.rows.len()
            && self.rows.iter().zip(&other.rows).all(|(one, other)| one.iter().zip(other).all(same))
    }
}

/// The type of a column of the answer.
fn kind(shown: &Shown) -> Kind {
    match shown {
        Shown::Count => Kind::Integer,
        Shown::Key(_, kind) | Shown::Value(_, kind) => *kind,
        Shown::Average(_, kind) => kind.scale().map_or(*kind, |scale| Kind::Decimal(scale + partial::MORE)),
    }
}

/// Nulls are last in both directions, as in DuckDB.
fn directed(one: &Value, other: &Value, descending: bool) -> Ordering {
    let order = one.order(other);
    let null = *one == Value::Null || *other == Value::Null;
    if descending && !null { order.reverse() } else { order }
}
