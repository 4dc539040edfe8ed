//! What a worker has found so far, and how two of them become one.

use knee_workload::Error;

use super::{Scan, Source};
use crate::error::wrong;
use crate::kind::{Kind, Value, is_date};
use crate::plan::{Plan, Shown};
use crate::table::Table;

/// Partial results, for each group.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct State {
    /// Rows.
    pub(crate) counts: Vec<u64>,
    /// Sums of products: those of a group lie together.
    pub(crate) terms: Vec<i128>,
    /// Wide sums, one list for each.
    pub(crate) sums: Vec<Vec<i128>>,
    /// Extremes, one list for each.
    pub(crate) extremes: Vec<Vec<i128>>,
    /// Aggregates of doubles by morsel, as their order matters: for each of them one list.
    pub(crate) doubles: Vec<(usize, Vec<Vec<f64>>)>,
    /// Whether a number needed more than 128 bits, so that there is no answer.
    pub(crate) overflow: bool,
    /// Bytes that were read at home, and from other nodes.
    pub(crate) read: (u64, u64),
}

impl State {
    pub(crate) fn new(scan: &Scan<'_>) -> Self {
        let groups = scan.groups.combinations;
        Self {
            counts: vec![0; groups],
            terms: vec![0; groups * scan.terms],
            sums: vec![vec![0; groups]; scan.wide.len()],
            extremes: scan.extremes.iter().map(|extreme| vec![extreme.none(); groups]).collect(),
            doubles: Vec::new(),
            overflow: false,
            read: (0, 0),
        }
    }

    /// Adds what another worker found.
    pub(crate) fn add(&mut self, other: Self, scan: &Scan<'_>) {
        let mut overflow = self.overflow | other.overflow;
        let mut plus = |own: &mut Vec<i128>, other: Vec<i128>| {
            for (own, other) in own.iter_mut().zip(other) {
                let (sum, over) = own.overflowing_add(other);
                (*own, overflow) = (sum, overflow | over);
            }
        };
        self.counts.iter_mut().zip(other.counts).for_each(|(own, other)| *own += other);
        plus(&mut self.terms, other.terms);
        self.sums.iter_mut().zip(other.sums).for_each(|(own, other)| plus(own, other));
        self.overflow = overflow;
        for ((own, other), extreme) in self.extremes.iter_mut().zip(other.extremes).zip(&scan.extremes) {
            own.iter_mut().zip(other).for_each(|(own, other)| *own = extreme.better(*own, other));
        }
        self.doubles.extend(other.doubles);
        self.read = (self.read.0 + other.read.0, self.read.1 + other.read.1);
    }

    /// The rows of the answer, not ordered yet.
    ///
    /// # Errors
    /// Where a number needs more than 128 bits, or a date more than four digits for its year.
    pub(crate) fn rows(mut self, plan: &Plan, scan: &Scan<'_>) -> Result<Vec<Vec<Value>>, Error> {
        if self.overflow {
            return Err(wrong("a number of this query needs more than 128 bits"));
        }
        self.doubles.sort_by_key(|(morsel, _)| *morsel);
        let doubles = self.joined_doubles(scan);
        let groups = 0..scan.groups.combinations;
        let there = groups.filter(|group| plan.keys.is_empty() || self.counts[*group] > 0);
        let rows: Vec<Vec<Value>> = there.map(|group| self.row(group, plan, scan, &doubles)).collect();
        let beyond = |value: &Value| matches!(value, Value::Date(days) if !is_date((*days).into()));
        if rows.iter().flatten().any(beyond) {
            return Err(wrong("a date of the answer is beyond the years -9999 to 9999"));
        }
        Ok(rows)
    }

    /// The aggregates of doubles of all morsels, added in their order.
    fn joined_doubles(&self, scan: &Scan<'_>) -> Vec<Vec<f64>> {
        let groups = scan.groups.combinations;
        let mut joined: Vec<_> = scan.doubles.iter().map(|doubles| vec![doubles.none(); groups]).collect();
        for (_, morsel) in &self.doubles {
            for ((own, part), doubles) in joined.iter_mut().zip(morsel).zip(&scan.doubles) {
                own.iter_mut().zip(part).for_each(|(own, part)| *own = doubles.join(*own, *part));
            }
        }
        joined
    }

