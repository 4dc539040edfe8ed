//! Constants, and what can be computed of them before any row is read.

use jiff::civil::Date;
use jiff::{Span, ToSpan};
use knee_workload::Error;
use sqlparser::ast::{BinaryOperator, CastKind, DataType, DateTimeField, Expr, Interval, UnaryOperator, Value};

use super::{Constant, scalars};
use crate::error::{outside, wrong};
use crate::kind;

/// Most digits of a number, as in DuckDB's `DECIMAL`.
const DIGITS: usize = 38;

/// Reads a constant.
pub(super) fn constant(expr: &Expr) -> Result<Constant, Error> {
    match expr {
        Expr::Value(value) => literal(&value.value),
        Expr::TypedString(typed) if typed.data_type == DataType::Date => match &typed.value.value {
            Value::SingleQuotedString(text) => date(text),
            other => Err(wrong(format!("DATE {other}: a date is written 'YYYY-MM-DD'"))),
        },
        Expr::Cast {
            kind: CastKind::Cast | CastKind::DoubleColon,
            expr,
            data_type: DataType::Date,
            format: None,
            ..
        } => match constant(expr)? {
            Constant::Text(text) => date(&text),
            date @ Constant::Date(_) => Ok(date),
            Constant::Number { .. } => Err(wrong(format!("{expr} is no date"))),
        },
        other => Err(outside(other)),
    }
}

fn literal(value: &Value) -> Result<Constant, Error> {
    match value {
        Value::Number(text, _) => number(text),
        Value::SingleQuotedString(text) => Ok(Constant::Text(text.clone())),
        Value::Null => Err(outside("NULL: its tables have none")),
        other => Err(outside(other)),
    }
}

fn number(text: &str) -> Result<Constant, Error> {
    let (whole, behind) = text.split_once('.').unwrap_or((text, ""));
    let digits: String = whole.chars().chain(behind.chars()).collect();
    if digits.is_empty() || !digits.bytes().all(|digit| digit.is_ascii_digit()) {
        return Err(outside(format_args!("the number {text}: numbers have digits and a point")));
    }
    let long = digits.trim_start_matches('0').len() > DIGITS || behind.len() > DIGITS;
    let parsed = digits.parse().ok().filter(|_| !long);
    let digits = parsed.ok_or_else(|| wrong(format!("{text} has more than {DIGITS} digits")))?;
    Ok(Constant::Number { digits, scale: u8::try_from(behind.len()).expect("at most 38") })
}

/// A date as it is written.
pub(crate) fn date(text: &str) -> Result<Constant, Error> {
    let parsed = text.parse::<Date>().ok().filter(|_| text.len() == 10);
    let date = parsed.ok_or_else(|| wrong(format!("'{text}' is no date; dates are written YYYY-MM-DD")))?;
    Ok(Constant::Date(kind::days(date)))
}

/// `DATE ± INTERVAL`; none if it is something else.
pub(super) fn date_and_interval(left: &Expr, op: &BinaryOperator, right: &Expr) -> Option<Result<Constant, Error>> {
    let (date, interval, sign) = match (left, right, op) {
        (date, Expr::Interval(interval), BinaryOperator::Plus)
        | (Expr::Interval(interval), date, BinaryOperator::Plus) => (date, interval, 1),
        (date, Expr::Interval(interval), BinaryOperator::Minus) => (date, interval, -1),
        _ => return None,
    };
    Some(moved(date, interval, sign))
}

fn moved(date: &Expr, interval: &Interval, sign: i64) -> Result<Constant, Error> {
    let super::Scalar::Constant(Constant::Date(base)) = scalars::scalar(date.clone())? else {
        return Err(outside(format_args!("{date} with an interval: intervals move constant dates")));
    };
    let span = span(interval, sign)?;
    let moved =
        kind::date(base).checked_add(span).map_err(|_| wrong(format!("{date} moved by {interval} is no date")))?;
    Ok(Constant::Date(kind::days(moved)))
}

fn span(interval: &Interval, sign: i64) -> Result<Span, Error> {
    let unknown = || outside(format_args!("{interval}: intervals are days, weeks, months or years"));
    let (text, mut field) = (whole_text(&interval.value).ok_or_else(unknown)?, interval.leading_field.clone());
    let mut words = text.split_whitespace();
    let whole =
        || wrong(format!("{interval}: an interval has a whole number of days, weeks, months or years, up to 1000000"));
    let count: i64 = words.next().ok_or_else(unknown)?.parse().map_err(|_| whole())?;
    if let Some(word) = words.next() {
        // As in `'1 day' MONTH`, which names two.
        if field.replace(field_named(word).ok_or_else(unknown)?).is_some() {
            return Err(unknown());
        }
    }
    if words.next().is_some() || interval.last_field.is_some() {
        return Err(unknown());
    }
    if count.unsigned_abs() > 1_000_000 {
        return Err(whole());
    }
    let count = sign * count;
    let tried = match field.ok_or_else(unknown)? {
        DateTimeField::Day | DateTimeField::Days => Span::new().try_days(count),
        DateTimeField::Week(None) | DateTimeField::Weeks => Span::new().try_weeks(count),
        DateTimeField::Month | DateTimeField::Months => Span::new().try_months(count),
        DateTimeField::Year | DateTimeField::Years => Span::new().try_years(count),
        _ => return Err(unknown()),
    };
    tried.map_err(|_| wrong(format!("{interval} leads beyond the years -9999 to 9999")))
}

