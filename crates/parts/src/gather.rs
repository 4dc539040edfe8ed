//! The lines of all parts, in any order.

use std::collections::BTreeMap;

use knee_workload::{Error, one_of};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::line::{read, text};
use crate::{Job, Verb};

/// Missing parts that an error names.
const NAMED: usize = 5;

/// What is known of one part.
pub trait Answered: Serialize + DeserializeOwned {
    /// What its job asks.
    type Asked: Serialize + PartialEq;

    /// Its job.
    fn job(&self) -> &Job<Self::Asked>;

    /// Its number, from 0.
    fn part(&self) -> usize;

    /// Whether it can be joined with another part of the same job.
    fn fits(&self, other: &Self) -> bool;
}

/// Reads the lines of all parts of a job, in any order; they are returned by their numbers, each with the number of its
/// line. A part may be there more than once if it says the same each time.
///
/// # Errors
/// A line that is none of them, parts of different jobs, parts that contradict one another, and missing ones.
pub fn gather<'a, P: Answered>(verb: Verb, lines: impl IntoIterator<Item = &'a str>) -> Result<Vec<(usize, P)>, Error> {
    let mut parts: BTreeMap<usize, (usize, P)> = BTreeMap::new();
    for (at, line) in lines.into_iter().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let number = at + 1;
        let at_line = |error: Error| {
            let said = Error::new(format!("line {number}: {error}"));
            error.hinted().map(str::to_owned).into_iter().fold(said, Error::hint)
        };
        let part: P = read(line, &format!("the answer of {verb} --part")).map_err(at_line)?;
        part.job().own_version().map_err(at_line)?;
        if let Some((first, other)) = parts.values().next()
            && (other.job() != part.job() || !other.fits(&part))
        {
            let what = format!("line {number} is of another job or of other data than line {first}");
            return Err(Error::new(what).hint("merge the answers of one --split at a time"));
        }
        match parts.get(&part.part()) {
            // Doubles are compared by their texts, so that not-a-number equals itself.
            Some((_, known)) if text(known) == text(&part) => {}
            Some((first, _)) => {
                let what = format!("lines {first} and {number} both answer part {}, but not the same", part.part());
                return Err(Error::new(what).hint("did a file change between them?"));
            }
            None => drop(parts.insert(part.part(), (number, part))),
        }
    }
    let (_, first) = parts.values().next().ok_or_else(|| {
        let hint = format!("give the output of {verb} --part for all parts, one line each");
        Error::new("there is no part to merge").hint(hint)
    })?;
    complete(verb, parts.keys(), first.job().parts)?;
    Ok(parts.into_values().collect())
}

fn complete<'a>(verb: Verb, found: impl Iterator<Item = &'a usize> + Clone, parts: usize) -> Result<(), Error> {
    if let Some(beyond) = found.clone().find(|part| **part >= parts) {
        return Err(Error::new(format!("part {beyond} is not one of {parts}, which count from 0")));
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
    Err(Error::new(what).hint(format!("answer them with {verb} --part, and add their lines")))
}
