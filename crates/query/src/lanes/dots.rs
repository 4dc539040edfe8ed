//! Sums of products of 16-bit numbers, which one instruction adds in pairs: `vpdpwssd` of AVX-512 VNNI, `vpmaddwd` and an
//! addition without it.
//!
//! Pairs are added in 32 bits. Before those can overflow, the accumulators are emptied into 64 bits: [`Dots::flush`].

use super::{BLOCK, Isa};

/// Most lists of numbers that one call multiplies with the same weights: they share loading and masking of these.
pub(crate) const MOST_AT_ONCE: usize = 4;

/// Most groups of one call: they share the loading of numbers, which takes longer than to add them.
pub(crate) const MOST_GROUPS: usize = 2;

/// Rows of the widest vector.
const VECTOR: usize = 32;

/// What to add up: for each group and each list, the sum over the group's rows of weight × number.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Dots<'a> {
    /// The group of each row.
    pub(crate) groups: &'a [u16],
    /// The groups that count, at most [`MOST_GROUPS`].
    pub(crate) own: &'a [u16],
    /// The weight of each row, with a sign; none where each is 1.
    pub(crate) weights: Option<&'a [u16]>,
    /// Rows after which 32 bits may overflow, a multiple of 32: see [`Dots::flush`].
    pub(crate) flush: usize,
}

/// For each group the sums of all lists.
pub(crate) type Sums = [[i64; MOST_AT_ONCE]; MOST_GROUPS];

impl Dots<'_> {
    /// After how many rows accumulators must be emptied where no weight and no number is larger than these; none if they
    /// are too large for this kind of sum. Of 32 rows each of 4 accumulators, the fewest there are, takes 8.
    pub(crate) fn flush(weight: u128, number: u128) -> Option<usize> {
        let most = i16::MAX as u128;
        let each = 8 * weight.clamp(1, most + 1) * number.clamp(1, most + 1);
        let vectors = usize::try_from(i32::MAX as u128 / each).unwrap_or(BLOCK).min(BLOCK / VECTOR);
        (weight <= most && number <= most && vectors > 0).then_some(VECTOR * vectors)
    }
}

/// The sums for up to [`MOST_AT_ONCE`] lists of numbers, each as long as the groups: a multiple of 32 rows.
pub(crate) fn dots(isa: Isa, what: Dots<'_>, numbers: &[&[u16]]) -> Sums {
    match numbers {
        [a] => of_groups(isa, what, [a]),
        [a, b] => of_groups(isa, what, [a, b]),
        [a, b, c] => of_groups(isa, what, [a, b, c]),
        [a, b, c, d] => of_groups(isa, what, [a, b, c, d]),
        _ => unreachable!("at most {MOST_AT_ONCE}, and at least one"),
    }
}

fn of_groups<const N: usize>(isa: Isa, what: Dots<'_>, numbers: [&[u16]; N]) -> Sums {
    let rows = what.groups.len();
    assert!(rows.is_multiple_of(VECTOR) && what.flush.is_multiple_of(VECTOR) && what.flush > 0);
    assert!(what.weights.is_none_or(|weights| weights.len() == rows));
    assert!(numbers.iter().all(|numbers| numbers.len() == rows));
    match *what.own {
        [one] => padded(of(isa, what, [one], numbers)),
        [one, other] => padded(of(isa, what, [one, other], numbers)),
        _ => unreachable!("at most {MOST_GROUPS}, and at least one"),
    }
}

fn padded<const N: usize, const G: usize>(sums: [[i64; N]; G]) -> Sums {
    let mut all = Sums::default();
    for (all, sums) in all.iter_mut().zip(sums) {
        all[..N].copy_from_slice(&sums);
    }
    all
}

fn of<const N: usize, const G: usize>(isa: Isa, what: Dots<'_>, own: [u16; G], numbers: [&[u16]; N]) -> [[i64; N]; G] {
    match isa {
        Isa::Portable => own.map(|group| portable(what, group, numbers)),
        #[cfg(target_arch = "x86_64")]
        // SAFETY: an `Isa` is made only where the processor has it; the caller checked all lengths.
        Isa::Avx2(_) => unsafe { x86::avx2(what, own, numbers) },
        #[cfg(target_arch = "x86_64")]
        // SAFETY: as above.
        Isa::Avx512 { vnni: true, .. } => unsafe { x86::vnni(what, own, numbers) },
        #[cfg(target_arch = "x86_64")]
        // SAFETY: as above.
        Isa::Avx512 { vnni: false, .. } => unsafe { x86::avx512(what, own, numbers) },
    }
}

