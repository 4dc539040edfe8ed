//! Codes of rows.

use std::sync::atomic::{AtomicBool, Ordering};

use super::Table;
use super::encoding::{DIGIT_BITS, TOP_BITS};
use super::morsel::together;
use crate::field::Bounds;

/// The codes of one column in consecutive rows of a morsel.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Codes<'a> {
    U8(&'a [u8]),
    U16(&'a [u16]),
    U32(&'a [u32]),
    I32(&'a [i32]),
    /// As whole numbers without a sign, since arithmetic wraps.
    I64(&'a [u64]),
    /// The digits, the lowest first.
    Digits([&'a [u16]; 3], usize),
    Doubles(&'a [f64]),
}

impl Table {
    /// Whether each value of a column is inside of its bounds, and each digit has no more bits than digits have; on the
    /// workers of the pool that this runs on.
    pub(crate) fn is_within_bounds(&self, column: usize) -> bool {
        let Bounds { low, high } = self.columns[column].bounds;
        let Some((base, step)) = self.columns[column].storage.base_and_step() else { return true };
        let inside = |code: i128| (low..=high).contains(&(i128::from(base) + i128::from(step) * code));
        let all = AtomicBool::new(true);
        knee_runtime::parallel_for_grain(0..self.morsels(), 1, |morsel| {
            if !self.has_digits(morsel, column) || !self.extremes(morsel, column).into_iter().all(inside) {
                // Relaxed: it only goes from true to false, and the loop ends before it is read.
                all.store(false, Ordering::Relaxed);
            }
        });
        all.into_inner()
    }

    /// Whether the digits of a morsel, if it has some, are digits.
    fn has_digits(&self, morsel: usize, column: usize) -> bool {
        let Codes::Digits(digits, count) = self.morsel(morsel).codes(column, 0, self.rows_of(morsel)) else {
            return true;
        };
        let bits = |digit: usize| if digit + 1 == count { TOP_BITS } else { DIGIT_BITS };
        // Their maximum, since it is found in vectors.
        (0..count).all(|digit| digits[digit].iter().copied().max().is_none_or(|most| most < 1 << bits(digit)))
    }

    /// The smallest and the largest code of a morsel.
    fn extremes(&self, morsel: usize, column: usize) -> [i128; 2] {
        fn of<T: Copy + Ord + Into<i128>>(codes: impl Iterator<Item = T> + Clone) -> [i128; 2] {
            [codes.clone().min(), codes.max()].map(|code| code.map_or(0, Into::into))
        }
        let rows = self.rows_of(morsel);
        match self.morsel(morsel).codes(column, 0, rows) {
            Codes::U8(codes) => of(codes.iter().copied()),
            Codes::U16(codes) => of(codes.iter().copied()),
            Codes::U32(codes) => of(codes.iter().copied()),
            Codes::I32(codes) => of(codes.iter().copied()),
            Codes::I64(codes) => of(codes.iter().map(|code| *code as i64)),
            Codes::Digits(digits, count) => of((0..rows).map(|row| together(&digits[..count], row))),
            Codes::Doubles(_) => unreachable!("doubles have no codes"),
        }
    }
}
