//! How a column is stored: by a rule from its values alone.
//!
//! - `plain`: whole numbers and decimals in 8 bytes, dates in 4, positions in dictionaries in 2, doubles in 8.
//! - `narrow`: value = base + step × code, in 1, 2, 4 or 8 bytes, whichever is enough. The step is the largest number that
//!   divides all differences. Base and step are 0 and 1 where that takes no more bytes.
//! - `split`: as `narrow`, and codes of 4 bytes or more are stored as digits of 12 bits, each in 2 bytes; the highest digit
//!   may have 15 bits. Such digits are what instructions for sums of products of 16-bit numbers want. What needs more than
//!   three digits stays as it is.
//!
//! A code never has fewer values than the column, so all three are lossless.

use serde::{Deserialize, Serialize};

use crate::kind::Kind;
use crate::table::Statistics;

/// Bits of a digit.
pub(crate) const DIGIT_BITS: u32 = 12;
/// Bits of the highest digit: a sign stays free in 16.
pub(crate) const TOP_BITS: u32 = 15;
/// Most digits.
const DIGITS: u32 = 3;

/// A rule for encodings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Encoding {
    /// As wide as the type is.
    Plain,
    /// In the fewest bytes.
    Narrow,
    /// In the fewest bytes, wide codes as digits.
    Split,
}

impl Encoding {
    /// Names, in the order of the variants.
    pub const NAMES: &'static [&'static str] = &["plain", "narrow", "split"];

    /// The one of this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        let all = [Self::Plain, Self::Narrow, Self::Split];
        Self::NAMES.iter().position(|known| *known == name).map(|at| all[at])
    }
}

/// Bytes of a code, and whether it has a sign.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Width {
    U8,
    U16,
    U32,
    I32,
    I64,
}

/// How the values of a column are stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Storage {
    /// value = base + step × code.
    Codes { width: Width, base: i64, step: i64 },
    /// As codes, but in so many pieces of [`DIGIT_BITS`] each, the lowest first.
    Digits { count: usize, base: i64, step: i64 },
    /// Doubles as they are.
    Doubles,
}

impl Width {
    pub(crate) fn bytes(self) -> usize {
        match self {
            Self::U8 => 1,
            Self::U16 => 2,
            Self::U32 | Self::I32 => 4,
            Self::I64 => 8,
        }
    }
}

impl Storage {
    /// Bytes of a row.
    pub(crate) fn bytes(self) -> usize {
        match self {
            Self::Codes { width, .. } => width.bytes(),
            Self::Digits { count, .. } => 2 * count,
            Self::Doubles => 8,
        }
    }

    /// Whether it can hold the values from `low` to `high`, and digits have room.
    pub(crate) fn is_sound(self, low: i64, high: i64) -> bool {
        let Some((base, step)) = self.base_and_step() else { return low == 0 && high == 0 };
        if step < 1 {
            return false;
        }
        let codes = [low, high].map(|value| (i128::from(value) - i128::from(base)).div_euclid(step.into()));
        let (least, most): (i128, i128) = match self {
            Self::Codes { width: Width::U8, .. } => (0, u8::MAX.into()),
            Self::Codes { width: Width::U16, .. } => (0, u16::MAX.into()),
            Self::Codes { width: Width::U32, .. } => (0, u32::MAX.into()),
            Self::Codes { width: Width::I32, .. } => (i32::MIN.into(), i32::MAX.into()),
            Self::Codes { width: Width::I64, .. } => (i64::MIN.into(), i64::MAX.into()),
            Self::Digits { count: count @ 2..=3, .. } => {
                (0, (1 << (DIGIT_BITS as usize * (count - 1) + TOP_BITS as usize)) - 1)
            }
            Self::Digits { .. } | Self::Doubles => return false,
        };
        codes.iter().all(|code| (least..=most).contains(code))
    }

    /// How values become codes; none for doubles.
    pub(crate) fn base_and_step(self) -> Option<(i64, i64)> {
        match self {
            Self::Codes { base, step, .. } | Self::Digits { base, step, .. } => Some((base, step)),
            Self::Doubles => None,
        }
    }
}

