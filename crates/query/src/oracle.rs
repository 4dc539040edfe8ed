//! The plainest way to answer a query: row by row, in 128 bits, groups in a map. It shares nothing with the scan but the
//! plan and the reading of single values, and stands as the first of the two sequential versions.

use std::collections::BTreeMap;

use knee_workload::Error;

use crate::answer::Answer;
use crate::error::{date_beyond, too_large};
use crate::kind::{Exact, Kind, Value, is_beyond};
use crate::plan::{Aggregate, Filter, Plan, Shown};
use crate::scan::floats;
use crate::table::{MORSEL, Table};

/// The low 64 bits of a number.
const LOW: i128 = u64::MAX as i128;

/// What is known of one group.
struct Group {
    count: u64,
    exact: Vec<Option<i128>>,
    /// Of each sum the 64 low bits of its numbers, and the rest of them, each added up.
    totals: Vec<[i128; 2]>,
    doubles: Vec<Option<f64>>,
}

/// Answers a query row by row.
///
/// # Errors
/// Where a number needs more than 128 bits.
pub fn answer(plan: &Plan, table: &Table) -> Result<Answer, Error> {
    let mut groups: BTreeMap<Vec<i128>, Group> = BTreeMap::new();
    let none = || Group {
        count: 0,
        exact: vec![None; plan.aggregates.len()],
        totals: vec![[0; 2]; plan.aggregates.len()],
        doubles: vec![None; plan.aggregates.len()],
    };
    if plan.keys.is_empty() {
        groups.insert(Vec::new(), none());
    }
    for row in 0..table.rows() {
        let (morsel, row) = (table.morsel(row / MORSEL), row % MORSEL);
        let exact = |column: usize| morsel.number(column, row);
        let double = |column: usize| morsel.double(column, row);
        if !counts(&plan.filter, &exact, &double).ok_or_else(too_large)? {
            continue;
        }
        let key = plan.keys.iter().map(|key| exact(*key)).collect();
        let group = groups.entry(key).or_insert_with(none);
        group.count += 1;
        for (at, aggregate) in plan.aggregates.iter().enumerate() {
            group.add(at, aggregate, &exact, &double).ok_or_else(too_large)?;
        }
    }
    let rows: Option<Vec<_>> = groups.iter().map(|(key, group)| group.row(key, plan, table)).collect();
    let rows = rows.ok_or_else(too_large)?;
    if rows.iter().flatten().any(is_beyond) {
        return Err(date_beyond());
    }
    Ok(Answer::new(plan, rows))
}

/// Whether a row counts; none if a number needs more than 128 bits.
fn counts(filter: &Filter, exact: &impl Fn(usize) -> i128, double: &impl Fn(usize) -> f64) -> Option<bool> {
    let each = |parts: &[Filter]| parts.iter().map(|part| counts(part, exact, double)).collect::<Option<Vec<_>>>();
    Some(match filter {
        Filter::Every => true,
        Filter::Exact(number, ranges) => ranges.contains(number.value(exact)?),
        Filter::Floats(left, how, right) => floats(left.value(exact, double), *how, right.value(exact, double)),
        Filter::All(parts) => each(parts)?.into_iter().all(|counts| counts),
        Filter::Any(parts) => each(parts)?.into_iter().any(|counts| counts),
        Filter::Not(inner) => !counts(inner, exact, double)?,
    })
}

