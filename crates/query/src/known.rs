//! What is known of a query before rows are read, from the extremes that the footers of files state: parts in which no row
//! counts, conditions that hold for every row, and the extremes themselves.

use knee_workload::Error;

use crate::answer::{Found, Group, Partial};
use crate::data::{Parquet, Source};
use crate::field::{Bounds, Field};
use crate::plan::{self, Aggregate, Number, Plan, Shown};
use crate::sql::{Condition, Function, Output, Scalar, Select};

/// A query bound to the columns of a source, none of which is of a type that cannot be read.
pub(crate) fn planned(select: &Select, source: &dyn Source) -> Result<Plan, Error> {
    let fields = source.fields();
    let mut named = select.names().into_iter().filter_map(|name| plan::column(&fields, name).ok());
    named.try_for_each(|column| source.usable(column))?;
    Plan::new(select, &fields)
}

/// Whether rows of a part may count.
pub(crate) fn may_count(plan: &Plan, source: &dyn Source, part: usize) -> bool {
    plan.filter.decided(&|column| source.bounds(part, column)) != Some(false)
}

/// The row groups of files whose rows may count.
///
/// # Errors
/// Those of a query that cannot be bound to these columns, or needs one that cannot be read.
pub(crate) fn needed(files: Parquet, select: &Select) -> Result<Parquet, Error> {
    let plan = planned(select, &files)?;
    Ok(files.retain(|files, part| may_count(&plan, files, part)))
}

/// Whether a query adds doubles up: their order matters.
pub(crate) fn sums_doubles(select: &Select, fields: &[Field]) -> Result<bool, Error> {
    let plan = Plan::new(select, fields)?;
    Ok(plan.aggregates.iter().any(|one| matches!(one, Aggregate::FloatSum(_))))
}

/// What is left of a query over all parts of a source.
#[derive(Debug)]
pub(crate) struct Rest {
    /// The query without conditions that hold for every row, without extremes that are known, and with `count(*)` where no
    /// value is missing. It has no order and no limit: these are of the whole.
    pub(crate) select: Select,
    /// For each aggregate of the query its value, if it is known.
    known: Vec<Option<Found>>,
}

impl Rest {
    /// Takes off what is known; `plan` is that of the query over the columns of the source.
    ///
    /// # Errors
    /// Those of a query that cannot be bound to these columns.
    pub(crate) fn new(select: &Select, plan: &Plan, source: &dyn Source) -> Result<Self, Error> {
        let fields = source.fields();
        let mut select = Select { order: Vec::new(), limit: None, ..select.clone() };
        select.filter = select.filter.map(|filter| open(filter, &fields, source)).transpose()?.flatten();
        for (output, _) in &mut select.outputs {
            if let Output::Aggregate(Function::Count, argument) = output
                && let Some(scalar) = argument
                && is_full(scalar, &fields, source)
            {
                *argument = None;
            }
        }
        // Extremes are those of all rows.
        let every = select.filter.is_none() && select.keys.is_empty() && source.rows() > 0;
        let known: Vec<Option<Found>> =
            plan.aggregates.iter().map(|one| extreme(one, source).filter(|_| every)).collect();
        let left = |output: &plan::Output| !matches!(output.shown, Shown::Value(at, _) if known[at].is_some());
        let mut left = plan.outputs.iter().map(left);
        select.outputs.retain(|_| left.next().expect("each has its output in the plan"));
        Ok(Self { select, known })
    }

    /// All of a query, of which nothing is known.
    pub(crate) fn all(select: &Select, plan: &Plan) -> Self {
        Self { select: select.clone(), known: vec![None; plan.aggregates.len()] }
    }

    /// What rows say of the rest, with what was known.
    pub(crate) fn complete(&self, rest: Partial) -> Partial {
        let complete = |Group { count, found }| {
            let mut left = found.into_iter();
            let mut next = || left.next().expect("what is not known is left");
            let found = self.known.iter().map(|known| known.clone().unwrap_or_else(&mut next)).collect();
            assert_eq!(left.len(), 0, "what is known is not left");
            Group { count, found }
        };
        rest.into_groups().map(|(keys, group)| (keys, complete(group))).collect()
    }
}

/// The conditions of which it is not known that they hold for every row; none if there are none.
fn open(filter: Condition, fields: &[Field], source: &dyn Source) -> Result<Option<Condition>, Error> {
    let parts = if let Condition::And(parts) = filter { parts } else { vec![filter] };
    let mut left = Vec::new();
    for part in parts {
        if plan::filter(&part, fields)?.decided(&|column| bounds(source, column)) != Some(true) {
            left.push(part);
        }
    }
    Ok(if left.len() > 1 { Some(Condition::And(left)) } else { left.pop() })
}

/// The smallest and the largest value in all parts, where they are known.
fn bounds(source: &dyn Source, column: usize) -> Option<Bounds> {
    let join = |one: Bounds, other: Bounds| Bounds { low: one.low.min(other.low), high: one.high.max(other.high) };
    let parts = (0..source.parts()).filter(|part| source.rows_of(*part) > 0);
    let all: Option<Vec<_>> = parts.map(|part| source.bounds(part, column)).collect();
    all?.into_iter().reduce(join)
}

/// Whether no value of its columns is missing in any part.
fn is_full(scalar: &Scalar, fields: &[Field], source: &dyn Source) -> bool {
    let full = |column: usize| (0..source.parts()).all(|part| source.is_full(part, column));
    scalar.names().into_iter().all(|name| plan::column(fields, name).is_ok_and(full))
}

fn extreme(aggregate: &Aggregate, source: &dyn Source) -> Option<Found> {
    Some(Found::Exact(match aggregate {
        Aggregate::Least(Number::Column(column)) => bounds(source, *column)?.low,
        Aggregate::Greatest(Number::Column(column)) => bounds(source, *column)?.high,
        _ => return None,
    }))
}
