//! The clauses of a query.

use knee_workload::Error;
use sqlparser::ast::{
    Distinct, Expr, GroupByExpr, LimitClause, OrderBy, OrderByKind, Query, Select as Parsed, SelectFlavor, SelectItem,
    SetExpr, Statement, TableFactor, TableWithJoins, Value,
};
use sqlparser::dialect::DuckDbDialect;
use sqlparser::parser::{Parser, ParserError};
use sqlparser::tokenizer::Tokenizer;

use super::{Grouping, Order, Output, Select, conditions, limits, outputs, qualifiers, scalars};
use crate::error::{outside, wrong};

/// Deepest nesting of parentheses and operators.
const DEPTH: usize = 40;

/// Reads a query.
///
/// # Errors
/// What is no SQL, and what is SQL outside of this engine, with the word that is.
pub fn parse(text: &str) -> Result<Select, Error> {
    limits::of_text(text)?;
    let tokens = Tokenizer::new(&DuckDbDialect {}, text).tokenize_with_location();
    let tokens = tokens.map_err(|error| not_sql(&error.into()))?;
    limits::of_tokens(&tokens)?;
    let before_columns = qualifiers::of_tokens(&tokens);
    let parser = Parser::new(&DuckDbDialect {}).with_recursion_limit(DEPTH);
    let statements = parser.with_tokens_with_locations(tokens).parse_statements().map_err(|error| not_sql(&error))?;
    let mut statements = statements.into_iter();
    match (statements.next(), statements.next()) {
        (Some(Statement::Query(query)), None) => {
            let select = of_query(*query)?;
            qualifiers::check(&before_columns, &select.table)?;
            Ok(select)
        }
        (Some(Statement::Query(_)), Some(_)) => Err(outside("more than one query")),
        (Some(other), _) => Err(outside(first_word(&other))),
        (None, _) => Err(wrong("the query is empty").hint("--sql \"SELECT ... FROM lineitem\"")),
    }
}

fn not_sql(error: &ParserError) -> Error {
    let reason = error.to_string().replace("Expected: ", "expected ").replace(", found: EOF", ", found its end");
    let reason = reason.replace(", found: ", ", found ").replace(" at Line: ", " at line ");
    let reason = reason.replace(", Column: ", ", column ");
    wrong(format!("this is not SQL: {}", reason.trim_start_matches("sql parser error: ")))
}

fn first_word(what: &impl std::fmt::Display) -> String {
    what.to_string().split_whitespace().next().unwrap_or_default().to_uppercase()
}

fn of_query(query: Query) -> Result<Select, Error> {
    let Query { with, body, order_by, limit_clause, fetch, locks, for_clause, settings, format_clause, pipe_operators } =
        query;
    refuse("WITH", with.is_some())?;
    refuse("FETCH", fetch.is_some())?;
    refuse("FOR", for_clause.is_some() || !locks.is_empty())?;
    refuse("SETTINGS", settings.is_some())?;
    refuse("FORMAT", format_clause.is_some())?;
    refuse("|>", !pipe_operators.is_empty())?;
    let SetExpr::Select(select) = *body else { return Err(outside(set_operation(&body))) };
    let mut select = of_select(*select)?;
    select.order = order_by.map_or(Ok(Vec::new()), |order| of_order(order, &select))?;
    select.limit = limit_clause.map_or(Ok(None), of_limit)?;
    Ok(select)
}

fn set_operation(body: &SetExpr) -> String {
    match body {
        SetExpr::SetOperation { op, .. } => op.to_string(),
        SetExpr::Query(_) => "a query in parentheses".into(),
        other => first_word(other),
    }
}

fn refuse(clause: &str, there: bool) -> Result<(), Error> {
    if there { Err(outside(clause)) } else { Ok(()) }
}