fn portable<const N: usize>(what: Dots<'_>, group: u16, numbers: [&[u16]; N]) -> [i64; N] {
    let signed = |number: u16| i32::from(number as i16);
    let mut sums = [0; N];
    for begin in (0..what.groups.len()).step_by(what.flush) {
        let end = what.groups.len().min(begin + what.flush);
        let mut part = [[0_i32; 4]; N];
        for row in (begin..end).step_by(4) {
            for lane in 0..4 {
                let weight = what.weights.map_or(1, |weights| signed(weights[row + lane]));
                let weight = if what.groups[row + lane] == group { weight } else { 0 };
                for (part, numbers) in part.iter_mut().zip(numbers) {
                    part[lane] += weight * signed(numbers[row + lane]);
                }
            }
        }
        for (sum, part) in sums.iter_mut().zip(part) {
            *sum += part.iter().map(|part| i64::from(*part)).sum::<i64>();
        }
    }
    sums
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use std::arch::x86_64::{
        __m256i, __m512i, _mm256_add_epi32, _mm256_add_epi64, _mm256_and_si256, _mm256_castsi256_si128,
        _mm256_cmpeq_epi16, _mm256_cvtepi32_epi64, _mm256_extracti128_si256, _mm256_loadu_si256, _mm256_madd_epi16,
        _mm256_set1_epi16, _mm256_setzero_si256, _mm256_storeu_si256, _mm512_add_epi32, _mm512_add_epi64,
        _mm512_castsi512_si256, _mm512_cmpeq_epi16_mask, _mm512_cvtepi32_epi64, _mm512_dpwssd_epi32,
        _mm512_extracti64x4_epi64, _mm512_loadu_si512, _mm512_madd_epi16, _mm512_maskz_mov_epi16,
        _mm512_reduce_add_epi64, _mm512_set1_epi16, _mm512_setzero_si512,
    };

    use super::Dots;

    /// Rows of a vector of 512 bits, and of one of 256.
    const WIDE: usize = 32;
    const HALF: usize = 16;

    macro_rules! with_512_bits {
        ($name:ident, $features:literal, $step:expr) => {
            /// # Safety
            /// All lists are as long as the groups, a multiple of 32 rows.
            #[target_feature(enable = $features)]
            pub(super) unsafe fn $name<const N: usize, const G: usize>(
                what: Dots<'_>,
                own: [u16; G],
                numbers: [&[u16]; N],
            ) -> [[i64; N]; G] {
                let own = own.map(|group| _mm512_set1_epi16(group as i16));
                let step = $step;
                let mut sums = [[_mm512_setzero_si512(); N]; G];
                let mut begin = 0;
                while begin < what.groups.len() {
                    let end = what.groups.len().min(begin + what.flush);
                    let mut part = [[_mm512_setzero_si512(); N]; G];
                    let mut row = begin;
                    while row < end {
                        // SAFETY: `row + WIDE` is at most `end`, and all lists are as long as the groups.
                        unsafe {
                            let groups = _mm512_loadu_si512(what.groups.as_ptr().add(row).cast());
                            let weight = match what.weights {
                                Some(weights) => _mm512_loadu_si512(weights.as_ptr().add(row).cast()),
                                None => _mm512_set1_epi16(1),
                            };
                            let weights =
                                own.map(|own| _mm512_maskz_mov_epi16(_mm512_cmpeq_epi16_mask(groups, own), weight));
                            for (at, numbers) in numbers.iter().enumerate() {
                                let number = _mm512_loadu_si512(numbers.as_ptr().add(row).cast());
                                for (part, weight) in part.iter_mut().zip(weights) {
                                    part[at] = step(part[at], weight, number);
                                }
                            }
                        }
                        row += WIDE;
                    }
                    for (sum, part) in sums.as_flattened_mut().iter_mut().zip(part.as_flattened()) {
                        let part = *part;
                        let low = _mm512_cvtepi32_epi64(_mm512_castsi512_si256(part));
                        let high = _mm512_cvtepi32_epi64(_mm512_extracti64x4_epi64::<1>(part));
                        *sum = _mm512_add_epi64(*sum, _mm512_add_epi64(low, high));
                    }
                    begin = end;
                }
                sums.map(|sums| sums.map(|sum| _mm512_reduce_add_epi64(sum)))
            }
        };
    }

    with_512_bits!(
        vnni,
        "avx512f,avx512bw,avx512dq,avx512vl,avx512vnni",
        |sum: __m512i, weight: __m512i, number: __m512i| _mm512_dpwssd_epi32(sum, weight, number)
    );
    with_512_bits!(avx512, "avx512f,avx512bw,avx512dq,avx512vl", |sum: __m512i, weight: __m512i, number: __m512i| {
        _mm512_add_epi32(sum, _mm512_madd_epi16(weight, number))
    });

    /// # Safety
    /// All lists are as long as the groups, a multiple of 32 rows.
    #[target_feature(enable = "avx2")]
    pub(super) unsafe fn avx2<const N: usize, const G: usize>(
        what: Dots<'_>,
        own: [u16; G],
        numbers: [&[u16]; N],
    ) -> [[i64; N]; G] {
        let own = own.map(|group| _mm256_set1_epi16(group as i16));
        let mut sums = [[_mm256_setzero_si256(); N]; G];
        let mut begin = 0;
        while begin < what.groups.len() {
            let end = what.groups.len().min(begin + what.flush);
            let mut part = [[_mm256_setzero_si256(); N]; G];
            let mut row = begin;
            while row < end {
                // SAFETY: `row + HALF` is at most `end`, and all lists are as long as the groups.
                unsafe {
                    let groups = _mm256_loadu_si256(what.groups.as_ptr().add(row).cast());
                    let weight = match what.weights {
                        Some(weights) => _mm256_loadu_si256(weights.as_ptr().add(row).cast()),
                        None => _mm256_set1_epi16(1),
                    };
                    let weights = own.map(|own| _mm256_and_si256(_mm256_cmpeq_epi16(groups, own), weight));
                    for (at, numbers) in numbers.iter().enumerate() {
                        let number = _mm256_loadu_si256(numbers.as_ptr().add(row).cast());
                        for (part, weight) in part.iter_mut().zip(weights) {
                            part[at] = _mm256_add_epi32(part[at], _mm256_madd_epi16(weight, number));
                        }
                    }
                }
                row += HALF;
            }
            for (sum, part) in sums.as_flattened_mut().iter_mut().zip(part.as_flattened()) {
                let part = *part;
                let low = _mm256_cvtepi32_epi64(_mm256_castsi256_si128(part));
                let high = _mm256_cvtepi32_epi64(_mm256_extracti128_si256::<1>(part));
                *sum = _mm256_add_epi64(*sum, _mm256_add_epi64(low, high));
            }
            begin = end;
        }
        sums.map(|sums| sums.map(|sum| total(sum)))
    }

    #[target_feature(enable = "avx2")]
    fn total(sum: __m256i) -> i64 {
        let mut lanes = [0_i64; 4];
        // SAFETY: there is room for 32 bytes.
        unsafe { _mm256_storeu_si256(lanes.as_mut_ptr().cast(), sum) };
        lanes.iter().sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers that follow a rule, so that failures repeat.
    fn list(seed: u64, low: i32, high: i32) -> Vec<u16> {
        let mut state = seed;
        let mut next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (low + ((state >> 33) as i32).rem_euclid(high - low + 1)) as u16
        };
        (0..BLOCK).map(|_| next()).collect()
    }

    #[test]
    fn every_instruction_set_gives_the_exact_sums() {
        for (weight, number) in [(1, 1), (10_800, 4_095), (8_191, 32_767)] {
            let (groups, weights) = (list(1, 0, 2), list(2, -weight, weight));
            let numbers = [list(3, 0, number), list(4, number, number), list(5, -number, number), list(6, 0, 1)];
            for own in [&[0][..], &[1], &[2], &[0, 1], &[2, 0]] {
                for weights in [None, Some(&weights[..])] {
                    let exact = |group: u16, numbers: &[u16]| {
                        let term = |row: usize| {
                            let weight = weights.map_or(1, |weights| i64::from(weights[row] as i16));
                            if groups[row] == group { weight * i64::from(numbers[row] as i16) } else { 0 }
                        };
                        (0..BLOCK).map(term).sum::<i64>()
                    };
                    let flush = Dots::flush(weight as u128, number as u128).unwrap();
                    let what = Dots { groups: &groups, own, weights, flush };
                    for isa in Isa::all() {
                        for count in 1..=MOST_AT_ONCE {
                            let lists: Vec<&[u16]> = numbers[..count].iter().map(Vec::as_slice).collect();
                            let sums = dots(isa, what, &lists);
                            for (group, sums) in own.iter().zip(sums) {
                                let exact: Vec<_> = lists.iter().map(|list| exact(*group, list)).collect();
                                assert_eq!(sums[..count], exact, "{isa:?}, {weight} × {number}");
                            }
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn the_largest_products_do_not_overflow() {
        let (groups, weights, numbers) = (vec![0; BLOCK], vec![8_191; BLOCK], vec![i16::MAX as u16; BLOCK]);
        let flush = Dots::flush(8_191, i16::MAX as u128).unwrap();
        let what = Dots { groups: &groups, own: &[0, 1], weights: Some(&weights), flush };
        for isa in Isa::all() {
            let sums = dots(isa, what, &[&numbers]);
            assert_eq!([sums[0][0], sums[1][0]], [BLOCK as i64 * 8_191 * i64::from(i16::MAX), 0], "{isa:?}");
        }
        assert_eq!(Dots::flush(8_193, i16::MAX as u128), None);
        assert_eq!(Dots::flush(1, i16::MAX as u128 + 1), None);
    }
}
