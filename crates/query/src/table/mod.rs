//! A stored table: morsels of 65,536 rows, in each one piece for each column.
//!
//! A piece holds codes of the fewest bytes that its column's encoding allows; value = base + step × code. Encodings are
//! chosen by [`encoding`] from the values of the whole column alone, before any query is read. All pieces of a morsel lie
//! together, so that a morsel has one home, whatever the widths of its columns.

mod build;
mod codes;
mod column;
mod encoding;
mod gathered;
mod kept;
mod morsel;
mod piece;
mod statistics;
mod write;

use std::collections::BTreeMap;
use std::io;
use std::ops::Range;

use knee_machine::sys;
use knee_runtime::NumaVec;

use crate::field::Field;

pub(crate) use build::{Chunk, Columns, TEXTS};
pub(crate) use build::{build, bytes_per_row};
pub(crate) use codes::Codes;
pub(crate) use column::Column;
pub use encoding::Encoding;
pub(crate) use encoding::{DIGIT_BITS, Storage, Width};
pub(crate) use gathered::Gathered;
pub(crate) use kept::Blocks;
pub(crate) use morsel::Morsel;
pub(crate) use piece::all_below;
pub(crate) use statistics::Statistics;
pub(crate) use write::Placed;

/// Rows of a morsel, of which the last one of a table may have fewer.
pub(crate) const MORSEL: usize = 1 << 16;

/// Pieces begin where cache lines do.
const LINE: usize = 64;

/// A table.
#[derive(Debug)]
pub struct Table {
    rows: usize,
    columns: Vec<Column>,
    /// Bytes from one morsel to the next.
    stride: usize,
    data: NumaVec<u64>,
}

impl Table {
    /// How many rows it has.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Its columns.
    #[must_use]
    pub fn columns(&self) -> &[Column] {
        &self.columns
    }

    /// Its columns as a query sees them.
    #[must_use]
    pub fn fields(&self) -> Vec<Field> {
        self.columns.iter().map(Column::field).collect()
    }

    /// How many morsels it has.
    #[must_use]
    pub fn morsels(&self) -> usize {
        self.rows.div_ceil(MORSEL)
    }

    /// Rows of a morsel.
    #[must_use]
    pub fn rows_of(&self, morsel: usize) -> usize {
        (self.rows - morsel * MORSEL).min(MORSEL)
    }

    /// Bytes of a row in this column.
    #[must_use]
    pub fn bytes_of(&self, column: usize) -> usize {
        self.columns[column].storage.bytes()
    }

    /// All encoded bytes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.stride * self.morsels()
    }

    /// Parts of the table that have one home each: the node, and the morsels that begin there.
    pub(crate) fn homes(&self) -> Vec<(Option<u32>, Range<usize>)> {
        if self.data.copies() > 1 {
            // Each worker reads the copy of its own node.
            return vec![(None, 0..self.morsels())];
        }
        let morsel = |word: usize| (word * 8).div_ceil(self.stride.max(1)).min(self.morsels());
        let blocks = self.data.blocks().into_iter();
        blocks.map(|(node, words)| (node, morsel(words.start)..morsel(words.end))).collect()
    }

    /// How many copies of it there are; a worker reads that of its own node.
    pub(crate) fn copies(&self) -> usize {
        self.data.copies()
    }

    /// For each morsel, how many of its pages lie on each node. It asks the kernel, not the layout's rule.
    ///
    /// # Errors
    /// The kernel's: no NUMA support, or a container that forbids it.
    pub(crate) fn pages(&self) -> io::Result<Vec<BTreeMap<Option<u32>, u64>>> {
        let of_morsel = |morsel: usize| {
            let words = &self.data[self.words(morsel)];
            let mut pages = BTreeMap::new();
            for node in sys::nodes_of_pages(words.as_ptr() as usize, size_of_val(words))? {
                *pages.entry(node).or_default() += 1;
            }
            Ok(pages)
        };
        (0..self.morsels()).map(of_morsel).collect()
    }

    /// How many pages lie on each node.
    ///
    /// # Errors
    /// The kernel's.
    pub fn census(&self) -> io::Result<BTreeMap<Option<u32>, usize>> {
        self.data.census()
    }

    /// Says that the calling task reads a morsel. Only rehearsals, which count remote accesses, use it.
    pub(crate) fn touch(&self, morsel: usize) {
        knee_runtime::touch(&self.data[self.words(morsel)]);
    }

    fn words(&self, morsel: usize) -> Range<usize> {
        morsel * self.stride / 8..(morsel + 1) * self.stride / 8
    }

    /// A morsel, to read it: of several copies that of this worker's node.
    pub(crate) fn morsel(&self, morsel: usize) -> Morsel<'_> {
        Morsel { columns: &self.columns, bytes: bytemuck::cast_slice(&self.data[self.words(morsel)]), room: MORSEL }
    }
}
