//! Finds where a latency curve bends: the cache sizes that a reader really has.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A bend of the curve.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Knee {
    /// The largest size that is still as fast as those before.
    pub bytes: usize,
    /// Time of a load up to there.
    pub from_ns: f64,
    /// Time of a load where the curve is flat again, or ends.
    pub to_ns: f64,
}

/// A curve has left a level when it is so much above it,
const LEFT: f64 = 1.35;
/// and it is flat where the next size is so little slower.
const FLAT: f64 = 1.12;

/// The knees of a curve of (bytes, nanoseconds) by ascending size.
#[must_use]
pub fn find(curve: &[(usize, f64)]) -> Vec<Knee> {
    let mut knees = Vec::new();
    let mut begin = 0;
    while let Some(&(_, first)) = curve.get(begin) {
        let mut level = first;
        let left = (begin + 1..curve.len()).find(|&at| {
            let (_, now) = curve[at];
            // The first size of a plateau may have been too slow by chance.
            level = level.min(now);
            now > LEFT * level && curve.get(at + 1).is_none_or(|(_, next)| *next > LEFT * level)
        });
        let Some(left) = left else { break };
        let level_end = (begin..left).rev().find(|&at| curve[at].1 <= FLAT * level).unwrap_or(begin);
        let flat = (left..curve.len() - 1).find(|&at| curve[at + 1].1 <= FLAT * curve[at].1).unwrap_or(curve.len() - 1);
        let (bytes, to_ns) = (curve[level_end].0, curve[flat].1);
        knees.push(Knee { bytes, from_ns: level, to_ns });
        begin = flat;
    }
    knees
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn curve(caches: &[(u32, f64)], last: f64) -> Vec<(usize, f64)> {
        let latency = |size: usize| caches.iter().find(|(power, _)| size <= 1 << power).map_or(last, |(_, ns)| *ns);
        (12..30).map(|power| (1 << power, latency(1 << power))).collect()
    }

    #[test]
    fn the_sizes_of_caches_are_found() {
        let found = find(&curve(&[(15, 1.0), (20, 4.0), (25, 15.0)], 90.0));
        let sizes: Vec<_> = found.iter().map(|knee| (knee.bytes.trailing_zeros(), knee.from_ns, knee.to_ns)).collect();
        assert_eq!(sizes, [(15, 1.0, 4.0), (20, 4.0, 15.0), (25, 15.0, 90.0)]);
    }

    #[test]
    fn a_cache_that_is_only_claimed_is_not_found() {
        let found = find(&curve(&[(15, 1.0), (20, 4.0)], 90.0));
        assert_eq!(found.iter().map(|knee| knee.bytes.trailing_zeros()).collect::<Vec<_>>(), [15, 20]);
        assert!(find(&curve(&[], 7.0)).is_empty() && find(&[]).is_empty());
    }

    #[test]
    fn one_slow_point_is_no_knee() {
        let mut noisy = curve(&[(20, 4.0)], 40.0);
        noisy[4].1 = 9.0;
        assert_eq!(find(&noisy).iter().map(|knee| knee.bytes).collect::<Vec<_>>(), [1 << 20]);
    }

    proptest! {
        #[test]
        fn no_curve_is_a_panic(points in prop::collection::vec(0.1_f64..1000.0, 0..40)) {
            let curve: Vec<_> = points.into_iter().enumerate().map(|(at, ns)| (1 << at, ns)).collect();
            prop_assert!(find(&curve).iter().all(|knee| knee.to_ns > knee.from_ns));
        }
    }
}