fn of_select(select: Parsed) -> Result<Select, Error> {
    refuse("DISTINCT", select.distinct.is_some_and(|rows| rows != Distinct::All))?;
    refuse("TOP", select.top.is_some())?;
    refuse("EXCLUDE", select.exclude.is_some())?;
    refuse("INTO", select.into.is_some())?;
    refuse("LATERAL VIEW", !select.lateral_views.is_empty())?;
    refuse("PREWHERE", select.prewhere.is_some())?;
    refuse("CONNECT BY", !select.connect_by.is_empty())?;
    refuse("CLUSTER BY", !select.cluster_by.is_empty())?;
    refuse("DISTRIBUTE BY", !select.distribute_by.is_empty())?;
    refuse("SORT BY", !select.sort_by.is_empty())?;
    refuse("HAVING", select.having.is_some())?;
    refuse("WINDOW", !select.named_window.is_empty())?;
    refuse("QUALIFY", select.qualify.is_some())?;
    refuse("SELECT AS", select.value_table_mode.is_some())?;
    refuse("SELECT with words before its columns", select.select_modifiers.is_some())?;
    refuse("FROM before SELECT", select.flavor != SelectFlavor::Standard)?;
    let table = of_table(select.from)?;
    let outputs = select.projection.into_iter().map(of_item).collect::<Result<Vec<_>, _>>()?;
    let keys = of_keys(select.group_by, &outputs)?;
    let filter = select.selection.map(conditions::condition).transpose()?;
    Ok(Select { table, outputs, filter, keys, order: Vec::new(), limit: None })
}

fn of_table(mut from: Vec<TableWithJoins>) -> Result<String, Error> {
    let table = match from.len() {
        0 => {
            let hint = "write FROM lineitem; where a file is given, any name is that of its table";
            return Err(wrong("the query has no FROM").hint(hint));
        }
        1 => from.remove(0),
        _ => return Err(outside("joins: FROM has more than one table")),
    };
    if let Some(join) = table.joins.first() {
        return Err(outside(format_args!("joins: {join}").to_string().replace('\n', " ")));
    }
    match &table.relation {
        TableFactor::Table { name, .. } if table.relation.to_string() == name.to_string() => {
            // Without quotes, and without the names of schemas.
            let last = name.0.last().and_then(|part| part.as_ident());
            Ok(last.map_or_else(|| name.to_string(), |ident| ident.value.clone()))
        }
        TableFactor::Table { name, .. } => Err(outside(format_args!("what follows the table's name, {name}"))),
        other => Err(outside(format_args!("FROM {other}"))),
    }
}

fn of_item(item: SelectItem) -> Result<(Output, String), Error> {
    match item {
        SelectItem::UnnamedExpr(expr) => {
            // Of a column its name alone, without quotes and without its table's name.
            let name = scalars::column(&expr).unwrap_or_else(|| expr.to_string());
            Ok((outputs::output(expr)?, name))
        }
        SelectItem::ExprWithAlias { expr, alias } => Ok((outputs::output(expr)?, alias.value)),
        other => Err(outside(format_args!("SELECT {other}"))),
    }
}

/// Columns of `GROUP BY`: names, or numbers of outputs.
fn of_keys(group: GroupByExpr, outputs: &[(Output, String)]) -> Result<Vec<Grouping>, Error> {
    let (expressions, modifiers) = match group {
        GroupByExpr::All(modifiers) => (None, modifiers),
        GroupByExpr::Expressions(expressions, modifiers) => (Some(expressions), modifiers),
    };
    if let Some(modifier) = modifiers.first() {
        return Err(outside(modifier));
    }
    match expressions {
        Some(expressions) => expressions.into_iter().map(|expr| of_key(&expr, outputs)).collect(),
        // GROUP BY ALL: what is no aggregate.
        None => Ok(outputs.iter().filter_map(|(output, _)| key_of(output)).map(Grouping::from).collect()),
    }
}

fn key_of(output: &Output) -> Option<String> {
    match output {
        Output::Key(name) => Some(name.clone()),
        Output::Aggregate(..) => None,
    }
}

fn of_key(expr: &Expr, outputs: &[(Output, String)]) -> Result<Grouping, Error> {
    if let Some(at) = position("GROUP BY", expr, outputs.len())? {
        let key = key_of(&outputs[at].0).ok_or_else(|| wrong(format!("GROUP BY {}: it is an aggregate", at + 1)))?;
        return Ok(key.into());
    }
    let name =
        scalars::column(expr).ok_or_else(|| outside(format_args!("GROUP BY {expr}: only columns make groups")))?;
    let alias_of = aliased(expr, outputs).and_then(|at| key_of(&outputs[at].0));
    Ok(Grouping { name, alias_of })
}

/// The output that has a bare name, written so or, failing that, in other case.
fn aliased(expr: &Expr, outputs: &[(Output, String)]) -> Option<usize> {
    match expr {
        Expr::Identifier(name) => {
            let named = |is: fn(&str, &str) -> bool| outputs.iter().position(|(_, alias)| is(alias, &name.value));
            named(|one, other| one == other).or_else(|| named(same))
        }
        Expr::Nested(inner) => aliased(inner, outputs),
        _ => None,
    }
}

