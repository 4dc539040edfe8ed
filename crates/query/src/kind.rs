//! Types of columns and of answers, and how their values are written.

use std::cmp::Ordering;
use std::fmt;

use jiff::ToSpan;
use jiff::civil::Date;
use serde::{Deserialize, Serialize};

use crate::lanes::{self, Isa};

/// The type of a column or of an expression.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Kind {
    /// Whole numbers.
    Integer,
    /// Exact numbers with this many digits after the point.
    Decimal(u8),
    /// Days since 1970-01-01.
    Date,
    /// Floating-point numbers of 64 bits.
    Double,
    /// Characters, held as positions in a sorted dictionary.
    Text,
}

impl Kind {
    /// Digits after the point; none where values are not exact numbers.
    #[must_use]
    pub fn scale(self) -> Option<u8> {
        match self {
            Self::Integer => Some(0),
            Self::Decimal(scale) => Some(scale),
            Self::Date | Self::Double | Self::Text => None,
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Integer => f.write_str("INTEGER"),
            Self::Decimal(scale) => write!(f, "DECIMAL with {scale} digits after the point"),
            Self::Date => f.write_str("DATE"),
            Self::Double => f.write_str("DOUBLE"),
            Self::Text => f.write_str("VARCHAR"),
        }
    }
}

/// An exact number: `digits` over 10 to the power of `scale`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Exact {
    /// All digits, as a whole number.
    pub digits: i128,
    /// How many of them follow the point.
    pub scale: u8,
}

/// One value of an answer.
#[derive(Debug, Clone)]
pub enum Value {
    /// No value: an aggregate over no rows.
    Null,
    /// An exact number.
    Number(Exact),
    /// The average of exact numbers, which is written as a rounded one.
    Average {
        /// Their exact sum, in the units of their type.
        sum: i128,
        /// Their type.
        kind: Kind,
        /// How many they are, at least one.
        count: u64,
        /// What is written.
        rounded: Exact,
    },
    /// A floating-point number.
    Double(f64),
    /// A date, in days since 1970-01-01.
    Date(i32),
    /// Characters.
    Text(String),
}

/// Not-a-number equals itself, so that an answer is the same as itself.
impl PartialEq for Value {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Null, Self::Null) => true,
            (Self::Number(one), Self::Number(other)) => one == other,
            (
                Self::Average { sum, kind, count, rounded },
                Self::Average { sum: other, kind: of_kind, count: of_count, rounded: of_rounded },
            ) => (sum, kind, count, rounded) == (other, of_kind, of_count, of_rounded),
            (Self::Double(one), Self::Double(other)) => one.total_cmp(other).is_eq(),
            (Self::Date(one), Self::Date(other)) => one == other,
            (Self::Text(one), Self::Text(other)) => one == other,
            _ => false,
        }
    }
}

impl Value {
    /// The order of an answer: nulls last, text by its bytes, not-a-number after all numbers; averages of decimals
    /// as they are written, and those of whole numbers before they are rounded, as engines do that have doubles for them.
    #[must_use]
    pub fn order(&self, other: &Self) -> Ordering {
        match (self, other) {
            (Self::Number(a), Self::Number(b)) => a.digits.cmp(&b.digits),
            (Self::Average { rounded: a, kind: Kind::Decimal(_), .. }, Self::Average { rounded: b, .. }) => {
                a.digits.cmp(&b.digits)
            }
            (Self::Average { sum, count, .. }, Self::Average { sum: other, count: of_other, .. }) => {
                ratio_order((*sum, *count), (*other, *of_other))
            }
            (Self::Double(a), Self::Double(b)) => a.partial_cmp(b).unwrap_or_else(|| a.is_nan().cmp(&b.is_nan())),
            (Self::Date(a), Self::Date(b)) => a.cmp(b),
            (Self::Text(a), Self::Text(b)) => a.cmp(b),
            (one, other) => matches!(one, Self::Null).cmp(&matches!(other, Self::Null)),
        }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Null => f.write_str("NULL"),
            Self::Number(number) | Self::Average { rounded: number, .. } => number.fmt(f),
            Self::Double(value) => write!(f, "{value:?}"),
            Self::Date(days) => write!(f, "{}", date(*days)),
            Self::Text(text) => f.write_str(text),
        }
    }
}

impl fmt::Display for Exact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.digits < 0 { "-" } else { "" };
        let scale = usize::from(self.scale);
        let all = format!("{:0>width$}", self.digits.unsigned_abs(), width = scale + 1);
        let (whole, behind) = all.split_at(all.len() - scale);
        if scale == 0 { write!(f, "{sign}{whole}") } else { write!(f, "{sign}{whole}.{behind}") }
    }
}

