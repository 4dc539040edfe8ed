//! Chunks of rows become a table.

use std::collections::HashSet;
use std::io;
use std::ops::Range;
use std::sync::{Arc, Mutex, OnceLock};

use super::encoding::{self, DIGIT_BITS, Encoding, Storage, Width};
use super::kept::{Blocks, Kept};
use super::piece::{self, Piece, Positions, Sink};
use super::{Column, MORSEL, Placed, Statistics, Table};
use crate::field::{Bounds, Field};
use crate::kind::Kind;
use crate::lanes::{self, Isa, SHORT};

/// A chunk keeps a list of values if it has so many rows for each of them.
const FEW: usize = 8;

/// Most different texts of a column: their codes have two bytes.
pub(crate) const TEXTS: usize = 1 << 16;

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
    /// The same as numbers: for each row its position in the list.
    Coded(Vec<u32>, Vec<i64>),
    /// Texts: for each row its position in the list.
    Texts(Vec<u32>, Vec<String>),
}

#[derive(Debug)]
enum Packed {
    Numbers(Piece, Statistics),
    Coded(Positions, Vec<i64>, Statistics),
    Doubles(Kept<f64>),
    /// Positions in the chunk's own list.
    Texts(Positions, Vec<String>),
}

impl Chunk {
    /// A chunk of these columns, each with so many rows. Positions are in their lists.
    #[must_use]
    pub(crate) fn new(rows: usize, columns: Vec<Columns>) -> Self {
        let pack = |column| match column {
            Columns::Numbers(values) => {
                let (piece, statistics) = Piece::pack(values);
                Packed::Numbers(piece, statistics)
            }
            // A long list and the positions in it mostly take more memory than packed values.
            Columns::Coded(codes, values) if values.len() > codes.len() / FEW => {
                let (piece, statistics) = Piece::gather(&codes, values);
                Packed::Numbers(piece, statistics)
            }
            Columns::Coded(codes, values) => {
                let statistics = piece::of_used(&codes, &values);
                Packed::Coded(Positions::pack(codes, values.len()), values, statistics)
            }
            Columns::Doubles(values) => Packed::Doubles(values.into()),
            Columns::Texts(codes, words) => Packed::Texts(Positions::pack(codes, words.len()), words),
        };
        Self { rows, columns: columns.into_iter().map(pack).collect() }
    }

    /// The same chunk, with its values in blocks.
    pub(crate) fn within(self, blocks: &Blocks) -> Self {
        let within = |column| match column {
            Packed::Numbers(piece, statistics) => Packed::Numbers(piece.within(blocks), statistics),
            Packed::Coded(positions, values, statistics) => Packed::Coded(positions.within(blocks), values, statistics),
            Packed::Doubles(values) => Packed::Doubles(values.within(blocks)),
            Packed::Texts(positions, words) => Packed::Texts(positions.within(blocks), words),
        };
        Self { rows: self.rows, columns: self.columns.into_iter().map(within).collect() }
    }

    /// With the columns of another chunk of the same rows behind its own.
    pub(crate) fn beside(mut self, other: Self) -> Self {
        assert_eq!(self.rows, other.rows, "they are of the same rows");
        self.columns.extend(other.columns);
        self
    }

