//! From edge-induced counts to vertex-induced ones.
//!
//! Let a vertex be of a role in a vertex-induced copy of a pattern H. Then it is of some role in each of the
//! edge-induced copies of other patterns on the same vertices. How many these are depends on the two roles alone. Of
//! patterns with as many edges as H there is only H itself; so the counts of the patterns with most edges are the same
//! either way, and those of the others follow, one after the other.

use std::collections::BTreeSet;

use super::Role;
use crate::Pattern;
use crate::pattern::Induced;

/// What has to be taken off.
pub(crate) struct Inversion {
    /// For each role, those with more edges, each with the number of times that it is counted too much. Roles with many
    /// edges come first.
    less: Vec<(usize, Vec<(usize, u128)>)>,
}

impl Inversion {
    pub(super) fn new(roles: &[Role], induced: Induced) -> Self {
        let mut order: Vec<usize> = (0..roles.len()).collect();
        order.sort_by_key(|at| std::cmp::Reverse(roles[*at].pattern.edges().count()));
        let less = |at: usize| {
            let more = order.iter().map(|other| (*other, contained(&roles[at], &roles[*other])));
            (at, more.filter(|(other, times)| *other != at && *times > 0).collect())
        };
        let less = if induced == Induced::Vertex { order.iter().map(|at| less(*at)).collect() } else { Vec::new() };
        Self { less }
    }

    /// The counts that were asked for.
    pub(super) fn of(&self, mut counts: Vec<u128>) -> Vec<u128> {
        for (role, less) in &self.less {
            let much: u128 = less.iter().map(|(other, times)| counts[*other] * times).sum();
            counts[*role] -= much;
        }
        counts
    }
}

/// In how many copies of a role's pattern what is of the larger one's role is of this role.
fn contained(role: &Role, larger: &Role) -> u128 {
    if role.pattern.vertices() != larger.pattern.vertices() {
        return 0;
    }
    let stay = placements(role, &role.pattern, &role.who);
    placements(role, &larger.pattern, &larger.who) / stay
}

/// The ways to place a role's pattern in another one of as many vertices, such that `who` takes the part.
fn placements(role: &Role, pattern: &Pattern, who: &[usize]) -> u128 {
    let who: BTreeSet<usize> = who.iter().copied().collect();
    let fits = |to: &[usize]| {
        let takes: BTreeSet<usize> = role.who.iter().map(|vertex| to[*vertex]).collect();
        takes == who && role.pattern.edges().all(|(a, b)| pattern.neighbours(to[a]) >> to[b] & 1 == 1)
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
    use super::super::{Of, roles};
    use super::*;

    #[test]
    fn a_clique_contains_the_copies_of_the_textbook() {
        let roles = roles(Of::Vertices, 4);
        let clique = &roles[14];
        let times: Vec<u128> = roles[4..].iter().map(|role| contained(role, clique)).collect();
        // Each of the four vertices is in 12 paths (an end of 6), 4 claws, 3 squares, 12 paws and 6 diamonds.
        assert_eq!(times, [6, 6, 3, 1, 3, 3, 6, 3, 3, 3, 1]);
    }
}
