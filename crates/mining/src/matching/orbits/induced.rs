//! From edge-induced counts to vertex-induced ones.
//!
//! Let e(R) and v(S) be the edge- and vertex-induced counts of a vertex in the orbits R and S, and c(R, S) the copies of
//! R's pattern within one copy of S's, on all of its vertices, in which a vertex of S is one of R. Then
//!
//! e(R) = Σ c(R, S) v(S)
//!
//! over all orbits S of patterns of the same size. As c(R, R) is 1, and c(R, S) is 0 where S has no more edges than R, the
//! v(S) follow one after the other, those of patterns with many edges first. The same holds for edges.

use std::collections::BTreeSet;

use super::Orbit;
use crate::Pattern;
use crate::pattern::Induced;

/// What has to be taken off.
pub(crate) struct Inversion {
    /// For each orbit, those with more edges, each with the number of times that it is counted too much. Orbits with many
    /// edges come first.
    less: Vec<(usize, Vec<(usize, u128)>)>,
}

impl Inversion {
    pub(super) fn new(orbits: &[Orbit], induced: Induced) -> Self {
        let mut order: Vec<usize> = (0..orbits.len()).collect();
        order.sort_by_key(|at| std::cmp::Reverse(orbits[*at].pattern.edges().count()));
        let less = |at: usize| {
            let more = order.iter().map(|other| (*other, contained(&orbits[at], &orbits[*other])));
            (at, more.filter(|(other, times)| *other != at && *times > 0).collect())
        };
        let less = if induced == Induced::Vertex { order.iter().map(|at| less(*at)).collect() } else { Vec::new() };
        Self { less }
    }

    /// The counts that were asked for.
    pub(super) fn of(&self, mut counts: Vec<u128>) -> Vec<u128> {
        for (orbit, less) in &self.less {
            let much: u128 = less.iter().map(|(other, times)| counts[*other] * times).sum();
            counts[*orbit] -= much;
        }
        counts
    }
}

/// How many copies of this orbit's pattern, with the same vertex or edge in this orbit, lie in one copy of the larger one.
fn contained(orbit: &Orbit, larger: &Orbit) -> u128 {
    if orbit.pattern.vertices() != larger.pattern.vertices() {
        return 0;
    }
    let stay = placements(orbit, &orbit.pattern, &orbit.who);
    placements(orbit, &larger.pattern, &larger.who) / stay
}

/// The ways to place an orbit's pattern in another one of as many vertices, with what has this orbit at `who`.
fn placements(orbit: &Orbit, pattern: &Pattern, who: &[usize]) -> u128 {
    let who: BTreeSet<usize> = who.iter().copied().collect();
    let fits = |to: &[usize]| {
        let takes: BTreeSet<usize> = orbit.who.iter().map(|vertex| to[*vertex]).collect();
        takes == who && orbit.pattern.edges().all(|(a, b)| pattern.neighbours(to[a]) >> to[b] & 1 == 1)
    };
    let mut count = 0;
    orders(pattern.vertices(), &mut Vec::new(), &mut |to| count += u128::from(fits(to)));
    count
}

/// Calls `each` with all orders of so many numbers.
fn orders(count: usize, begin: &mut Vec<usize>, each: &mut impl FnMut(&[usize])) {
    if begin.len() == count {
        return each(begin);
    }
    for next in 0..count {
        if !begin.contains(&next) {
            begin.push(next);
            orders(count, begin, each);
            begin.pop();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Of, orbits};
    use super::*;

    #[test]
    fn a_clique_contains_the_copies_of_the_textbook() {
        let orbits = orbits(Of::Vertices, 4);
        let clique = &orbits[14];
        let times: Vec<u128> = orbits[4..].iter().map(|orbit| contained(orbit, clique)).collect();
        // Each of the four vertices is in 12 paths (an end of 6), 4 claws, 3 squares, 12 paws and 6 diamonds.
        assert_eq!(times, [6, 6, 3, 1, 3, 3, 6, 3, 3, 3, 1]);
    }
}
