//! Conditions that leave one of the symmetric matches of a copy.

use super::Bounds;
use crate::pattern::{Pattern, Relabelling};

/// What is left of a pattern's symmetries.
pub(super) struct Broken {
    /// Pairs of positions; the first one's vertex ranks below the second one's.
    pub conditions: Vec<(usize, usize)>,
    /// How many matches of each copy meet all conditions.
    pub divisor: u64,
}

/// Conditions for a pattern whose vertices are numbered by position, the first `matched` of which are matched.
///
/// A longer tail than one vertex is counted without conditions on it. Then only symmetries H that move no vertex between
/// tail and the rest are broken, and within the rest: of the matches of a copy that differ by a member of H, those meet the
/// conditions that differ by a symmetry which leaves the rest as it is. This holds for each coset of H by itself, whatever
/// the ranks; so a copy is counted |symmetries| / |H| times their number.
pub(super) fn broken(pattern: &Pattern, matched: usize, turned: bool) -> Broken {
    let all = pattern.automorphisms();
    let whole = pattern.vertices() - matched == 1;
    let conditioned = if whole { pattern.vertices() } else { matched };
    let stays = |to: &&Relabelling| (0..conditioned).all(|at| usize::from(to[at]) < conditioned);
    let mut left: Vec<Relabelling> = all.iter().filter(stays).copied().collect();
    let times = all.len() / left.len();
    let mut conditions = Vec::new();
    for first in 0..conditioned {
        let mut others: Vec<_> = left.iter().map(|to| usize::from(to[first])).filter(|other| *other != first).collect();
        others.sort_unstable();
        others.dedup();
        conditions.extend(others.into_iter().map(|other| if turned { (other, first) } else { (first, other) }));
        left.retain(|to| usize::from(to[first]) == first);
    }
    Broken { conditions, divisor: (times * left.len()) as u64 }
}

impl Broken {
    /// Conditions on the vertex at a position by those before it.
    pub(super) fn bounds(&self, at: usize) -> Bounds {
        let mut bounds = Bounds::default();
        for &(low, high) in &self.conditions {
            if high == at && low < at {
                bounds.above |= 1 << low;
            }
            if low == at && high < at {
                bounds.below |= 1 << high;
            }
        }
        bounds
    }
}
