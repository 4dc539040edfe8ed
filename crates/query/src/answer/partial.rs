//! What part of the rows says of an answer: for each group its count and what was found, by value. Tables of other parts
//! have other encodings and dictionaries, so codes would not do.

use std::collections::BTreeMap;

use knee_workload::Error;
use serde::{Deserialize, Serialize};

use crate::error::{date_beyond, too_large, wrong};
use crate::kind::{Exact, Kind, Value, is_beyond};
use crate::plan::{Aggregate, Output, Plan, Shown};

/// Groups that have rows, in the order of their keys.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Partial {
    groups: BTreeMap<Vec<Key>, Group>,
}

/// The value of a key.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Key {
    /// A number in the units of its column, or the days of a date.
    Whole(i64),
    Text(String),
}

/// What is known of a group.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Group {
    pub(crate) count: u64,
    /// For each aggregate of the plan.
    pub(crate) found: Vec<Found>,
}

/// The value of an aggregate over at least one row.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Found {
    /// As text, since readers of JSON would round it.
    #[serde(with = "as_text")]
    Exact(i128),
    /// As text, since JSON has no infinity.
    #[serde(with = "as_text")]
    Double(f64),
    Text(String),
}

impl Partial {
    /// Adds a group that is not there yet.
    pub(crate) fn insert(&mut self, keys: Vec<Key>, group: Group) {
        self.groups.insert(keys, group);
    }

    /// The groups, in the order of their keys.
    pub(crate) fn into_groups(self) -> impl Iterator<Item = (Vec<Key>, Group)> {
        self.groups.into_iter()
    }

    /// Whether all values are there and of the types that a plan has.
    pub(crate) fn is_of(&self, plan: &Plan) -> bool {
        let group = |(keys, group): (&Vec<Key>, &Group)| {
            let typed = |output: &Output| match output.shown {
                Shown::Count => true,
                Shown::Key(at, kind) => matches!(keys[at], Key::Text(_)) == (kind == Kind::Text),
                Shown::Value(at, kind) | Shown::Average(at, kind) => match group.found[at] {
                    Found::Exact(_) => !matches!(kind, Kind::Text | Kind::Double),
                    Found::Double(_) => kind == Kind::Double,
                    Found::Text(_) => kind == Kind::Text,
                },
            };
            let counts = (keys.len(), group.found.len()) == (plan.keys.len(), plan.aggregates.len());
            counts && group.count > 0 && plan.outputs.iter().all(typed)
        };
        self.groups.iter().all(group)
    }

    /// Joins it with what other rows say.
    ///
    /// # Errors
    /// Where a sum needs more than 128 bits.
    pub(crate) fn add(&mut self, other: Self, plan: &Plan) -> Result<(), Error> {
        for (keys, group) in other.groups {
            match self.groups.get_mut(&keys) {
                None => self.insert(keys, group),
                Some(own) => own.add(group, plan)?,
            }
        }
        Ok(())
    }

    /// The rows of the answer, not ordered yet.
    ///
    /// # Errors
    /// Where a date is beyond four digits for its year, or an average needs more than 128 bits.
    pub(crate) fn rows(&self, plan: &Plan) -> Result<Vec<Vec<Value>>, Error> {
        let rows: Option<Vec<_>> = self.groups.iter().map(|(keys, group)| row(plan, keys, Some(group))).collect();
        let mut rows = rows.ok_or_else(too_large)?;
        if plan.keys.is_empty() && rows.is_empty() {
            rows.push(row(plan, &[], None).expect("there is no number in it"));
        }
        if rows.iter().flatten().any(is_beyond) {
            return Err(date_beyond());
        }
        Ok(rows)
    }
}

impl FromIterator<(Vec<Key>, Group)> for Partial {
    fn from_iter<T: IntoIterator<Item = (Vec<Key>, Group)>>(groups: T) -> Self {
        Self { groups: groups.into_iter().collect() }
    }
}

impl Group {
    fn add(&mut self, other: Self, plan: &Plan) -> Result<(), Error> {
        let too_many = || wrong("there are more than 2^64 rows");
        self.count = self.count.checked_add(other.count).ok_or_else(too_many)?;
        for ((own, other), aggregate) in self.found.iter_mut().zip(other.found).zip(&plan.aggregates) {
            *own = joined(aggregate, own, other).ok_or_else(too_large)?;
        }
        Ok(())
    }
}

/// What two parts found, as one; none where it needs more than 128 bits.
fn joined(aggregate: &Aggregate, one: &Found, other: Found) -> Option<Found> {
    let greater = matches!(aggregate, Aggregate::Greatest(_) | Aggregate::FloatGreatest(_));
    Some(match (one, other) {
        (Found::Exact(one), Found::Exact(other)) => Found::Exact(match aggregate {
            Aggregate::Sum(_) => one.checked_add(other)?,
            _ if greater => other.max(*one),
            _ => other.min(*one),
        }),
        (Found::Text(one), Found::Text(other)) => {
            Found::Text(if greater { other.max(one.clone()) } else { other.min(one.clone()) })
        }
        (Found::Double(one), Found::Double(other)) => Found::Double(match aggregate {
            Aggregate::FloatSum(_) => one + other,
            // Not-a-number is greater than all numbers, as in DuckDB.
            _ if greater => {
                if one.is_nan() || other.is_nan() {
                    f64::NAN
                } else {
                    one.max(other)
                }
            }
            _ => one.min(other),
        }),
        _ => unreachable!("an aggregate has one type"),
    })
}

