//! What a query returns: keys of groups, and aggregates.

use knee_workload::Error;
use sqlparser::ast::{Expr, Function as Call, FunctionArg, FunctionArgExpr, FunctionArguments};

use super::{Function, Output, Scalar, scalars};
use crate::error::{outside, wrong};

/// The functions, by name.
const FUNCTIONS: [(&str, Function); 5] = [
    ("sum", Function::Sum),
    ("min", Function::Min),
    ("max", Function::Max),
    ("count", Function::Count),
    ("avg", Function::Avg),
];

/// Reads one column of the answer.
pub(super) fn output(expr: Expr) -> Result<Output, Error> {
    match expr {
        Expr::Nested(inner) => output(*inner),
        Expr::Function(call) => aggregate(call),
        other => match scalars::column(&other) {
            Some(name) => Ok(Output::Key(name)),
            None => Err(outside(format_args!("SELECT {other}: it returns aggregates and columns of GROUP BY"))),
        },
    }
}

fn aggregate(call: Call) -> Result<Output, Error> {
    let name = call.name.to_string();
    let known = FUNCTIONS.iter().find(|(known, _)| name.eq_ignore_ascii_case(known));
    let Some((_, function)) = known else { return Err(outside(format_args!("the function {name}"))) };
    let shown = call.to_string();
    let plain = call.filter.is_none()
        && call.over.is_none()
        && call.null_treatment.is_none()
        && call.within_group.is_empty()
        && call.parameters == FunctionArguments::None;
    let FunctionArguments::List(list) = call.args else { return Err(outside(shown)) };
    if !plain || list.duplicate_treatment.is_some() || !list.clauses.is_empty() {
        return Err(outside(shown));
    }
    let mut arguments = list.args.into_iter();
    match (arguments.next(), arguments.next()) {
        (None, None) if *function == Function::Count => Ok(Output::Aggregate(Function::Count, None)),
        (Some(FunctionArg::Unnamed(FunctionArgExpr::Wildcard)), None) if *function == Function::Count => {
            Ok(Output::Aggregate(Function::Count, None))
        }
        (Some(FunctionArg::Unnamed(FunctionArgExpr::Expr(expr))), None) => argument(*function, expr),
        _ => Err(wrong(format!("{shown}: it takes one argument"))),
    }
}

fn argument(function: Function, expr: Expr) -> Result<Output, Error> {
    let scalar = scalars::scalar(expr)?;
    let of_text = |scalar: &Scalar| matches!(scalar, Scalar::Constant(super::Constant::Text(_)));
    if function != Function::Count && of_text(&scalar) {
        return Err(wrong("an aggregate of a text in quotes; names of columns take no quotes, or double ones"));
    }
    Ok(Output::Aggregate(function, Some(scalar)))
}
