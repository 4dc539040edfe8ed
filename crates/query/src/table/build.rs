//! Chunks of rows become a table.

use std::io;
use std::sync::{Arc, Mutex};

use super::encoding::{self, DIGIT_BITS, Encoding, Storage, Width};
use super::piece::Piece;
use super::{Column, MORSEL, Placed, Statistics, Table};
use crate::field::{Bounds, Field};
use crate::kind::Kind;

/// Rows as a source gives them, column by column, packed.
#[derive(Debug)]
pub(crate) struct Chunk {
    rows: usize,
    columns: Vec<Packed>,
}

/// Values of one column of a chunk.
#[derive(Debug)]
pub(crate) enum Columns {
    /// Whole numbers, decimals with their point moved, or days.
    Numbers(Vec<i64>),
    /// Doubles.
    Doubles(Vec<f64>),
    /// Texts: for each row its position in the list.
    Texts(Vec<u32>, Vec<String>),
}

#[derive(Debug)]
enum Packed {
    Numbers(Piece, Statistics),
    Doubles(Vec<f64>),
    /// Positions in the chunk's own list.
    Texts(Piece, Vec<String>),
}

impl Chunk {
    /// A chunk of these columns, each with so many rows.
    #[must_use]
    pub(crate) fn new(rows: usize, columns: Vec<Columns>) -> Self {
        let pack = |column| match column {
            Columns::Numbers(values) => {
                let (piece, statistics) = Piece::pack(values);
                Packed::Numbers(piece, statistics)
            }
            Columns::Doubles(values) => Packed::Doubles(values),
            Columns::Texts(positions, words) => {
                let (piece, _) = Piece::pack(positions.into_iter().map(i64::from).collect());
                Packed::Texts(piece, words)
            }
        };
        Self { rows, columns: columns.into_iter().map(pack).collect() }
    }
}

/// A chunk that is waiting to be written, and its first row. It is dropped when all its rows are.
struct Waiting {
    first: usize,
    rows: usize,
    left: Mutex<(usize, Option<Arc<Chunk>>)>,
}

/// Builds a table from chunks in the order of their rows, in parallel on the pool that this runs on.
///
/// # Errors
/// The kernel's, when the table's memory cannot be had or placed.
pub(crate) fn build(
    fields: &[Field],
    mut chunks: Vec<Chunk>,
    encoding: Encoding,
    placed: &Placed,
) -> io::Result<Table> {
    chunks.retain(|chunk| chunk.rows > 0);
    let columns: Vec<Column> =
        fields.iter().enumerate().map(|(at, field)| column(at, field, &chunks, encoding)).collect();
    let storages: Vec<Storage> = columns.iter().map(|column| column.storage).collect();
    let maps: Vec<Vec<Vec<i64>>> = chunks.iter().map(|chunk| maps(chunk, &columns)).collect();
    let rows = chunks.iter().map(|chunk| chunk.rows).sum();
    let waiting = waiting(chunks, placed.copies * columns.len());
    Table::write(columns, rows, placed, &|morsel, column, piece: &mut [u8]| {
        write_piece((morsel, column), piece, rows, storages[column], &waiting, &maps);
    })
}

fn waiting(chunks: Vec<Chunk>, times: usize) -> Vec<Waiting> {
    let mut first = 0;
    let mut one = |chunk: Chunk| {
        let rows = chunk.rows;
        let waiting = Waiting { first, rows, left: Mutex::new((times * rows, Some(Arc::new(chunk)))) };
        first += waiting.rows;
        waiting
    };
    chunks.into_iter().map(&mut one).collect()
}

fn column(at: usize, field: &Field, chunks: &[Chunk], encoding: Encoding) -> Column {
    let dictionary = (field.kind == Kind::Text).then(|| dictionary(at, chunks));
    let statistics = if let Some(words) = &dictionary {
        Statistics { low: 0, high: words.len().saturating_sub(1) as i64, step: 1 }
    } else {
        let known = chunks.iter().filter_map(|chunk| match &chunk.columns[at] {
            Packed::Numbers(_, statistics) => Some(*statistics),
            Packed::Doubles(_) | Packed::Texts(..) => None,
        });
        known.reduce(Statistics::and).unwrap_or(Statistics::NONE)
    };
    let bounds = Bounds { low: statistics.low.into(), high: statistics.high.into() };
    let storage = encoding::storage(encoding, field.kind, &statistics);
    Column::new(field.name.clone(), field.kind, dictionary, bounds, storage)
}

