//! Operations on bitmaps, compiled for the instructions that the processor has.

use std::ops::Range;

use super::vertex;

/// The instructions in use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Instructions {
    Portable,
    /// Proof that the processor has them: made by [`Instructions::best`] only.
    #[cfg(target_arch = "x86_64")]
    Popcnt,
    #[cfg(target_arch = "x86_64")]
    Avx512,
}

/// Bitmaps of so many words are counted by the widest instructions; setting these up takes longer than a few words do.
#[cfg(target_arch = "x86_64")]
pub(super) const WIDE: usize = 8;

/// What was added up, and what that took.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Summed {
    pub candidates: u64,
    pub sum: u64,
    pub read: u64,
}

impl Summed {
    #[inline]
    pub(super) fn plus(self, other: Self) -> Self {
        Self { candidates: self.candidates + other.candidates, sum: self.sum + other.sum, read: self.read + other.read }
    }
}

/// Of which candidates' bitmaps the common bits with another one are counted.
pub(super) struct Commons<'a> {
    pub candidates: &'a [u64],
    /// The candidates that count.
    pub places: Range<usize>,
    /// Vertices that are matched already, which are left out.
    pub taken: &'a [u32],
    /// The bitmaps of all vertices, of as many words each as the candidates. None has its own bit.
    pub rows: &'a [u64],
    pub with: &'a [u64],
    pub side: Side,
}

/// Which bits count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    All,
    /// Those above the candidate.
    Above,
    /// Those below it.
    Below,
}

/// Defines methods of [`Instructions`] whose bodies are compiled for each of them. The first argument says how many words
/// bitmaps have.
macro_rules! for_each_kind {
    ($($(#[$doc:meta])* fn $name:ident $(<const $constant:ident: usize>)? (
        $words:expr; $($argument:ident : $type:ty),*
    ) -> $returns:ty $body:block)*) => {
        impl $crate::matching::bitmaps::Instructions {$(
            $(#[$doc])*
            #[inline]
            pub(in crate::matching) fn $name $(<const $constant: usize>)? (self, $($argument: $type),*) -> $returns {
                #[allow(clippy::inline_always, reason = "it is compiled as a part of each of the functions below")]
                #[inline(always)]
                fn body $(<const $constant: usize>)? ($($argument: $type),*) -> $returns $body
                #[cfg(target_arch = "x86_64")]
                #[target_feature(enable = "popcnt,bmi1")]
                fn popcnt $(<const $constant: usize>)? ($($argument: $type),*) -> $returns { body($($argument),*) }
                #[cfg(target_arch = "x86_64")]
                #[target_feature(enable = "popcnt,bmi1,avx512f,avx512vpopcntdq")]
                fn avx512 $(<const $constant: usize>)? ($($argument: $type),*) -> $returns { body($($argument),*) }
                match self {
                    // SAFETY: an `Instructions` is made only where the processor has them.
                    #[cfg(target_arch = "x86_64")]
                    Self::Avx512 if $words >= $crate::matching::bitmaps::WIDE => unsafe { avx512($($argument),*) },
                    // SAFETY: as above; what has AVX-512 has these as well.
                    #[cfg(target_arch = "x86_64")]
                    Self::Popcnt | Self::Avx512 => unsafe { popcnt($($argument),*) },
                    Self::Portable => body($($argument),*),
                }
            }
        )*}
    };
}
pub(super) use for_each_kind;

for_each_kind! {
    /// How many of some bits are set in both bitmaps.
    fn common_count(a.len(); a: &[u64], b: &[u64], bits: Range<usize>) -> u64 {
        let words = bits.start / 64..bits.end.div_ceil(64).max(bits.start / 64);
        let pairs = words.clone().zip(a[words.clone()].iter().zip(&b[words]));
        pairs.map(|(at, (a, b))| one(*a, *b & between(at, &bits))).sum()
    }

    /// Adds up the common bits of many bitmaps with one.
    fn sum_common(asked.with.len(); asked: &Commons<'_>) -> Summed {
        let (mut summed, words, with) = (Summed::default(), asked.with.len(), asked.with);
        let Range { start, end } = asked.places;
        for at in start / 64..end.div_ceil(64) {
            let mut candidates = asked.candidates[at] & between(at, &asked.places);
            while candidates != 0 {
                let own = at * 64 + candidates.trailing_zeros() as usize;
                candidates &= candidates - 1;
                if asked.taken.contains(&vertex(own)) {
                    continue;
                }
                let row = &asked.rows[own * words..(own + 1) * words];
                let above = u64::MAX << (own % 64);
                summed.candidates += 1;
                summed.sum += match asked.side {
                    Side::All => ones(row, with),
                    Side::Above => ones(&row[at + 1..], &with[at + 1..]) + one(row[at], with[at] & above),
                    Side::Below => ones(&row[..at], &with[..at]) + one(row[at], with[at] & !above),
                };
                summed.read += match asked.side {
                    Side::All => words,
                    Side::Above => words - at,
                    Side::Below => at + 1,
                } as u64;
            }
        }
        summed
    }
}

impl Instructions {
    /// The best that this processor has.
    pub(super) fn best() -> Self {
        #[cfg(target_arch = "x86_64")]
        {
            let popcnt = is_x86_feature_detected!("popcnt") && is_x86_feature_detected!("bmi1");
            if popcnt && is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512vpopcntdq") {
                return Self::Avx512;
            }
            if popcnt {
                return Self::Popcnt;
            }
        }
        Self::Portable
    }

    /// All that this processor has.
    #[cfg(test)]
    pub(super) fn all() -> Vec<Self> {
        #[cfg(target_arch = "x86_64")]
        let all = [Self::Portable, Self::Popcnt, Self::Avx512];
        #[cfg(not(target_arch = "x86_64"))]
        let all = [Self::Portable];
        let best = all.iter().position(|one| *one == Self::best()).expect("the best is one of them");
        all[..=best].to_vec()
    }

    /// How many of some bits are set.
    pub(super) fn count(self, a: &[u64], bits: Range<usize>) -> u64 {
        self.common_count(a, a, bits)
    }
}