fn whole_text(value: &Expr) -> Option<String> {
    match value {
        Expr::Value(value) => match &value.value {
            Value::SingleQuotedString(text) | Value::Number(text, _) => Some(text.clone()),
            _ => None,
        },
        Expr::UnaryOp { op: UnaryOperator::Minus, expr } => Some(format!("-{}", whole_text(expr)?)),
        _ => None,
    }
}

fn field_named(word: &str) -> Option<DateTimeField> {
    match word.to_ascii_lowercase().as_str() {
        "day" | "days" => Some(DateTimeField::Day),
        "week" | "weeks" => Some(DateTimeField::Weeks),
        "month" | "months" => Some(DateTimeField::Month),
        "year" | "years" => Some(DateTimeField::Year),
        _ => None,
    }
}

/// Computes with two constants, exactly.
pub(super) fn fold(left: &Constant, op: &BinaryOperator, right: &Constant) -> Result<Constant, Error> {
    let (Constant::Number { digits: a, scale: p }, Constant::Number { digits: b, scale: q }) = (left, right) else {
        return fold_dates(left, op, right);
    };
    let scale = (*p).max(*q);
    let aligned = || Some((rescaled(*a, scale - p)?, rescaled(*b, scale - q)?));
    let (digits, scale) = match op {
        BinaryOperator::Plus => (aligned().and_then(|(a, b)| a.checked_add(b)), scale),
        BinaryOperator::Minus => (aligned().and_then(|(a, b)| a.checked_sub(b)), scale),
        BinaryOperator::Multiply => (a.checked_mul(*b), p + q),
        other => return Err(outside(format_args!("the operator {other}"))),
    };
    let digits = digits.filter(|digits| digits.unsigned_abs() < 10_u128.pow(38) && usize::from(scale) <= DIGITS);
    digits.map(|digits| Constant::Number { digits, scale }).ok_or_else(|| wrong("a constant has more than 38 digits"))
}

/// A date and a number of days.
fn fold_dates(left: &Constant, op: &BinaryOperator, right: &Constant) -> Result<Constant, Error> {
    let days = match (left, op, right) {
        (Constant::Date(date), BinaryOperator::Plus, Constant::Number { digits, scale: 0 })
        | (Constant::Number { digits, scale: 0 }, BinaryOperator::Plus, Constant::Date(date)) => (*date, *digits),
        (Constant::Date(date), BinaryOperator::Minus, Constant::Number { digits, scale: 0 }) => (*date, -digits),
        _ => return Err(outside(format_args!("the operator {op} between dates or texts"))),
    };
    let moved = i64::try_from(days.1)
        .ok()
        .filter(|days| days.unsigned_abs() < 10_000_000)
        .and_then(|days_more| kind::date(days.0).checked_add(days_more.days()).ok());
    moved.map(|date| Constant::Date(kind::days(date))).ok_or_else(|| wrong("a constant date is out of range"))
}

/// The digits with `more` zeros after them.
pub(crate) fn rescaled(digits: i128, more: u8) -> Option<i128> {
    digits.checked_mul(10_i128.checked_pow(more.into())?)
}

#[cfg(test)]
mod tests {
    use crate::sql::{Condition, Constant, Scalar, parse};

    /// The constant on the right side of a condition.
    fn right(text: &str) -> String {
        let select = parse(&format!("select count(*) from t where a = {text}")).unwrap();
        match select.filter {
            Some(Condition::Compare(_, _, Scalar::Constant(Constant::Number { digits, scale }))) => {
                format!("{digits} / 10^{scale}")
            }
            Some(Condition::Compare(_, _, Scalar::Constant(Constant::Date(days)))) => {
                crate::kind::date(days).to_string()
            }
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn constants_are_computed_exactly() {
        let cases = [
            ("0.06 - 0.01", "5 / 10^2"),
            ("2 * 0.05", "10 / 10^2"),
            ("-1.5 + 2", "5 / 10^1"),
            ("(1 + 1) * (1 + 1)", "4 / 10^0"),
            ("date '1998-12-01' - interval '90' day", "1998-09-02"),
            ("date '1994-01-01' + interval '1' year", "1995-01-01"),
            ("date '1996-02-29' + interval 1 year", "1997-02-28"),
            ("date '1996-01-31' + interval '1 month'", "1996-02-29"),
            ("interval '2' week + date '1996-01-31'", "1996-02-14"),
            ("date '1996-03-01' - 1", "1996-02-29"),
            ("cast('1996-03-01' as date)", "1996-03-01"),
        ];
        for (text, constant) in cases {
            assert_eq!(right(text), constant, "{text}");
        }
    }
}
