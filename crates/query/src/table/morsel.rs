//! A morsel, as scans read it.

use std::ops::Range;

use super::encoding::{DIGIT_BITS, Storage, Width};
use super::{Codes, Column, MORSEL};
use crate::lanes;

/// The pieces of a morsel, or of some rows of it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Morsel<'a> {
    pub(super) columns: &'a [Column],
    pub(super) bytes: &'a [u8],
    /// For how many rows a piece has room.
    pub(super) room: usize,
}

impl<'a> Morsel<'a> {
    /// The piece of a single column, to read it by itself.
    pub(crate) fn of_piece(column: &'a Column, piece: &'a [u8]) -> Self {
        Self { columns: std::slice::from_ref(column), bytes: piece, room: MORSEL }
    }

    /// The piece of a column, with room for all its rows.
    pub(crate) fn piece(self, column: usize) -> &'a [u8] {
        &self.bytes[self.range(column)]
    }

    /// Where the piece of a column lies, in bytes.
    pub(super) fn range(self, column: usize) -> Range<usize> {
        let column = &self.columns[column];
        // Exact, since pieces of morsels have so many bytes for each of `MORSEL` rows.
        let begin = column.offset / MORSEL * self.room;
        begin..begin + column.storage.bytes() * self.room
    }

    /// Bytes of a code, or of a digit where codes are stored as such.
    pub(super) fn width(self, column: usize) -> usize {
        let storage = self.columns[column].storage;
        storage.bytes() / if let Storage::Digits { count, .. } = storage { count } else { 1 }
    }

    /// Codes of `rows` rows from row `from` on.
    pub(crate) fn codes(self, column: usize, from: usize, rows: usize) -> Codes<'a> {
        let piece = self.piece(column);
        match self.columns[column].storage {
            Storage::Codes { width: Width::U8, .. } => Codes::U8(&piece[from..][..rows]),
            Storage::Codes { width: Width::U16, .. } => Codes::U16(&bytemuck::cast_slice(piece)[from..][..rows]),
            Storage::Codes { width: Width::U32, .. } => Codes::U32(&bytemuck::cast_slice(piece)[from..][..rows]),
            Storage::Codes { width: Width::I32, .. } => Codes::I32(&bytemuck::cast_slice(piece)[from..][..rows]),
            Storage::Codes { width: Width::I64, .. } => Codes::I64(&bytemuck::cast_slice(piece)[from..][..rows]),
            Storage::Digits { count, .. } => {
                let all: &[u16] = bytemuck::cast_slice(piece);
                let digit = |digit: usize| if digit < count { &all[digit * self.room + from..][..rows] } else { &[] };
                Codes::Digits([digit(0), digit(1), digit(2)], count)
            }
            Storage::Doubles => Codes::Doubles(&bytemuck::cast_slice(piece)[from..][..rows]),
        }
    }

    /// Asks for part `part.0` of `part.1` of the codes of some rows, which are read soon.
    pub(crate) fn ahead(self, column: usize, (from, rows): (usize, usize), part: (usize, usize)) {
        let width = self.width(column);
        for plane in self.piece(column).chunks_exact(width * self.room) {
            let bytes = &plane[from * width..][..rows * width];
            lanes::prefetch(&bytes[bytes.len() * part.0 / part.1..bytes.len() * (part.0 + 1) / part.1]);
        }
    }

    /// How codes of a column become whole numbers.
    pub(crate) fn base_and_step(self, column: usize) -> (i64, i64) {
        self.columns[column].storage.base_and_step().expect("it is a whole number")
    }

    /// The whole number in a row: what is scanned, read one by one.
    pub(crate) fn number(self, column: usize, row: usize) -> i128 {
        let code = match self.codes(column, row, 1) {
            Codes::U8(codes) => i128::from(codes[0]),
            Codes::U16(codes) => i128::from(codes[0]),
            Codes::U32(codes) => i128::from(codes[0]),
            Codes::I32(codes) => i128::from(codes[0]),
            Codes::I64(codes) => i128::from(codes[0] as i64),
            Codes::Digits(digits, count) => together(&digits[..count], 0),
            Codes::Doubles(_) => unreachable!("doubles are no whole numbers"),
        };
        let (base, step) = self.base_and_step(column);
        i128::from(base) + i128::from(step) * code
    }

    /// The double in a row.
    pub(crate) fn double(self, column: usize, row: usize) -> f64 {
        match self.codes(column, row, 1) {
            Codes::Doubles(values) => values[0],
            _ => unreachable!("it is a column of doubles"),
        }
    }
}

/// A code from its digits.
pub(super) fn together(digits: &[&[u16]], row: usize) -> i128 {
    digits.iter().enumerate().map(|(at, digit)| i128::from(digit[row]) << (DIGIT_BITS as usize * at)).sum()
}
