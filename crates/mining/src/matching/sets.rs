//! Intersections of sorted lists.

/// A list this many times longer than the other is searched instead of walked.
const GALLOP: usize = 24;

/// Calls `found` with each common member, in ascending order.
fn each_common(a: &[u32], b: &[u32], mut found: impl FnMut(u32)) {
    let (short, long) = if a.len() <= b.len() { (a, b) } else { (b, a) };
    if long.len() / GALLOP > short.len() {
        return search_each(short, long, found);
    }
    let (mut i, mut j) = (0, 0);
    while i < short.len() && j < long.len() {
        let (x, y) = (short[i], long[j]);
        if x == y {
            found(x);
        }
        // Both steps without a branch: which list is behind is random, so no predictor helps.
        i += usize::from(x <= y);
        j += usize::from(y <= x);
    }
}

/// Looks up each member of `short` in what is left of `long`, doubling the stride until it is passed.
fn search_each(short: &[u32], mut long: &[u32], mut found: impl FnMut(u32)) {
    for &x in short {
        let mut stride = 1;
        while stride < long.len() && long[stride] < x {
            stride *= 2;
        }
        let window = &long[stride / 2..long.len().min(stride + 1)];
        let at = stride / 2 + window.partition_point(|&y| y < x);
        long = &long[at..];
        match long.first() {
            Some(&y) if y == x => found(x),
            None => return,
            _ => {}
        }
    }
}

/// How many members both lists have.
pub(super) fn common_count(a: &[u32], b: &[u32]) -> u64 {
    let mut count = 0;
    each_common(a, b, |_| count += 1);
    count
}

/// Writes the common members into `out`, which is emptied first.
pub(super) fn common(a: &[u32], b: &[u32], out: &mut Vec<u32>) {
    out.clear();
    each_common(a, b, |x| out.push(x));
}

/// The part of a sorted list above `low`.
pub(super) fn above(list: &[u32], low: u32) -> &[u32] {
    &list[list.partition_point(|&x| x <= low)..]
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn both_ways_agree_with_sets(
            a in prop::collection::btree_set(0u32..2000, 0..30),
            b in prop::collection::btree_set(0u32..2000, 0..1500),
            low in 0u32..2000,
        ) {
            let expected: Vec<u32> = a.intersection(&b).copied().collect();
            let (a, b): (Vec<u32>, Vec<u32>) = (a.into_iter().collect(), b.into_iter().collect());
            let mut out = vec![7];
            common(&a, &b, &mut out);
            prop_assert_eq!(&out, &expected);
            prop_assert_eq!(common_count(&b, &a), expected.len() as u64);
            let mut searched = Vec::new();
            search_each(&b, &a, |x| searched.push(x));
            prop_assert_eq!(&searched, &expected);
            let higher: BTreeSet<u32> = a.iter().copied().filter(|&x| x > low).collect();
            prop_assert_eq!(above(&a, low), &higher.into_iter().collect::<Vec<_>>()[..]);
        }
    }
}
