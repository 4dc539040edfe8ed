//! Codes of one range, as bits. Written by hand, since compilers make no bits of comparisons.

use super::bits::WORD;
use super::{Bits, Code, Isa};

/// Drops rows whose code is not one of `low..=low + span`; whether any row is left.
pub(crate) fn between<C: Code>(isa: Isa, codes: &[C], low: C, span: C, bits: &mut Bits) -> bool {
    macro_rules! of {
        ($unsigned:ty) => {
            // Without a sign they are as far above `low`.
            of(isa, bytemuck::cast_slice::<C, $unsigned>(codes), (bytemuck::cast(low), bytemuck::cast(span)), bits)
        };
    }
    match size_of::<C>() {
        1 => of!(u8),
        2 => of!(u16),
        4 => of!(u32),
        _ => of!(u64),
    }
}

/// Codes without a sign, a word's rows of them at a time.
trait Words: Code {
    /// Bits of the rows whose code is `span` or less above `low`.
    ///
    /// # Safety
    /// The processor has AVX2.
    #[cfg(target_arch = "x86_64")]
    unsafe fn avx2(codes: &[Self; WORD], low: Self, span: Self) -> u64;

    /// Likewise.
    ///
    /// # Safety
    /// The processor has AVX-512 with bytes and words.
    #[cfg(target_arch = "x86_64")]
    unsafe fn avx512(codes: &[Self; WORD], low: Self, span: Self) -> u64;
}

fn of<C: Words>(isa: Isa, codes: &[C], range: (C, C), bits: &mut Bits) -> bool {
    let codes = codes.as_chunks::<WORD>().0;
    assert!(codes.len() == bits.len());
    match isa {
        Isa::Portable => portable(codes, range, bits),
        #[cfg(target_arch = "x86_64")]
        // SAFETY: an `Isa` is made only where the processor has it.
        Isa::Avx2(_) => unsafe { avx2(codes, range, bits) },
        #[cfg(target_arch = "x86_64")]
        // SAFETY: as above.
        Isa::Avx512 { .. } => unsafe { avx512(codes, range, bits) },
    }
}

