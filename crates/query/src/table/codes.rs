//! Codes of rows.

use super::Column;
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

impl Codes<'_> {
    /// Whether they are digits, if they are stored as such: numbers of no more bits than digits have.
    fn are_digits(self) -> bool {
        let Self::Digits(digits, count) = self else { return true };
        let bits = |digit: usize| if digit + 1 == count { TOP_BITS } else { DIGIT_BITS };
        // Their maximum, since it is found in vectors.
        (0..count).all(|digit| digits[digit].iter().copied().max().is_none_or(|most| most < 1 << bits(digit)))
    }

    /// The smallest and the largest one; none of doubles.
    fn extremes(self) -> [i128; 2] {
        fn of<T: Copy + Ord + Into<i128>>(codes: impl Iterator<Item = T> + Clone) -> [i128; 2] {
            [codes.clone().min(), codes.max()].map(|code| code.map_or(0, Into::into))
        }
        match self {
            Self::U8(codes) => of(codes.iter().copied()),
            Self::U16(codes) => of(codes.iter().copied()),
            Self::U32(codes) => of(codes.iter().copied()),
            Self::I32(codes) => of(codes.iter().copied()),
            Self::I64(codes) => of(codes.iter().map(|code| *code as i64)),
            Self::Digits(digits, count) => of((0..digits[0].len()).map(|row| together(&digits[..count], row))),
            Self::Doubles(_) => [0, 0],
        }
    }
}

impl Column {
    /// Whether each value is inside of the bounds, and each digit has no more bits than digits have.
    pub(crate) fn bounds_hold(&self, codes: Codes<'_>) -> bool {
        let Bounds { low, high } = self.bounds;
        let Some((base, step)) = self.storage.base_and_step() else { return true };
        let inside = |code: i128| (low..=high).contains(&(i128::from(base) + i128::from(step) * code));
        codes.are_digits() && codes.extremes().into_iter().all(inside)
    }
}
