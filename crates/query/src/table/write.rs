//! Memory for a table, written in parallel, each morsel near its home.

use std::io;

use knee_runtime::{Arrangement, Place};

use super::{Column, LINE, MORSEL, Table};

/// Where a table is put.
#[derive(Debug)]
pub(crate) struct Placed {
    pub(crate) arrangement: Arrangement,
    /// How many copies of it that makes.
    pub(crate) copies: usize,
}

/// Writes the piece of a morsel and a column, which is all zeros.
type Write<'a> = dyn Fn(usize, usize, &mut [u8]) + Sync + 'a;

impl Table {
    /// A table of these columns, whose pieces `write` writes on the workers of the pool that this runs on.
    ///
    /// # Errors
    /// The kernel's, when memory cannot be had or placed.
    pub(crate) fn write(mut columns: Vec<Column>, rows: usize, placed: &Placed, write: &Write<'_>) -> io::Result<Self> {
        let stride = lay_out(&mut columns);
        // A morsel that lay on two nodes would be half away from home for every worker.
        let arrangement = placed.arrangement.clone().whole(stride);
        let mut data = arrangement.zeroed(stride / 8 * rows.div_ceil(MORSEL))?;
        let one = |morsel: usize, bytes: &mut [u8]| {
            if (morsel + 1) * MORSEL > rows {
                // Pages behind its last row would have no node.
                bytes.fill(0);
            }
            pieces(morsel, bytes, &columns, write);
        };
        data.each_copy(|words| halve(words, 0, stride / 8, &one));
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
