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
use crate::field::{Bounds, Field};
use crate::table::{Blocks, Chunk, TEXTS};

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

    /// What it costs to read some columns of a part: bytes that are read, or what takes as long.
    fn cost(&self, part: usize, columns: &[usize]) -> u64 {
        let _ = columns;
        self.rows_of(part)
    }

    /// The smallest and the largest value of a column in a part, in its units, where they are known before it is read.
    /// Then it is known, too, that no value is missing.
    fn bounds(&self, part: usize, column: usize) -> Option<Bounds> {
        let _ = (part, column);
        None
    }

    /// Whether it is known before a column of a part is read that none of its values is missing.
    fn is_full(&self, part: usize, column: usize) -> bool {
        let _ = (part, column);
        false
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

    /// Whether the columns of a part are read together, since one by one they would take longer.
    fn reads_together(&self) -> bool {
        false
    }

    /// Hears that these columns of a part are read now, and those of the next parts soon.
    fn soon(&self, part: usize, columns: &[usize]) {
        let _ = (part, columns);
    }

    /// Bytes that a worker holds at most while it reads some columns of a part, beside what the chunk keeps of them:
    /// what is stored, values of 64 bits, positions, and the same values packed.
    fn held(&self, columns: &[usize]) -> u64 {
        let _ = columns;
        self.most_rows().saturating_mul(HELD)
    }

    /// An upper bound of the rows of each part.
    fn most_rows(&self) -> u64 {
        (0..self.parts()).map(|part| self.rows_of(part)).max().unwrap_or(0)
    }
}

/// Bytes of a value while its column is read.
pub(crate) const HELD: u64 = 24;

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

    fn cost(&self, part: usize, columns: &[usize]) -> u64 {
        self.of.cost(self.parts.start + part, columns)
    }

    fn bounds(&self, part: usize, column: usize) -> Option<Bounds> {
        self.of.bounds(self.parts.start + part, column)
    }

    fn is_full(&self, part: usize, column: usize) -> bool {
        self.of.is_full(self.parts.start + part, column)
    }

    fn read(&self, part: usize, columns: &[usize]) -> Result<Chunk, Unread> {
        self.of.read(self.parts.start + part, columns)
    }

    fn reads_together(&self) -> bool {
        self.of.reads_together()
    }

    fn soon(&self, part: usize, columns: &[usize]) {
        self.of.soon(self.parts.start + part, columns);
    }

    fn held(&self, columns: &[usize]) -> u64 {
        self.of.held(columns)
    }
}

/// Reads some columns of all parts, each of which is needed.
#[cfg(any(test, fuzzing))]
pub(crate) fn read(source: &dyn Source, columns: &[usize]) -> Result<Vec<Chunk>, Unread> {
    read_usable(source, columns, columns, None).map(|(_, chunks)| chunks)
}

/// Reads some columns of all parts, on the workers of the pool that this runs on. Leaves out a column that is not
/// needed and whose values show that it cannot be used. Says which columns are left. What was read lies in blocks, if
/// there are any, and otherwise in the allocator's own memory.
pub(crate) fn read_usable(
    source: &dyn Source,
    columns: &[usize],
    needed: &[usize],
    blocks: Option<&Blocks>,
) -> Result<(Vec<usize>, Vec<Chunk>), Unread> {
    room::keep_buffers();
    let sets = sets(source, columns);
    let is_spare =
        |unread: &Unread, set: &[usize]| unread.lasting && set == [unread.column] && !needed.contains(&unread.column);
    let pieces: Vec<Mutex<Option<Result<Chunk, Unread>>>> =
        (0..source.parts() * sets.len()).map(|_| Mutex::new(None)).collect();
    let useless: Vec<AtomicBool> = sets.iter().map(|_| AtomicBool::new(false)).collect();
    let failed = AtomicBool::new(false);
    let kept = |chunk: Chunk| match blocks {
        Some(blocks) => chunk.within(blocks),
        None => chunk,
    };
    knee_runtime::parallel_for_grain(0..pieces.len(), 1, |at| {
        let (part, set) = (at / sets.len(), at % sets.len());
        // Relaxed: a piece too many does no harm.
        if failed.load(Ordering::Relaxed) || useless[set].load(Ordering::Relaxed) {
            return;
        }
        source.soon(part, columns);
        let read = source.read(part, sets[set]).map(kept);
        if let Err(unread) = &read {
            let flag = if is_spare(unread, sets[set]) { &useless[set] } else { &failed };
            flag.store(true, Ordering::Relaxed);
        }
        *pieces[at].lock().expect("no holder panics") = Some(read);
    });
    let mut of_sets: Vec<(&[usize], Vec<Chunk>)> = sets.iter().map(|set| (*set, Vec::new())).collect();
    for (at, piece) in pieces.into_iter().enumerate() {
        let (set, chunks) = &mut of_sets[at % sets.len()];
        match piece.into_inner().expect("no holder panics") {
            Some(Ok(chunk)) => chunks.push(chunk),
            Some(Err(unread)) if !is_spare(&unread, set) => return Err(unread),
            // A piece that was left out is behind one that failed, or before it.
            Some(Err(_)) | None => {}
        }
    }
    let mut left = Vec::new();
    for (set, chunks) in of_sets {
        if chunks.len() < source.parts() {
            continue;
        }
        match few_texts(source, set, &chunks) {
            Ok(()) => left.push((set, chunks)),
            Err(unread) if is_spare(&unread, set) => {}
            Err(unread) => return Err(unread),
        }
    }
    joined(left).map_or_else(|| read_usable(source, &[], &[], blocks), Ok)
}

/// The columns that are read at once. One by one, so that many workers share a part, if the source does not mind.
fn sets<'a>(source: &dyn Source, columns: &'a [usize]) -> Vec<&'a [usize]> {
    if source.reads_together() || columns.is_empty() { vec![columns] } else { columns.chunks(1).collect() }
}

/// Columns side by side, and the chunks that have them all; none if there are no columns.
fn joined(sets: Vec<(&[usize], Vec<Chunk>)>) -> Option<(Vec<usize>, Vec<Chunk>)> {
    let beside = |(columns, chunks): (Vec<usize>, Vec<Chunk>), (more, others): (Vec<usize>, Vec<Chunk>)| {
        let chunks = chunks.into_iter().zip(others).map(|(one, other)| one.beside(other)).collect();
        ([columns, more].concat(), chunks)
    };
    sets.into_iter().map(|(columns, chunks)| (columns.to_vec(), chunks)).reduce(beside)
}

/// Refuses a column that has too many different texts in all its parts, although each of them has few enough.
fn few_texts(source: &dyn Source, columns: &[usize], chunks: &[Chunk]) -> Result<(), Unread> {
    for (at, column) in columns.iter().enumerate() {
        let mut all: HashSet<&str> = HashSet::new();
        for chunk in chunks {
            all.extend(chunk.texts(at).iter().map(String::as_str));
            if all.len() > TEXTS {
                let name = source.fields().swap_remove(*column).name;
                let error = wrong(format!("column {name}: {}", too_many_texts()));
                return Err(Unread { column: *column, error, lasting: true });
            }
        }
    }
    Ok(())
}

fn too_many_texts() -> String {
    format!("it has over {TEXTS} different texts, too many for knee query")
}
