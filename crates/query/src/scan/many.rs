//! Many ranges of one column's codes, as a long list of `IN` makes them. In blocks where few rows are between the
//! lowest and the highest of them, those rows are looked up one by one. In others it takes less time to test each range
//! on all rows.

use crate::lanes::BLOCK;

/// Ranges below which it is not worth the look between which of them rows are.
const FEW: usize = 8;

/// Most codes from the lowest to the highest for which there is a bit each: 32 KiB stay in the first-level cache.
const BITS: u64 = 1 << 18;

/// What a range costs that is tested on all rows of a block, in the unit of a row's part in its lookup, about half a
/// nanosecond; and what it costs to see which rows are to be looked up.
const RANGE: usize = 256;
const LOOK: usize = 2_048;

/// Ranges in the order of numbers, from the lowest one on.
#[derive(Debug)]
pub(super) struct Many {
    pub(super) ranges: Vec<(u64, u64)>,
    /// For each code from the lowest to the highest, whether it is in one of them, where these are not too many.
    bits: Option<Vec<u64>>,
}

impl Many {
    /// Some ranges; or these again where they are better tested one by one. The column has about `of` codes, which says
    /// how many rows of a block may be between the lowest and the highest of them.
    pub(super) fn new(ranges: Vec<(u64, u64)>, of: u128) -> Result<Self, Vec<(u64, u64)>> {
        if ranges.len() <= FEW {
            return Err(ranges);
        }
        let (low, high) = (ranges[0].0, ranges[ranges.len() - 1].1);
        let span = high.wrapping_sub(low);
        let bits = (span < BITS).then(|| {
            let mut bits = vec![0; span as usize / 64 + 1];
            let codes = ranges.iter().flat_map(|range| range.0.wrapping_sub(low)..=range.1.wrapping_sub(low));
            codes.for_each(|code| bits[code as usize / 64] |= 1 << (code % 64));
            bits
        });
        let many = Self { ranges, bits };
        let inside = BLOCK as u128 * (u128::from(span) + 1) / of.max(1);
        if many.is_worth_it(usize::try_from(inside).unwrap_or(BLOCK).min(BLOCK)) { Ok(many) } else { Err(many.ranges) }
    }

    /// The lowest and the highest code.
    pub(super) fn ends(&self) -> (u64, u64) {
        (self.ranges[0].0, self.ranges[self.ranges.len() - 1].1)
    }

    /// Whether it takes less time to look up so many rows of a block than to test all ranges on all of them.
    pub(super) fn is_worth_it(&self, inside: usize) -> bool {
        let steps = if self.bits.is_some() { 0 } else { self.ranges.len().ilog2() as usize };
        inside == 0 || LOOK + inside * (4 + 4 * steps) < self.ranges.len() * RANGE
    }

    /// Whether a code, which is between the lowest and the highest one, is in one of the ranges.
    pub(super) fn has(&self, code: u64) -> bool {
        let first = self.ranges[0].0;
        // From the lowest one on codes ascend, with a sign and without one.
        let at = |code: u64| code.wrapping_sub(first);
        let own = at(code);
        if let Some(bits) = &self.bits {
            return bits[own as usize / 64] >> (own % 64) & 1 == 1;
        }
        let after = self.ranges.partition_point(|(low, _)| at(*low) <= own);
        own <= at(self.ranges[after - 1].1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_is_in_a_range_or_in_none() {
        let negative = -70_000_i64 as u64;
        for (first, step) in [(0, 3), (5, 1_000), (negative, 7), (negative, 1 << 40), (1 << 63, 1 << 50)] {
            let low = |at: u64| u64::wrapping_add(first, step * at);
            let ranges: Vec<(u64, u64)> = (0..300).map(|at| (low(at), low(at) + at % 3)).collect();
            let many = Many::new(ranges.clone(), u128::MAX).unwrap();
            assert_eq!(many.ends(), (ranges[0].0, ranges[299].1));
            let at = |code: u64| code.wrapping_sub(first);
            for code in (0..299).flat_map(|own| (0..4).map(move |more| low(own) + more)) {
                let expected = ranges.iter().any(|(low, high)| (at(*low)..=at(*high)).contains(&at(code)));
                assert_eq!(many.has(code), expected, "{code} from {first} in steps of {step}");
            }
        }
    }

    #[test]
    fn short_lists_and_those_of_whole_columns_are_tested_one_by_one() {
        let list = |count: u64, step: u64| (0..count).map(|at| (at * step, at * step)).collect::<Vec<_>>();
        assert!(Many::new(list(8, 10), u128::MAX).is_err());
        assert!(Many::new(list(9, 10), 1 << 32).is_ok());
        assert!(Many::new(list(9, 10), 91).is_err(), "all rows are inside");
        assert!(Many::new(list(200, 10), 2_000).is_ok(), "bits are found at once");
        assert!(Many::new(list(100, 1 << 30), 100 << 30).is_err());
        assert!(Many::new(list(10_000, 1 << 30), 10_000 << 30).is_ok());
    }
}