/// A row of the answer; none where an average needs more than 128 bits.
fn row(plan: &Plan, keys: &[Key], group: Option<&Group>) -> Option<Vec<Value>> {
    let value = |shown: &Shown| {
        Some(match (shown, group) {
            (Shown::Key(at, kind), _) => match &keys[*at] {
                Key::Whole(value) => number((*value).into(), *kind),
                Key::Text(text) => Value::Text(text.clone()),
            },
            (Shown::Count, group) => {
                Value::Number(Exact { digits: group.map_or(0, |group| group.count).into(), scale: 0 })
            }
            (_, None) => Value::Null,
            (Shown::Value(at, kind), Some(group)) => match &group.found[*at] {
                Found::Exact(value) => number(*value, *kind),
                Found::Double(value) => Value::Double(*value),
                Found::Text(text) => Value::Text(text.clone()),
            },
            (Shown::Average(at, kind), Some(group)) => match &group.found[*at] {
                Found::Exact(sum) => average(*sum, group.count, *kind)?,
                Found::Double(sum) => Value::Double(sum / group.count as f64),
                Found::Text(_) => unreachable!("averages are of numbers"),
            },
        })
    };
    plan.outputs.iter().map(|output| value(&output.shown)).collect()
}

/// A whole number as a value of its type.
fn number(value: i128, kind: Kind) -> Value {
    match kind {
        Kind::Integer => Value::Number(Exact { digits: value, scale: 0 }),
        Kind::Decimal(scale) => Value::Number(Exact { digits: value, scale }),
        Kind::Date => Value::Date(i32::try_from(value).unwrap_or(if value < 0 { i32::MIN } else { i32::MAX })),
        Kind::Text | Kind::Double => unreachable!("a whole number is neither a text nor a double"),
    }
}

/// Digits after the point that a written average has more than its sum.
pub(super) const MORE: u8 = 4;

/// The exact sum over the count, rounded half up, away from zero; none if it needs more than 128 bits.
fn average(sum: i128, count: u64, kind: Kind) -> Option<Value> {
    let scale = kind.scale().expect("averages are of numbers");
    let wide = i128::from(count);
    // In parts, so that only an average overflows that is too large itself: whole, and rest with four more digits.
    let (whole, rest) = (sum / wide, sum % wide);
    let power = 10_i128.pow(MORE.into());
    let twice = 2 * rest.abs() * power / wide;
    let digits = (twice + 1) / 2 * rest.signum();
    let rounded = Exact { digits: whole.checked_mul(power)?.checked_add(digits)?, scale: scale + MORE };
    Some(Value::Average { sum, kind, count, rounded })
}

/// Numbers as texts, which keep every digit.
mod as_text {
    use std::fmt::{Debug, Display};
    use std::str::FromStr;

    use serde::{Deserialize, Deserializer, Serializer, de};

    pub(super) fn serialize<T: Debug, S: Serializer>(value: &T, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(&format!("{value:?}"))
    }

    pub(super) fn deserialize<'a, T: FromStr<Err: Display>, D: Deserializer<'a>>(from: D) -> Result<T, D::Error> {
        String::deserialize(from)?.parse().map_err(de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn averages_are_rounded_half_away_from_zero() {
        let written = |sum, count| average(sum, count, Kind::Decimal(2)).unwrap().to_string();
        assert_eq!(written(100, 3), "0.333333");
        assert_eq!(written(200, 3), "0.666667");
        assert_eq!(written(-200, 3), "-0.666667");
        assert_eq!(written(1, 20_000), "0.000001");
        assert_eq!(written(-1, 20_000), "-0.000001");
        assert_eq!(written(1, 20_001), "0.000000");
        let largest = i128::MAX / 10_000;
        let rounded = Exact { digits: largest * 10_000, scale: 4 };
        assert_eq!(average(largest, 1, Kind::Integer).unwrap().to_string(), rounded.to_string());
        for sum in [largest + 1, i128::MAX, i128::MIN] {
            assert_eq!(average(sum, 1, Kind::Integer), None);
        }
    }

    #[test]
    fn numbers_keep_every_digit_in_json() {
        let all = [i128::MIN, -1, 0, i128::MAX].map(Found::Exact);
        let doubles = [0.1 + 0.2, -0.0, f64::INFINITY, f64::MIN_POSITIVE, 5e-324].map(Found::Double);
        for found in all.into_iter().chain(doubles) {
            let text = serde_json::to_string(&found).unwrap();
            assert_eq!(serde_json::from_str::<Found>(&text).unwrap(), found, "{text}");
        }
        let nan: Found = serde_json::from_str(r#"{"double":"NaN"}"#).unwrap();
        assert!(matches!(nan, Found::Double(value) if value.is_nan()));
        assert!(serde_json::from_str::<Found>(r#"{"exact":"1.5"}"#).is_err());
    }
}
