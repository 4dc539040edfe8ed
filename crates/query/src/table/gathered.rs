//! Rows that lie far apart, brought together.

use super::morsel::Morsel;
use super::{LINE, MORSEL, Table};
use crate::lanes::{self, BLOCK};

/// Some rows of a morsel, at most a block of them.
#[derive(Debug, Default)]
pub(crate) struct Gathered {
    words: Vec<u64>,
}

impl Gathered {
    /// Copies the codes of these rows of a morsel, in their order.
    pub(crate) fn take(&mut self, table: &Table, morsel: Morsel<'_>, column: usize, rows: &[u16]) {
        self.words.resize(table.columns.iter().map(|column| column.storage.bytes()).sum::<usize>() * BLOCK / 8, 0);
        let own = self.morsel(table).range(column);
        let to = &mut bytemuck::cast_slice_mut(&mut self.words)[own];
        let width = morsel.width(column);
        let planes = morsel.piece(column).chunks_exact(width * MORSEL);
        for (from, to) in planes.zip(to.chunks_exact_mut(width * BLOCK)) {
            match width {
                1 => copy::<u8>(from, to, rows),
                2 => copy::<u16>(from, to, rows),
                4 => copy::<u32>(from, to, rows),
                _ => copy::<u64>(from, to, rows),
            }
        }
    }

    /// They, as scans read them.
    pub(crate) fn morsel<'a>(&'a self, table: &'a Table) -> Morsel<'a> {
        Morsel { columns: &table.columns, bytes: bytemuck::cast_slice(&self.words), room: BLOCK }
    }
}

fn copy<T: bytemuck::Pod>(from: &[u8], to: &mut [u8], rows: &[u16]) {
    // As an array, so that the compiler sees that each row is there.
    let from: &[T; MORSEL] = bytemuck::cast_slice(from).try_into().expect("a plane has room for all rows");
    for (to, row) in bytemuck::cast_slice_mut(to).iter_mut().zip(rows) {
        *to = from[usize::from(*row)];
    }
}

impl Morsel<'_> {
    /// Asks for the codes of some rows, which are read soon, and returns how many bytes the cache lines have in which
    /// they lie. The rows ascend.
    pub(crate) fn ask(self, column: usize, rows: &[u16]) -> usize {
        let width = self.width(column);
        let mut lines = 0;
        for plane in self.piece(column).chunks_exact(width * MORSEL) {
            let plane = plane.as_chunks::<LINE>().0;
            let mut last = usize::MAX;
            for row in rows {
                let line = usize::from(*row) * width / LINE;
                // Without a branch, which no processor could predict: to ask twice takes less time.
                lines += usize::from(line != last);
                last = line;
                lanes::prefetch(&plane[line]);
            }
        }
        LINE * lines
    }
}