    /// The different texts of a column; none of one that has other values.
    pub(crate) fn texts(&self, column: usize) -> &[String] {
        match &self.columns[column] {
            Packed::Texts(_, own) => own,
            _ => &[],
        }
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
    let maps = all_maps(&chunks, &columns);
    let rows = chunks.iter().map(|chunk| chunk.rows).sum();
    let waiting = waiting(chunks, placed.copies * columns.len());
    Table::write(columns, rows, placed, &|morsel, column, piece: &mut [u8]| {
        write_piece((morsel, column), piece, rows, storages[column], &waiting, &maps);
    })
}

/// Bytes of a row as it will be stored.
pub(crate) fn bytes_per_row(fields: &[Field], chunks: &[Chunk], encoding: Encoding) -> usize {
    let bytes = |(at, field): (usize, &Field)| match field.kind {
        // At most: the texts need not be sorted for that.
        Kind::Text => size_of::<u16>(),
        _ => column(at, field, chunks, encoding).storage.bytes(),
    };
    fields.iter().enumerate().map(bytes).sum()
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
            Packed::Numbers(_, statistics) | Packed::Coded(.., statistics) => Some(*statistics),
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
    // Each once, before they are sorted: chunks mostly have the same ones.
    let all: HashSet<&String> = chunks.iter().flat_map(|chunk| chunk.texts(at)).collect();
    let mut words: Vec<&String> = all.into_iter().collect();
    words.sort_unstable();
    words.into_iter().cloned().collect()
}

/// For each chunk and column whose rows are positions in a list of the chunk, the codes of that list; nothing for the
/// others. In parallel on the pool that this runs on: to find texts takes long where there are many.
fn all_maps(chunks: &[Chunk], columns: &[Column]) -> Vec<Vec<Vec<u64>>> {
    let all: Vec<OnceLock<Vec<Vec<u64>>>> = chunks.iter().map(|_| OnceLock::new()).collect();
    knee_runtime::parallel_for_grain(0..chunks.len(), 1, |at| {
        all[at].set(maps(&chunks[at], columns)).expect("it is made once");
    });
    all.into_iter().map(|maps| maps.into_inner().expect("each was made")).collect()
}

fn maps(chunk: &Chunk, columns: &[Column]) -> Vec<Vec<u64>> {
    let map = |(packed, column): (&Packed, &Column)| {
        let Some((base, step)) = column.storage.base_and_step() else { return Vec::new() };
        // A value that no row has may be beyond the codes.
        let code = |value| piece::code(value, base, step);
        match (packed, &column.dictionary) {
            (Packed::Texts(_, own), Some(words)) => {
                let position = |word: &String| words.binary_search(word).expect("all of them are in it") as i64;
                own.iter().map(|word| code(position(word))).collect()
            }
            (Packed::Coded(_, own, _), _) => own.iter().copied().map(code).collect(),
            _ => Vec::new(),
        }
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
    maps: &[Vec<Vec<u64>>],
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
fn write(piece: &mut [u8], to: usize, storage: Storage, packed: &Packed, (from, rows): (usize, usize), map: &[u64]) {
    let own = from..from + rows;
    macro_rules! codes {
        ($word:ty) => {
            write_codes(packed, own, storage, map, &mut Slots(&mut bytemuck::cast_slice_mut::<u8, $word>(piece)[to..]))
        };
    }
    match (storage, packed) {
        (Storage::Doubles, Packed::Doubles(values)) => {
            bytemuck::cast_slice_mut::<u8, f64>(piece)[to..][..rows].copy_from_slice(&values[own]);
        }
        (Storage::Doubles, _) => unreachable!("doubles are no numbers"),
        (Storage::Codes { width: Width::U8, .. }, _) => codes!(u8),
        (Storage::Codes { width: Width::U16, .. }, _) => codes!(u16),
        (Storage::Codes { width: Width::U32 | Width::I32, .. }, _) => codes!(u32),
        (Storage::Codes { width: Width::I64, .. }, _) => codes!(u64),
        (Storage::Digits { count, .. }, _) => {
            let mut digits = Digits { pieces: bytemuck::cast_slice_mut(piece), count, row: to };
            write_codes(packed, own, storage, map, &mut digits);
        }
    }
}

fn write_codes(packed: &Packed, rows: Range<usize>, storage: Storage, map: &[u64], sink: &mut impl Sink) {
    let (base, step) = storage.base_and_step().expect("doubles are no numbers");
    match packed {
        Packed::Numbers(values, _) => values.write(rows, base, step, sink),
        Packed::Coded(positions, ..) | Packed::Texts(positions, _) => positions.write(rows, map, sink),
        Packed::Doubles(_) => unreachable!("doubles are no numbers"),
    }
}

/// Codes of whole words.
struct Slots<'a, T>(&'a mut [T]);

macro_rules! slots {
    ($($word:ty)*) => {$(
        impl Sink for Slots<'_, $word> {
            fn write(&mut self, codes: impl Iterator<Item = u64>) {
                self.0.iter_mut().zip(codes).for_each(|(slot, code)| *slot = code as $word);
            }
        }
    )*};
}
slots!(u16 u32 u64);

impl Sink for Slots<'_, u8> {
    fn write(&mut self, codes: impl Iterator<Item = u64>) {
        self.0.iter_mut().zip(codes).for_each(|(slot, code)| *slot = code as u8);
    }

    fn look_up(&mut self, positions: &[u8], codes: &[u64]) {
        if codes.len() > SHORT {
            return self.write(piece::looked_up(positions, codes));
        }
        let mut table = [0; SHORT];
        for (slot, code) in table.iter_mut().zip(codes) {
            *slot = *code as u8;
        }
        lanes::look_up(Isa::best(), positions, &table, &mut self.0[..positions.len()]);
    }
}

/// Codes in digits, each in a piece of its own.
struct Digits<'a> {
    pieces: &'a mut [u16],
    count: usize,
    row: usize,
}

impl Sink for Digits<'_> {
    fn write(&mut self, codes: impl Iterator<Item = u64>) {
        const LOW: u64 = (1 << DIGIT_BITS) - 1;
        let (low, rest) = self.pieces.split_at_mut(MORSEL);
        let low = low[self.row..].iter_mut();
        if self.count == 2 {
            for ((low, high), code) in low.zip(&mut rest[self.row..]).zip(codes) {
                (*low, *high) = ((code & LOW) as u16, (code >> DIGIT_BITS) as u16);
            }
            return;
        }
        let (middle, high) = rest.split_at_mut(MORSEL);
        for (((low, middle), high), code) in low.zip(&mut middle[self.row..]).zip(&mut high[self.row..]).zip(codes) {
            *low = (code & LOW) as u16;
            *middle = (code >> DIGIT_BITS & LOW) as u16;
            *high = (code >> (2 * DIGIT_BITS)) as u16;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_of_many_chunks_have_one_dictionary() {
        // Lists that differ from chunk to chunk, in no order, with words that no row has.
        let word = |number: usize| format!("w{}", number * 7_919 % 1_000);
        let list = |chunk: usize| (0..90).map(|at| word(70 * chunk + at)).collect::<Vec<_>>();
        let rows = |chunk: usize| (0..80).map(|row| ((row * 31 + chunk) % 80) as u32).collect::<Vec<_>>();
        let chunk = |chunk: usize| Chunk::new(80, vec![Columns::Texts(rows(chunk), list(chunk))]);
        let field = Field { name: "a".into(), kind: Kind::Text, dictionary: None };
        let placed = Placed::default();
        let table = build(&[field], (0..12).map(chunk).collect(), Encoding::Narrow, &placed).unwrap();
        let words = table.columns()[0].dictionary.clone().unwrap();
        let expected: std::collections::BTreeSet<String> = (0..12).flat_map(list).collect();
        assert!(words.iter().eq(&expected), "{words:?}");
        for row in 0..12 * 80 {
            let (chunk, own) = (row / 80, rows(row / 80)[row % 80] as usize);
            assert_eq!(words[table.morsel(0).number(0, row) as usize], list(chunk)[own], "row {row}");
        }
    }
}
