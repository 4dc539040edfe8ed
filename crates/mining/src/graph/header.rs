//! First lines that are no edges.

use std::collections::HashSet;

/// Some files begin with the numbers of vertices and edges on a line of their own, without a comment sign. Such a line
/// differs from an edge in all of three ways: its second number counts the lines that follow (or half of them when each
/// edge stands in both directions), its first is the number of vertices that they name, or none of them is above it; and
/// there are at least two of these lines.
pub(super) fn header(pairs: &[(u64, u64)]) -> Option<(u64, u64)> {
    let (&(vertices, edges), rest) = pairs.split_first()?;
    let lines = rest.len() as u64;
    if lines < 2 || !(edges == lines || edges.checked_mul(2) == Some(lines) && both_ways(rest)) {
        return None;
    }
    let named: HashSet<u64> = rest.iter().flat_map(|&(a, b)| [a, b]).collect();
    (named.len() as u64 == vertices || named.iter().all(|name| *name <= vertices)).then_some((vertices, edges))
}

/// Whether each edge stands in both directions.
fn both_ways(pairs: &[(u64, u64)]) -> bool {
    let there: HashSet<_> = pairs.iter().copied().collect();
    pairs.iter().all(|&(a, b)| there.contains(&(b, a)))
}
