//! Names become columns and types are checked.

use knee_workload::Error;

use super::{Aggregate, Filter, Floating, Number, Output, Plan, Ranges, Shown, column};
use crate::error::{outside, wrong};
use crate::field::Field;
use crate::kind::Kind;
use crate::sql::{self, Comparison, Condition, Constant, Function, Grouping, Scalar, Select, rescaled};

/// Most digits after the point of an exact number.
const SCALE: u8 = 38;

/// An expression with its type.
enum Typed {
    Exact(Number, Kind),
    Floating(Floating),
    Text(usize),
    Words(String),
}

pub(super) fn plan(select: &Select, fields: &[Field]) -> Result<Plan, Error> {
    let mut keys: Vec<usize> = Vec::new();
    for name in &select.keys {
        let key = key(name, fields)?;
        // Named twice, a column makes no more groups.
        if !keys.contains(&key) {
            keys.push(key);
        }
    }
    if let Some(key) = keys.iter().find(|key| fields[**key].kind == Kind::Double) {
        return Err(outside(format_args!("GROUP BY {}: it is of type DOUBLE", fields[*key].name)));
    }
    let mut aggregates = Vec::new();
    let output = |(output, name): &(sql::Output, String)| {
        let shown = match output {
            sql::Output::Key(name) => {
                let wanted = column(fields, name)?;
                let key = keys.iter().position(|key| *key == wanted).ok_or_else(|| {
                    wrong(format!("column {name} is neither in an aggregate nor in GROUP BY"))
                        .hint("rows themselves are not printed: DuckDB does that")
                })?;
                Shown::Key(key, fields[wanted].kind)
            }
            sql::Output::Aggregate(_, None) => Shown::Count,
            sql::Output::Aggregate(function, Some(scalar)) => aggregate(*function, scalar, fields, &mut aggregates)?,
        };
        Ok(Output { name: name.clone(), shown })
    };
    let outputs = select.outputs.iter().map(output).collect::<Result<Vec<_>, Error>>()?;
    let filter = select.filter.as_ref().map_or(Ok(Filter::Every), |condition| filter(condition, fields))?;
    let mut columns = keys.clone();
    filter.columns(&mut columns);
    for aggregate in &aggregates {
        aggregate.columns(&mut columns);
    }
    // Without nulls their values do not matter; reading them shows that there are none.
    for (output, _) in &select.outputs {
        if let sql::Output::Aggregate(Function::Count, Some(scalar)) = output {
            for name in scalar.names() {
                columns.push(column(fields, name)?);
            }
        }
    }
    columns.sort_unstable();
    columns.dedup();
    Ok(Plan { filter, keys, aggregates, outputs, order: select.order.clone(), limit: select.limit, columns })
}

/// The column that makes groups: one of the table, as in DuckDB, or else the one that an output has under this name.
fn key(Grouping { name, alias_of }: &Grouping, fields: &[Field]) -> Result<usize, Error> {
    let is_column = fields.iter().any(|field| sql::same(&field.name, name));
    column(fields, alias_of.as_ref().filter(|_| !is_column).unwrap_or(name))
}

fn aggregate(
    function: Function,
    scalar: &Scalar,
    fields: &[Field],
    known: &mut Vec<Aggregate>,
) -> Result<Shown, Error> {
    let value = typed(scalar, fields)?;
    let cannot = |what: &str| {
        let text = format!("cannot compute {function}({scalar}): {what}");
        Err(wrong(text).hint("sums and averages are of numbers; min, max and count are of anything"))
    };
    if function == Function::Count {
        return Ok(Shown::Count);
    }
    let sums = matches!(function, Function::Sum | Function::Avg);
    let (aggregate, kind) = match (value, function) {
        (Typed::Exact(_, Kind::Date), _) if sums => {
            return cannot("it is a date");
        }
        (Typed::Text(_) | Typed::Words(_), _) if sums => {
            return cannot("it is a text");
        }
        (Typed::Words(_), _) => return Err(outside("an aggregate of a constant text")),
        (Typed::Exact(number, kind), Function::Min) => (Aggregate::Least(number), kind),
        (Typed::Exact(number, kind), Function::Max) => (Aggregate::Greatest(number), kind),
        (Typed::Exact(number, kind), _) => (Aggregate::Sum(number), kind),
        (Typed::Text(column), Function::Min) => (Aggregate::Least(Number::Column(column)), Kind::Text),
        (Typed::Text(column), _) => (Aggregate::Greatest(Number::Column(column)), Kind::Text),
        (Typed::Floating(value), Function::Min) => (Aggregate::FloatLeast(value), Kind::Double),
        (Typed::Floating(value), Function::Max) => (Aggregate::FloatGreatest(value), Kind::Double),
        (Typed::Floating(value), _) => (Aggregate::FloatSum(value), Kind::Double),
    };
    let at = known.iter().position(|one| *one == aggregate).unwrap_or_else(|| {
        known.push(aggregate);
        known.len() - 1
    });
    Ok(if function == Function::Avg { Shown::Average(at, kind) } else { Shown::Value(at, kind) })
}