    fn row(&self, group: usize, plan: &Plan, scan: &Scan<'_>, doubles: &[Vec<f64>]) -> Vec<Value> {
        let count = self.counts[group];
        let value = |shown: &Shown| match shown {
            Shown::Count => Value::Number { digits: count.into(), scale: 0 },
            Shown::Key(key) => {
                let column = scan.groups.column(*key);
                shown_as(scan.groups.value(*key, group, scan.table), scan.table, column)
            }
            Shown::Value(..) | Shown::Average(..) if count == 0 => Value::Null,
            Shown::Value(at, kind) => match &scan.values[*at] {
                Source::Double(double) => Value::Double(doubles[*double][group]),
                exact => number(self.exact(exact, group, scan), *kind, || text_column(plan, *at, scan.table)),
            },
            Shown::Average(at, kind) => match &scan.values[*at] {
                Source::Double(double) => Value::Double(doubles[*double][group] / count as f64),
                exact => average(self.exact(exact, group, scan), count, *kind),
            },
        };
        plan.outputs.iter().map(|output| value(&output.shown)).collect()
    }

    fn exact(&self, source: &Source, group: usize, scan: &Scan<'_>) -> i128 {
        match source {
            Source::Products(recipe) => {
                recipe.value(&self.terms[group * scan.terms..][..scan.terms], self.counts[group].into())
            }
            Source::Wide(at) => self.sums[*at][group],
            Source::Extreme(at) => self.extremes[*at][group],
            Source::Double(_) => unreachable!("doubles are not exact"),
        }
    }
}

/// The column whose dictionary holds the texts of an aggregate.
fn text_column<'a>(plan: &Plan, aggregate: usize, table: &'a Table) -> &'a [String] {
    use crate::plan::{Aggregate, Number};
    match &plan.aggregates[aggregate] {
        Aggregate::Least(Number::Column(column)) | Aggregate::Greatest(Number::Column(column)) => {
            table.columns()[*column].dictionary.as_deref().unwrap_or_default()
        }
        _ => &[],
    }
}

fn shown_as(value: i128, table: &Table, column: usize) -> Value {
    let column = &table.columns()[column];
    number(value, column.kind, || column.dictionary.as_deref().unwrap_or_default())
}

/// A whole number as a value of its type.
fn number<'a>(value: i128, kind: Kind, words: impl FnOnce() -> &'a [String]) -> Value {
    match kind {
        Kind::Integer => Value::Number { digits: value, scale: 0 },
        Kind::Decimal(scale) => Value::Number { digits: value, scale },
        Kind::Date => Value::Date(i32::try_from(value).unwrap_or(if value < 0 { i32::MIN } else { i32::MAX })),
        Kind::Text => Value::Text(words()[usize::try_from(value).expect("it is a position")].clone()),
        Kind::Double => unreachable!("a whole number is no double"),
    }
}

/// Digits after the point that an average has more than its sum.
const MORE: u8 = 4;

/// The exact sum over the count, rounded half up, away from zero.
fn average(sum: i128, count: u64, kind: Kind) -> Value {
    let scale = kind.scale().expect("averages are of numbers") + MORE;
    let count = i128::from(count);
    // In parts, so that nothing overflows: whole, and rest with four more digits.
    let (whole, rest) = (sum / count, sum % count);
    let power = 10_i128.pow(MORE.into());
    let twice = 2 * rest.abs() * power / count;
    let digits = (twice + 1) / 2 * rest.signum();
    Value::Number { digits: whole * power + digits, scale }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn averages_are_rounded_half_away_from_zero() {
        let written = |sum, count| average(sum, count, Kind::Decimal(2)).to_string();
        assert_eq!(written(100, 3), "0.333333");
        assert_eq!(written(200, 3), "0.666667");
        assert_eq!(written(-200, 3), "-0.666667");
        assert_eq!(written(1, 20_000), "0.000001");
        assert_eq!(written(-1, 20_000), "-0.000001");
        assert_eq!(written(1, 20_001), "0.000000");
    }
}
