//! Values as they come from a source, until the encodings of their columns are known: each chunk of a column by itself in
//! the fewest bytes, so that a table takes hardly more memory while it is built than when it stands.

mod positions;

pub(crate) use positions::{Positions, all_below, of_used};

use std::ops::Range;

use super::Statistics;
use super::kept::{Blocks, Kept};
use crate::lanes::{Code, Isa, for_each_isa};

/// Positions that a byte can be.
const BYTE: usize = 1 << 8;

/// Whole numbers of one chunk: base + step × code.
#[derive(Debug)]
pub(crate) struct Piece {
    base: i64,
    step: i64,
    codes: Codes,
}

#[derive(Debug)]
enum Codes {
    U8(Kept<u8>),
    U16(Kept<u16>),
    U32(Kept<u32>),
    /// Values themselves.
    I64(Kept<i64>),
}

impl Codes {
    fn within(&self, blocks: &Blocks) -> Self {
        match self {
            Self::U8(codes) => Self::U8(codes.within(blocks)),
            Self::U16(codes) => Self::U16(codes.within(blocks)),
            Self::U32(codes) => Self::U32(codes.within(blocks)),
            Self::I64(values) => Self::I64(values.within(blocks)),
        }
    }
}

/// Where codes of a table are written.
pub(crate) trait Sink {
    /// Writes codes of consecutive rows; of more bits than a code has, the low ones count.
    fn write(&mut self, codes: impl Iterator<Item = u64>);

    /// Writes the codes at some positions of a table, which are in it.
    fn look_up(&mut self, positions: &[u8], codes: &[u64]) {
        self.write(looked_up(positions, codes));
    }
}

/// What stands at some positions of a table, which are in it.
pub(super) fn looked_up(positions: &[u8], table: &[u64]) -> impl Iterator<Item = u64> {
    // As an array, so that the compiler sees that each position is in it.
    let mut all = [0; BYTE];
    all[..table.len()].copy_from_slice(table);
    positions.iter().map(move |position| all[usize::from(*position)])
}

impl Piece {
    /// Packs values, and says what they are.
    pub(crate) fn pack(values: Vec<i64>) -> (Self, Statistics) {
        let statistics = Statistics::of(&values);
        (Self::of(values, statistics), statistics)
    }

    /// Packs the values at some positions of a list, and says what they are. The list is packed first: a smaller one stays
    /// in a cache while values are looked up in it.
    pub(crate) fn gather(positions: &[u32], list: Vec<i64>) -> (Self, Statistics) {
        let statistics = of_used(positions, &list);
        let list = Self::of(list, statistics);
        (Self { codes: list.codes.at(positions), ..list }, statistics)
    }

    /// Packs values so that those fit of which something is known; others are cut off.
    fn of(values: Vec<i64>, Statistics { low, high, step }: Statistics) -> Self {
        let step = step.max(1);
        let largest = high.abs_diff(low) / step.unsigned_abs();
        let (isa, width) = (Isa::best(), step.unsigned_abs());
        let codes = if u8::try_from(largest).is_ok() {
            Codes::U8(steps(isa, &values, low, width).into())
        } else if u16::try_from(largest).is_ok() {
            Codes::U16(steps(isa, &values, low, width).into())
        } else if u32::try_from(largest).is_ok() {
            Codes::U32(steps(isa, &values, low, width).into())
        } else {
            return Self { base: 0, step: 1, codes: Codes::I64(values.into()) };
        };
        Self { base: low, step, codes }
    }

    /// The same, in blocks.
    pub(crate) fn within(&self, blocks: &Blocks) -> Self {
        Self { codes: self.codes.within(blocks), ..*self }
    }

    /// Writes the codes that rows have in a table with this base and step.
    pub(crate) fn write(&self, rows: Range<usize>, base: i64, step: i64, sink: &mut impl Sink) {
        // Linear in the own code, and right modulo 2^64; the code itself fits, as its storage was chosen so.
        let offset = code(self.base, base, step);
        let factor = (self.step / step) as u64;
        let linear = |own: u64| offset.wrapping_add(factor.wrapping_mul(own));
        match &self.codes {
            Codes::U8(codes) => sink.write(codes[rows].iter().map(|own| linear((*own).into()))),
            Codes::U16(codes) => sink.write(codes[rows].iter().map(|own| linear((*own).into()))),
            Codes::U32(codes) => sink.write(codes[rows].iter().map(|own| linear((*own).into()))),
            Codes::I64(values) => sink.write(values[rows].iter().map(|value| code(*value, base, step))),
        }
    }
}

for_each_isa! {
    /// How many steps from `low` each value is.
    fn steps<C: Code>(values: &[i64], low: i64, step: u64) -> Vec<C> {
        let difference = |value: &i64| value.wrapping_sub(low) as u64;
        // Divisions take long, and most steps are 1.
        if step == 1 {
            values.iter().map(|value| C::low(difference(value))).collect()
        } else {
            values.iter().map(|value| C::low(difference(value) / step)).collect()
        }
    }
}

/// The code of a value; modulo 2^64 where it has none.
pub(super) fn code(value: i64, base: i64, step: i64) -> u64 {
    match value.checked_sub(base) {
        _ if step == 1 => value.wrapping_sub(base) as u64,
        Some(difference) => difference.div_euclid(step) as u64,
        None => (i128::from(value) - i128::from(base)).div_euclid(step.into()) as u64,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    impl Sink for Vec<u64> {
        fn write(&mut self, codes: impl Iterator<Item = u64>) {
            self.extend(codes);
        }
    }

    #[test]
    fn what_was_packed_comes_back() {
        let lists: [&[i64]; 7] = [
            &[],
            &[5],
            &[100, 5_000, 300],
            &[-70_000, 70_000],
            &[0, 1 << 32],
            &[i64::MIN, i64::MAX, 0],
            &[i64::MIN, i64::MIN + 3],
        ];
        for values in lists {
            let (piece, statistics) = Piece::pack(values.to_vec());
            let mut back = Vec::new();
            piece.write(0..values.len(), 0, 1, &mut back);
            assert_eq!(back.iter().map(|code| *code as i64).collect::<Vec<_>>(), values);
            let (mut codes, step) = (Vec::new(), statistics.step.max(1));
            piece.write(0..values.len(), statistics.low, step, &mut codes);
            let value = |code: &u64| statistics.low.wrapping_add(step.wrapping_mul(*code as i64));
            assert_eq!(codes.iter().map(value).collect::<Vec<_>>(), values);
        }
    }

    #[test]
    fn what_was_looked_up_is_what_was_packed() {
        // The last value of each list is far away, and nobody uses it.
        for (list, unused) in [(vec![5, 7, 260], 1 << 40), (vec![-9, 70_000], i64::MIN), (vec![1 << 50, 3], i64::MAX)] {
            let positions: Vec<u32> = (0..100).map(|row| row * row % list.len() as u32).collect();
            let values: Vec<i64> = positions.iter().map(|position| list[*position as usize]).collect();
            let (piece, statistics) = Piece::gather(&positions, [&list[..], &[unused]].concat());
            assert_eq!(statistics, Statistics::of(&values));
            let mut back = Vec::new();
            piece.write(0..values.len(), 0, 1, &mut back);
            assert_eq!(back.iter().map(|code| *code as i64).collect::<Vec<_>>(), values);
        }
    }
}
