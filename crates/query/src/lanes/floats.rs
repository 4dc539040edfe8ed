//! Sums, extremes and comparisons of doubles. A sum has as many accumulators as a vector of AVX-512 has lanes, on every
//! instruction set, so that all of them add in the same order.

use super::{How, YES, for_each_isa};

/// Accumulators of a sum.
pub(crate) const FLOAT_LANES: usize = 8;

for_each_isa! {
    /// The sum of a group's values.
    pub(crate) fn float_sum(groups: &[u16], group: u16, values: &[f64]) -> f64 {
        let mut sums = [0.0; FLOAT_LANES];
        for (groups, values) in groups.chunks_exact(FLOAT_LANES).zip(values.chunks_exact(FLOAT_LANES)) {
            for lane in 0..FLOAT_LANES {
                sums[lane] += if groups[lane] == group { values[lane] } else { 0.0 };
            }
        }
        let [a, b, c, d, e, f, g, h] = sums;
        ((a + b) + (c + d)) + ((e + f) + (g + h))
    }

    /// The smallest and the largest of a group's values; not-a-number counts as the largest.
    pub(crate) fn float_extremes(groups: &[u16], group: u16, values: &[f64]) -> (f64, f64) {
        let mut found = (f64::NAN, f64::NEG_INFINITY);
        for (own, value) in groups.iter().zip(values) {
            if *own == group {
                // `f64::min` prefers the number.
                found.0 = found.0.min(*value);
                found.1 = if value.is_nan() || found.1.is_nan() { f64::NAN } else { found.1.max(*value) };
            }
        }
        found
    }

    /// Rows whose value is below the one beside it, or the others where `flip` is [`YES`]. Not-a-number is equal to itself
    /// and above all numbers.
    pub(crate) fn floats_below(left: &[f64], right: &[f64], flip: u16, how: How, mask: &mut [u16]) {
        compare(left, right, flip, how, mask, |one, other| (one < other) | (other.is_nan() & !one.is_nan()));
    }

    /// Rows whose value is equal to the one beside it, or the others where `flip` is [`YES`].
    #[allow(clippy::float_cmp, reason = "a query asks for equal ones")]
    pub(crate) fn floats_equal(left: &[f64], right: &[f64], flip: u16, how: How, mask: &mut [u16]) {
        compare(left, right, flip, how, mask, |one, other| (one == other) | (other.is_nan() & one.is_nan()));
    }
}

#[inline(always)]
#[allow(clippy::inline_always, reason = "it is compiled for the instruction set of its callers")]
fn compare(left: &[f64], right: &[f64], flip: u16, how: How, mask: &mut [u16], holds: impl Fn(f64, f64) -> bool) {
    let hit = |(one, other): (&f64, &f64)| if holds(*one, *other) { YES ^ flip } else { flip };
    let lanes = mask.iter_mut().zip(left.iter().zip(right));
    match how {
        How::Set => lanes.for_each(|(mask, pair)| *mask = hit(pair)),
        How::And => lanes.for_each(|(mask, pair)| *mask &= hit(pair)),
        How::Or => lanes.for_each(|(mask, pair)| *mask |= hit(pair)),
    }
}

#[cfg(test)]
mod tests {
    use super::super::Isa;
    use super::*;

    #[test]
    fn every_instruction_set_compares_doubles_in_one_order() {
        let some = [f64::NEG_INFINITY, -1.5, -0.0, 0.0, f64::MIN_POSITIVE, 1.5, f64::INFINITY, f64::NAN, -f64::NAN];
        let (left, right): (Vec<f64>, Vec<f64>) =
            some.iter().flat_map(|one| some.iter().map(move |other| (*one, *other))).unzip();
        for isa in Isa::all() {
            for (how, before) in [(How::Set, 0x1234), (How::And, YES), (How::Or, 0)] {
                for flip in [0, YES] {
                    let [mut below, mut equal] = [(); 2].map(|()| vec![before; left.len()]);
                    floats_below(isa, &left, &right, flip, how, &mut below);
                    floats_equal(isa, &left, &right, flip, how, &mut equal);
                    for (at, (one, other)) in left.iter().zip(&right).enumerate() {
                        let order = one.partial_cmp(other).unwrap_or_else(|| one.is_nan().cmp(&other.is_nan()));
                        let lane = |holds: bool| if holds { YES ^ flip } else { flip };
                        let expected = [order.is_lt(), order.is_eq()].map(lane);
                        assert_eq!([below[at], equal[at]], expected, "{isa:?}: {one} and {other}");
                    }
                }
            }
        }
    }
}
