//! Conditions that leave one of the symmetric matches of a copy.

use super::{Bounds, Choice, Tail};
use crate::pattern::{Pattern, Relabelling};

/// What is left of a pattern's symmetries.
pub(super) struct Broken {
    /// Pairs of positions; the first one's vertex ranks below the second one's.
    pub conditions: Vec<(usize, usize)>,
    /// All symmetries.
    pub all: u64,
    /// How many times more matches there are than those that meet all conditions.
    pub times: u64,
}

/// Conditions for a pattern whose vertices are numbered by position, the first `matched` of which are matched.
///
/// A tail may be counted without conditions on it, and a longer one than one vertex must be. Then only those symmetries
/// are broken that move no vertex between the tail and the rest. Call them H, and S those of H that leave all of the
/// rest in its place. Of the matches that differ by a member of H exactly |S| meet the conditions, whatever the ranks;
/// so there are |H| / |S| times as many matches as those that meet them.
pub(super) fn broken(pattern: &Pattern, matched: usize, choice: &Choice) -> Broken {
    let all = pattern.automorphisms();
    let conditioned = if choice.tail == Tail::Ranked { pattern.vertices() } else { matched };
    let stays = |to: &&Relabelling| (0..conditioned).all(|at| usize::from(to[at]) < conditioned);
    let mut left: Vec<Relabelling> = all.iter().filter(stays).copied().collect();
    let broken = left.len();
    let mut conditions = Vec::new();
    for first in 0..conditioned {
        let mut others: Vec<_> = left.iter().map(|to| usize::from(to[first])).filter(|other| *other != first).collect();
        others.sort_unstable();
        others.dedup();
        conditions.extend(others.into_iter().map(|other| if choice.turned { (other, first) } else { (first, other) }));
        left.retain(|to| usize::from(to[first]) == first);
    }
    Broken { conditions, all: all.len() as u64, times: (broken / left.len()) as u64 }
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
