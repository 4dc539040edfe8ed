//! All parts, joined to the answer.

use std::collections::BTreeMap;

use knee_workload::{Error, one_of};

use super::answer::Answered;
use super::read;
use crate::answer::{Answer, Partial};
use crate::error::wrong;
use crate::plan::Plan;
use crate::sql;

/// Missing parts that an error names.
const NAMED: usize = 5;

/// Joins the lines that [`answer()`](super::answer()) wrote for all parts of a query, in any order. A part may be there more
/// than once if it says the same each time.
///
/// # Errors
/// A line that is none of them, parts of different jobs, parts that contradict one another, and missing ones.
pub fn merge<'a>(lines: impl IntoIterator<Item = &'a str>) -> Result<Answer, Error> {
    let mut parts: BTreeMap<usize, (usize, Answered)> = BTreeMap::new();
    for (at, line) in lines.into_iter().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let number = at + 1;
        let at_line = |error: Error| {
            let said = Error::new(format!("line {number}: {error}"));
            error.hinted().map(str::to_owned).into_iter().fold(said, Error::hint)
        };
        let part: Answered = read(line, "the answer of knee query --part").map_err(at_line)?;
        part.job.own_version().map_err(at_line)?;
        if let Some((first, other)) = parts.values().next()
            && (other.job != part.job || other.fields != part.fields)
        {
            return Err(wrong(format!("line {number} is of another query or of other data than line {first}"))
                .hint("merge the answers of one --split at a time"));
        }
        match parts.get(&part.part) {
            Some((_, known)) if line_of(known) == line_of(&part) => {}
            Some((first, _)) => {
                let what = format!("lines {first} and {number} both answer part {}, but not the same", part.part);
                return Err(wrong(what).hint("did a file change between them?"));
            }
            None => drop(parts.insert(part.part, (number, part))),
        }
    }
    let (_, first) = parts.values().next().ok_or_else(|| {
        wrong("there is no part to merge").hint("give the output of knee query --part for all parts, one line each")
    })?;
    complete(parts.keys(), first.job.parts)?;
    let plan = Plan::new(&sql::parse(&first.job.sql)?.counting_rows(), &first.fields)?;
    let mut whole = Partial::default();
    for (line, part) in parts.into_values() {
        let partial: Partial = part.groups.into_iter().collect();
        if !partial.is_of(&plan) {
            return Err(wrong(format!("line {line}: its groups are not those of its query")));
        }
        whole.add(partial, &plan)?;
    }
    Ok(Answer::new(&plan, whole.rows(&plan)?))
}

/// Doubles are compared by their texts, so that not-a-number equals itself.
fn line_of(part: &Answered) -> String {
    super::line(part)
}

fn complete<'a>(found: impl Iterator<Item = &'a usize> + Clone, parts: usize) -> Result<(), Error> {
    if let Some(beyond) = found.clone().find(|part| **part >= parts) {
        return Err(wrong(format!("part {beyond} is not one of {parts}, which count from 0")));
    }
    let known: Vec<usize> = found.copied().collect();
    let missing: Vec<String> =
        (0..parts).filter(|part| known.binary_search(part).is_err()).take(NAMED).map(|part| part.to_string()).collect();
    if missing.is_empty() {
        return Ok(());
    }
    let count = parts - known.len();
    let names: Vec<&str> = missing.iter().map(String::as_str).collect();
    let more = if count > NAMED { " and more" } else { "" };
    let are = if count == 1 { "is" } else { "are" };
    let what = format!("{count} of {parts} parts {are} missing: {}{more}", one_of(&names).replace(" or ", " and "));
    Err(wrong(what).hint("answer them with knee query --part, and add their lines"))
}
