//! Where rows come from: parts that can be read in any order, by several workers at once.

mod parquet;
mod tpch;

use std::collections::HashSet;
use std::ops::Range;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use knee_machine::room;
use knee_workload::Error;

use crate::error::wrong;
use crate::field::Field;
use crate::table::{Chunk, TEXTS};

pub(crate) use parquet::{Parquet, Piece};
pub(crate) use tpch::Tpch;

/// A source of rows.
pub(crate) trait Source: Sync {
    /// Its columns.
    fn fields(&self) -> Vec<Field>;

    /// Whether a column can be read.
    ///
    /// # Errors
    /// Why not.
    fn usable(&self, column: usize) -> Result<(), Error> {
        let _ = column;
        Ok(())
    }

    /// How many parts it has; their rows follow one another.
    fn parts(&self) -> usize;

    /// What it is, so that a dump of it is known again.
    fn input(&self) -> String;

    /// An upper bound of the rows of a part.
    fn rows_of(&self, part: usize) -> u64;

    /// What a part costs beside the others.
    fn cost(&self, part: usize) -> u64 {
        self.rows_of(part)
    }

    /// An upper bound of all rows.
    fn rows(&self) -> u64 {
        (0..self.parts()).map(|part| self.rows_of(part)).sum()
    }

    /// Reads some columns of a part, in the order given.
    ///
    /// # Errors
    /// Which column cannot be read, and why.
    fn read(&self, part: usize, columns: &[usize]) -> Result<Chunk, Unread>;
}

/// A column that cannot be read, as its values show.
#[derive(Debug)]
pub(crate) struct Unread {
    /// Which one.
    pub(crate) column: usize,
    pub(crate) error: Error,
    /// Whether another try would fail the same way; not so if the disk could not be read or the file changed meanwhile.
    pub(crate) lasting: bool,
}

impl From<Unread> for Error {
    fn from(unread: Unread) -> Self {
        unread.error
    }
}

/// Parts of a source that follow one another, as a source of their own.
pub(crate) struct Slice<'a> {
    pub(crate) of: &'a dyn Source,
    pub(crate) parts: Range<usize>,
}

impl Source for Slice<'_> {
    fn fields(&self) -> Vec<Field> {
        self.of.fields()
    }

    fn usable(&self, column: usize) -> Result<(), Error> {
        self.of.usable(column)
    }

    fn parts(&self) -> usize {
        self.parts.len()
    }

    fn input(&self) -> String {
        format!("parts {:?} of {}", self.parts, self.of.input())
    }

    fn rows_of(&self, part: usize) -> u64 {
        self.of.rows_of(self.parts.start + part)
    }

    fn read(&self, part: usize, columns: &[usize]) -> Result<Chunk, Unread> {
        self.of.read(self.parts.start + part, columns)
    }
}

/// Reads some columns of all parts, on the workers of the pool that this runs on.
pub(crate) fn read(source: &dyn Source, columns: &[usize]) -> Result<Vec<Chunk>, Unread> {
    room::keep_buffers();
    let parts: Vec<Mutex<Option<Result<Chunk, Unread>>>> = (0..source.parts()).map(|_| Mutex::new(None)).collect();
    let failed = AtomicBool::new(false);
    knee_runtime::parallel_for_grain(0..parts.len(), 1, |part| {
        // Relaxed: a part too many does no harm.
        if !failed.load(Ordering::Relaxed) {
            let read = source.read(part, columns);
            failed.fetch_or(read.is_err(), Ordering::Relaxed);
            *parts[part].lock().expect("no holder panics") = Some(read);
        }
    });
    // A part that was left out is behind one that failed, or before it.
    let mut read: Vec<_> = parts.into_iter().filter_map(|part| part.into_inner().expect("no holder panics")).collect();
    match read.iter().position(Result::is_err) {
        Some(failed) => read.swap_remove(failed).map(|_| Vec::new()),
        None => few_texts(source, columns, read.into_iter().collect::<Result<_, _>>()?),
    }
}

/// Refuses a column that has too many different texts in all its parts, although each of them has few enough.
fn few_texts(source: &dyn Source, columns: &[usize], chunks: Vec<Chunk>) -> Result<Vec<Chunk>, Unread> {
    for (at, column) in columns.iter().enumerate() {
        let mut all: HashSet<&str> = HashSet::new();
        for chunk in &chunks {
            all.extend(chunk.texts(at).iter().map(String::as_str));
            if all.len() > TEXTS {
                let name = source.fields().swap_remove(*column).name;
                let error = wrong(format!("column {name}: {}", too_many_texts()));
                return Err(Unread { column: *column, error, lasting: true });
            }
        }
    }
    Ok(chunks)
}

fn too_many_texts() -> String {
    format!("it has over {TEXTS} different texts, too many for knee query")
}