fn typed(scalar: &Scalar, fields: &[Field]) -> Result<Typed, Error> {
    match scalar {
        Scalar::Column(name) => {
            let at = column(fields, name)?;
            Ok(match fields[at].kind {
                Kind::Double => Typed::Floating(Floating::Column(at)),
                Kind::Text => Typed::Text(at),
                kind => Typed::Exact(Number::Column(at), kind),
            })
        }
        Scalar::Constant(Constant::Number { digits, scale }) => {
            let kind = if *scale == 0 { Kind::Integer } else { Kind::Decimal(*scale) };
            Ok(Typed::Exact(Number::Constant(*digits), kind))
        }
        Scalar::Constant(Constant::Date(days)) => Ok(Typed::Exact(Number::Constant((*days).into()), Kind::Date)),
        Scalar::Constant(Constant::Text(text)) => Ok(Typed::Words(text.clone())),
        Scalar::Add(left, right) => computed(scalar, sum(&typed(left, fields)?, &typed(right, fields)?, false)?),
        Scalar::Subtract(left, right) => computed(scalar, sum(&typed(left, fields)?, &typed(right, fields)?, true)?),
        Scalar::Multiply(left, right) => computed(scalar, product(&typed(left, fields)?, &typed(right, fields)?)?),
    }
}

/// An expression, or the error where it cannot be computed.
fn computed(scalar: &Scalar, value: Result<Typed, Misfit>) -> Result<Typed, Error> {
    value.map_err(|misfit| match misfit {
        Misfit::Types(left, right) => wrong(format!("cannot compute {scalar}: {left} and {right}")),
        Misfit::Outside => outside(format_args!("{scalar}: a double beside an expression of exact numbers")),
    })
}

/// Why two values cannot be joined to a number.
enum Misfit {
    /// Their types, in words.
    Types(&'static str, &'static str),
    /// They make sense, but not here.
    Outside,
}

fn sum(left: &Typed, right: &Typed, negative: bool) -> Result<Result<Typed, Misfit>, Error> {
    if let (Typed::Exact(a, p), Typed::Exact(b, q)) = (left, right)
        && let Some(kind) = kind_of_sum(*p, *q, negative)
    {
        let scale = kind.scale().unwrap_or(0);
        let (a, b) = (moved(a.clone(), *p, scale)?, moved(b.clone(), *q, scale)?);
        return Ok(Ok(Typed::Exact(a.add(if negative { b.negated() } else { b }), kind)));
    }
    let join = if negative { Floating::Subtract } else { Floating::Add };
    Ok(floats(left, right, join))
}

/// The type of a sum or a difference of exact numbers or dates; none if there is none.
fn kind_of_sum(left: Kind, right: Kind, negative: bool) -> Option<Kind> {
    match (left, right) {
        (Kind::Date, Kind::Date) if negative => Some(Kind::Integer),
        (Kind::Date, Kind::Integer) => Some(Kind::Date),
        (Kind::Integer, Kind::Date) if !negative => Some(Kind::Date),
        (Kind::Integer, Kind::Integer) => Some(Kind::Integer),
        _ => Some(Kind::Decimal(left.scale()?.max(right.scale()?))),
    }
}

fn product(left: &Typed, right: &Typed) -> Result<Result<Typed, Misfit>, Error> {
    if let (Typed::Exact(a, p), Typed::Exact(b, q)) = (left, right)
        && let (Some(scale_a), Some(scale_b)) = (p.scale(), q.scale())
    {
        let scale = scale_a + scale_b;
        if scale > SCALE {
            return Err(wrong(format!("a product has {scale} digits after the point; at most {SCALE} are possible")));
        }
        let kind = if (*p, *q) == (Kind::Integer, Kind::Integer) { Kind::Integer } else { Kind::Decimal(scale) };
        return Ok(Ok(Typed::Exact(a.clone().multiply(b.clone()), kind)));
    }
    Ok(floats(left, right, Floating::Multiply))
}

