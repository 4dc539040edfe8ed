//! Intersections of sorted lists.

use crate::plan::SEARCHED;

/// Whether a list is so much longer than the other that the other's members are searched in it.
pub(super) fn searched(short: usize, long: usize) -> bool {
    long / SEARCHED > short
}

/// Calls `found` with each common member, in ascending order, by walking both lists.
fn walk_both(a: &[u32], b: &[u32], mut found: impl FnMut(u32)) {
    let (mut i, mut j) = (0, 0);
    while i < a.len() && j < b.len() {
        let (x, y) = (a[i], b[j]);
        if x == y {
            found(x);
        }
        // Both steps without a branch: which list is behind is random, so no predictor helps.
        i += usize::from(x <= y);
        j += usize::from(y <= x);
    }
}

/// Looks up each member of `short` in what is left of `long`, doubling the stride until it is passed. How many it has.
pub(super) fn search(short: &[u32], mut long: &[u32], mut found: impl FnMut(u32)) -> u64 {
    let mut count = 0;
    for &x in short {
        let mut stride = 1;
        while stride < long.len() && long[stride] < x {
            stride *= 2;
        }
        let window = &long[stride / 2..long.len().min(stride + 1)];
        let at = stride / 2 + window.partition_point(|&y| y < x);
        long = &long[at..];
        match long.first() {
            Some(&y) if y == x => {
                found(x);
                count += 1;
            }
            None => break,
            _ => {}
        }
    }
    count
}

/// How many members both lists have.
pub(super) fn common_count(a: &[u32], b: &[u32]) -> u64 {
    let mut count = 0;
    walk_both(a, b, |_| count += 1);
    count
}

/// Writes the common members into `out`, which is empty, and tells how many there are.
pub(super) fn common(a: &[u32], b: &[u32], out: &mut Vec<u32>) -> u64 {
    walk_both(a, b, |x| out.push(x));
    out.len() as u64
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn both_ways_agree_with_sets(
            a in prop::collection::btree_set(0u32..2000, 0..30),
            b in prop::collection::btree_set(0u32..2000, 0..1500),
        ) {
            let expected: Vec<u32> = a.intersection(&b).copied().collect();
            let (a, b): (Vec<u32>, Vec<u32>) = (a.into_iter().collect(), b.into_iter().collect());
            let mut out = Vec::new();
            prop_assert_eq!(common(&a, &b, &mut out), expected.len() as u64);
            prop_assert_eq!(&out, &expected);
            prop_assert_eq!(common_count(&b, &a), expected.len() as u64);
            for (short, long) in [(&a, &b), (&b, &a)] {
                let mut out = Vec::new();
                prop_assert_eq!(search(short, long, |x| out.push(x)), expected.len() as u64);
                prop_assert_eq!(&out, &expected);
            }
        }
    }
}
