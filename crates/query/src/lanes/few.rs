//! Which rows of a block count, where few do.

use super::bits::{WORD, ones};
use super::{Bits, Isa, for_each_isa};

/// Bits that are written down at once, without a branch for each that no processor could predict.
const AT_ONCE: usize = 4;

/// Writes down which rows of a block count, behind other positions; the block's first row has the number `from`.
pub(crate) fn few(isa: Isa, bits: &Bits, from: u16, positions: &mut Vec<u16>) {
    let begin = positions.len();
    let end = begin + ones(isa, bits);
    // Room for what is written at once behind the last one.
    positions.resize(end + AT_ONCE, 0);
    write(isa, bits, from, &mut positions[begin..]);
    positions.truncate(end);
}

for_each_isa! {
    fn write(bits: &Bits, from: u16, positions: &mut [u16]) {
        let mut end = 0;
        for (at, word) in bits.iter().enumerate() {
            let (first, mut word) = (from + (WORD * at) as u16, *word);
            let next = end + word.count_ones() as usize;
            loop {
                for row in &mut positions[end..end + AT_ONCE] {
                    // Of no bit it is 64, which is written over or behind the end.
                    *row = first.wrapping_add(word.trailing_zeros() as u16);
                    word &= word.wrapping_sub(1);
                }
                end += AT_ONCE;
                if word == 0 {
                    break;
                }
            }
            end = next;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{BLOCK, YES, bits};
    use super::*;

    #[test]
    fn every_instruction_set_finds_the_rows_that_count() {
        let every = |step: usize| (0..BLOCK).map(|row| if row % step == step / 2 { YES } else { 0 }).collect();
        let ends = (0..BLOCK).map(|row| if row % (BLOCK - 1) == 0 { YES } else { 0 }).collect();
        let masks: [Vec<u16>; 7] =
            [vec![0; BLOCK], vec![YES; BLOCK], ends, every(2), every(63), every(64), every(1_000)];
        for mask in masks {
            let last = u16::MAX - (BLOCK - 1) as u16;
            for from in [0, last] {
                let own = (from..=from + (BLOCK - 1) as u16).zip(&mask).filter(|(_, lane)| **lane == YES);
                let expected: Vec<u16> = [7].into_iter().chain(own.map(|(row, _)| row)).collect();
                for isa in Isa::all() {
                    let mut rows = vec![7];
                    few(isa, &bits(isa, &mask), from, &mut rows);
                    assert_eq!(rows, expected, "{isa:?}");
                }
            }
        }
    }
}