/// The output that a whole number means in a clause: `GROUP BY` or `ORDER BY`.
fn position(clause: &str, expr: &Expr, outputs: usize) -> Result<Option<usize>, Error> {
    let Expr::Value(value) = expr else { return Ok(None) };
    let Value::Number(number, _) = &value.value else { return Ok(None) };
    let at = number.parse::<usize>().ok().filter(|at| (1..=outputs).contains(at));
    at.map(|at| Some(at - 1)).ok_or_else(|| {
        let (columns, hint) = match outputs {
            1 => ("1 column".to_owned(), "give 1, or a name".to_owned()),
            _ => (format!("{outputs} columns"), format!("give a number from 1 to {outputs}, or a name")),
        };
        wrong(format!("{clause} {number}: the query returns {columns}")).hint(hint)
    })
}

/// Names of columns are the same whatever their case, as in DuckDB.
pub(crate) fn same(one: &str, other: &str) -> bool {
    one.eq_ignore_ascii_case(other)
}

fn of_order(order: OrderBy, select: &Select) -> Result<Vec<Order>, Error> {
    refuse("INTERPOLATE", order.interpolate.is_some())?;
    let OrderByKind::Expressions(expressions) = order.kind else { return Err(outside("ORDER BY ALL")) };
    let one = |by: sqlparser::ast::OrderByExpr| {
        refuse("WITH FILL", by.with_fill.is_some())?;
        let descending = match by.options.sort {
            None | Some(sqlparser::ast::OrderBySort::Asc) => false,
            Some(sqlparser::ast::OrderBySort::Desc) => true,
            Some(other) => return Err(outside(format_args!("ORDER BY {other:?}"))),
        };
        Ok(Order { output: ordered_by(&by.expr, select)?, descending })
    };
    expressions.into_iter().map(one).collect()
}

/// The output that orders the answer: by its number, its name, or the same expression.
fn ordered_by(expr: &Expr, select: &Select) -> Result<usize, Error> {
    if let Some(at) = position("ORDER BY", expr, select.outputs.len())? {
        return Ok(at);
    }
    let equal = || {
        let wanted = outputs::output(expr.clone()).ok()?;
        let equal = |is: fn(&Output, &Output) -> bool| select.outputs.iter().position(|(one, _)| is(one, &wanted));
        equal(|one, other| one == other).or_else(|| equal(Output::is))
    };
    let found = aliased(expr, &select.outputs).or_else(equal);
    found.ok_or_else(|| outside(format_args!("ORDER BY {expr}: only what the query returns orders its answer")))
}

