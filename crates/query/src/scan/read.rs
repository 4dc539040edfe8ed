//! Which columns of a block are read, so that their bytes count: a condition is not tested where those before it leave no
//! row.

use crate::table::Table;

/// What has been read of a block.
#[derive(Debug)]
pub(super) struct Read {
    /// Bytes of a row in each column,
    widths: Vec<usize>,
    /// and in those that have not been read; 0 in others.
    left: Vec<usize>,
    /// Bytes of a row in all that have been read.
    bytes: usize,
}

impl Read {
    pub(super) fn new(table: &Table) -> Self {
        let widths: Vec<_> = (0..table.columns().len()).map(|column| table.bytes_of(column)).collect();
        Self { left: widths.clone(), widths, bytes: 0 }
    }

    /// Nothing yet, of the next block.
    pub(super) fn begin(&mut self) {
        self.left.copy_from_slice(&self.widths);
        self.bytes = 0;
    }

    /// Columns of the block are read, now or again.
    pub(super) fn take(&mut self, columns: &[usize]) {
        for column in columns {
            self.bytes += std::mem::take(&mut self.left[*column]);
        }
    }

    /// Whether a column has been read.
    pub(super) fn has(&self, column: usize) -> bool {
        self.left[column] == 0
    }

    /// Bytes of a row in all columns that have been read.
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }
}
