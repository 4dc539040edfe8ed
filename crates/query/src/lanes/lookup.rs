//! Looking bytes up in a short table: an instruction of AVX2 looks 32 of them up in 16 bytes at once.

use super::Isa;

/// Entries of a table that is short.
pub(crate) const SHORT: usize = 64;

/// Writes what stands at each position, which is below [`SHORT`].
pub(crate) fn look_up(isa: Isa, positions: &[u8], table: &[u8; SHORT], out: &mut [u8]) {
    assert_eq!(positions.len(), out.len(), "each position has its byte");
    let done = match isa {
        Isa::Portable => 0,
        // SAFETY: an `Isa` is made only where the processor has it, and AVX-512 has all of AVX2.
        #[cfg(target_arch = "x86_64")]
        Isa::Avx2(_) | Isa::Avx512 { .. } => unsafe { x86::avx2(positions, table, out) },
    };
    for (out, position) in out[done..].iter_mut().zip(&positions[done..]) {
        *out = table[usize::from(*position) % SHORT];
    }
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use std::arch::x86_64::{
        _mm_loadu_si128, _mm256_blendv_epi8, _mm256_broadcastsi128_si256, _mm256_loadu_si256, _mm256_shuffle_epi8,
        _mm256_slli_epi16, _mm256_storeu_si256,
    };

    use super::SHORT;

    /// Bytes of a vector.
    const VECTOR: usize = 32;

    /// Looks up as many as fill vectors; returns how many these are.
    #[target_feature(enable = "avx2")]
    pub(super) fn avx2(positions: &[u8], table: &[u8; SHORT], out: &mut [u8]) -> usize {
        let (quarters, _) = table.as_chunks::<16>();
        // SAFETY: each quarter has the 16 bytes that are loaded.
        let quarter = |at: usize| unsafe { _mm256_broadcastsi128_si256(_mm_loadu_si128(quarters[at].as_ptr().cast())) };
        let [first, second, third, fourth] = [0, 1, 2, 3].map(quarter);
        let (positions, _) = positions.as_chunks::<VECTOR>();
        let (out, _) = out.as_chunks_mut::<VECTOR>();
        for (positions, out) in positions.iter().zip(&mut *out) {
            // SAFETY: these are the 32 bytes that are loaded.
            let own = unsafe { _mm256_loadu_si256(positions.as_ptr().cast()) };
            // The lowest four bits say where in a quarter, and the next two, as the sign of a byte, in which one.
            let (odd, high) = (_mm256_slli_epi16::<3>(own), _mm256_slli_epi16::<2>(own));
            let of = |table| _mm256_shuffle_epi8(table, own);
            let lower = _mm256_blendv_epi8(of(first), of(second), odd);
            let upper = _mm256_blendv_epi8(of(third), of(fourth), odd);
            let found = _mm256_blendv_epi8(lower, upper, high);
            // SAFETY: these are the 32 bytes that are written.
            unsafe { _mm256_storeu_si256(out.as_mut_ptr().cast(), found) };
        }
        positions.len() * VECTOR
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_instruction_set_finds_what_stands_there() {
        let table: [u8; SHORT] = std::array::from_fn(|at| (at * 37 + 200) as u8);
        let all: Vec<u8> = (0..1_000).map(|row: usize| ((row * 37 + row / SHORT) % SHORT) as u8).collect();
        assert!((0..SHORT as u8).all(|position| all.contains(&position)));
        for isa in Isa::all() {
            for length in [0, 1, 31, 32, 33, 1_000] {
                let mut out = vec![0; length];
                look_up(isa, &all[..length], &table, &mut out);
                let expected: Vec<u8> = all[..length].iter().map(|position| table[usize::from(*position)]).collect();
                assert_eq!(out, expected, "{isa:?}, {length}");
            }
        }
    }
}