/// Chooses how to store a column.
pub(crate) fn storage(encoding: Encoding, kind: Kind, values: &Statistics) -> Storage {
    match (encoding, kind) {
        (_, Kind::Double) => Storage::Doubles,
        (Encoding::Plain, Kind::Date) => Storage::Codes { width: Width::I32, base: 0, step: 1 },
        (Encoding::Plain, Kind::Text) => Storage::Codes { width: Width::U16, base: 0, step: 1 },
        (Encoding::Plain, _) => Storage::Codes { width: Width::I64, base: 0, step: 1 },
        (Encoding::Narrow | Encoding::Split, _) => fewest(encoding, values),
    }
}

/// Plain codes where they take no more bytes, else differences from the smallest value, else those over their step.
fn fewest(encoding: Encoding, values: &Statistics) -> Storage {
    let step = values.step.max(1);
    let candidates = [(0, 1), (values.low, 1), (0, step), (values.low, step)];
    let fitting = candidates.into_iter().filter_map(|(base, step)| {
        let codes = |value: i64| (i128::from(value) - i128::from(base)) / i128::from(step);
        let exact = base != 0 || i128::from(values.low) % i128::from(step) == 0;
        let largest = u64::try_from(codes(values.high)).ok().filter(|_| exact && codes(values.low) >= 0)?;
        Some(stored(encoding, largest, base, step))
    });
    // `min_by_key` takes the first of equals.
    fitting.min_by_key(|storage| storage.bytes()).unwrap_or(Storage::Codes { width: Width::I64, base: 0, step: 1 })
}

fn stored(encoding: Encoding, largest: u64, base: i64, step: i64) -> Storage {
    let bits = u64::BITS - largest.leading_zeros();
    let width = match bits {
        0..=8 => Width::U8,
        9..=16 => Width::U16,
        17..=32 => Width::U32,
        // Codes of 8 bytes have a sign: what would need the highest bit stays as it is.
        64 => return Storage::Codes { width: Width::I64, base: 0, step: 1 },
        _ => Width::I64,
    };
    let count = bits.saturating_sub(TOP_BITS).div_ceil(DIGIT_BITS) + 1;
    if encoding == Encoding::Split && bits > 16 && count <= DIGITS {
        return Storage::Digits { count: count as usize, base, step };
    }
    Storage::Codes { width, base, step }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(encoding: Encoding, values: &[i64]) -> Storage {
        storage(encoding, Kind::Integer, &Statistics::of(values))
    }

    #[test]
    fn fewest_bytes_are_taken() {
        let codes = |width, base, step| Storage::Codes { width, base, step };
        assert_eq!(of(Encoding::Narrow, &[0, 1, 255]), codes(Width::U8, 0, 1));
        assert_eq!(of(Encoding::Narrow, &[0, 1, 256]), codes(Width::U16, 0, 1));
        assert_eq!(of(Encoding::Narrow, &[1_000, 1_001, 1_255]), codes(Width::U8, 1_000, 1));
        assert_eq!(of(Encoding::Narrow, &[100, 5_000, 300]), codes(Width::U8, 0, 100));
        assert_eq!(of(Encoding::Narrow, &[-7, -6, 93]), codes(Width::U8, -7, 1));
        assert_eq!(of(Encoding::Narrow, &[5]), codes(Width::U8, 0, 1));
        assert_eq!(of(Encoding::Narrow, &[i64::MIN, i64::MAX]), codes(Width::I64, 0, 1));
        assert_eq!(of(Encoding::Plain, &[1]), codes(Width::I64, 0, 1));
    }

    #[test]
    fn digits_have_a_sign_to_spare() {
        let digits = |count| Storage::Digits { count, base: 0, step: 1 };
        assert_eq!(of(Encoding::Split, &[0, 1, 65_535]), Storage::Codes { width: Width::U16, base: 0, step: 1 });
        assert_eq!(of(Encoding::Split, &[0, 65_536, 1]), digits(2));
        assert_eq!(of(Encoding::Split, &[0, 1, (1 << 27) - 1]), digits(2));
        assert_eq!(of(Encoding::Split, &[0, 1, 1 << 27]), digits(3));
        assert_eq!(of(Encoding::Split, &[0, 1, (1 << 39) - 1]), digits(3));
        assert_eq!(of(Encoding::Split, &[0, 1, 1 << 39]).bytes(), 8);
    }
}