impl Group {
    fn add(
        &mut self,
        at: usize,
        aggregate: &Aggregate,
        exact: &impl Fn(usize) -> i128,
        double: &impl Fn(usize) -> f64,
    ) -> Option<()> {
        let own = self.exact[at];
        let joined = match aggregate {
            Aggregate::Sum(number) => {
                let value = number.value(exact)?;
                self.totals[at][0] += value & LOW;
                self.totals[at][1] += value >> 64;
                // Marks only that a row was added: the sum itself is in `totals`.
                Some(0)
            }
            Aggregate::Least(number) => Some(own.unwrap_or(i128::MAX).min(number.value(exact)?)),
            Aggregate::Greatest(number) => Some(own.unwrap_or(i128::MIN).max(number.value(exact)?)),
            Aggregate::FloatSum(value) => {
                self.doubles[at] = Some(self.doubles[at].unwrap_or(0.0) + value.value(exact, double));
                None
            }
            Aggregate::FloatLeast(value) => {
                self.doubles[at] = Some(value.value(exact, double).min(self.doubles[at].unwrap_or(f64::NAN)));
                None
            }
            Aggregate::FloatGreatest(value) => {
                let (value, own) = (value.value(exact, double), self.doubles[at].unwrap_or(f64::NEG_INFINITY));
                self.doubles[at] = Some(if value.is_nan() || own.is_nan() { f64::NAN } else { value.max(own) });
                None
            }
        };
        self.exact[at] = joined;
        Some(())
    }

    /// An aggregate of exact numbers as it is shown; NULL if no row counted. None if it needs more than 128 bits.
    fn shown(&self, at: usize, plan: &Plan, show: impl FnOnce(i128) -> Option<Value>) -> Option<Value> {
        let Some(own) = self.exact[at] else { return Some(Value::Null) };
        let Aggregate::Sum(_) = plan.aggregates[at] else { return show(own) };
        let [low, high] = self.totals[at];
        show((high + (low >> 64)).checked_mul(1 << 64)?.checked_add(low & LOW)?)
    }

    fn row(&self, key: &[i128], plan: &Plan, table: &Table) -> Option<Vec<Value>> {
        let value = |shown: &Shown| {
            Some(match shown {
                Shown::Key(at, kind) => exact(key[*at], *kind, table.columns()[plan.keys[*at]].dictionary.as_deref()),
                Shown::Count => Value::Number(Exact { digits: self.count.into(), scale: 0 }),
                Shown::Value(at, Kind::Double) => self.doubles[*at].map_or(Value::Null, Value::Double),
                Shown::Value(at, kind) => {
                    self.shown(*at, plan, |value| Some(exact(value, *kind, dictionary(&plan.aggregates[*at], table))))?
                }
                Shown::Average(at, Kind::Double) => {
                    self.doubles[*at].map_or(Value::Null, |sum| Value::Double(sum / self.count as f64))
                }
                Shown::Average(at, kind) => self.shown(*at, plan, |sum| average(sum, self.count, *kind))?,
            })
        };
        plan.outputs.iter().map(|output| value(&output.shown)).collect()
    }
}

fn dictionary<'a>(aggregate: &Aggregate, table: &'a Table) -> Option<&'a [String]> {
    match aggregate {
        Aggregate::Least(crate::plan::Number::Column(at)) | Aggregate::Greatest(crate::plan::Number::Column(at)) => {
            table.columns()[*at].dictionary.as_deref()
        }
        _ => None,
    }
}

fn exact(value: i128, kind: Kind, words: Option<&[String]>) -> Value {
    match kind {
        Kind::Date => Value::Date(i32::try_from(value).unwrap_or(i32::MAX)),
        Kind::Text => Value::Text(words.expect("texts have a dictionary")[value as usize].clone()),
        kind => Value::Number(Exact { digits: value, scale: kind.scale().unwrap_or(0) }),
    }
}

/// Long division, digit by digit; none if it needs more than 128 bits.
fn average(sum: i128, count: u64, kind: Kind) -> Option<Value> {
    let (wide, mut rest) = (u128::from(count), sum.unsigned_abs());
    let mut digits = rest / wide;
    rest %= wide;
    for _ in 0..4 {
        digits = digits.checked_mul(10)?.checked_add(rest * 10 / wide)?;
        rest = rest * 10 % wide;
    }
    let digits = i128::try_from(digits + u128::from(2 * rest >= wide)).ok()? * sum.signum();
    let scale = kind.scale().unwrap_or(0);
    let rounded = Exact { digits, scale: scale + 4 };
    Some(Value::Average { sum, kind, count, rounded })
}
