//! Codes of rows, and their values read one by one.

use super::encoding::{DIGIT_BITS, Storage, Width};
use super::{MORSEL, Table};
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
    /// Codes of `rows` rows from row `from` of a morsel on.
    pub(crate) fn codes(&self, morsel: usize, column: usize, from: usize, rows: usize) -> Codes<'_> {
        let piece = self.piece(morsel, column);
        match self.columns[column].storage {
            Storage::Codes { width: Width::U8, .. } => Codes::U8(&piece[from..][..rows]),
            Storage::Codes { width: Width::U16, .. } => Codes::U16(&bytemuck::cast_slice(piece)[from..][..rows]),
            Storage::Codes { width: Width::U32, .. } => Codes::U32(&bytemuck::cast_slice(piece)[from..][..rows]),
            Storage::Codes { width: Width::I32, .. } => Codes::I32(&bytemuck::cast_slice(piece)[from..][..rows]),
            Storage::Codes { width: Width::I64, .. } => Codes::I64(&bytemuck::cast_slice(piece)[from..][..rows]),
            Storage::Digits { count, .. } => {
                let all: &[u16] = bytemuck::cast_slice(piece);
                let digit = |digit: usize| if digit < count { &all[digit * MORSEL + from..][..rows] } else { &[] };
                Codes::Digits([digit(0), digit(1), digit(2)], count)
            }
            Storage::Doubles => Codes::Doubles(&bytemuck::cast_slice(piece)[from..][..rows]),
        }
    }

    /// The whole number in a row of a morsel: what is scanned, read one by one.
    pub(crate) fn number(&self, morsel: usize, column: usize, row: usize) -> i128 {
        let code = match self.codes(morsel, column, row, 1) {
            Codes::U8(codes) => i128::from(codes[0]),
            Codes::U16(codes) => i128::from(codes[0]),
            Codes::U32(codes) => i128::from(codes[0]),
            Codes::I32(codes) => i128::from(codes[0]),
            Codes::I64(codes) => i128::from(codes[0] as i64),
            Codes::Digits(digits, count) => {
                let digit = |digit: usize| i128::from(digits[digit][0]) << (DIGIT_BITS as usize * digit);
                (0..count).map(digit).sum()
            }
            Codes::Doubles(_) => unreachable!("doubles are no whole numbers"),
        };
        let (base, step) = self.columns[column].storage.base_and_step().expect("it is a whole number");
        i128::from(base) + i128::from(step) * code
    }

    /// The double in a row of a morsel.
    pub(crate) fn double(&self, morsel: usize, column: usize, row: usize) -> f64 {
        match self.codes(morsel, column, row, 1) {
            Codes::Doubles(values) => values[0],
            _ => unreachable!("it is a column of doubles"),
        }
    }

    /// Whether each value of a column is inside of its bounds.
    pub(crate) fn is_within_bounds(&self, column: usize) -> bool {
        let Bounds { low, high } = self.columns[column].bounds;
        let doubles = self.columns[column].storage == Storage::Doubles;
        let within = |morsel: usize, row: usize| (low..=high).contains(&self.number(morsel, column, row));
        doubles || (0..self.morsels()).all(|morsel| (0..self.rows_of(morsel)).all(|row| within(morsel, row)))
    }
}
