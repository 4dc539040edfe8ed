//! Sums and extremes of doubles. A sum has as many accumulators as a vector of AVX-512 has lanes, on every instruction
//! set, so that all of them add in the same order.

use super::for_each_isa;

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
}