fn portable<C: Code>(codes: &[[C; WORD]], (low, span): (C, C), bits: &mut Bits) -> bool {
    let own =
        |codes: &[C; WORD]| codes.iter().rev().fold(0, |word, code| word << 1 | u64::from(code.is_within(low, span)));
    join(codes, bits, own)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn avx2<C: Words>(codes: &[[C; WORD]], (low, span): (C, C), bits: &mut Bits) -> bool {
    // SAFETY: this function runs only where the processor has AVX2.
    join(codes, bits, |codes| unsafe { C::avx2(codes, low, span) })
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw")]
fn avx512<C: Words>(codes: &[[C; WORD]], (low, span): (C, C), bits: &mut Bits) -> bool {
    // SAFETY: this function runs only where the processor has AVX-512 with bytes and words.
    join(codes, bits, |codes| unsafe { C::avx512(codes, low, span) })
}

#[inline(always)]
#[allow(clippy::inline_always, reason = "it is compiled for the instruction set of its callers")]
fn join<C>(codes: &[[C; WORD]], bits: &mut Bits, own: impl Fn(&[C; WORD]) -> u64) -> bool {
    let mut any = 0;
    for (word, codes) in bits.iter_mut().zip(codes) {
        *word &= own(codes);
        any |= *word;
    }
    any != 0
}

#[cfg(not(target_arch = "x86_64"))]
mod others {
    use super::Words;

    impl Words for u8 {}
    impl Words for u16 {}
    impl Words for u32 {}
    impl Words for u64 {}
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    #[allow(clippy::wildcard_imports, reason = "some forty names, each of which says what it is")]
    use std::arch::x86_64::*;

    use super::{WORD, Words};

    /// Codes of half a word that are in the range are bytes without any zero bit.
    #[target_feature(enable = "avx2")]
    fn word(halves: [__m256i; 2]) -> u64 {
        let [low, high] = halves.map(|bytes| u64::from(_mm256_movemask_epi8(bytes) as u32));
        low | high << (WORD / 2)
    }

    impl Words for u8 {
        #[inline]
        #[target_feature(enable = "avx2")]
        unsafe fn avx2(codes: &[Self; WORD], low: Self, span: Self) -> u64 {
            let (low, span) = (_mm256_set1_epi8(low as i8), _mm256_set1_epi8(span as i8));
            word([0, 1].map(|half| {
                // SAFETY: half of a word are 32 bytes, one vector.
                let codes = unsafe { _mm256_loadu_si256(codes.as_ptr().add(32 * half).cast()) };
                let above = _mm256_sub_epi8(codes, low);
                _mm256_cmpeq_epi8(_mm256_min_epu8(above, span), above)
            }))
        }

        #[inline]
        #[target_feature(enable = "avx512f,avx512bw")]
        unsafe fn avx512(codes: &[Self; WORD], low: Self, span: Self) -> u64 {
            // SAFETY: a word has 64 bytes, one vector.
            let codes = unsafe { _mm512_loadu_si512(codes.as_ptr().cast()) };
            let above = _mm512_sub_epi8(codes, _mm512_set1_epi8(low as i8));
            _mm512_cmple_epu8_mask(above, _mm512_set1_epi8(span as i8))
        }
    }

    impl Words for u16 {
        #[inline]
        #[target_feature(enable = "avx2")]
        unsafe fn avx2(codes: &[Self; WORD], low: Self, span: Self) -> u64 {
            let (low, span) = (_mm256_set1_epi16(low as i16), _mm256_set1_epi16(span as i16));
            word([0, 1].map(|half| {
                let [one, other] = [0, 1].map(|quarter| {
                    // SAFETY: a quarter of a word has 16 codes, one vector.
                    let codes = unsafe { _mm256_loadu_si256(codes.as_ptr().add(32 * half + 16 * quarter).cast()) };
                    let above = _mm256_sub_epi16(codes, low);
                    _mm256_cmpeq_epi16(_mm256_min_epu16(above, span), above)
                });
                // Bytes are packed in each half of the vectors; the middle quarters change places.
                _mm256_permute4x64_epi64::<0b11_01_10_00>(_mm256_packs_epi16(one, other))
            }))
        }

        #[inline]
        #[target_feature(enable = "avx512f,avx512bw")]
        unsafe fn avx512(codes: &[Self; WORD], low: Self, span: Self) -> u64 {
            let (low, span) = (_mm512_set1_epi16(low as i16), _mm512_set1_epi16(span as i16));
            let [one, other] = [0, 1].map(|half| {
                // SAFETY: half of a word has 32 codes, one vector.
                let codes = unsafe { _mm512_loadu_si512(codes.as_ptr().add(32 * half).cast()) };
                u64::from(_mm512_cmple_epu16_mask(_mm512_sub_epi16(codes, low), span))
            });
            one | other << 32
        }
    }

    impl Words for u32 {
        #[inline]
        #[target_feature(enable = "avx2")]
        unsafe fn avx2(codes: &[Self; WORD], low: Self, span: Self) -> u64 {
            let (low, span) = (_mm256_set1_epi32(low as i32), _mm256_set1_epi32(span as i32));
            (0..8).fold(0, |word, part| {
                // SAFETY: an eighth of a word has 8 codes, one vector.
                let codes = unsafe { _mm256_loadu_si256(codes.as_ptr().add(8 * part).cast()) };
                let above = _mm256_sub_epi32(codes, low);
                let within = _mm256_cmpeq_epi32(_mm256_min_epu32(above, span), above);
                word | u64::from(_mm256_movemask_ps(_mm256_castsi256_ps(within)) as u32) << (8 * part)
            })
        }

        #[inline]
        #[target_feature(enable = "avx512f,avx512bw")]
        unsafe fn avx512(codes: &[Self; WORD], low: Self, span: Self) -> u64 {
            let (low, span) = (_mm512_set1_epi32(low as i32), _mm512_set1_epi32(span as i32));
            (0..4).fold(0, |word, part| {
                // SAFETY: a quarter of a word has 16 codes, one vector.
                let codes = unsafe { _mm512_loadu_si512(codes.as_ptr().add(16 * part).cast()) };
                word | u64::from(_mm512_cmple_epu32_mask(_mm512_sub_epi32(codes, low), span)) << (16 * part)
            })
        }
    }

    impl Words for u64 {
        #[inline]
        #[target_feature(enable = "avx2")]
        unsafe fn avx2(codes: &[Self; WORD], low: Self, span: Self) -> u64 {
            // Comparisons have signs: the smallest number without one becomes the smallest with one.
            let sign = _mm256_set1_epi64x(i64::MIN);
            let (low, span) = (_mm256_set1_epi64x(low as i64), _mm256_set1_epi64x(span as i64 ^ i64::MIN));
            (0..16).fold(0, |word, part| {
                // SAFETY: a sixteenth of a word has 4 codes, one vector.
                let codes = unsafe { _mm256_loadu_si256(codes.as_ptr().add(4 * part).cast()) };
                let above = _mm256_xor_si256(_mm256_sub_epi64(codes, low), sign);
                let beyond = _mm256_movemask_pd(_mm256_castsi256_pd(_mm256_cmpgt_epi64(above, span)));
                word | u64::from(!beyond as u32 & 0b1111) << (4 * part)
            })
        }

        #[inline]
        #[target_feature(enable = "avx512f,avx512bw")]
        unsafe fn avx512(codes: &[Self; WORD], low: Self, span: Self) -> u64 {
            let (low, span) = (_mm512_set1_epi64(low as i64), _mm512_set1_epi64(span as i64));
            (0..8).fold(0, |word, part| {
                // SAFETY: an eighth of a word has 8 codes, one vector.
                let codes = unsafe { _mm512_loadu_si512(codes.as_ptr().add(8 * part).cast()) };
                word | u64::from(_mm512_cmple_epu64_mask(_mm512_sub_epi64(codes, low), span)) << (8 * part)
            })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{BLOCK, bits};
    use super::*;

    /// Codes that stand around the ends of ranges and of their type, each at every place of a vector.
    fn codes<C: Code>() -> Vec<C> {
        let ends =
            [0_u64, 1, 5, 6, 7, 100, 127, 128, 250, 255, 32_767, 32_768, 65_535, 1 << 31, u64::MAX / 2, u64::MAX];
        (0..BLOCK).map(|row| C::low(ends[(row * 7 + row / 64) % ends.len()])).collect()
    }

    fn all_agree<C: Code + std::fmt::Debug + PartialEq>() {
        let codes = codes::<C>();
        let ranges = [(0, 0), (1, 6), (6, 6), (0, u64::MAX), (128, 255), (100, 40_000), (1 << 31, u64::MAX)];
        for (low, high) in ranges {
            let (low, span) = (C::low(low), C::low(high).minus(C::low(low)));
            let before = |row: usize| row % 3 != 1;
            let expected: Vec<bool> = (0..BLOCK).map(|row| before(row) && codes[row].is_within(low, span)).collect();
            for isa in Isa::all() {
                let mask: Vec<u16> = (0..BLOCK).map(|row| if before(row) { super::super::YES } else { 0 }).collect();
                let mut own = bits(isa, &mask);
                let any = between(isa, &codes, low, span, &mut own);
                let found: Vec<bool> = (0..BLOCK).map(|row| own[row / WORD] >> (row % WORD) & 1 == 1).collect();
                assert_eq!(found, expected, "{isa:?}: {low:?} and {span:?} above");
                assert_eq!(any, expected.contains(&true));
            }
        }
    }

    #[test]
    fn every_instruction_set_finds_the_codes_of_a_range() {
        all_agree::<u8>();
        all_agree::<u16>();
        all_agree::<u32>();
        all_agree::<i32>();
        all_agree::<u64>();
    }

    #[test]
    fn where_no_code_is_in_the_range_no_row_is_left() {
        for isa in Isa::all() {
            let mut own = [u64::MAX; BLOCK / WORD];
            assert!(!between(isa, &[7_u8; BLOCK], 8, 3, &mut own));
            assert_eq!(own, [0; BLOCK / WORD]);
        }
    }
}
