//! A query in parts, for engines that run on several machines: descriptors travel, rows never.
//!
//! [`split()`] describes the parts of a query, one line of JSON for each: its SQL and which row groups of which files are
//! meant. [`answer()`] answers one part, by itself, on any machine that sees the files: its line says for each group what
//! was found, by value and exactly. [`merge()`] joins the lines of all parts to the answer.

mod answer;
mod merge;

use std::ops::Range;
use std::path::Path;

use knee_parts::{Verb, checked};
use knee_workload::{Args, Error};
use serde::{Deserialize, Serialize};

pub use answer::{Part, answer};
pub use merge::merge;

use crate::data::{Parquet, Piece, Source};
use crate::dump::Dump;
use crate::error::wrong;
use crate::load::lineitem;
use crate::{load, sql, workload};

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

/// Describes the parts of a query, one line of JSON for each. There are at most `parts` of them, of about the same size,
/// and fewer where the data has fewer row groups.
///
/// # Errors
/// What is wrong with the query or with the data.
pub fn split(args: &Args, parts: usize) -> Result<Vec<String>, Error> {
    let sql = workload::text(args)?;
    let select = sql::parse(&sql)?;
    let ranges = |source: &dyn Source| {
        load::planned(&select, source)?;
        Ok::<_, Error>(ranges(source, parts))
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

/// Cuts a source where each range has cost about as much as the others.
fn ranges(source: &dyn Source, most: usize) -> Vec<Range<usize>> {
    let costs: Vec<u64> = (0..source.parts()).map(|part| source.cost(part)).collect();
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
    use crate::data::Unread;
    use crate::field::Field;
    use crate::table::Chunk;

    struct Costs(Vec<u64>);

    impl Source for Costs {
        fn fields(&self) -> Vec<Field> {
            Vec::new()
        }

        fn parts(&self) -> usize {
            self.0.len()
        }

        fn input(&self) -> String {
            String::new()
        }

        fn rows_of(&self, part: usize) -> u64 {
            self.0[part]
        }

        fn read(&self, _: usize, _: &[usize]) -> Result<Chunk, Unread> {
            unreachable!("nothing is read")
        }
    }

    #[test]
    fn ranges_cost_about_the_same() {
        let cut = |costs: &[u64], most| ranges(&Costs(costs.to_vec()), most);
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
}