/// The order of two sums over their counts.
fn ratio_order((one, of_one): (i128, u64), (other, of_other): (i128, u64)) -> Ordering {
    let (a, b) = (i128::from(of_one), i128::from(of_other));
    // What is left of a division is below its count, so that the products fit.
    let rest = |sum: i128, count: i128| sum.rem_euclid(count).unsigned_abs();
    let cross = |rest: u128, count: u64| rest * u128::from(count);
    let rests = || cross(rest(one, a), of_other).cmp(&cross(rest(other, b), of_one));
    one.div_euclid(a).cmp(&other.div_euclid(b)).then_with(rests)
}

/// The day that date 0 is.
const EPOCH: Date = Date::constant(1970, 1, 1);

/// Days of the first and the last date.
const FIRST_DAY: i64 = -4_371_587;
const LAST_DAY: i64 = 2_932_896;

/// Whether so many days after 1970-01-01 there is a date: years have four digits.
#[must_use]
pub(crate) fn is_date(days: i64) -> bool {
    (FIRST_DAY..=LAST_DAY).contains(&days)
}

/// Whether each of them is one of a date.
pub(crate) fn are_dates(days: &[i64]) -> bool {
    let (first, span) = (FIRST_DAY as u64, (LAST_DAY - FIRST_DAY) as u64);
    lanes::all_within(Isa::best(), bytemuck::cast_slice(days), first, span)
}

/// Whether a value is a date outside of these years.
pub(crate) fn is_beyond(value: &Value) -> bool {
    matches!(value, Value::Date(days) if !is_date((*days).into()))
}

/// The date so many days after 1970-01-01; the first or the last one where there is no such date.
#[must_use]
pub(crate) fn date(days: i32) -> Date {
    EPOCH.saturating_add(i64::from(days).clamp(FIRST_DAY, LAST_DAY).days())
}

/// Days since 1970-01-01.
#[must_use]
pub(crate) fn days(date: Date) -> i32 {
    EPOCH.until(date).expect("both are dates").get_days()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_all_their_digits() {
        let written = [(5, 2), (-5, 2), (1234, 2), (-1_000, 3), (7, 0), (0, 1)]
            .map(|(digits, scale)| Exact { digits, scale }.to_string());
        assert_eq!(written, ["0.05", "-0.05", "12.34", "-1.000", "7", "0.0"]);
    }

    #[test]
    fn a_value_is_the_same_as_itself() {
        let text = |text: &str| Value::Text(text.into());
        let number = |digits, scale| Value::Number(Exact { digits, scale });
        let values = [
            Value::Null,
            number(10, 1),
            number(1, 0),
            Value::Double(f64::NAN),
            Value::Double(0.5),
            text("a"),
            text("b"),
            Value::Date(1),
        ];
        for (at, one) in values.iter().enumerate() {
            assert!(values.iter().enumerate().all(|(other, value)| (value == one) == (at == other)), "{one:?}");
        }
    }

    #[test]
    fn averages_of_whole_numbers_are_ordered_before_they_are_rounded() {
        let ordered = [(-7, 2), (-1, 3), (0, 5), (1, 3), (333_334, 1_000_000), (1, 2), (2, 1)];
        for (at, one) in ordered.iter().enumerate() {
            for (other_at, other) in ordered.iter().enumerate() {
                assert_eq!(ratio_order(*one, *other), at.cmp(&other_at), "{one:?} {other:?}");
            }
        }
        let average = |sum, kind| Value::Average { sum, kind, count: 30_000, rounded: Exact { digits: 0, scale: 4 } };
        assert_eq!(average(1, Kind::Integer).order(&average(2, Kind::Integer)), Ordering::Less);
        assert_eq!(average(1, Kind::Decimal(2)).order(&average(2, Kind::Decimal(2))), Ordering::Equal);
        let largest = (i128::MAX, u64::MAX);
        assert_eq!(ratio_order(largest, (i128::MAX - 1, u64::MAX)), Ordering::Greater);
        assert_eq!(ratio_order(largest, (i128::MIN, u64::MAX)), Ordering::Greater);
        assert_eq!(ratio_order((2, 4), (1, 2)), Ordering::Equal);
    }

    #[test]
    fn days_and_dates_agree() {
        assert_eq!(days("1998-09-02".parse().unwrap()), 10_471);
        for day in [-4_371_587, -719_162, -1, 0, 1, 10_471, 2_932_896] {
            assert_eq!(days(date(day)), day);
            assert!(is_date(day.into()));
        }
        for day in [-4_371_588, 2_932_897] {
            assert!(!is_date(day));
        }
    }
}
