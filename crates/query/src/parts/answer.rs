//! One part, answered.

use knee_parts::{checked, read};
use knee_workload::{Args, Error, Phases, Team};
use serde::{Deserialize, Serialize};

use super::{Asked, Descriptor, Job, Of};
use crate::answer::{Group, Key};
use crate::data::{Parquet, Source, Tpch};
use crate::error::wrong;
use crate::field::Field;
use crate::known::needed;
use crate::load::Wanted;
use crate::sql;
use crate::stream::{Stream, Streamed};
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
    /// Rows that were read: all but those of row groups in which none counts.
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
    let isa = workload::isa(args.text("isa"))?;
    let mut wanted = Wanted::new(args)?.following();
    wanted.encoding = Encoding::named(&descriptor.encoding)
        .ok_or_else(|| wrong(format!("the part wants the unknown encoding '{}'", descriptor.encoding)))?;
    wanted.instead = Some("ask for fewer columns, write smaller row groups, or give workers more memory");
    let pool = workload::pool(args, team)?;
    let stream = Stream { wanted: &wanted, pool: &pool, isa, homes: false };
    let found = |source: &dyn Source, parts| {
        let found = stream.of_source(&asked, (source, parts), BATCH, &mut Phases::default())?;
        let all = source.fields();
        let fields = found.plan.columns().iter().map(|column| all[*column].clone()).collect();
        Ok::<_, Error>((fields, found))
    };
    let (fields, Streamed { rows, partial, .. }) = match &descriptor.of {
        Of::Files(pieces) => {
            let files = needed(Parquet::of_pieces(pieces)?, &asked)?;
            found(&files, 0..files.parts())?
        }
        Of::Lineitem { scale, parts } => found(&Tpch::new(scale)?, parts.clone())?,
    };
    let groups = partial.into_groups().collect();
    Ok(checked(&Answered { job: descriptor.job, part: descriptor.part, fields, rows, groups }))
}

/// Rows of a batch at least: enough for many workers, and starting its phases takes no time that counts. Threads have no say
/// in it: sums of doubles depend on where batches end, and a part that is answered twice has to say the same.
const BATCH: u64 = 1 << 21;