/// The point of an exact number moved to the right.
fn moved(number: Number, from: Kind, to: u8) -> Result<Number, Error> {
    let more = to - from.scale().unwrap_or(0);
    let power = rescaled(1, more).ok_or_else(|| wrong("an expression has too many digits after the point"))?;
    Ok(match number {
        Number::Constant(digits) => {
            let digits = digits.checked_mul(power);
            Number::Constant(digits.ok_or_else(|| wrong("a constant has more than 38 digits"))?)
        }
        other => other.multiply(Number::Constant(power)),
    })
}

fn floats(left: &Typed, right: &Typed, join: fn(Box<Floating>, Box<Floating>) -> Floating) -> Result<Typed, Misfit> {
    let some = matches!(left, Typed::Floating(_)) || matches!(right, Typed::Floating(_));
    match (some, floating(left), floating(right)) {
        (true, Some(left), Some(right)) => Ok(Typed::Floating(join(Box::new(left), Box::new(right)))),
        _ if some && left.is_number() && right.is_number() => Err(Misfit::Outside),
        _ => Err(Misfit::Types(left.word(), right.word())),
    }
}

impl Typed {
    fn is_number(&self) -> bool {
        matches!(self, Self::Floating(_)) || matches!(self, Self::Exact(_, kind) if *kind != Kind::Date)
    }

    /// Its type, in words.
    fn word(&self) -> &'static str {
        match self {
            Self::Exact(_, Kind::Date) => "a date",
            Self::Exact(..) | Self::Floating(_) => "a number",
            Self::Text(_) | Self::Words(_) => "a text",
        }
    }
}

fn floating(value: &Typed) -> Option<Floating> {
    match value {
        Typed::Floating(value) => Some(value.clone()),
        Typed::Exact(number, kind) => {
            let power = 10_f64.powi(kind.scale()?.into());
            inexact(number, power)
        }
        Typed::Text(_) | Typed::Words(_) => None,
    }
}

/// An exact expression beside a double: constants and columns, as DuckDB casts them.
fn inexact(number: &Number, power: f64) -> Option<Floating> {
    match number {
        Number::Column(column) => Some(Floating::Exact(*column, power)),
        Number::Constant(digits) => Some(Floating::Constant(*digits as f64 / power)),
        Number::Add(..) | Number::Multiply(..) => None,
    }
}

/// Binds a condition.
pub(crate) fn filter(condition: &Condition, fields: &[Field]) -> Result<Filter, Error> {
    let each = |parts: &[Condition]| parts.iter().map(|part| filter(part, fields)).collect::<Result<Vec<_>, _>>();
    match condition {
        Condition::And(parts) => Ok(Filter::all(each(parts)?)),
        Condition::Or(parts) => Ok(Filter::any(each(parts)?)),
        Condition::Not(inner) => Ok(filter(inner, fields)?.not()),
        Condition::Compare(left, how, right) => {
            let (a, b) = (typed(left, fields)?, typed(right, fields)?);
            let words = (a.word(), b.word());
            compare(a, *how, b, fields)?.ok_or_else(|| match words {
                (one, other) if one == other => outside(format_args!("the condition {left} {how} {right}")),
                (one, other) => {
                    let what = format!("cannot compare {left} with {right}: {one} with {other}");
                    wrong(what).hint("constants are written 5, 0.05, DATE '1994-01-01', 'AIR'")
                }
            })
        }
    }
}

/// A comparison; none where the types do not fit, or fit but are outside of this engine.
fn compare(left: Typed, how: Comparison, right: Typed, fields: &[Field]) -> Result<Option<Filter>, Error> {
    Ok(match (left, right) {
        (Typed::Text(column), Typed::Words(text)) => Some(of_text(column, how, &text, fields)),
        (Typed::Words(text), Typed::Text(column)) => Some(of_text(column, turned(how), &text, fields)),
        (Typed::Exact(number, Kind::Date), Typed::Words(text)) => Some(against(number, 0, how, days_in(&text)?, 0)),
        (Typed::Words(text), Typed::Exact(number, Kind::Date)) => {
            Some(against(number, 0, turned(how), days_in(&text)?, 0))
        }
        (Typed::Exact(_, p), Typed::Exact(_, q)) if (p == Kind::Date) != (q == Kind::Date) => None,
        (Typed::Exact(a, p), Typed::Exact(b, q)) => Some(exact(a, p, how, b, q)?),
        (left, right) => match (floating(&left), floating(&right)) {
            (Some(left), Some(right)) => Some(Filter::Floats(left, how, right)),
            _ => None,
        },
    })
}

