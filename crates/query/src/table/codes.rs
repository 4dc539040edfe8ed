//! Codes of rows.

use super::Column;
use super::encoding::{DIGIT_BITS, TOP_BITS};
use super::morsel::together;
use crate::field::Bounds;
use crate::lanes::{self, Code, Isa};

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

    /// Whether all are at least the one number and at most the other; doubles always are.
    fn are_within(self, least: i128, most: i128) -> bool {
        match self {
            Self::U8(codes) => within(codes, (least, most), (0, u8::MAX.into())),
            Self::U16(codes) => within(codes, (least, most), (0, u16::MAX.into())),
            Self::U32(codes) => within(codes, (least, most), (0, u32::MAX.into())),
            Self::I32(codes) => within(codes, (least, most), (i32::MIN.into(), i32::MAX.into())),
            Self::I64(codes) => within(codes, (least, most), (i64::MIN.into(), i64::MAX.into())),
            Self::Digits(digits, count) => {
                let mut rows = 0..digits[0].len();
                rows.all(|row| (least..=most).contains(&together(&digits[..count], row)))
            }
            Self::Doubles(_) => true,
        }
    }
}

/// Whether codes are in a range, of all numbers that a code of this type can be.
fn within<C: Code>(codes: &[C], (least, most): (i128, i128), all: (i128, i128)) -> bool {
    let (least, most) = (least.max(all.0), most.min(all.1));
    // The lowest bits are the same with a sign and without one.
    let low = |number: i128| C::low(number as u64);
    codes.is_empty() || least <= most && lanes::all_within(Isa::best(), codes, low(least), low(most - least))
}

impl Column {
    /// Whether each value is inside of the bounds, and each digit has no more bits than digits have.
    pub(crate) fn bounds_hold(&self, codes: Codes<'_>) -> bool {
        let Some((base, step)) = self.storage.base_and_step() else { return true };
        let (base, step) = (i128::from(base), i128::from(step));
        let Bounds { low, high } = self.bounds;
        let least = -(base - low).div_euclid(step);
        codes.are_digits() && codes.are_within(least, (high - base).div_euclid(step))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_outside_of_a_range_is_seen() {
        let wide = i128::from(i64::MAX);
        for (least, most) in [(0, 3), (3, 200), (200, 255), (-9, 300), (4, 3), (-wide, wide)] {
            let expected = |code: i128| (least..=most).contains(&code);
            for code in [0, 3, 4, 199, 200, 255] {
                let mut codes = [200_u8; 100];
                codes[70] = code;
                let both = expected(200) && expected(code.into());
                assert_eq!(Codes::U8(&codes).are_within(least, most), both, "{code} from {least} to {most}");
                assert_eq!(Codes::U32(&codes.map(u32::from)).are_within(least, most), both);
            }
            for code in [i32::MIN, -10, -9, 0, 300, i32::MAX] {
                assert_eq!(Codes::I32(&[code]).are_within(least, most), expected(code.into()), "{code}");
                let code = i64::from(code);
                assert_eq!(Codes::I64(&[code as u64]).are_within(least, most), expected(code.into()), "{code}");
            }
            assert!(Codes::U16(&[]).are_within(least, most));
        }
        assert!(!Codes::I64(&[i64::MIN as u64]).are_within(-wide, wide));
    }
}
