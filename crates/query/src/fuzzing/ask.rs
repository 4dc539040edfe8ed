//! One query, asked of one table in every way.

use crate::answer::{Answer, Format};
use crate::field::Field;
use crate::kind::{Kind, Value};
use crate::lanes::Isa;
use crate::oracle;
use crate::plan::{Aggregate, Plan};
use crate::run::Lies;
use crate::scan::{Scan, floats};
use crate::sql::{Comparison, Condition, Function, Output, Scalar, Select};
use crate::table::Table;

/// Asks with every instruction set, compares the answers with each other and with the plain loop's, and writes one.
///
/// The plain loop has no say where it gives up, since it computes more than a scan has to; nor on sums of doubles, which
/// depend on the order of adding.
pub(super) fn ask(select: &Select, table: &Table) {
    let Ok(plan) = Plan::new(select, &table.fields()) else { return };
    let mut first: Option<Result<Answer, String>> = None;
    for isa in Isa::all() {
        let scan = Scan::new(&plan, table, isa).map_err(|error| error.to_string());
        let answer = scan.and_then(|scan| {
            let state = scan.serial(&Lies::AtHome);
            state.answer(&plan, &scan).map_err(|error| error.to_string())
        });
        let first = first.get_or_insert_with(|| answer.clone());
        let same = match (&*first, &answer) {
            (Ok(one), Ok(other)) => same(one, other),
            (one, other) => one == other,
        };
        assert!(same, "{select:?}: {}: {answer:?}, not {first:?}", isa.name());
    }
    let Some(Ok(answer)) = first else { return };
    for format in Format::NAMES.iter().filter_map(|name| Format::named(name)) {
        let _ = answer.written(format);
    }
    let by_order = |aggregate: &Aggregate| matches!(aggregate, Aggregate::FloatSum(_));
    if let Ok(expected) = oracle::answer(&plan, table)
        && !plan.aggregates.iter().any(by_order)
    {
        assert!(same(&answer, &expected), "{select:?}: {answer:?}, not {expected:?}");
    }
}

/// Whether two answers are equal, where not-a-number is equal to itself.
fn same(one: &Answer, other: &Answer) -> bool {
    let value = |pair: (&Value, &Value)| match pair {
        (Value::Double(one), Value::Double(other)) => floats(*one, Comparison::Equal, *other),
        (one, other) => one == other,
    };
    let row = |(one, other): (&Vec<Value>, &Vec<Value>)| one.len() == other.len() && one.iter().zip(other).all(value);
    one.rows.len() == other.rows.len() && one.rows.iter().zip(&other.rows).all(row)
}

/// What any table can be asked: extremes and sums of each column, and for each two that are neighbours the sum of their
/// product, how many rows have the smaller one first, and how many there are of each value. Those that do not bind are
/// refused.
pub(super) fn questions(fields: &[Field]) -> Vec<Select> {
    let column = |field: &Field| Scalar::Column(field.name.clone());
    let select = |outputs: Vec<Output>, filter, keys| {
        let outputs = outputs.into_iter().map(|output| (output, String::new())).collect();
        Select { table: String::new(), outputs, filter, keys, order: Vec::new(), limit: None }
    };
    let count = || Output::Aggregate(Function::Count, None);
    let mut all = vec![select(vec![count()], None, Vec::new())];
    for field in fields {
        let sums = !matches!(field.kind, Kind::Date | Kind::Text);
        let functions = [Function::Min, Function::Max].into_iter().chain(sums.then_some(Function::Sum));
        let outputs = functions.map(|function| Output::Aggregate(function, Some(column(field)))).collect();
        all.push(select(outputs, None, Vec::new()));
    }
    for pair in fields.windows(2) {
        let (one, other) = (column(&pair[0]), column(&pair[1]));
        let product = Scalar::Multiply(Box::new(one.clone()), Box::new(other.clone()));
        all.push(select(vec![Output::Aggregate(Function::Sum, Some(product))], None, Vec::new()));
        let less = Condition::Compare(one.clone(), Comparison::Less, other);
        all.push(select(vec![count()], Some(less), Vec::new()));
        let sum = Output::Aggregate(Function::Sum, Some(one));
        let key = pair[1].name.clone();
        all.push(select(vec![Output::Key(key.clone()), count(), sum], None, vec![key.into()]));
    }
    all
}
