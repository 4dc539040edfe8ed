//! One part, answered.

use std::ops::Range;

use knee_parts::{checked, read};
use knee_workload::{Args, Error, Phases, Team};
use serde::{Deserialize, Serialize};

use super::{Asked, Descriptor, Job, Of};
use crate::answer::{Group, Key, Partial};
use crate::data::{Parquet, Slice, Source, Tpch};
use crate::error::wrong;
use crate::field::Field;
use crate::load::Wanted;
use crate::plan::Plan;
use crate::run::Lies;
use crate::scan::Scan;
use crate::sql::{self, Select};
use crate::table::Encoding;
use crate::workload;

/// What is known of one part.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Answered {
    #[serde(flatten)]
    pub(super) job: Job,
    pub(super) part: usize,
    /// The columns that the query reads.
    pub(super) fields: Vec<Field>,
    /// Rows that were read.
    pub(super) rows: u64,
    pub(super) groups: Vec<(Vec<Key>, Group)>,
}

impl knee_parts::Answered for Answered {
    type Asked = Asked;

    fn job(&self) -> &Job {
        &self.job
    }

    fn part(&self) -> usize {
        self.part
    }

    fn fits(&self, other: &Self) -> bool {
        self.fields == other.fields
    }
}

/// A part that a line of [`split`](super::split) describes.
#[derive(Debug)]
pub struct Part(Descriptor);

impl Part {
    /// Reads a line of this version.
    ///
    /// # Errors
    /// Why it is none.
    pub fn read(line: &str) -> Result<Self, Error> {
        let descriptor: Descriptor = read(line, "a part of knee query --split")?;
        descriptor.job.own_version()?;
        Ok(Self(descriptor))
    }

    /// Its number, from 0.
    #[must_use]
    pub fn number(&self) -> usize {
        self.0.part
    }
}

/// Answers a part: its rows are read and encoded some row groups at a
/// time, so that a part may be larger than memory. The answer is one line of JSON.
///
/// # Errors
/// What is wrong with the query, with the machine, or with the data: files that are not as they were among others.
pub fn answer(Part(descriptor): Part, args: &Args, team: &Team) -> Result<String, Error> {
    let asked = sql::parse(&descriptor.job.asked.sql)?;
    let select = asked.clone().counting_rows();
    let isa = workload::isa(args.text("isa"))?;
    let mut wanted = Wanted { follow: true, ..Wanted::new(args)? };
    wanted.encoding = Encoding::named(&descriptor.encoding)
        .ok_or_else(|| wrong(format!("the part wants the unknown encoding '{}'", descriptor.encoding)))?;
    wanted.instead = Some("ask for fewer columns, write smaller row groups, or give workers more memory");
    let pool = workload::pool(args, team)?;
    let found = |source: &dyn Source, parts: Range<usize>| {
        let mut whole = Found::new(&select, source)?;
        for parts in batches(source, parts) {
            let slice = Slice { of: source, parts };
            let table = wanted.encoded(&slice, &asked, &pool, &mut Phases::default())?;
            let plan = Plan::new(&select, &table.fields())?;
            let scan = Scan::new(&plan, &table, isa)?;
            scan.check_memory(team.threads())?;
            let state = scan.parallel(&pool, &Lies::AtHome);
            whole.rows += table.rows() as u64;
            whole.partial.add(state.partial(&scan)?, &plan)?;
            wanted.placed.keep(table);
        }
        Ok::<_, Error>(whole)
    };
    let found = match &descriptor.of {
        Of::Files(pieces) => {
            let files = Parquet::of_pieces(pieces)?;
            found(&files, 0..files.parts())?
        }
        Of::Lineitem { scale, parts } => found(&Tpch::new(scale)?, parts.clone())?,
    };
    let Found { fields, rows, partial } = found;
    let groups = partial.into_groups().collect();
    Ok(checked(&Answered { job: descriptor.job, part: descriptor.part, fields, rows, groups }))
}

/// What is known so far.
struct Found {
    fields: Vec<Field>,
    rows: u64,
    partial: Partial,
}

impl Found {
    fn new(select: &Select, source: &dyn Source) -> Result<Self, Error> {
        let fields = source.fields();
        let columns = Plan::new(select, &fields)?.columns().to_vec();
        let fields = columns.into_iter().map(|column| fields[column].clone()).collect();
        Ok(Self { fields, rows: 0, partial: Partial::default() })
    }
}

/// Rows of a batch at least: enough for many workers, and starting its phases takes no time that counts.
const BATCH: u64 = 1 << 21;

/// Cuts parts into batches. Threads have no say in it: sums of doubles depend on where batches end, and a part that is
/// answered twice has to say the same.
fn batches(source: &dyn Source, parts: Range<usize>) -> Vec<Range<usize>> {
    let parts = parts.start..parts.end.min(source.parts());
    let (mut batches, mut from, mut rows) = (Vec::new(), parts.start, 0);
    for part in parts.clone() {
        rows += source.rows_of(part);
        if rows >= BATCH {
            batches.push(from..part + 1);
            (from, rows) = (part + 1, 0);
        }
    }
    batches.extend((from < parts.end).then_some(from..parts.end));
    batches
}
