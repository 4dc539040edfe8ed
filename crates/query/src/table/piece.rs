//! Values as they come from a source, until the encodings of their columns are known: each chunk of a column by itself in
//! the fewest bytes, so that a table takes hardly more memory while it is built than when it stands.

use super::Statistics;

/// Whole numbers of one chunk: base + step × code.
#[derive(Debug)]
pub(crate) struct Piece {
    base: i64,
    step: i64,
    codes: Codes,
}

#[derive(Debug)]
enum Codes {
    U8(Vec<u8>),
    U16(Vec<u16>),
    U32(Vec<u32>),
    I64(Vec<i64>),
}

impl Piece {
    /// Packs values, and says what they are.
    pub(crate) fn pack(values: Vec<i64>) -> (Self, Statistics) {
        let statistics = Statistics::of(&values);
        let Statistics { low, high, step } = statistics;
        let step = step.max(1);
        let largest = high.abs_diff(low) / step.unsigned_abs();
        let code = |value: &i64| value.wrapping_sub(low) as u64 / step as u64;
        let codes = if u8::try_from(largest).is_ok() {
            Codes::U8(values.iter().map(|value| code(value) as u8).collect())
        } else if u16::try_from(largest).is_ok() {
            Codes::U16(values.iter().map(|value| code(value) as u16).collect())
        } else if u32::try_from(largest).is_ok() {
            Codes::U32(values.iter().map(|value| code(value) as u32).collect())
        } else {
            return (Self { base: 0, step: 1, codes: Codes::I64(values) }, statistics);
        };
        (Self { base: low, step, codes }, statistics)
    }

    /// Calls `take` with each value from row `from` on, in order.
    pub(crate) fn each(&self, from: usize, rows: usize, take: impl FnMut(i64)) {
        let range = from..from + rows;
        let value = |code: i64| self.base.wrapping_add(self.step.wrapping_mul(code));
        match &self.codes {
            Codes::U8(codes) => codes[range].iter().map(|code| value(i64::from(*code))).for_each(take),
            Codes::U16(codes) => codes[range].iter().map(|code| value(i64::from(*code))).for_each(take),
            Codes::U32(codes) => codes[range].iter().map(|code| value(i64::from(*code))).for_each(take),
            Codes::I64(codes) => codes[range].iter().copied().for_each(take),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
            let (piece, _) = Piece::pack(values.to_vec());
            let mut back = Vec::new();
            piece.each(0, values.len(), |value| back.push(value));
            assert_eq!(back, values);
        }
    }
}