fn days_in(text: &str) -> Result<i128, Error> {
    match sql::date(text)? {
        Constant::Date(days) => Ok(days.into()),
        _ => unreachable!("it reads dates"),
    }
}

fn exact(a: Number, p: Kind, how: Comparison, b: Number, q: Kind) -> Result<Filter, Error> {
    let (p, q) = (p.scale().unwrap_or(0), q.scale().unwrap_or(0));
    match (a, b) {
        (a, Number::Constant(b)) => Ok(against(a, p, how, b, q)),
        (Number::Constant(a), b) => Ok(against(b, q, turned(how), a, p)),
        (a, b) => {
            let scale = p.max(q);
            let (a, b) = (moved(a, Kind::Decimal(p), scale)?, moved(b, Kind::Decimal(q), scale)?);
            Ok(against(a.add(b.negated()), scale, how, 0, scale))
        }
    }
}

/// A number with `scale` digits after the point against a constant with `other` of them.
fn against(number: Number, scale: u8, how: Comparison, constant: i128, other: u8) -> Filter {
    // The constant in the number's units, as the whole numbers below and above it.
    let (floor, ceiling) = if scale >= other {
        let Some(same) = rescaled(constant, scale - other) else {
            // Beyond all numbers of 128 bits, on one side of each of them.
            let holds = match how {
                Comparison::Equal => false,
                Comparison::NotEqual => true,
                Comparison::Less | Comparison::LessOrEqual => constant > 0,
                Comparison::Greater | Comparison::GreaterOrEqual => constant < 0,
            };
            return Filter::Exact(number, if holds { Ranges::none().not() } else { Ranges::none() });
        };
        (same, same)
    } else {
        let power = rescaled(1, other - scale).expect("at most 38 digits");
        let floor = constant.div_euclid(power);
        (floor, if floor * power == constant { floor } else { floor + 1 })
    };
    let equal = if floor == ceiling { Ranges::between(floor, floor) } else { Ranges::none() };
    let ranges = match how {
        Comparison::Equal => equal,
        Comparison::NotEqual => equal.not(),
        Comparison::Less => Ranges::between(i128::MIN, ceiling.saturating_sub(1)),
        Comparison::LessOrEqual => Ranges::between(i128::MIN, floor),
        Comparison::Greater => Ranges::between(floor.saturating_add(1), i128::MAX),
        Comparison::GreaterOrEqual => Ranges::between(ceiling, i128::MAX),
    };
    Filter::Exact(number, ranges)
}

/// A column of texts against a text: positions in its sorted dictionary.
fn of_text(column: usize, how: Comparison, text: &str, fields: &[Field]) -> Filter {
    let words = fields[column].dictionary.as_deref().unwrap_or_default();
    let position = words.partition_point(|word| word.as_str() < text);
    let found = words.get(position).is_some_and(|word| word == text);
    let (position, after) = (position as i128, (position + usize::from(found)) as i128);
    let equal = Ranges::between(position, after - 1);
    let ranges = match how {
        Comparison::Equal => equal,
        Comparison::NotEqual => equal.not(),
        Comparison::Less => Ranges::between(i128::MIN, position - 1),
        Comparison::LessOrEqual => Ranges::between(i128::MIN, after - 1),
        Comparison::Greater => Ranges::between(after, i128::MAX),
        Comparison::GreaterOrEqual => Ranges::between(position, i128::MAX),
    };
    Filter::Exact(Number::Column(column), ranges)
}

fn turned(how: Comparison) -> Comparison {
    match how {
        Comparison::Less => Comparison::Greater,
        Comparison::LessOrEqual => Comparison::GreaterOrEqual,
        Comparison::Greater => Comparison::Less,
        Comparison::GreaterOrEqual => Comparison::LessOrEqual,
        same => same,
    }
}