fn of_limit(clause: LimitClause) -> Result<Option<u64>, Error> {
    let LimitClause::LimitOffset { limit, offset: None, limit_by } = clause else { return Err(outside("OFFSET")) };
    refuse("LIMIT BY", !limit_by.is_empty())?;
    let Some(limit) = limit else { return Ok(None) };
    let number = match &limit {
        Expr::Value(value) => match &value.value {
            Value::Number(number, _) => number.parse().ok(),
            _ => None,
        },
        _ => None,
    };
    number.map(Some).ok_or_else(|| outside(format_args!("LIMIT {limit}: it takes a whole number")))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is said of a text that is no query here.
    fn refused(text: &str) -> String {
        parse(text).unwrap_err().to_string()
    }

    #[test]
    fn what_is_outside_is_named() {
        let cases = [
            ("with a as (select 1) select count(*) from a", "WITH"),
            ("select distinct sum(a) from t", "DISTINCT"),
            ("select sum(a) from t having sum(a) > 1", "HAVING"),
            ("select sum(a) from t join u on a = b", "joins: JOIN u ON a = b"),
            ("select sum(a) from t, u", "joins: FROM has more than one table"),
            ("select sum(a) from (select 1)", "FROM (SELECT 1)"),
            ("select sum(a) from t limit 1 offset 2", "OFFSET"),
            ("select sum(a) from t union select sum(a) from t", "UNION"),
            ("select sum(a / b) from t", "the operator /"),
            ("select sum(distinct a) from t", "sum(DISTINCT a)"),
            ("select median(a) from t", "the function median"),
            ("select sum(a) over () from t", "sum(a) OVER ()"),
            ("select sum(a) filter (where b > 1) from t", "sum(a) FILTER (WHERE b > 1)"),
            ("select sum(a) from t where b like 'x%'", "the condition b LIKE 'x%'"),
            ("select sum(a) from t where b is null", "the condition b IS NULL"),
            ("select sum(a) from t where b = null", "NULL: its tables have none"),
            ("select sum(a) from t where b in (select 1)", "the condition b IN (SELECT 1)"),
            ("select sum(case when a then 1 end) from t", "CASE WHEN a THEN 1 END"),
            ("select a + 1 from t group by a", "SELECT a + 1: it returns aggregates and columns of GROUP BY"),
            ("select * from t", "SELECT *"),
            ("select a, sum(b) from t group by all grouping sets ((a), ())", "GROUPING SETS ((a), ())"),
            ("select sum(a) from t where b < cast('1' as date format 'YYYY')", "CAST('1' AS DATE FORMAT 'YYYY')"),
            ("select sum(a) from t group by rollup (a)", "GROUP BY ROLLUP (a): only columns make groups"),
            ("select sum(a) from t order by b", "ORDER BY b: only what the query returns orders its answer"),
            ("insert into t values (1)", "INSERT"),
            ("select sum(a) from t; select sum(b) from t", "more than one query"),
            ("select sum(1e5) from t", "the number 1e5: numbers have digits and a point"),
        ];
        for (text, named) in cases {
            assert_eq!(refused(text), format!("knee query does not know {named}"), "{text}");
        }
    }

    #[test]
    fn what_is_wrong_is_said() {
        let cases = [
            ("", "the query is empty"),
            ("select sum(a)", "the query has no FROM"),
            ("select sum(a) from t group by 1", "GROUP BY 1: it is an aggregate"),
            ("select sum(a) from t order by 2", "ORDER BY 2: the query returns 1 column"),
            ("select a, sum(b) from t group by 3", "GROUP BY 3: the query returns 2 columns"),
            ("select sum() from t", "sum(): it takes one argument"),
            (
                "select sum(a) from t where b < date '1994-02-30'",
                "'1994-02-30' is no date; dates are written YYYY-MM-DD",
            ),
        ];
        for (text, said) in cases {
            assert_eq!(refused(text), said, "{text}");
        }
        let cases = [
            ("select sum(a)", "write FROM lineitem; where a file is given, any name is that of its table"),
            ("select sum(a) from t order by 2", "give 1, or a name"),
            ("select a, sum(b) from t group by 0", "give a number from 1 to 2, or a name"),
            ("select sum(a) from t where a in (((((((((((1)))))))))))", "leave out parentheses that change nothing"),
        ];
        for (text, hint) in cases {
            assert_eq!(parse(text).unwrap_err().hinted(), Some(hint), "{text}");
        }
        assert!(refused("select sum(a from t").starts_with("this is not SQL: "));
        assert!(refused(&format!("select sum({}a) from t", "- ".repeat(99))).contains("not SQL"));
    }

    #[test]
    fn tables_have_quotes_as_columns_have() {
        for text in ["\"my.sales\"", "`my.sales`", "own.\"my.sales\""] {
            let text = format!("select sum(\"my.sales\".price) from {text}");
            assert_eq!(parse(&text).unwrap().table, "my.sales", "{text}");
        }
    }

    #[test]
    fn columns_of_the_answer_have_the_names_of_columns() {
        let select = parse(r#"select "order", t.a, (b), sum(c), sum(c) as "of c" from t group by 1, 2, 3"#).unwrap();
        let names: Vec<_> = select.outputs.iter().map(|(_, name)| name.as_str()).collect();
        assert_eq!(names, ["order", "a", "b", "sum(c)", "of c"]);
    }

    #[test]
    fn names_numbers_and_expressions_order_and_group() {
        let select = parse("select a as x, sum(b) from t group by x order by sum(b) desc, 1 limit 3").unwrap();
        assert_eq!(select.keys, [Grouping { name: "x".into(), alias_of: Some("a".into()) }]);
        let order = [Order { output: 1, descending: true }, Order { output: 0, descending: false }];
        assert_eq!((select.order.as_slice(), select.limit), (&order[..], Some(3)));
        let select = parse("select sum(a * b), sum(a * c), avg(A) from t order by SUM(A * C), Avg(a)").unwrap();
        assert_eq!(select.order.iter().map(|order| order.output).collect::<Vec<_>>(), [1, 2]);
        let select =
            parse("select sum(A), sum(a), max(b) as c, c as d from t group by t.c order by sum(a), t.c").unwrap();
        assert_eq!(select.order.iter().map(|order| order.output).collect::<Vec<_>>(), [1, 3]);
        assert_eq!(select.keys, [Grouping::from("c".to_owned())]);
    }
}
