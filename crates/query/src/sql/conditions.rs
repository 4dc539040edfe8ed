//! Conditions of `WHERE`.

use knee_workload::Error;
use sqlparser::ast::{BinaryOperator, Expr, InTarget, UnaryOperator};

use super::{Comparison, Condition, scalars};
use crate::error::outside;

/// Reads a condition.
pub(super) fn condition(expr: Expr) -> Result<Condition, Error> {
    match expr {
        Expr::Nested(inner) => condition(*inner),
        Expr::BinaryOp { left, op: BinaryOperator::And, right } => {
            Ok(Condition::And(joined(*left, *right, |part| match part {
                Condition::And(parts) => parts,
                other => vec![other],
            })?))
        }
        Expr::BinaryOp { left, op: BinaryOperator::Or, right } => {
            Ok(Condition::Or(joined(*left, *right, |part| match part {
                Condition::Or(parts) => parts,
                other => vec![other],
            })?))
        }
        Expr::BinaryOp { left, op, right } => compare(*left, &op, *right),
        Expr::UnaryOp { op: UnaryOperator::Not, expr } => Ok(Condition::Not(Box::new(condition(*expr)?))),
        Expr::Between { expr, negated, low, high } => {
            let (value, low, high) = (scalars::scalar(*expr)?, scalars::scalar(*low)?, scalars::scalar(*high)?);
            let above = Condition::Compare(value.clone(), Comparison::GreaterOrEqual, low);
            let below = Condition::Compare(value, Comparison::LessOrEqual, high);
            Ok(unless(negated, Condition::And(vec![above, below])))
        }
        Expr::In { expr, target: InTarget::List(list), negated, global: false } => {
            let value = scalars::scalar(*expr)?;
            let equal = |other| Ok(Condition::Compare(value.clone(), Comparison::Equal, scalars::scalar(other)?));
            Ok(unless(negated, Condition::Or(list.into_iter().map(equal).collect::<Result<_, Error>>()?)))
        }
        other => Err(outside(format_args!("the condition {other}"))),
    }
}

fn joined(left: Expr, right: Expr, parts: impl Fn(Condition) -> Vec<Condition>) -> Result<Vec<Condition>, Error> {
    let mut all = parts(condition(left)?);
    all.extend(parts(condition(right)?));
    Ok(all)
}

fn unless(negated: bool, condition: Condition) -> Condition {
    if negated { Condition::Not(Box::new(condition)) } else { condition }
}

fn compare(left: Expr, op: &BinaryOperator, right: Expr) -> Result<Condition, Error> {
    let comparison = match op {
        BinaryOperator::Eq => Comparison::Equal,
        BinaryOperator::NotEq => Comparison::NotEqual,
        BinaryOperator::Lt => Comparison::Less,
        BinaryOperator::LtEq => Comparison::LessOrEqual,
        BinaryOperator::Gt => Comparison::Greater,
        BinaryOperator::GtEq => Comparison::GreaterOrEqual,
        other => return Err(outside(format_args!("the operator {other} in a condition"))),
    };
    Ok(Condition::Compare(scalars::scalar(left)?, comparison, scalars::scalar(right)?))
}