/// All texts of a column, sorted.
fn dictionary(at: usize, chunks: &[Chunk]) -> Arc<[String]> {
    let mut words: Vec<String> = Vec::new();
    for chunk in chunks {
        if let Packed::Texts(_, own) = &chunk.columns[at] {
            words.extend(own.iter().cloned());
            words.sort_unstable();
            words.dedup();
        }
    }
    words.into()
}

/// For each column of texts, the position in the table's dictionary of each text of the chunk; nothing for the others.
fn maps(chunk: &Chunk, columns: &[Column]) -> Vec<Vec<i64>> {
    let map = |(packed, column): (&Packed, &Column)| match (packed, &column.dictionary) {
        (Packed::Texts(_, own), Some(words)) => {
            let position = |word: &String| words.binary_search(word).expect("all of them are in it") as i64;
            own.iter().map(position).collect()
        }
        _ => Vec::new(),
    };
    chunk.columns.iter().zip(columns).map(map).collect()
}

/// Writes the rows of one column in one morsel from the chunks that hold them.
fn write_piece(
    (morsel, column): (usize, usize),
    piece: &mut [u8],
    rows: usize,
    storage: Storage,
    chunks: &[Waiting],
    maps: &[Vec<Vec<i64>>],
) {
    let (begin, end) = (morsel * MORSEL, rows.min((morsel + 1) * MORSEL));
    let mut at = chunks.partition_point(|chunk| chunk.first + chunk.rows <= begin);
    let mut row = begin;
    while row < end {
        let waiting = &chunks[at];
        let count = (waiting.first + waiting.rows).min(end) - row;
        let chunk = waiting.left.lock().expect("no holder panics").1.clone().expect("it has rows left");
        let range = (row - waiting.first, count);
        write(piece, row - begin, storage, &chunk.columns[column], range, &maps[at][column]);
        let mut left = waiting.left.lock().expect("no holder panics");
        left.0 -= count;
        if left.0 == 0 {
            left.1 = None;
        }
        (row, at) = (row + count, at + 1);
    }
}

/// Writes rows of one column into its piece, from row `to` on.
fn write(piece: &mut [u8], to: usize, storage: Storage, packed: &Packed, (from, rows): (usize, usize), map: &[i64]) {
    match packed {
        Packed::Doubles(values) => {
            bytemuck::cast_slice_mut::<u8, f64>(piece)[to..][..rows].copy_from_slice(&values[from..][..rows]);
        }
        Packed::Numbers(values, _) => write_codes(piece, to, rows, storage, |take| values.each(from, rows, take)),
        Packed::Texts(positions, _) => write_codes(piece, to, rows, storage, |take| {
            positions.each(from, rows, |position| take(map[usize::try_from(position).expect("it is a position")]));
        }),
    }
}

fn write_codes(piece: &mut [u8], to: usize, rows: usize, storage: Storage, each: impl FnOnce(&mut dyn FnMut(i64))) {
    let (base, step) = storage.base_and_step().expect("doubles are no numbers");
    // Wraps where base and value are far apart; the code itself fits, as its storage was chosen so.
    let code = move |value: i64| {
        let difference = value.wrapping_sub(base);
        if step == 1 { difference } else { (i128::from(value) - i128::from(base)).div_euclid(step.into()) as i64 }
    };
    macro_rules! codes {
        ($word:ty) => {{
            let mut slots = bytemuck::cast_slice_mut::<u8, $word>(piece)[to..][..rows].iter_mut();
            each(&mut |value| *slots.next().expect("there are as many rows") = code(value) as $word);
        }};
    }
    match storage {
        Storage::Codes { width: Width::U8, .. } => codes!(u8),
        Storage::Codes { width: Width::U16, .. } => codes!(u16),
        Storage::Codes { width: Width::U32, .. } => codes!(u32),
        Storage::Codes { width: Width::I32, .. } => codes!(i32),
        Storage::Codes { width: Width::I64, .. } => codes!(i64),
        Storage::Digits { count, .. } => {
            let digits = bytemuck::cast_slice_mut::<u8, u16>(piece);
            let mut row = to;
            each(&mut |value| {
                let code = code(value) as u64;
                for digit in 0..count {
                    let low = code >> (DIGIT_BITS * digit as u32);
                    let top = digit + 1 == count;
                    digits[digit * MORSEL + row] = if top { low } else { low & ((1 << DIGIT_BITS) - 1) } as u16;
                }
                row += 1;
            });
        }
        Storage::Doubles => unreachable!("doubles are no numbers"),
    }
}
