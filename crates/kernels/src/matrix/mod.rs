//! Matrices that are stored row by row, and the rectangles into which recursion divides them.
//!
//! The rows of two quadrants that stand side by side alternate in memory, so no two slices hold them. A [`Tile`] is to
//! such a rectangle what `&mut [f64]` is to a slice, and a [`View`] what `&[f64]` is: elements are reached row by row,
//! and cutting a tile up consumes it.

mod leaf;
mod product;

use std::marker::PhantomData;

use knee_workload::{Args, Error, Param};

use crate::scheduler::Fork;

pub(crate) use leaf::multiply_leaf;
pub(crate) use product::{Product, agree, dot, probe};

/// The parameter `n`.
pub(crate) const fn side(default: &'static str) -> Param {
    crate::number("n", "rows and columns, a power of two", default)
}

/// The value of `n`, which halving can reduce to leaves of sixteen.
pub(crate) fn side_of(args: &Args) -> Result<usize, Error> {
    crate::power_of_two(args, "n", 16..=32_768)
}

/// A rectangle of a matrix, without ownership.
#[derive(Clone, Copy)]
struct Area {
    start: *mut f64,
    /// Elements from one row to the next.
    stride: usize,
    rows: usize,
    columns: usize,
}

impl Area {
    fn whole(start: *mut f64, len: usize, columns: usize) -> Self {
        assert_eq!(len % columns, 0, "a matrix is of whole rows");
        Self { start, stride: columns, rows: len / columns, columns }
    }

    /// Says that a leaf works on it.
    fn touch<F: Fork>(self) {
        F::touch_rows(self.start.cast_const(), self.columns, self.stride, self.rows);
    }

    fn row(self, row: usize) -> *mut f64 {
        assert!(row < self.rows, "row {row} of {}", self.rows);
        self.start.wrapping_add(row * self.stride)
    }

    fn split_rows(self) -> (Self, Self) {
        let middle = self.rows / 2;
        let start = self.start.wrapping_add(middle * self.stride);
        (Self { rows: middle, ..self }, Self { start, rows: self.rows - middle, ..self })
    }

    fn split_columns(self) -> (Self, Self) {
        let middle = self.columns / 2;
        let start = self.start.wrapping_add(middle);
        (Self { columns: middle, ..self }, Self { start, columns: self.columns - middle, ..self })
    }
}

/// A rectangle that may be read.
#[derive(Clone, Copy)]
pub(crate) struct View<'a>(Area, PhantomData<&'a [f64]>);

// SAFETY: a view only hands out `&[f64]`, and that may go to other threads.
unsafe impl Send for View<'_> {}
// SAFETY: as above.
unsafe impl Sync for View<'_> {}

impl<'a> View<'a> {
    /// A whole matrix with this many columns.
    pub(crate) fn new(matrix: &'a [f64], columns: usize) -> Self {
        Self(Area::whole(matrix.as_ptr().cast_mut(), matrix.len(), columns), PhantomData)
    }

    pub(crate) fn rows(self) -> usize {
        self.0.rows
    }

    pub(crate) fn row(self, row: usize) -> &'a [f64] {
        // SAFETY: the row lies inside the matrix that the view was made of, since areas are only ever cut smaller; for 'a
        // nothing writes there: the matrix is borrowed, or the tile that the view was taken of is.
        unsafe { std::slice::from_raw_parts(self.0.row(row), self.0.columns) }
    }

    /// Says that a leaf works on it.
    pub(crate) fn touch<F: Fork>(self) {
        self.0.touch::<F>();
    }

    /// The upper and the lower half.
    pub(crate) fn split_rows(self) -> (Self, Self) {
        let (upper, lower) = self.0.split_rows();
        (Self(upper, PhantomData), Self(lower, PhantomData))
    }

    /// The left and the right half.
    pub(crate) fn split_columns(self) -> (Self, Self) {
        let (left, right) = self.0.split_columns();
        (Self(left, PhantomData), Self(right, PhantomData))
    }

    /// The quadrants, the upper two first.
    pub(crate) fn quarter(self) -> [Self; 4] {
        let (upper, lower) = self.split_rows();
        let ((a, b), (c, d)) = (upper.split_columns(), lower.split_columns());
        [a, b, c, d]
    }
}

/// A rectangle that may be written, by its owner only.
pub(crate) struct Tile<'a>(Area, PhantomData<&'a mut [f64]>);

// SAFETY: no two tiles share an element, so a tile may go to another thread as `&mut [f64]` may.
unsafe impl Send for Tile<'_> {}

impl<'a> Tile<'a> {
    /// A whole matrix with this many columns.
    pub(crate) fn new(matrix: &'a mut [f64], columns: usize) -> Self {
        Self(Area::whole(matrix.as_mut_ptr(), matrix.len(), columns), PhantomData)
    }

    pub(crate) fn rows(&self) -> usize {
        self.0.rows
    }

    pub(crate) fn columns(&self) -> usize {
        self.0.columns
    }

    /// Where its first element is.
    pub(crate) fn start(&self) -> *const f64 {
        self.0.start
    }

    pub(crate) fn row(&mut self, row: usize) -> &mut [f64] {
        // SAFETY: the row lies inside the matrix that the tile was made of, since areas are only ever cut smaller, and the
        // parts of a cut have no element in common; the matrix is borrowed for 'a, and this tile for as long as the row.
        unsafe { std::slice::from_raw_parts_mut(self.0.row(row), self.0.columns) }
    }

    /// Says that a leaf works on it.
    pub(crate) fn touch<F: Fork>(&self) {
        self.0.touch::<F>();
    }

    /// The same rectangle, to read while it is not written.
    pub(crate) fn view(&self) -> View<'_> {
        View(self.0, PhantomData)
    }

    /// The same rectangle, borrowed.
    pub(crate) fn lend(&mut self) -> Tile<'_> {
        Tile(self.0, PhantomData)
    }

    /// The upper and the lower half.
    pub(crate) fn split_rows(self) -> (Self, Self) {
        let (upper, lower) = self.0.split_rows();
        (Self(upper, PhantomData), Self(lower, PhantomData))
    }

    /// The left and the right half.
    pub(crate) fn split_columns(self) -> (Self, Self) {
        let (left, right) = self.0.split_columns();
        (Self(left, PhantomData), Self(right, PhantomData))
    }

    /// The quadrants, the upper two first.
    pub(crate) fn quarter(self) -> [Self; 4] {
        let (upper, lower) = self.split_rows();
        let ((a, b), (c, d)) = (upper.split_columns(), lower.split_columns());
        [a, b, c, d]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quarters_are_disjoint_and_cover_all() {
        let mut matrix = vec![0.0; 6 * 10];
        let quarters = Tile::new(&mut matrix, 10).quarter();
        for (mark, mut quarter) in [1.0, 2.0, 3.0, 4.0].into_iter().zip(quarters) {
            (0..quarter.rows()).for_each(|row| quarter.row(row).iter_mut().for_each(|element| *element += mark));
        }
        let expected = |index: usize| 1.0 + f64::from(index % 10 >= 5) + 2.0 * f64::from(index / 10 >= 3);
        assert!(matrix.iter().enumerate().all(|(index, &element)| element.to_bits() == expected(index).to_bits()));
        let views = View::new(&matrix, 10).quarter();
        assert_eq!(views.map(|view| view.row(2)[4].to_bits()), [1.0, 2.0, 3.0, 4.0].map(f64::to_bits));
    }

    #[test]
    #[should_panic(expected = "row 3 of 3")]
    fn a_row_outside_is_refused() {
        View::new(&[0.0; 36], 6).quarter()[0].row(3);
    }
}
