//! All parts, joined to the answer.

use knee_parts::gather;
use knee_workload::Error;

use super::VERB;
use super::answer::Answered;
use crate::answer::{Answer, Partial};
use crate::error::wrong;
use crate::plan::Plan;
use crate::sql;

/// Joins the lines that [`answer()`](super::answer()) wrote for all parts of a query, in any order. A part may be there more
/// than once if it says the same each time.
///
/// # Errors
/// A line that is none of them, parts of different jobs, parts that contradict one another, and missing ones.
pub fn merge<'a>(lines: impl IntoIterator<Item = &'a str>) -> Result<Answer, Error> {
    let parts: Vec<(usize, Answered)> = gather(VERB, lines)?;
    let first = &parts[0].1;
    let plan = Plan::new(&sql::parse(&first.job.asked.sql)?.counting_rows(), &first.fields)?;
    let mut whole = Partial::default();
    for (line, part) in parts {
        let partial: Partial = part.groups.into_iter().collect();
        if !partial.is_of(&plan) {
            return Err(wrong(format!("line {line}: its groups are not those of its query")));
        }
        whole.add(partial, &plan)?;
    }
    Ok(Answer::new(&plan, whole.rows(&plan)?))
}
