//! Memory for a table, written in parallel, each morsel near its home.

use std::io;
use std::sync::Mutex;

use knee_runtime::{Arrangement, NumaVec, Place};

use super::{Column, LINE, MORSEL, Table};

/// Where tables are put.
#[derive(Debug)]
pub(crate) struct Placed {
    arrangement: Arrangement,
    /// How many copies of each that makes.
    pub(crate) copies: usize,
    /// The stride and the memory of a table that is no longer needed.
    spare: Mutex<Option<(usize, NumaVec<u64>)>>,
}

impl Placed {
    /// In this arrangement, which makes so many copies.
    pub(crate) fn new(arrangement: Arrangement, copies: usize) -> Self {
        Self { arrangement, copies, spare: Mutex::new(None) }
    }

    /// Keeps the memory of a table for the next one: the kernel would have to clear pages again.
    pub(crate) fn keep(&self, table: Table) {
        *self.spare.lock().expect("no holder panics") = Some((table.stride, table.data));
    }

    /// Gives back the memory that was kept.
    pub(crate) fn forget(&self) {
        *self.spare.lock().expect("no holder panics") = None;
    }

    /// Memory for so many words, whose morsels have this stride. It may be longer by a quarter at most, so that workers
    /// still share it fairly where it lies in blocks.
    fn memory(&self, words: usize, stride: usize) -> io::Result<NumaVec<u64>> {
        let fits =
            |(own, data): &(usize, NumaVec<u64>)| *own == stride && (words..=words + words / 4).contains(&data.len());
        if let Some((_, data)) = self.spare.lock().expect("no holder panics").take().filter(fits) {
            return Ok(data);
        }
        // A morsel that lay on two nodes would be half away from home for every worker.
        self.arrangement.clone().whole(stride).zeroed(words)
    }
}

#[cfg(any(test, fuzzing))]
impl Default for Placed {
    fn default() -> Self {
        Self::new(Arrangement::default(), 1)
    }
}

/// Writes all rows of the piece of a morsel and a column. In the last morsel, what is behind them is zeros.
type Write<'a> = dyn Fn(usize, usize, &mut [u8]) + Sync + 'a;

impl Table {
    /// A table of these columns, whose pieces `write` writes on the workers of the pool that this runs on.
    ///
    /// # Errors
    /// The kernel's, when memory cannot be had or placed.
    pub(crate) fn write(mut columns: Vec<Column>, rows: usize, placed: &Placed, write: &Write<'_>) -> io::Result<Self> {
        let stride = lay_out(&mut columns);
        let words = stride / 8 * rows.div_ceil(MORSEL);
        let mut data = placed.memory(words, stride)?;
        let one = |morsel: usize, bytes: &mut [u8]| {
            // Pages behind the last row would have no node, or hold what was there before.
            if (morsel + 1) * MORSEL > rows {
                bytes.fill(0);
            }
            pieces(morsel, bytes, &columns, write);
        };
        data.each_copy(|copy| halve(&mut copy[..words], 0, stride / 8, &one));
        Ok(Self { rows, columns, stride, data })
    }
}

/// Decides where the pieces of columns begin in a morsel; returns its size.
fn lay_out(columns: &mut [Column]) -> usize {
    let mut end = 0;
    for column in columns {
        column.offset = end;
        end += (column.storage.bytes() * MORSEL).next_multiple_of(LINE);
    }
    end
}

fn pieces(morsel: usize, bytes: &mut [u8], columns: &[Column], write: &Write<'_>) {
    for (at, column) in columns.iter().enumerate() {
        write(morsel, at, &mut bytes[column.offset..][..column.storage.bytes() * MORSEL]);
    }
}

/// Writes morsels from `first` on; each has `stride` words.
fn halve(words: &mut [u64], first: usize, stride: usize, write: &(impl Fn(usize, &mut [u8]) + Sync)) {
    let morsels = words.len().checked_div(stride).unwrap_or(0);
    if morsels <= 1 {
        if morsels == 1 {
            write(first, bytemuck::cast_slice_mut(words));
        }
        return;
    }
    let (left, right) = words.split_at_mut(morsels / 2 * stride);
    let near = (Place::near_address(left.as_ptr()), Place::near_address(right.as_ptr()));
    knee_runtime::join_at(
        near.0,
        || halve(left, first, stride, write),
        near.1,
        || halve(right, first + morsels / 2, stride, write),
    );
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field::Bounds;
    use crate::kind::Kind;
    use crate::table::Statistics;
    use crate::table::encoding::{self, Encoding};

    /// A table of one column, whose rows all have a code.
    fn table(placed: &Placed, rows: usize, code: u8) -> Table {
        let statistics = Statistics { low: 0, high: 200, step: 1 };
        let storage = encoding::storage(Encoding::Narrow, Kind::Integer, &statistics);
        assert_eq!(storage.bytes(), 1);
        let column = Column::new("a".into(), Kind::Integer, None, Bounds { low: 0, high: 200 }, storage);
        let write = |morsel: usize, _: usize, piece: &mut [u8]| {
            let own = (rows - morsel * MORSEL).min(MORSEL);
            piece[..own].fill(code);
        };
        Table::write(vec![column], rows, placed, &write).unwrap()
    }

    fn codes(table: &Table) -> Vec<u8> {
        (0..table.morsels()).flat_map(|morsel| table.morsel(morsel).piece(0).to_vec()).collect()
    }

    #[test]
    fn memory_that_was_kept_is_as_good_as_new() {
        let placed = Placed::default();
        let first = table(&placed, 5 * MORSEL, 7);
        let address = first.morsel(0).piece(0).as_ptr();
        placed.keep(first);
        let second = table(&placed, 4 * MORSEL + 1, 9);
        assert_eq!(second.morsel(0).piece(0).as_ptr(), address);
        assert_eq!(codes(&second), codes(&table(&Placed::default(), 4 * MORSEL + 1, 9)));
        assert_eq!(second.homes(), [(None, 0..5)]);
        // What is too long would be shared unfairly, and what is too short holds too little.
        placed.keep(second);
        assert_eq!(codes(&table(&placed, MORSEL, 3)), vec![3; MORSEL]);
        placed.keep(table(&placed, MORSEL, 4));
        assert_eq!(codes(&table(&placed, 2 * MORSEL, 5)), vec![5; 2 * MORSEL]);
    }
}
