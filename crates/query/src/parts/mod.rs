//! A query in parts, for engines that run on several machines: descriptors travel, rows never.
//!
//! [`split()`] describes the parts of a query, one line of JSON for each: its SQL and which row groups of which files are
//! meant. [`answer()`] answers one part, by itself, on any machine that sees the files: its line says for each group what
//! was found, by value and exactly. [`merge()`] joins the lines of all parts to the answer.

mod answer;
mod merge;

use std::ops::{Range, RangeInclusive};
use std::path::Path;

use knee_parts::{Verb, checked};
use knee_workload::{Args, Error};
use serde::{Deserialize, Serialize};

pub use answer::{Part, answer};
pub use merge::merge;

use crate::data::{Parquet, Piece, Source};
use crate::dump::Dump;
use crate::error::wrong;
use crate::known::{may_count, planned};
use crate::load::lineitem;
use crate::{sql, workload};

const VERB: Verb = Verb("query");

/// Whether this process may place pages as a part does where nobody says how.
#[must_use]
pub fn may_place() -> bool {
    knee_runtime::Arrangement::named("blocked").is_some_and(|blocked| blocked.uninit::<u64>(1 << 16).is_ok())
}

/// What all parts of a query have in common.
type Job = knee_parts::Job<Asked>;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Asked {
    sql: String,
}

/// One part.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Descriptor {
    #[serde(flatten)]
    job: Job,
    part: usize,
    encoding: String,
    #[serde(flatten)]
    of: Of,
}

/// The rows of a part.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Of {
    /// Row groups of files.
    Files(Vec<Piece>),
    /// Generated ones.
    Lineitem { scale: String, parts: Range<usize> },
}

/// Bytes of the columns of a query that are worth a part of their own: one core takes some half of a second for them, and
/// engines some 20 to 50 ms for a part.
const WORTH: u64 = 1 << 28;

/// Bytes that take as long to read as it takes to look at a row group that has none of interest.
const LEAST: u64 = 1 << 12;

/// Describes the parts of a query, one line of JSON for each. There are at most as many as `parts` says, of about the same
/// size, and fewer where the data has fewer row groups. Between the fewest and the most, there is a part for each 256 MiB of
/// what is read, but as many for each of the fewest, so that none of so many workers waits for others.
///
/// # Errors
/// What is wrong with the query or with the data.
pub fn split(args: &Args, parts: RangeInclusive<usize>) -> Result<Vec<String>, Error> {
    let sql = workload::text(args)?;
    let select = sql::parse(&sql)?;
    let ranges = |source: &dyn Source| {
        let plan = planned(&select, source)?;
        let cost = |part| if may_count(&plan, source, part) { source.cost(part, plan.columns()) } else { 0 };
        let costs: Vec<u64> = (0..source.parts()).map(|part| cost(part).saturating_add(LEAST)).collect();
        Ok::<_, Error>(ranges(&costs, number(&costs, &parts)))
    };
    let all: Vec<Of> = match (args.text("data"), args.text("scale")) {
        ("", scale) => {
            let of = |parts| Of::Lineitem { scale: scale.to_owned(), parts };
            ranges(&lineitem(&select, scale)?)?.into_iter().map(of).collect()
        }
        (data, _) if Dump::is_one(Path::new(data)) => {
            let what = format!("--split with {data}: its columns are encoded already, and parts are of Parquet files");
            return Err(wrong(what).hint("give the files that it was made of"));
        }
        (data, _) => {
            let files = Parquet::open(Path::new(data))?;
            ranges(&files)?.into_iter().map(|range| files.pieces(range).map(Of::Files)).collect::<Result<_, _>>()?
        }
    };
    let encoding = args.text("encoding");
    let job = Job::new(Asked { sql }, all.len(), &(encoding, &all));
    let descriptor = |(part, of)| Descriptor { job: job.clone(), part, encoding: encoding.to_owned(), of };
    Ok(all.into_iter().enumerate().map(descriptor).map(|part| checked(&part)).collect())
}

/// How many parts are worth their while.
fn number(costs: &[u64], parts: &RangeInclusive<usize>) -> usize {
    let (least, most) = (*parts.start(), *parts.end());
    let bytes: u64 = costs.iter().fold(0, |all, cost| all.saturating_add(*cost));
    let of_each = usize::try_from(bytes / WORTH).unwrap_or(usize::MAX) / least;
    of_each.saturating_mul(least).clamp(least, most)
}

/// Cuts parts of a source where each range has cost about as much as the others.
fn ranges(costs: &[u64], most: usize) -> Vec<Range<usize>> {
    let all: u64 = costs.iter().sum();
    let (mut ranges, mut from, mut done) = (Vec::new(), 0, 0);
    for (part, cost) in costs.iter().enumerate() {
        done += cost;
        let (left, wanted) = (costs.len() - part - 1, most.saturating_sub(ranges.len() + 1));
        // The range ends where its share is reached, or where each part that is left makes a range of its own.
        let reached = u128::from(done) * most as u128 >= u128::from(all) * (ranges.len() as u128 + 1);
        if wanted > 0 && left > 0 && (reached || left <= wanted) {
            ranges.push(from..part + 1);
            from = part + 1;
        }
    }
    ranges.push(from..costs.len());
    ranges
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_cost_about_the_same() {
        let cut = |costs: &[u64], most| ranges(costs, most);
        assert_eq!(cut(&[1; 6], 3), [0..2, 2..4, 4..6]);
        assert_eq!(cut(&[9, 1, 1, 1], 2), [0..1, 1..4]);
        assert_eq!(cut(&[1, 1, 1, 9], 2), [0..3, 3..4]);
        assert_eq!(cut(&[1, 1], 5), [0..1, 1..2]);
        assert_eq!(cut(&[0, 0, 0], 2), [0..1, 1..3]);
        assert_eq!(cut(&[100, 1, 1], 3), [0..1, 1..2, 2..3]);
        assert_eq!(cut(&[], 3), vec![Range { start: 0, end: 0 }]);
        for most in 1..20 {
            let all = cut(&[3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5], most);
            assert_eq!(all.len(), most.min(11));
            assert!(all.iter().all(|range| !range.is_empty()) && all.windows(2).all(|two| two[0].end == two[1].start));
        }
    }

    #[test]
    fn as_many_parts_are_made_as_are_worth_it() {
        let number = |bytes: u64, parts| number(&[bytes / 2, bytes - bytes / 2], &parts);
        assert_eq!([0, WORTH, 100 * WORTH].map(|bytes| number(bytes, 8..=8)), [8; 3], "so many were asked for");
        assert_eq!([0, 3, 4, 5, 6, 9, 100].map(|worth| number(worth * WORTH, 2..=8)), [2, 2, 4, 4, 6, 8, 8]);
        assert_eq!(number(u64::MAX, 1..=usize::MAX), (u64::MAX / WORTH) as usize);
    }
}