#[allow(clippy::inline_always, reason = "they are compiled as a part of each of the functions above")]
#[inline(always)]
fn one(a: u64, b: u64) -> u64 {
    u64::from((a & b).count_ones())
}

#[allow(clippy::inline_always, reason = "as above")]
#[inline(always)]
fn ones(a: &[u64], b: &[u64]) -> u64 {
    a.iter().zip(b).map(|(a, b)| one(*a, *b)).sum()
}

/// Those bits of a word that lie among some.
#[allow(clippy::inline_always, reason = "as above")]
#[inline(always)]
fn between(word: usize, bits: &Range<usize>) -> u64 {
    let least = bits.start.saturating_sub(word * 64);
    let left = (bits.end.saturating_sub(word * 64)).min(64);
    if least >= left { 0 } else { u64::MAX << least & u64::MAX >> (64 - left) }
}

/// Writes those of some bits that are set in both bitmaps, and zeros around them.
#[inline]
pub(super) fn common(a: &[u64], b: &[u64], bits: &Range<usize>, out: &mut Vec<u64>) {
    out.clear();
    out.extend(a.iter().zip(b).map(|(a, b)| a & b));
    only(out, bits);
}

/// Clears all bits but these.
#[inline]
pub(super) fn only(words: &mut [u64], bits: &Range<usize>) {
    let (first, end) = (bits.start / 64, bits.end.div_ceil(64).max(bits.start / 64));
    words[..first].fill(0);
    words[end..].fill(0);
    if first < end {
        words[first] &= between(first, bits);
        words[end - 1] &= between(end - 1, bits);
    }
}

/// The first of some bits that is set; the bits behind it are left.
#[inline]
pub(super) fn first_bit(words: &[u64], bits: &mut Range<usize>) -> Option<u32> {
    while bits.start < bits.end {
        let word = words[bits.start / 64] >> (bits.start % 64);
        if word != 0 {
            let at = bits.start + word.trailing_zeros() as usize;
            bits.start = at + 1;
            return (at < bits.end).then_some(vertex(at));
        }
        bits.start = (bits.start / 64 + 1) * 64;
    }
    None
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn bitmaps_agree_with_their_bits(
            words in prop::collection::vec((any::<u64>(), any::<u64>()), 1..20),
            ends in (0usize..20 * 64, 0usize..20 * 64),
        ) {
            let (a, b): (Vec<u64>, Vec<u64>) = words.into_iter().unzip();
            let bits = ends.0.min(a.len() * 64)..ends.1.min(a.len() * 64);
            let set = |words: &[u64], at: usize| words[at / 64] >> (at % 64) & 1 == 1;
            let expected: Vec<usize> = bits.clone().filter(|at| set(&a, *at) && set(&b, *at)).collect();
            for instructions in Instructions::all() {
                let mut out = vec![u64::MAX; 2];
                common(&a, &b, &bits, &mut out);
                prop_assert_eq!(instructions.common_count(&a, &b, bits.clone()), expected.len() as u64);
                let mut places = 0..a.len() * 64;
                let found: Vec<usize> = std::iter::from_fn(|| first_bit(&out, &mut places)).map(|at| at as usize).collect();
                prop_assert_eq!(&found, &expected);
                let mut places = bits.clone();
                let first = first_bit(&a, &mut places).map(|at| at as usize);
                prop_assert_eq!(first, bits.clone().find(|at| set(&a, *at)));
            }
        }
    }
}
