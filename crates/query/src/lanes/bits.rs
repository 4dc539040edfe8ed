//! Masks as bits: a word for 64 rows, one bit for each.
//!
//! They are an eighth or less of a mask of lanes, so that conditions which can be tested this way ([`between`]) cost
//! little more than reading their codes.
//!
//! [`between`]: fn@super::between

use super::{BLOCK, Isa, YES, for_each_isa};

/// Rows of a word.
pub(super) const WORD: usize = 64;

/// The rows of a block that count.
pub(crate) type Bits = [u64; BLOCK / WORD];

/// The first rows of a block.
pub(crate) fn first(rows: usize) -> Bits {
    if rows == BLOCK {
        // All but a table's last block: it need not be computed.
        return [u64::MAX; BLOCK / WORD];
    }
    std::array::from_fn(|word| match rows.saturating_sub(WORD * word) {
        0 => 0,
        some @ 1..WORD => (1 << some) - 1,
        WORD.. => u64::MAX,
    })
}

/// A mask of lanes from bits.
pub(crate) fn spread(isa: Isa, bits: &Bits, mask: &mut [u16]) {
    #[cfg(target_arch = "x86_64")]
    if let Isa::Avx512 { .. } = isa {
        // SAFETY: an `Isa` is made only where the processor has it.
        return unsafe { x86::spread(bits, mask) };
    }
    spread_by_parts(isa, bits, mask);
}

for_each_isa! {
    /// How many rows count.
    pub(crate) fn ones(bits: &Bits) -> usize {
        bits.iter().map(|word| word.count_ones() as usize).sum()
    }

    fn spread_by_parts(bits: &Bits, mask: &mut [u16]) {
        const PART: usize = u16::BITS as usize;
        for (word, lanes) in bits.iter().zip(mask.as_chunks_mut::<WORD>().0) {
            for (part, lanes) in lanes.as_chunks_mut::<PART>().0.iter_mut().enumerate() {
                let part = (word >> (PART * part)) as u16;
                for (row, lane) in lanes.iter_mut().enumerate() {
                    *lane = if part & 1 << row == 0 { 0 } else { YES };
                }
            }
        }
    }
}

/// Bits from a mask of lanes.
pub(crate) fn bits(isa: Isa, mask: &[u16]) -> Bits {
    let mask = mask.try_into().expect("a mask is of a block");
    let mut bits = [0; BLOCK / WORD];
    match isa {
        Isa::Portable => portable(mask, &mut bits),
        #[cfg(target_arch = "x86_64")]
        // SAFETY: an `Isa` is made only where the processor has it.
        Isa::Avx2(_) => unsafe { x86::avx2(mask, &mut bits) },
        #[cfg(target_arch = "x86_64")]
        // SAFETY: as above.
        Isa::Avx512 { .. } => unsafe { x86::avx512(mask, &mut bits) },
    }
    bits
}

fn portable(mask: &[u16; BLOCK], bits: &mut Bits) {
    for (lanes, word) in mask.as_chunks::<WORD>().0.iter().zip(bits) {
        *word = lanes.iter().rev().fold(0, |word, lane| word << 1 | u64::from(lane & 1));
    }
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use std::arch::x86_64::{
        _mm256_loadu_si256, _mm256_movemask_epi8, _mm256_packs_epi16, _mm256_permute4x64_epi64, _mm512_loadu_si512,
        _mm512_movepi16_mask, _mm512_movm_epi16, _mm512_storeu_si512,
    };

    use super::{BLOCK, Bits, WORD};

    #[target_feature(enable = "avx2")]
    pub(super) fn avx2(mask: &[u16; BLOCK], bits: &mut Bits) {
        for (lanes, word) in mask.as_chunks::<WORD>().0.iter().zip(bits) {
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
    pub(super) fn avx512(mask: &[u16; BLOCK], bits: &mut Bits) {
        for (lanes, word) in mask.as_chunks::<WORD>().0.iter().zip(bits) {
            // SAFETY: 32 lanes are one vector.
            let half = |lanes: &[u16; WORD / 2]| unsafe { _mm512_loadu_si512(lanes.as_ptr().cast()) };
            let halves = lanes.as_chunks::<{ WORD / 2 }>().0;
            let [low, high] = [half(&halves[0]), half(&halves[1])].map(|lanes| u64::from(_mm512_movepi16_mask(lanes)));
            *word = low | high << (WORD / 2);
        }
    }

    #[target_feature(enable = "avx512f,avx512bw")]
    pub(super) fn spread(bits: &Bits, mask: &mut [u16]) {
        for (word, lanes) in bits.iter().zip(mask.as_chunks_mut::<WORD>().0) {
            for (half, lanes) in lanes.as_chunks_mut::<{ WORD / 2 }>().0.iter_mut().enumerate() {
                let half = _mm512_movm_epi16((word >> (WORD / 2 * half)) as u32);
                // SAFETY: 32 lanes are one vector.
                unsafe { _mm512_storeu_si512(lanes.as_mut_ptr().cast(), half) };
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_instruction_set_turns_masks_into_bits_and_back() {
        for step in [1, 2, 63, 64, 65, 1_000, BLOCK - 1, BLOCK + 1] {
            let mask: Vec<u16> = (1..=BLOCK).map(|row| if row % step == 0 { YES } else { 0 }).collect();
            for isa in Isa::all() {
                let bits = bits(isa, &mask);
                for (row, lane) in mask.iter().enumerate() {
                    assert_eq!(bits[row / WORD] >> (row % WORD) & 1 == 1, *lane == YES, "{isa:?}, {step}, {row}");
                }
                assert_eq!(ones(isa, &bits), BLOCK / step);
                let mut back = vec![7; BLOCK];
                spread(isa, &bits, &mut back);
                assert_eq!(back, mask, "{isa:?}, {step}");
            }
        }
    }

    #[test]
    fn the_first_rows_of_a_block_are_as_many_as_are_asked_for() {
        for some in [0, 1, 63, 64, 65, 2_000, BLOCK] {
            let bits = first(some);
            assert_eq!(ones(Isa::Portable, &bits), some);
            assert!(some == 0 || bits[(some - 1) / WORD] >> ((some - 1) % WORD) & 1 == 1);
        }
    }
}
