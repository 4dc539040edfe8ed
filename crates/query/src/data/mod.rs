//! Where rows come from: parts that can be read in any order, by several workers at once.

mod parquet;
mod tpch;

use std::sync::Mutex;

use knee_workload::Error;

use crate::field::Field;
use crate::table::Chunk;

pub(crate) use parquet::Parquet;
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

    /// An upper bound of its rows.
    fn rows(&self) -> u64;

    /// Reads some columns of a part, in the order given.
    ///
    /// # Errors
    /// What cannot be read, and why.
    fn read(&self, part: usize, columns: &[usize]) -> Result<Chunk, Error>;
}

/// Reads some columns of all parts, on the workers of the pool that this runs on.
pub(crate) fn read(source: &dyn Source, columns: &[usize]) -> Result<Vec<Chunk>, Error> {
    let parts: Vec<Mutex<Option<Result<Chunk, Error>>>> = (0..source.parts()).map(|_| Mutex::new(None)).collect();
    knee_runtime::parallel_for_grain(0..parts.len(), 1, |part| {
        *parts[part].lock().expect("no holder panics") = Some(source.read(part, columns));
    });
    let read = parts.into_iter().map(|part| part.into_inner().expect("no holder panics"));
    read.map(|part| part.expect("each was read")).collect()
}
