//! All parts, joined to the answer.

use std::collections::BTreeMap;

use knee_parts::gather;
use knee_workload::{Args, Error};

use super::answer::Answered;
use super::{VERB, Whole};
use crate::Pattern;
use crate::matching::whole;
use crate::mine::written;

/// The answer to a whole question.
#[derive(Debug)]
pub struct Merged {
    /// What was asked.
    pub args: Args,
    /// A count, or a line for each pattern.
    pub answer: String,
    /// What the graph's first line says, where it was taken for a header.
    pub header: Option<String>,
}

/// Joins the lines that [`answer()`](super::answer()) wrote for all parts of a count, in any order. A part may be there more
/// than once if it says the same each time.
///
/// # Errors
/// A line that is none of them, parts of different jobs, parts that contradict one another, and missing ones.
pub fn merge<'a>(lines: impl IntoIterator<Item = &'a str>) -> Result<Merged, Error> {
    let parts: Vec<(usize, Answered)> = gather(VERB, lines)?;
    let job: &Whole = &parts[0].1.job.asked;
    let args = job.arguments(&BTreeMap::new())?;
    let (question, names, hows) = job.question(&args)?;
    let mut sums = vec![0_i128; hows.len()];
    for (line, Answered { found, .. }) in &parts {
        let add = |(sum, found): (&mut i128, &String)| {
            *sum = sum.checked_add(found.parse().ok()?)?;
            Some(())
        };
        let added = sums.iter_mut().zip(found).map(add).collect::<Option<Vec<()>>>();
        if found.len() != hows.len() || added.is_none() {
            return Err(Error::new(format!("line {line}: its numbers are not those of its question")));
        }
    }
    let sums: BTreeMap<&Pattern, i128> = hows.keys().zip(sums).collect();
    let counts = whole(|| question.answers(&hows, &|pattern| sums[pattern]))?;
    let counts = counts.ok_or_else(|| Error::new("the parts do not add up: what they found contradicts itself"))?;
    Ok(Merged { args, answer: written(&counts, &names), header: job.header.clone() })
}
