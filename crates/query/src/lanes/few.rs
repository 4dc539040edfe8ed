//! Which rows of a block count, where few do.

use super::{BLOCK, Isa, for_each_isa};

/// Rows of a word of bits.
const WORD: usize = 64;

/// Bits that are written down at once, without a branch for each that no processor could predict.
const AT_ONCE: usize = 4;

/// Writes down which rows of a block count, behind those that `rows` has; the block's first row has the number `from`.
pub(crate) fn few(isa: Isa, mask: &[u16], from: u16, rows: &mut Vec<u16>) {
    let mut words = [0; BLOCK / WORD];
    bits(isa, mask.try_into().expect("a mask is of a block"), &mut words);
    let begin = rows.len();
    let counting: u32 = words.iter().map(|word| word.count_ones()).sum();
    let end = begin + counting as usize;
    // Room for what is written at once behind the last one.
    rows.resize(end + AT_ONCE, 0);
    write(isa, &words, from, &mut rows[begin..]);
    rows.truncate(end);
}

for_each_isa! {
    fn write(words: &[u64; BLOCK / WORD], from: u16, rows: &mut [u16]) {
        let mut end = 0;
        for (at, word) in words.iter().enumerate() {
            let (first, mut word) = (from + (WORD * at) as u16, *word);
            let next = end + word.count_ones() as usize;
            loop {
                for row in &mut rows[end..end + AT_ONCE] {
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

/// A bit for each row that counts.
fn bits(isa: Isa, mask: &[u16; BLOCK], words: &mut [u64; BLOCK / WORD]) {
    match isa {
        Isa::Portable => portable(mask, words),
        #[cfg(target_arch = "x86_64")]
        // SAFETY: an `Isa` is made only where the processor has it.
        Isa::Avx2(_) => unsafe { x86::avx2(mask, words) },
        #[cfg(target_arch = "x86_64")]
        // SAFETY: as above.
        Isa::Avx512 { .. } => unsafe { x86::avx512(mask, words) },
    }
}

fn portable(mask: &[u16; BLOCK], words: &mut [u64; BLOCK / WORD]) {
    for (lanes, word) in mask.as_chunks::<WORD>().0.iter().zip(words) {
        *word = lanes.iter().rev().fold(0, |word, lane| word << 1 | u64::from(lane & 1));
    }
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use std::arch::x86_64::{
        _mm256_loadu_si256, _mm256_movemask_epi8, _mm256_packs_epi16, _mm256_permute4x64_epi64, _mm512_loadu_si512,
        _mm512_movepi16_mask,
    };

    use super::{BLOCK, WORD};

    #[target_feature(enable = "avx2")]
    pub(super) fn avx2(mask: &[u16; BLOCK], words: &mut [u64; BLOCK / WORD]) {
        for (lanes, word) in mask.as_chunks::<WORD>().0.iter().zip(words) {
            let half = |lanes: &[u16; WORD / 2]| {
                let vectors = lanes.as_ptr();
                // SAFETY: 32 lanes are two vectors of 16.
                let (low, high) =
                    unsafe { (_mm256_loadu_si256(vectors.cast()), _mm256_loadu_si256(vectors.add(16).cast())) };
                // Bytes are packed in each half of the vectors; the middle quarters change places.
                let bytes = _mm256_permute4x64_epi64::<0b11_01_10_00>(_mm256_packs_epi16(low, high));
                u64::from(_mm256_movemask_epi8(bytes) as u32)
            };
            let halves = lanes.as_chunks::<{ WORD / 2 }>().0;
            *word = half(&halves[0]) | half(&halves[1]) << (WORD / 2);
        }
    }

    #[target_feature(enable = "avx512f,avx512bw")]
    pub(super) fn avx512(mask: &[u16; BLOCK], words: &mut [u64; BLOCK / WORD]) {
        for (lanes, word) in mask.as_chunks::<WORD>().0.iter().zip(words) {
            // SAFETY: 32 lanes are one vector.
            let half = |lanes: &[u16; WORD / 2]| unsafe { _mm512_loadu_si512(lanes.as_ptr().cast()) };
            let halves = lanes.as_chunks::<{ WORD / 2 }>().0;
            let [low, high] = [half(&halves[0]), half(&halves[1])].map(|lanes| u64::from(_mm512_movepi16_mask(lanes)));
            *word = low | high << (WORD / 2);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::YES;
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
                    few(isa, &mask, from, &mut rows);
                    assert_eq!(rows, expected, "{isa:?}");
                }
            }
        }
    }
}
