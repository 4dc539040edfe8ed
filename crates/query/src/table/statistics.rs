//! What the rule for encodings asks of a column.

use crate::lanes::{self, Isa};

/// Smallest and largest value, and the largest number that divides all differences.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Statistics {
    pub(crate) low: i64,
    pub(crate) high: i64,
    /// 0 where all values are equal.
    pub(crate) step: i64,
}

impl Statistics {
    /// Of no values: they fit into anything.
    pub(crate) const NONE: Self = Self { low: 0, high: 0, step: 0 };

    /// Of these values.
    pub(crate) fn of(values: &[i64]) -> Self {
        let Some(&first) = values.first() else { return Self::NONE };
        let (low, high) = lanes::extremes(Isa::best(), first, values);
        let mut step = 0;
        for &value in values {
            step = divisor(step, value.abs_diff(first));
            if step == 1 {
                break;
            }
        }
        // More than the largest i64 only where two values are the extremes.
        Self { low, high, step: i64::try_from(step).unwrap_or(1) }
    }

    /// Of these and those values, both of which are some.
    pub(crate) fn and(self, other: Self) -> Self {
        let step = divisor(divisor(self.step.unsigned_abs(), other.step.unsigned_abs()), self.low.abs_diff(other.low));
        let step = i64::try_from(step).unwrap_or(1);
        Self { low: self.low.min(other.low), high: self.high.max(other.high), step }
    }
}

/// The largest number that divides both; 0 divides into anything.
fn divisor(one: u64, other: u64) -> u64 {
    if one != 0 && other.is_multiple_of(one) {
        return one;
    }
    let (mut a, mut b) = (one, other);
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_and_the_rest_are_the_whole() {
        let values = [300, -500, 1_100, 300, 1_300];
        let whole = Statistics::of(&values);
        assert_eq!(whole, Statistics { low: -500, high: 1_300, step: 200 });
        for at in 1..values.len() {
            assert_eq!(Statistics::of(&values[..at]).and(Statistics::of(&values[at..])), whole);
        }
        assert_eq!(Statistics::of(&[7, 7]), Statistics { low: 7, high: 7, step: 0 });
        assert_eq!(Statistics::of(&[i64::MIN, i64::MAX]).step, 1);
    }
}
