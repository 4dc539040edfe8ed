//! Expressions with one value for each row.

use knee_workload::Error;
use sqlparser::ast::{BinaryOperator, Expr, UnaryOperator};

use super::{Constant, Scalar, constants};
use crate::error::outside;

/// Reads an expression. What holds no column becomes a constant.
pub(super) fn scalar(expr: Expr) -> Result<Scalar, Error> {
    if let Some(name) = column(&expr) {
        return Ok(Scalar::Column(name));
    }
    match expr {
        Expr::Nested(inner) => scalar(*inner),
        Expr::UnaryOp { op: UnaryOperator::Plus, expr } => scalar(*expr),
        Expr::UnaryOp { op: UnaryOperator::Minus, expr } => {
            let zero = Scalar::Constant(Constant::Number { digits: 0, scale: 0 });
            combine(zero, &BinaryOperator::Minus, scalar(*expr)?)
        }
        Expr::BinaryOp { left, op, right } => {
            if let Some(date) = constants::date_and_interval(&left, &op, &right) {
                return date.map(Scalar::Constant);
            }
            combine(scalar(*left)?, &op, scalar(*right)?)
        }
        other => constants::constant(&other).map(Scalar::Constant),
    }
}

/// The name of a bare column, with or without the table's name in front of it.
pub(super) fn column(expr: &Expr) -> Option<String> {
    match expr {
        Expr::Identifier(name) => Some(name.value.clone()),
        Expr::CompoundIdentifier(names) if names.len() == 2 => Some(names[1].value.clone()),
        Expr::Nested(inner) => column(inner),
        _ => None,
    }
}

fn combine(left: Scalar, op: &BinaryOperator, right: Scalar) -> Result<Scalar, Error> {
    if let (Scalar::Constant(left), Scalar::Constant(right)) = (&left, &right) {
        return constants::fold(left, op, right).map(Scalar::Constant);
    }
    let (left, right) = (Box::new(left), Box::new(right));
    match op {
        BinaryOperator::Plus => Ok(Scalar::Add(left, right)),
        BinaryOperator::Minus => Ok(Scalar::Subtract(left, right)),
        BinaryOperator::Multiply => Ok(Scalar::Multiply(left, right)),
        other => Err(outside(format_args!("the operator {other}"))),
    }
}
